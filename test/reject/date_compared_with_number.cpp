// says: these types do not compare; cast one side with cast<T>(x)

auto broken(Table table) {
  return from<Row>(table).filter([](auto r) { return r.shipped < 19981201; });
}
