// says: use select(condition, a, b): a traced value is not known while tracing

auto broken(Table table) {
  return from<Row>(table).map([](auto r) {
    auto x = r.price * 1;
    while (x > 3) x = x / 2;
    return x;
  });
}
