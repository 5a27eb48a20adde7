// says: a traced value has no number while tracing: keep it in 'auto', or convert it with
// cast<T>(x)

auto broken(Table table) {
  return from<Row>(table).map([](auto r) {
    const float price = r.price;
    return r.price * price;
  });
}
