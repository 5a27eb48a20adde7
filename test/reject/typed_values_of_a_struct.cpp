// says: values: a struct of Cols has no typed result; choose columns with map, or take collect()

auto broken(Table table) { return from<Row>(table).values(); }
