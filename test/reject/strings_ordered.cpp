// says: strings can be compared with == and != only

auto broken(Table table) {
  return from<Row>(table).filter([](auto r) { return r.url < "m"; });
}
