// Lambdas run on every device found, against loops over the same vectors.
#include <gtest/gtest.h>

#include <set>

#include "on_device/device/device_fixture.hpp"
#include "penstock/arrow_c.hpp"
#include "penstock/query.hpp"

namespace penstock {
namespace {

struct Row {
  Col<"price", float> price;
  Col<"quantity", opt<std::int32_t>> quantity;
  Col<"item", str> item;
  Col<"shipped", date> shipped;
  Col<"cost", decimal<15, 2>> cost;
  Col<"size", std::int8_t> size;
};

constexpr int sale_row_count = 10'000;
float price_of(int i) { return static_cast<float>(i % 1000) / 4; }
std::optional<std::int32_t> quantity_of(int i) {
  return i % 7 == 0 ? std::nullopt : std::optional(i % 20);
}
std::string item_of(int i) { return i % 3 == 0 ? "apple" : i % 3 == 1 ? "pear" : "plum"; }
std::int64_t cost_of(int i) {
  return (i % 2 == 0 ? 1 : -1) * static_cast<std::int64_t>(i) * 1'000'000'007;
}

Column typed(Column column, Type type) {
  column.type = type;
  return column;
}

Table sales(int rows = sale_row_count) {
  std::vector<float> prices;
  std::vector<std::optional<std::int32_t>> quantities;
  std::vector<std::string> items;
  std::vector<std::int32_t> days;
  std::vector<std::int64_t> costs;
  std::vector<std::int8_t> sizes;
  for (int i = 0; i < rows; i++) {
    prices.push_back(price_of(i));
    quantities.push_back(quantity_of(i));
    items.push_back(item_of(i));
    days.push_back(date(1992, 1, 1).days_since_epoch + i);
    costs.push_back(cost_of(i));
    sizes.push_back(static_cast<std::int8_t>(i % 200 - 100));
  }
  return Table::of({{"unused", Column::from(std::vector<double>(static_cast<std::size_t>(rows)))},
                    {"shipped", typed(Column::from(days), {Kind::date32})},
                    {"price", Column::from(prices)},
                    {"quantity", Column::from(quantities)},
                    {"item", Column::from_strings(items)},
                    {"cost", typed(Column::from(costs), Type::decimal(15, 2))},
                    {"size", Column::from(sizes)}});
}

template <class Body> void on_each(Body body) {
  on_each_device([&](Device& device) { body(RunOptions{.device = device.traits().id}); });
}

TEST(Query, FilterMapSumIsTheLoops) {
  const float floor = 100;
  const auto total =
      from<Row>(sales())
          .filter([=](auto r) { return r.price * 2 > floor && r.quantity > 3; })
          .map([](auto r) { return select(r.quantity > 10, r.price * 0.75f, r.price); })
          .sum();
  double expected = 0;  // quarters: exact in any order
  for (int i = 0; i < sale_row_count; i++)
    if (price_of(i) * 2 > floor && quantity_of(i).value_or(0) > 3)
      expected += *quantity_of(i) > 10 ? price_of(i) * 0.75f : price_of(i);
  on_each([&](const RunOptions& options) {
    RunReport report;
    TAKE(const double answer, total.run(options, &report));
    EXPECT_EQ(answer, expected);
    EXPECT_EQ(report.device_id, options.device);
    EXPECT_EQ(report.rows_read, static_cast<std::uint64_t>(sale_row_count));
  });
}

TEST(Query, KeptRowsStayInOrderWithTheirStringsAndNulls) {
  const auto kept =
      from<Row>(sales())
          .filter([](auto r) { return r.item == "pear" && r.price > 200; })
          .map([](auto r) { return std::tuple(r.item, r.quantity, r.shipped, r.price + r.size); });
  on_each([&](const RunOptions& options) {
    TAKE(const auto rows, kept.values(options));
    std::size_t next = 0;
    for (int i = 0; i < sale_row_count; i++) {
      if (item_of(i) != "pear" || !(price_of(i) > 200)) continue;
      ASSERT_LT(next, rows.size());
      EXPECT_EQ(rows[next++],
                std::tuple(item_of(i), quantity_of(i), date(date(1992, 1, 1).days_since_epoch + i),
                           price_of(i) + static_cast<float>(i % 200 - 100)));
    }
    EXPECT_EQ(next, rows.size());
  });
}

TEST(Query, AStructsColumnsAreTheResultNotTheTables) {
  const auto kept = from<Row>(sales(5)).filter([](auto r) { return r.price > 0; });
  on_each([&](const RunOptions& options) {
    TAKE(const Table table, kept.collect(options));
    EXPECT_EQ(table.names,
              (std::vector<std::string>{"price", "quantity", "item", "shipped", "cost", "size"}));
    EXPECT_EQ(table.row_count, 4u);
  });
}

TEST(Query, SumsOfDecimalsAreExactBeyond64Bits) {
  const auto query = from<Row>(sales()).aggregate([](auto r) {
    return std::tuple(sum(r.cost * decimal<2, 1>("9.9")), count(r.quantity), min(r.size),
                      max(r.cost));
  });
  Int128 expected = 0;
  std::int64_t present = 0;
  for (int i = 0; i < sale_row_count; i++) {
    expected += Int128{cost_of(i)} * 99;
    present += quantity_of(i).has_value();
  }
  on_each([&](const RunOptions& options) {
    TAKE(const auto row, query.one(options));
    const auto& [cost, quantities, smallest, dearest] = row;
    EXPECT_EQ(cost, (decimal<38, 3>::of_count(expected)));
    EXPECT_EQ(quantities, present);
    EXPECT_EQ(smallest, std::int8_t{-100});
    EXPECT_EQ(dearest, (decimal<15, 2>::of_count(cost_of(9998))));
  });
}

TEST(Query, GroupsGoOnAsRecords) {
  const auto query = from<Row>(sales())
                         .group_by([](auto r) { return record(field<"item">(r.item)); })
                         .aggregate([](auto r) {
                           return record(field<"sales">(count()), field<"total">(sum(r.price)));
                         })
                         .filter([](auto r) { return get<"item">(r) != "plum"; })
                         .order_by([](auto r) { return descending(get<"item">(r)); });
  double apples = 0;
  for (int i = 0; i < sale_row_count; i += 3) apples += price_of(i);
  on_each([&](const RunOptions& options) {
    TAKE(const auto outcome, query.run(options));
    EXPECT_EQ(outcome.table.names, (std::vector<std::string>{"item", "sales", "total"}));
    TAKE(const auto rows, query.values(options));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(std::get<0>(rows[0]), "pear");
    EXPECT_EQ(rows[1], std::tuple(std::string("apple"), std::int64_t{3334}, std::optional(apples)));
  });
}

TEST(Query, SortsByWhatIsNoColumnAndLimits) {
  const auto query =
      from<Row>(sales(50))
          .map([](auto r) { return std::tuple(r.price, r.quantity); })
          .order_by([](auto, auto quantity) {
            return std::tuple(nulls_first(descending(quantity % 5)), ascending(quantity));
          })
          .limit(3, 7);
  std::vector<std::tuple<float, std::optional<std::int32_t>>> expected;
  for (int i = 0; i < 50; i++) expected.emplace_back(price_of(i), quantity_of(i));
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
    const auto key = [](const auto& row) {
      const auto q = std::get<1>(row);
      return std::pair(q ? -(*q % 5) : -100, q.value_or(0));
    };
    return key(a) < key(b);
  });
  expected = {expected.begin() + 7, expected.begin() + 10};
  on_each([&](const RunOptions& options) {
    TAKE(const auto rows, query.values(options));
    EXPECT_EQ(rows, expected);
  });
}

TEST(Query, OverNoRowsSumsAreZeroAndTheRestIsMissing) {
  const auto none = from<Row>(sales()).filter([](auto r) { return r.price < 0; }).map([](auto r) {
    return r.price;
  });
  const auto largest = custom_reduction<float>("largest", -1.0f, "return a > b ? a : b;",
                                               [](float a, float b) { return a > b ? a : b; },
                                               {.associative = true, .commutative = true});
  on_each([&](const RunOptions& options) {
    TAKE(const double total, none.sum().run(options));
    EXPECT_EQ(total, 0);
    TAKE(const std::int64_t rows, none.count().run(options));
    EXPECT_EQ(rows, 0);
    TAKE(const std::optional<float> smallest, none.min().run(options));
    EXPECT_EQ(smallest, std::nullopt);
    TAKE(const std::optional<double> mean, none.avg().run(options));
    EXPECT_EQ(mean, std::nullopt);
    TAKE(const float reduced, none.reduce(largest).run(options));
    EXPECT_EQ(reduced, -1.0f);
    TAKE(const auto values, none.values(options));
    EXPECT_TRUE(values.empty());
  });
}

TEST(Query, CustomFunctionsAndReductionsRunTheirOwnText) {
  const auto mixed = custom_function<std::int64_t(std::int32_t, date)>(
      "mixed", {"quantity", "day"}, "return (i64)quantity * 31 + day;",
      [](std::int32_t quantity, date day) {
        return std::int64_t{quantity} * 31 + day.days_since_epoch;
      });
  const auto either = custom_reduction<std::int64_t>(
      "either", 0, "return a ^ b;", [](std::int64_t a, std::int64_t b) { return a ^ b; },
      {.associative = true, .commutative = true});
  const auto query = from<Row>(sales()).map([&](auto r) { return mixed(r.quantity, r.shipped); });
  std::int64_t expected = 0, present = 0;
  for (int i = 0; i < sale_row_count; i++) {
    if (!quantity_of(i)) continue;
    expected ^= *quantity_of(i) * 31 + date(1992, 1, 1).days_since_epoch + i;
    present++;
  }
  on_each([&](const RunOptions& options) {
    TAKE(const std::int64_t answer, query.reduce(either).run(options));
    EXPECT_EQ(answer, expected);
    TAKE(const auto counted, query.aggregate([](auto x) { return count(x); }).one(options));
    EXPECT_EQ(counted, present) << "a custom function of a NULL is NULL";
  });
}

TEST(Query, DistinctValuesAreCountedOnce) {
  std::set<std::int32_t> expected;
  for (int i = 0; i < sale_row_count; i++)
    if (quantity_of(i)) expected.insert(*quantity_of(i));
  on_each([&](const RunOptions& options) {
    const auto query = from<Row>(sales()).aggregate(
        [](auto r) { return std::tuple(count(), distinct(count(r.quantity))); });
    TAKE(const auto answer, query.one(options));
    EXPECT_EQ(std::get<0>(answer), sale_row_count);
    EXPECT_EQ(std::get<1>(answer), static_cast<std::int64_t>(expected.size()));
  });
}

TEST(Query, AFaultNamesTheLambdasLine) {
  const auto query =
      from<Row>(sales()).map([](auto r) { return r.quantity / (r.quantity - r.quantity); });
  on_each([&](const RunOptions& options) {
    const Status status = query.sum().run(options).status();
    EXPECT_EQ(status.code(), Code::invalid) << status.text();
    EXPECT_NE(status.text().find("division by zero in (quantity // (quantity - quantity)) in the "
                                 "map at query_run_test.cpp:"),
              std::string::npos)
        << status.text();
  });
}

TEST(Query, QueriesThatShareStepsRunTogether) {
  const auto kept = from<Row>(sales()).filter([](auto r) { return r.price > 100; });
  const auto sum = kept.map([](auto r) { return r.price; }).sum();
  const auto count = kept.count();
  on_each([&](const RunOptions& options) {
    TAKE(const double total, sum.run(options));
    TAKE(const auto outcomes, run_together(options, sum, count, kept));
    ASSERT_EQ(outcomes.size(), 3u);
    EXPECT_EQ(outcomes[0].table.columns[0].values.as<double>()[0], total);
    EXPECT_EQ(outcomes[1].table.columns[0].values.as<std::int64_t>()[0],
              static_cast<std::int64_t>(outcomes[2].table.row_count));
  });
  EXPECT_EQ(run_together({}, sum, from<Row>(sales()).count()).status().code(), Code::invalid)
      << "two plans have no shared steps";
}

TEST(Query, StructsGoInAndOut) {
  struct Line {
    Col<"total", opt<float>> total;
    Col<"item", str> item;
  };
  const auto query =
      from<Row>(sales(20))
          .map([](auto r) { return Line{.total = r.price * r.quantity, .item = r.item}; })
          .filter([](auto r) { return r.total > 3; });
  on_each([&](const RunOptions& options) {
    TAKE(const Table table, query.collect(options));
    EXPECT_EQ(table.names, (std::vector<std::string>{"total", "item"}));
    TAKE(const auto totals, query.map([](auto r) { return r.total; }).values(options));
    std::vector<std::optional<float>> expected;
    for (int i = 0; i < 20; i++)
      if (quantity_of(i) && price_of(i) * static_cast<float>(*quantity_of(i)) > 3)
        expected.push_back(price_of(i) * static_cast<float>(*quantity_of(i)));
    EXPECT_EQ(totals, expected);
  });
}

TEST(Query, ArrowDataComesInAndGoesOut) {
  on_each([&](const RunOptions& options) {
    ArrowArray array;
    ArrowSchema schema;
    ASSERT_OK(export_table(sales(100), &array, &schema));
    const auto pears =
        from<Row>(import_table(&array, &schema)).filter([](auto r) { return r.item == "pear"; });
    TAKE(const QueryResult outcome, pears.run(options));
    ASSERT_OK(export_table(outcome.table, &array, &schema));
    EXPECT_EQ(array.length, 33);
    const auto again = from<Row>(import_table(&array, &schema)).map([](auto r) {
      return std::tuple(r.item, r.quantity, r.cost);
    });
    TAKE(const auto rows, again.values(options));
    ASSERT_EQ(rows.size(), 33u);
    for (std::size_t i = 0; i < rows.size(); i++) {
      const int from_row = static_cast<int>(3 * i + 1);
      EXPECT_EQ(rows[i], std::tuple(std::string("pear"), quantity_of(from_row),
                                    decimal<15, 2>::of_count(cost_of(from_row))));
    }
  });
}

// A lambda with a new captured value must find the program of the old one.
TEST(Query, ANewCapturedValueCompilesNothing) {
  const auto above = [](float floor) {
    return from<Row>(sales(100)).filter([=](auto r) { return r.price > floor; }).count();
  };
  on_each([&](const RunOptions& options) {
    RunReport report;
    TAKE(const std::int64_t few, above(20).run(options, &report));
    EXPECT_EQ(few, 19);
    TAKE(const std::int64_t many, above(1).run(options, &report));
    EXPECT_EQ(many, 95);
    ASSERT_FALSE(report.kernels.empty());
    for (const KernelReport& kernel : report.kernels)
      EXPECT_EQ(name_of(kernel.build.cache), name_of(CacheResult::memory)) << kernel.name;
  });
}

TEST(Query, BooleansAndMissingScalarsAreValues) {
  const std::optional<std::int32_t> missing;
  const auto query =
      from(std::vector<bool>{true, false, true}, std::vector<std::int32_t>{1, 2, 3})
          .map([=](auto flag, auto x) {
            return std::tuple(!flag, coalesce(x + missing, x), select(flag, x, missing));
          });
  on_each([&](const RunOptions& options) {
    TAKE(const auto rows, query.values(options));
    using Expected = std::tuple<bool, std::int32_t, std::optional<std::int32_t>>;
    EXPECT_EQ(rows, (std::vector<Expected>{{false, 1, 1}, {true, 2, std::nullopt}, {false, 3, 3}}));
  });
}

}  // namespace
}  // namespace penstock
