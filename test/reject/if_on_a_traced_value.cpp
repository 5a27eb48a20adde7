// says: use select(condition, a, b): a traced value is not known while tracing

auto broken(Table table) {
  return from<Row>(table).map([](auto r) {
    if (r.price > 3) return r.price * 2;
    return r.price * 3;
  });
}
