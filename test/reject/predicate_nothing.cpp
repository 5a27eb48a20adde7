// says: filter: the predicate must be boolean; write a comparison

auto broken(Table table) {
  return from<Row>(table).filter([](auto r) { return std::tuple(r.paid); });
}
