// says: a custom function takes as many inputs as its signature names

auto broken(Table table) {
  const auto twice = custom_function<double(double)>("twice", {"x"}, "return 2 * x;",
                                                     [](double x) { return 2 * x; });
  return from<Row>(table).map([&](auto r) { return twice(r.price, r.price); });
}
