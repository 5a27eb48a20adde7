// says: a boolean takes no part in arithmetic; write select(condition, 1, 0)

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return r.paid + 1; });
}
