// says: aggregate: return aggregates: sum(x), count(), min(x), max(x), avg(x) or reduce(r, x)

auto broken(Table table) {
  return from<Row>(table).aggregate([](auto r) { return std::tuple(sum(r.price), r.quantity); });
}
