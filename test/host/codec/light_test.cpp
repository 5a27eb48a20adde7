// Light encodings on the host: every value that goes in comes out, bit by bit.
#include "codec/light/light_column.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "codec/light/host/encode_block.hpp"

namespace penstock::test {
namespace {

constexpr std::uint32_t every_kind =
    1u << LIGHT_DELTA | 1u << LIGHT_RUNS | 1u << LIGHT_DICTIONARY | 1u << LIGHT_ALP;
constexpr light::Kinds kind_choices[] = {{0, false},
                                         {0},
                                         {1u << LIGHT_DELTA},
                                         {1u << LIGHT_RUNS},
                                         {1u << LIGHT_DICTIONARY},
                                         {1u << LIGHT_ALP},
                                         {every_kind}};

template <class T> void expect_same_bits(const Column& found, std::span<const T> values) {
  ASSERT_EQ(found.row_count, values.size());
  ASSERT_EQ(found.values.size, values.size_bytes());
  for (std::size_t i = 0; i < values.size(); i++)
    ASSERT_EQ(std::memcmp(found.values.as<T>() + i, &values[i], sizeof(T)), 0)
        << "row " << i << " of " << values.size() << ": " << found.values.as<T>()[i]
        << " instead of " << values[i];
}

template <class T> void expect_light_round_trip(const std::vector<T>& values) {
  for (const light::Kinds kinds : kind_choices) {
    SCOPED_TRACE("kinds " + std::to_string(kinds.allowed));
    const auto block = light::encode(Column::from(values), kinds);
    ASSERT_TRUE(block.ok()) << block.status().text();
    expect_same_bits<T>(block->decode(), values);
  }
}

template <class T> std::vector<T> edges_of_integers() {
  using L = std::numeric_limits<T>;
  return {L::min(),
          L::max(),
          0,
          1,
          static_cast<T>(-1),
          static_cast<T>(L::min() + 1),
          static_cast<T>(L::max() - 1)};
}
template <class T> std::vector<T> edges_of_floats() {
  using L = std::numeric_limits<T>;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T odd_nan = std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(L::quiet_NaN()) | 77));
  return {T(0),     T(-0.0),  L::infinity(), -L::infinity(), L::quiet_NaN(),  odd_nan,
          -odd_nan, L::max(), L::lowest(),   L::min(),       L::denorm_min(), -L::denorm_min(),
          T(0.1),   T(12.25), T(1e-9)};
}

// Values that each kind is good at, of so many rows, with the edges here and there.
template <class T>
std::vector<std::vector<T>> light_shapes(std::size_t row_count, const std::vector<T>& edges) {
  std::mt19937_64 random(row_count);
  const auto make = [&](auto value_of) {
    std::vector<T> values;
    for (std::size_t i = 0; i < row_count; i++) values.push_back(static_cast<T>(value_of(i)));
    return values;
  };
  std::vector<std::vector<T>> all = {
      make([](std::size_t) { return T(7); }),
      make([](std::size_t i) {
        return T(static_cast<double>(i % 100) + static_cast<double>(i) / 8);
      }),
      make([](std::size_t i) { return T(i / 50 % 9); }),
      make([&](std::size_t) { return T(random() % 13); }),
      make([&](std::size_t) { return T(static_cast<double>(random() % 10000) / T(100)); }),
      make([&](std::size_t i) { return edges[i % edges.size()]; }),
  };
  std::vector<T> mixed = all[4];
  for (std::size_t i = 0; i < row_count; i += 97) mixed[i] = edges[random() % edges.size()];
  all.push_back(std::move(mixed));
  return all;
}

constexpr std::size_t light_row_counts[] = {0, 1, 2, 7, 8, 9, 31, 33, 1023, 1024, 1025, 5000};

template <class T> class LightNumbers : public testing::Test {};
using LightTypes =
    testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(LightNumbers, LightTypes);

TYPED_TEST(LightNumbers, ComeBackBitByBitInEveryKind) {
  std::vector<TypeParam> edges;
  if constexpr (std::is_floating_point_v<TypeParam>)
    edges = edges_of_floats<TypeParam>();
  else
    edges = edges_of_integers<TypeParam>();
  for (const std::size_t rows : light_row_counts)
    for (const auto& values : light_shapes<TypeParam>(rows, edges)) {
      SCOPED_TRACE(std::to_string(rows) + " rows");
      expect_light_round_trip(values);
    }
}

TEST(LightBlock, EveryWidthOfBitsComesBack) {
  for (std::uint32_t width = 0; width <= 64; width++) {
    std::mt19937_64 random(width);
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 1500; i++) values.push_back(width == 0 ? 5 : random() >> (64 - width));
    expect_light_round_trip(values);
  }
}

TEST(LightBlock, NullsTakeNoRoomOfTheirOwn) {
  std::vector<std::optional<std::int64_t>> values(3000);
  for (std::size_t i = 0; i < values.size(); i += 3)
    values[i] = 1'000'000 + static_cast<std::int64_t>(i % 2);
  const auto block = light::encode(Column::from(values), {});
  ASSERT_TRUE(block.ok()) << block.status().text();
  EXPECT_LT(block->bytes().size, 3000u) << "the zeros under NULLs widen the packed values";
}

TEST(LightBlock, DecimalsInDoublesAreSmall) {
  std::vector<double> prices;
  std::mt19937 random(5);
  for (int i = 0; i < 10000; i++) prices.push_back(static_cast<double>(random() % 100000) / 100);
  const auto block = light::encode(Column::from(prices), {1u << LIGHT_ALP});
  ASSERT_TRUE(block.ok()) << block.status().text();
  EXPECT_LT(block->bytes().size, 10000u * 18 / 8);
}

template <class T> std::uint64_t light_bytes(const std::vector<T>& values, light::Kinds kinds) {
  const auto block = light::encode(Column::from(values), kinds);
  return block.ok() ? block->bytes().size : 0;
}

template <class T> void expect_all_kinds_no_larger_than_one(const std::vector<T>& values) {
  const std::uint64_t all = light_bytes(values, {every_kind});
  for (const light::Kinds kinds : kind_choices)
    EXPECT_LE(all, light_bytes(values, kinds)) << "kinds " << kinds.allowed;
}

TEST(LightBlock, AllKindsTogetherAreLargerThanOne) {
  std::mt19937_64 random(11);
  std::vector<double> prices;
  std::vector<std::int64_t> few_repeats, growing, mixed;
  for (std::int64_t i = 0; i < 50000; i++) {
    prices.push_back(static_cast<double>(random() % 10'000'000) / 100);
    few_repeats.push_back(static_cast<std::int64_t>(random() % 20000));
    growing.push_back(i * 1'000'000 + static_cast<std::int64_t>(random() % 500'000));
    mixed.push_back(i < 25000 ? static_cast<std::int64_t>(random() % 7) << 40
                              : static_cast<std::int64_t>(random() % 30000));
  }
  expect_all_kinds_no_larger_than_one(prices);
  expect_all_kinds_no_larger_than_one(few_repeats);
  expect_all_kinds_no_larger_than_one(growing);
  expect_all_kinds_no_larger_than_one(mixed);
}

TEST(LightBlock, DictionaryOfDistinctValuesIsLargerThanPacked) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 50000; i++) values.push_back(i * 40503 % 65536 * 1'000'003);
  EXPECT_LE(light_bytes(values, {1u << LIGHT_DICTIONARY}), light_bytes(values, {0}));
}

TEST(LightBlock, FarValuesThatRepeatMissTheDictionary) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 50000; i++) values.push_back((i * 7 % 13) << 50);
  EXPECT_LT(light_bytes(values, {every_kind}), values.size());
}

TEST(LightBlock, SlicesAndJoinedPartsHaveTheirRows) {
  std::vector<std::int64_t> values;
  std::mt19937_64 random(3);
  for (int i = 0; i < 6000; i++) values.push_back(i * 10 + static_cast<std::int64_t>(random() % 9));
  for (const light::Kinds kinds : kind_choices) {
    SCOPED_TRACE("kinds " + std::to_string(kinds.allowed));
    const auto block = light::encode(Column::from(values), kinds);
    ASSERT_TRUE(block.ok()) << block.status().text();
    const Column whole = light::light_column(*block, {});
    std::vector<Column> parts;
    std::vector<std::shared_ptr<const EncodedStringColumn>> encoded;
    for (std::uint64_t first = 0, rows = 1; first < values.size();
         first += rows, rows = 1 + rows * 3 % 2500) {
      parts.push_back(whole.slice(first, std::min<std::uint64_t>(rows, values.size() - first)));
      encoded.push_back(parts.back().encoded);
      const auto decoded_part = decoded(parts.back());
      ASSERT_TRUE(decoded_part.ok());
      expect_same_bits<std::int64_t>(*decoded_part,
                                     std::span(values).subspan(first, parts.back().row_count));
      const Column twice = parts.back().slice(parts.back().row_count / 2,
                                              parts.back().row_count - parts.back().row_count / 2);
      const auto decoded_twice = decoded(twice);
      ASSERT_TRUE(decoded_twice.ok());
      expect_same_bits<std::int64_t>(
          *decoded_twice,
          std::span(values).subspan(first + parts.back().row_count / 2, twice.row_count));
    }
    const auto joined = encoded[0]->joined(encoded);
    ASSERT_TRUE(joined.ok()) << joined.status().text();
    const auto together = (*joined)->decode();
    ASSERT_TRUE(together.ok());
    expect_same_bits<std::int64_t>(*together, values);
  }
}

TEST(LightBlock, ChosenRowsComeInTheirOrder) {
  std::vector<double> values;
  for (int i = 0; i < 3000; i++) values.push_back(i / 4.0);
  const auto block = light::encode(Column::from(values), {every_kind});
  ASSERT_TRUE(block.ok()) << block.status().text();
  const std::vector<std::uint64_t> rows = {2999, 0, 1024, 1023, 1023, 5};
  std::vector<double> wanted;
  for (const std::uint64_t row : rows) wanted.push_back(values[row]);
  expect_same_bits<double>(block->decode_rows(rows), wanted);
}

}  // namespace
}  // namespace penstock::test
