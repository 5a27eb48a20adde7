// compiles

struct Out {
  Col<"total", float> total;
  Col<"count", opt<std::int32_t>> count;
};

auto right(Table table, float floor, bool doubles) {
  const auto twice = custom_function<double(double)>("twice", {"x"}, "return 2 * x;",
                                                     [](double x) { return 2 * x; });
  return from<Row>(table)
      .filter([=](auto r) {
        return r.price * 2 > floor && (r.quantity > 3 || !r.paid) && r.url != "none";
      })
      .filter([](auto r) { return r.shipped < date(1998, 12, 1) && r.id > 3 && r.id + 1u > 4u; })
      .filter([](auto r) { return r.discount >= decimal<3, 2>("0.05") && is_null(r.quantity); })
      .map([=](auto r) {
        return Out{.total = doubles ? r.price * 2 : r.price * 1, .count = r.quantity};
      })
      .map([=](auto r) {
        return record(field<"total">(select(r.total > 3, r.total, 0.5f)),
                      field<"twice">(twice(r.total)));
      })
      .map([](auto r) { return std::tuple(get<"total">(r), cast<std::int64_t>(get<"twice">(r))); })
      .aggregate([](auto total, auto twice) { return std::tuple(sum(total), count(), avg(twice)); })
      .one();
}
