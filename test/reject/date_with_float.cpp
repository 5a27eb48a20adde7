// says: these types do not meet in arithmetic; cast one side with cast<T>(x)

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return r.shipped + 1.5; });
}
