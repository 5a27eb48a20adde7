#include <gtest/gtest.h>

#include "column/bits.hpp"
#include "column/rebatch.hpp"
#include "penstock/column.hpp"

namespace penstock {
namespace {

using Strings = std::vector<std::optional<std::string>>;

std::vector<std::int64_t> iota(std::size_t count) {
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; i++) values[i] = static_cast<std::int64_t>(i);
  return values;
}

TEST(Type, NamesAreDuckDbs) {
  EXPECT_EQ(name_of(Type{Kind::uint64}), "UBIGINT");
  EXPECT_EQ(name_of(Type{Kind::int128}), "HUGEINT");
  EXPECT_EQ(name_of(Type::decimal(15, 2)), "DECIMAL(15,2)");
}

TEST(Type, DecimalsOfMoreThan18DigitsTake16Bytes) {
  EXPECT_EQ(width_bytes(Type::decimal(18, 2)), 8u);
  EXPECT_EQ(width_bytes(Type::decimal(19, 2)), 16u);
}

TEST(Type, EveryUnsignedKindIsUnsignedAndNoOther) {
  for (const Kind kind : {Kind::uint8, Kind::uint16, Kind::uint32, Kind::uint64})
    EXPECT_FALSE(is_signed({kind}));
  for (const Kind kind : {Kind::int8, Kind::int64, Kind::float32, Kind::decimal, Kind::int128})
    EXPECT_TRUE(is_signed({kind}));
  EXPECT_FALSE(is_signed({Kind::date32}));
}

TEST(Column, SlicesOfBitsAtEveryOffsetKeepTheirRows) {
  std::vector<bool> bits(203);
  for (std::size_t i = 0; i < bits.size(); i++) bits[i] = i % 3 == 0 || i % 7 == 2;
  const Column column = Column::from_booleans(bits);
  for (std::uint64_t first = 0; first < 20; first++)
    for (const std::uint64_t count : {0u, 1u, 7u, 8u, 9u, 64u, 183u}) {
      const Column slice = column.slice(first, count);
      for (std::uint64_t row = 0; row < count; row++)
        ASSERT_EQ(slice.boolean(row), bits[first + row]) << first << "+" << row;
    }
}

TEST(Column, SliceOfSliceCountsFromTheSlice) {
  std::vector<std::optional<std::int16_t>> values(100);
  for (int i = 0; i < 100; i += 2)
    values[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(i);
  const Column slice = Column::from(values).slice(13, 50).slice(3, 10);
  for (std::uint64_t row = 0; row < 10; row++) {
    ASSERT_EQ(slice.is_valid(row), (16 + row) % 2 == 0);
    if (slice.is_valid(row)) {
      EXPECT_EQ(slice.values.as<std::int16_t>()[row], static_cast<std::int16_t>(16 + row));
    }
  }
}

TEST(Column, SlicedStringsKeepTheirTexts) {
  const Column column =
      Column::from_strings(Strings{"a", std::nullopt, "", "long text beyond any inline size", "e"});
  const Column slice = column.slice(1, 3);
  EXPECT_FALSE(slice.is_valid(0));
  EXPECT_EQ(slice.string(1), "");
  EXPECT_EQ(slice.string(2), "long text beyond any inline size");
}

TEST(Bits, OnesBeyondTheCountAreNotCounted) {
  const std::vector<std::byte> bits(20, std::byte{0xff});
  for (const std::uint64_t count : {0u, 1u, 63u, 64u, 65u, 129u})
    EXPECT_EQ(column::count_ones(bits.data(), count), count);
}

TEST(Schema, ExactNameWinsOverOneOfOtherCase) {
  const Schema schema{{"Price", {}, false}, {"price", {}, false}};
  EXPECT_EQ(find_field(schema, "price"), 1u);
  EXPECT_EQ(find_field(schema, "PRICE"), 0u);
  EXPECT_FALSE(find_field(schema, "pric").has_value());
}

std::vector<std::uint64_t> batch_sizes(const TableSource& source, std::uint64_t batch_rows) {
  const std::uint32_t column = 0;
  auto stream = source.scan({&column, 1}, {batch_rows, 1});
  EXPECT_TRUE(stream.ok());
  std::vector<std::uint64_t> sizes;
  for (;;) {
    auto batch = (*stream)->next();
    EXPECT_TRUE(batch.ok());
    if (!*batch) return sizes;
    sizes.push_back((*batch)->row_count);
  }
}

TEST(TableSource, BatchesButTheLastAreMultiplesOf64) {
  const auto source = table_source(Table::of({{"x", Column::from(iota(1000))}}));
  EXPECT_EQ(batch_sizes(*source, 300), (std::vector<std::uint64_t>{256, 256, 256, 232}));
  EXPECT_EQ(batch_sizes(*source, 1), std::vector<std::uint64_t>({64, 64, 64, 64, 64, 64, 64, 64, 64,
                                                                 64, 64, 64, 64, 64, 64, 40}));
  EXPECT_TRUE(batch_sizes(*table_source(Table::of({{"x", Column::from(iota(0))}})), 64).empty());
}

TEST(TableSource, ColumnsComeInTheOrderAskedFor) {
  const auto source = table_source(Table::of(
      {{"a", Column::from(iota(3))}, {"b", Column::from_strings(Strings{"x", "y", "z"})}}));
  const std::uint32_t columns[] = {1, 0, 1};
  auto stream = source->scan(columns, {});
  ASSERT_TRUE(stream.ok());
  const auto batch = (*stream)->next();
  ASSERT_TRUE(batch.ok() && batch.value());
  EXPECT_EQ(batch.value()->names, (std::vector<std::string>{"b", "a", "b"}));
}

TEST(TableSource, ColumnsOfUnequalLengthAreRefusedByName) {
  const auto source =
      table_source(Table::of({{"a", Column::from(iota(3))}, {"b", Column::from(iota(2))}}));
  const std::uint32_t column = 1;
  const auto stream = source->scan({&column, 1}, {});
  ASSERT_FALSE(stream.ok());
  EXPECT_NE(stream.status().text().find("'b'"), std::string::npos);
}

// Tables of `sizes` rows with a number, a boolean, and a string that are each a function of the
// row.
Table table_at(std::uint64_t first, std::uint64_t count) {
  std::vector<std::optional<std::int64_t>> numbers;
  std::vector<bool> booleans;
  Strings strings;
  for (std::uint64_t row = first; row < first + count; row++) {
    numbers.push_back(row % 5 == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(row)));
    booleans.push_back(row % 3 == 0);
    strings.push_back(row % 11 == 0 ? std::nullopt : std::optional("text " + std::to_string(row)));
  }
  return Table::of({{"n", Column::from(numbers)},
                    {"b", Column::from_booleans(booleans)},
                    {"s", Column::from_strings(strings)}});
}

TEST(Rebatch, RowsOfOddTablesAreNeitherLostNorMoved) {
  const std::vector<std::uint64_t> sizes{1, 0, 63, 200, 3, 3, 3, 1000, 7};
  std::size_t at = 0;
  std::uint64_t given = 0, row = 0;
  const auto stream = column::rebatch(
      [&]() -> Result<std::optional<Table>> {
        if (at == sizes.size()) return std::optional<Table>();
        const std::uint64_t first = given;
        given += sizes[at];
        return std::optional<Table>(table_at(first, sizes[at++]));
      },
      128);
  for (;;) {
    const auto batch = stream->next();
    ASSERT_TRUE(batch.ok());
    if (!batch.value()) break;
    const Table expected = table_at(row, batch.value()->row_count);
    const auto& columns = batch.value()->columns;
    if (row + batch.value()->row_count < 1280) { EXPECT_EQ(batch.value()->row_count, 128u); }
    for (std::uint64_t i = 0; i < batch.value()->row_count; i++, row++) {
      ASSERT_EQ(columns[0].is_valid(i), row % 5 != 0) << row;
      if (columns[0].is_valid(i)) {
        ASSERT_EQ(columns[0].values.as<std::int64_t>()[i], static_cast<std::int64_t>(row));
      }
      ASSERT_EQ(columns[1].boolean(i), row % 3 == 0) << row;
      ASSERT_EQ(columns[2].is_valid(i), row % 11 != 0) << row;
      if (columns[2].is_valid(i)) {
        ASSERT_EQ(columns[2].string(i), expected.columns[2].string(i));
      }
    }
  }
  EXPECT_EQ(row, 1280u);
}

}  // namespace
}  // namespace penstock
