// says: cast: there is no conversion between these types

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return cast<int>(r.url); });
}
