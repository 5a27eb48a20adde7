// says: Col: the value has another type than the column; write cast<T>(x)

struct Out {
  Col<"total", double> total;
};
auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return Out{.total = r.price * 2}; });
}
