// says: map: return a value, a std::tuple of values

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return sum(r.price); });
}
