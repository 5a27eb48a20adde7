// Orders found by words, against a comparison of the values themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "expr/value.hpp"
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {
namespace {

using Numbers = std::mt19937_64;

// Few values, so that rows tie; extremes, NaN, both zeros and texts of which one begins another
// among them.
Scalar random_scalar(Type type, Numbers& numbers) {
  const auto pick = [&](auto... values) {
    const double list[] = {static_cast<double>(values)...};
    return list[numbers() % sizeof...(values)];
  };
  switch (type.kind) {
    case Kind::string: {
      const char* texts[] = {"", "a", "ab", "abc", "b", "\x7f", "\xc3\xa9", "B"};
      return Scalar::of(std::string(texts[numbers() % 8]));
    }
    case Kind::float32:
      return Scalar::of(
          static_cast<float>(pick(0.0, -0.0, 1.5, -1.5, 3e38, -3e38, HUGE_VAL, -HUGE_VAL, NAN)));
    case Kind::float64:
      return Scalar::of(pick(0.0, -0.0, 1.5, -1.5, 1e308, -1e308, HUGE_VAL, -HUGE_VAL, NAN));
    case Kind::boolean: return Scalar::of(type, Int128{static_cast<int>(numbers() % 2)});
    default: break;
  }
  const unsigned bits = 8 * width_bytes(type);
  const bool is_unsigned = is_integer(type) && !is_signed(type);
  const Int128 most = is_unsigned   ? (Int128{1} << bits) - 1
                      : bits == 128 ? ~(Int128{1} << 127)
                                    : (Int128{1} << (bits - 1)) - 1;
  const Int128 least = is_unsigned ? Int128{0} : -most - 1;
  const Int128 values[] = {0,       1, 2, 3, most, least, most - 1, least + 1, is_unsigned ? 5 : -5,
                           most / 3};
  return Scalar::of(type, values[numbers() % 10]);
}

Column random_column(Type type, bool has_nulls, std::uint64_t rows, Numbers& numbers) {
  std::vector<Scalar> values;
  for (std::uint64_t row = 0; row < rows; row++)
    values.push_back(has_nulls && numbers() % 4 == 0 ? Scalar::null_of(type)
                                                     : random_scalar(type, numbers));
  return column_of(type, values);
}

std::vector<std::uint64_t> order_by_values(const Table& table, const std::vector<SortKey>& keys) {
  std::vector<std::vector<Scalar>> values(table.columns.size());
  for (std::size_t c = 0; c < values.size(); c++)
    for (std::uint64_t row = 0; row < table.row_count; row++)
      values[c].push_back(scalar_at(table.columns[c], row));
  std::vector<std::uint64_t> order(table.row_count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    for (const SortKey& key : keys) {
      const Scalar &x = values[key.column][a], &y = values[key.column][b];
      if (x.is_null != y.is_null) return x.is_null == key.nulls_first;
      if (x.is_null) continue;
      if (const int order_of = expr::compare(x, y); order_of != 0)
        return (order_of < 0) != key.descending;
    }
    return false;
  });
  return order;
}

const std::vector<Type> types = {
    {Kind::boolean}, {Kind::int8},   {Kind::int16},     {Kind::int32},        {Kind::int64},
    {Kind::uint8},   {Kind::uint16}, {Kind::uint32},    {Kind::uint64},       {Kind::float32},
    {Kind::float64}, {Kind::date32}, {Kind::timestamp}, Type::decimal(15, 2), Type::decimal(38, 2),
    {Kind::string},  {Kind::int128}};

TEST(NormalizedKeys, EveryTypeInEveryDirectionOrdersAsItsValuesDo) {
  Numbers numbers(1);
  for (const Type type : types)
    for (const bool has_nulls : {false, true}) {
      const Table table = Table::of({{"x", random_column(type, has_nulls, 300, numbers)}});
      for (const bool descending : {false, true})
        for (const bool nulls_first : {false, true}) {
          const std::vector<SortKey> keys = {{0, descending, nulls_first}};
          EXPECT_EQ(order_on_host(normalized_keys(table, keys), 300, 300),
                    order_by_values(table, keys))
              << name_of(type) << (descending ? " descending" : "")
              << (nulls_first ? " nulls first" : "");
        }
    }
}

TEST(NormalizedKeys, SeveralKeysDecideInTheirOrder) {
  Numbers numbers(2);
  for (int round = 0; round < 200; round++) {
    std::vector<std::pair<std::string, Column>> columns;
    std::vector<SortKey> keys;
    for (std::uint32_t i = 0; i < 1 + numbers() % 5; i++) {
      columns.emplace_back(
          "c" + std::to_string(i),
          random_column(types[numbers() % types.size()], numbers() % 2 == 0, 200, numbers));
      keys.push_back({i, numbers() % 2 == 0, numbers() % 2 == 0});
    }
    std::shuffle(keys.begin(), keys.end(), numbers);
    const Table table = Table::of(std::move(columns));
    ASSERT_EQ(order_on_host(normalized_keys(table, keys), 200, 200), order_by_values(table, keys))
        << "round " << round;
  }
}

// Few different values, so that rows are equal in several keys, also around the limit.
TEST(OrderOfTies, LaterKeysDecideOnlyRowsThatEarlierOnesLeaveEqual) {
  Numbers numbers(4);
  for (int round = 0; round < 300; round++) {
    const std::uint64_t rows = numbers() % 400;
    std::vector<std::pair<std::string, Column>> columns;
    std::vector<SortKey> keys;
    for (std::uint32_t i = 0; i < 2 + numbers() % 4; i++) {
      std::vector<std::optional<std::string>> texts(rows);
      std::vector<std::optional<std::int32_t>> counts(rows);
      for (std::uint64_t row = 0; row < rows; row++) {
        const std::uint64_t value = numbers() % (2 + 5 * i);
        if (value > 0) texts[row] = std::string(value % 11, 'x') + std::to_string(value % 3);
        if (value > 0) counts[row] = static_cast<std::int32_t>(value);
      }
      const bool is_text = numbers() % 3 > 0;
      columns.emplace_back("c" + std::to_string(i),
                           is_text ? Column::from_strings(texts) : Column::from(counts));
      keys.push_back({i, numbers() % 2 == 0, numbers() % 2 == 0});
    }
    std::shuffle(keys.begin(), keys.end(), numbers);
    const Table table = Table::of(std::move(columns));
    std::vector<std::uint64_t> expected = order_by_values(table, keys);
    const std::uint64_t limit = numbers() % (rows + 3);
    expected.resize(std::min(limit, rows));
    ASSERT_EQ(order_on_host(table, keys, limit), expected) << "round " << round;
  }
}

TEST(OrderOfTies, RowsThatAreEqualAtTheEndAloneKeepTheirPlaces) {
  const Table table =
      Table::of({{"a", Column::from_strings(std::vector<std::string>{"x", "z", "z"})},
                 {"b", Column::from_strings(std::vector<std::string>{"q", "a", "b"})}});
  EXPECT_EQ(order_on_host(table, {{0}, {1}}, 3), (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(order_on_host(table, {{0}, {1, true}}, 3), (std::vector<std::uint64_t>{0, 2, 1}));
  EXPECT_EQ(order_on_host(table, {{0, true}, {1}}, 2), (std::vector<std::uint64_t>{1, 2}));
}

TEST(NormalizedKeys, TheFirstRowsAreThoseOfTheWholeOrder) {
  Numbers numbers(3);
  const Table table = Table::of({{"x", random_column({Kind::int32}, true, 500, numbers)}});
  const std::vector<SortKey> keys = {{0, true, false}};
  const auto words = normalized_keys(table, keys);
  const auto whole = order_on_host(words, 500, 500);
  for (const std::uint64_t limit : {0u, 1u, 7u, 499u, 500u, 501u})
    EXPECT_EQ(order_on_host(words, 500, limit),
              std::vector<std::uint64_t>(whole.begin(),
                                         whole.begin() + static_cast<std::ptrdiff_t>(
                                                             std::min<std::uint64_t>(limit, 500))));
}

TEST(NormalizedKeys, NarrowKeysShareAWordAndConstantOnesTakeNone) {
  std::vector<std::int64_t> days(1000), same(1000, 7), flags(1000);
  for (std::size_t i = 0; i < 1000; i++) {
    days[i] = 1'000'000'000'000 + static_cast<std::int64_t>(i % 300);
    flags[i] = static_cast<std::int64_t>(i % 3);
  }
  const Table table = Table::of(
      {{"day", Column::from(days)}, {"same", Column::from(same)}, {"flag", Column::from(flags)}});
  const auto words = normalized_keys(table, {{0}, {1}, {2}});
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(words[0].bits, 9u + 0u + 2u);
  EXPECT_TRUE(normalized_keys(table, {{1}}).empty());
}

TEST(NormalizedKeys, EqualTextsOfADictionaryTie) {
  Column codes;
  codes.type = {Kind::string};
  codes.row_count = 4;
  codes.values = Bytes::own(std::vector<std::int32_t>{2, 1, 0, 3});
  codes.dictionary = std::make_shared<const Column>(
      Column::from_strings(std::vector<std::string>{"b", "a", "b", "a"}));
  const Table table = Table::of({{"s", codes}});
  EXPECT_EQ(order_on_host(normalized_keys(table, {{0}}), 4, 4),
            (std::vector<std::uint64_t>{1, 3, 0, 2}));
}

// So many rows, whole and by one word that leaves room for a row's number, are ordered digit by
// digit; wider words are not.
TEST(NormalizedKeys, ManyRowsAreOrderedAsFewAndEqualOnesAsTheyStood) {
  Numbers numbers(4);
  constexpr std::size_t row_count = 5003;
  for (const unsigned bits : {1u, 10u, 11u, 12u, 23u, 40u, 51u, 52u, 64u}) {
    std::vector<std::int64_t> values(row_count);
    for (std::int64_t& value : values)
      value = static_cast<std::int64_t>(numbers() << (64 - bits) >> (64 - bits));
    const Table table = Table::of({{"x", Column::from(values)}});
    const std::vector<SortKey> keys = {{0, bits % 2 == 0, false}};
    ASSERT_EQ(order_on_host(normalized_keys(table, keys), row_count, row_count),
              order_by_values(table, keys))
        << bits << " bits";
  }
}

TEST(NormalizedKeys, NoRowsHaveNoOrder) {
  const Table table = Table::of({{"x", Column::from(std::vector<std::int32_t>{})}});
  EXPECT_TRUE(order_on_host(normalized_keys(table, {{0}}), 0, 10).empty());
}

}  // namespace
}  // namespace penstock::plan
