// says: sum, min, max, avg and reduce take rows of one value; map to it first, or use aggregate

auto broken(Table table) { return from<Row>(table).sum(); }
