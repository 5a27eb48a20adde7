// says: Col: the value may be NULL; declare the column opt<T>, or write coalesce(x, value)

struct Out {
  Col<"count", std::int32_t> count;
};
auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return Out{.count = r.quantity}; });
}
