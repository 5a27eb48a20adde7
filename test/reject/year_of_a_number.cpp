// says: this function takes a date or a timestamp

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return year(r.price); });
}
