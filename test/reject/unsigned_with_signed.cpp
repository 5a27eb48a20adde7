// says: a 64-bit unsigned and a signed integer need 128 bits; cast one side, or write 1u instead of
// 1

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return r.id + 1; });
}
