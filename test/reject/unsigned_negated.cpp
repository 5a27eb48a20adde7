// says: minus of an unsigned integer; write -cast<std::int64_t>(x)

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return -r.id; });
}
