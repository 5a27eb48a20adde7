// says: && and || take booleans; write a comparison

auto broken(Table table) {
  return from<Row>(table).filter([](auto r) { return r.price && r.quantity > 3; });
}
