// says: sum and avg take numbers

auto broken(Table table) {
  return from<Row>(table).aggregate([](auto r) { return sum(r.url); });
}
