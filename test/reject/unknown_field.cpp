// says: get: the record has no field of this name

auto broken(Table table) {
  return from<Row>(table)
      .map([](auto r) { return record(field<"total">(r.price)); })
      .filter([](auto r) { return get<"totel">(r) > 1; });
}
