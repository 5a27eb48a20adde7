// The least and the greatest zero are the same by every variant, in any order of rows, on one
// device and on several.
#include <random>

#include "on_device/plan/several_devices.hpp"

namespace penstock::test {
namespace {

constexpr std::size_t zero_keys = 40, zero_rows = 4000;

// A key has 0.0 alone, -0.0 alone, or mostly the one and rarely the other, each also beside NULL
// and NaN. Any order of rows has the same extremes.
struct Zeros {
  std::vector<std::int64_t> keys;
  std::vector<std::optional<double>> values;
};

Zeros drawn_zeros(bool has_nan = true) {
  std::mt19937_64 numbers(17);
  Zeros drawn;
  for (std::size_t row = 0; row < zero_rows; row++) {
    const std::size_t key = row % zero_keys, chosen = numbers() % 16;
    const bool is_rare = key % 4 >= 2 && chosen == 0, is_negative = (key % 2 == 1) != is_rare;
    std::optional<double> value = is_negative ? -0.0 : 0.0;
    if (key >= 8 && chosen == 1) value.reset();
    if (has_nan && key >= 16 && chosen == 2) value = NAN;
    drawn.keys.push_back(static_cast<std::int64_t>(key));
    drawn.values.push_back(value);
  }
  return drawn;
}

// One of the zeros in all rows.
Zeros zeros_alone(double zero) {
  Zeros drawn = drawn_zeros();
  drawn.values.assign(zero_rows, zero);
  return drawn;
}

Table table_in_order(const Zeros& drawn, const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> keys;
  std::vector<std::optional<double>> f64;
  std::vector<std::optional<float>> f32;
  for (const std::size_t row : order) {
    keys.push_back(drawn.keys[row]);
    f64.push_back(drawn.values[row]);
    f32.push_back(f64.back() ? std::optional(static_cast<float>(*f64.back())) : std::nullopt);
  }
  return Table::of({{"key", Column::from(keys)},
                    {"f64", Column::from(std::move(f64))},
                    {"f32", Column::from(std::move(f32))}});
}

// The rows as drawn, backwards, and in an order by chance.
std::vector<std::vector<std::size_t>> orders_of_rows() {
  std::vector<std::vector<std::size_t>> orders(3, std::vector<std::size_t>(zero_rows));
  for (auto& order : orders) std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::reverse(orders[1]);
  std::ranges::shuffle(orders[2], std::mt19937_64(18));
  return orders;
}

std::vector<AggregateCall> extremes_of_floats(Builder& b) {
  std::vector<AggregateCall> calls;
  for (const char* name : {"f64", "f32"})
    for (const Aggregate function : {Aggregate::minimum, Aggregate::maximum})
      calls.push_back({function, *b.column(name), "x", nullptr});
  return calls;
}

// Text, in which -0.0 is not 0.0, of the extremes that follow the key: of both columns.
std::string text_of_extremes(const Zeros& drawn, std::optional<std::int64_t> key) {
  bool has_negative = false, has_positive = false, has_nan = false;
  for (std::size_t row = 0; row < zero_rows; row++) {
    if ((key && drawn.keys[row] != *key) || !drawn.values[row]) continue;
    const double value = *drawn.values[row];
    has_nan |= std::isnan(value);
    has_negative |= value == 0 && std::signbit(value);
    has_positive |= value == 0 && !std::signbit(value);
  }
  const std::string least = has_negative ? "-0.0|" : "0.0|", greatest = has_nan        ? "nan|"
                                                                        : has_positive ? "0.0|"
                                                                                       : "-0.0|";
  return least + greatest + least + greatest;
}

void expect_extremes_of_all_rows(const Zeros& drawn, const std::string& expected) {
  ASSERT_EQ(text_of_extremes(drawn, std::nullopt), expected);
  for (const auto& order : orders_of_rows()) {
    Plan plan;
    const StepId source = plan.source(table_source(table_in_order(drawn, order)));
    Builder b(plan.step(source).schema);
    TAKE(const StepId all, plan.reduce(source, b.graph(), extremes_of_floats(b)));
    on_each_variant(plan, source, all, [&](RunOptions options) {
      for (const std::uint64_t batch_rows : {0, 512}) {
        options.batch_rows = batch_rows;
        TAKE(const QueryResult found, run(plan, all, options));
        EXPECT_EQ(text_of_row(found.table, 0), expected);
      }
    });
  }
}

TEST(ExtremeZeros, OfAllRowsAreTheSameByEveryVariant) {
  expect_extremes_of_all_rows(drawn_zeros(), "-0.0|nan|-0.0|nan|");
  expect_extremes_of_all_rows(drawn_zeros(false), "-0.0|0.0|-0.0|0.0|");
}

TEST(ExtremeZeros, OfOneZeroAloneAreThatZero) {
  expect_extremes_of_all_rows(zeros_alone(0.0), "0.0|0.0|0.0|0.0|");
  expect_extremes_of_all_rows(zeros_alone(-0.0), "-0.0|-0.0|-0.0|-0.0|");
}

void expect_extremes_by_key(const Table& found, const Zeros& drawn) {
  ASSERT_EQ(found.row_count, zero_keys);
  for (std::uint64_t row = 0; row < found.row_count; row++) {
    const auto key = static_cast<std::int64_t>(scalar_at(found.columns[0], row).integer);
    EXPECT_EQ(text_of_row(found, row), std::to_string(key) + "|" + text_of_extremes(drawn, key));
  }
}

TEST(ExtremeZeros, OfKeysAreTheSameByEveryVariantAndOnSeveralDevices) {
  const Zeros drawn = drawn_zeros();
  for (const auto& order : orders_of_rows()) {
    Plan plan;
    const StepId source = plan.source(table_source(table_in_order(drawn, order)));
    Builder b(plan.step(source).schema);
    TAKE(const StepId groups,
         plan.group_by(source, b.graph(), {{"key", *b.column("key")}}, extremes_of_floats(b)));
    on_each_variant(plan, source, groups, [&](RunOptions options) {
      options.batch_rows = 512;
      TAKE(const QueryResult found, run(plan, groups, options));
      expect_extremes_by_key(found.table, drawn);
      RunOptions of_shares = rows_on_device(list_of(options.device, 3));
      of_shares.variant = options.variant;
      TAKE(const QueryResult shares, run(plan, groups, of_shares));
      expect_extremes_by_key(shares.table, drawn);
    });
  }
}

TEST(ExtremeZeros, OfWindowsAreThoseOfGroups) {
  using enum WindowFunction;
  const Zeros drawn = drawn_zeros();
  for (const auto& order : orders_of_rows()) {
    Plan plan;
    std::vector<WindowCall> calls;
    for (const std::uint32_t column : {1u, 2u})
      for (const WindowFunction function : {minimum, maximum})
        calls.push_back({function, column, WindowFrame::partition, 1, "x"});
    TAKE(const StepId windows,
         plan.window(plan.source(table_source(table_in_order(drawn, order))), {{0}, {}, calls}));
    on_each_device([&](Device& device) {
      TAKE(const QueryResult found, run(plan, windows, {.device = device.traits().id}));
      ASSERT_EQ(found.table.row_count, zero_rows);
      for (std::uint64_t row = 0; row < zero_rows; row++) {
        const auto key = static_cast<std::int64_t>(scalar_at(found.table.columns[0], row).integer);
        std::string extremes;
        for (std::size_t column = 3; column < 7; column++)
          extremes += text_of(scalar_at(found.table.columns[column], row)) + "|";
        ASSERT_EQ(extremes, text_of_extremes(drawn, key)) << key;
      }
    });
  }
}

}  // namespace
}  // namespace penstock::test
