// says: use select(condition, a, b): a traced value is not known while tracing

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return r.price > 3 ? r.price * 2 : r.price * 3; });
}
