// says: select: the condition must be boolean; write a comparison

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return select(r.quantity, 1, 2); });
}
