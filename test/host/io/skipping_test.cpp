// Rows of Parquet files that are left out, and what is read instead.
#include "penstock/skipping.hpp"

#include <random>
#include <set>

#include "host/io/io_files.hpp"
#include "io/parquet/parquet_known_selections.hpp"

namespace penstock {
namespace {

using namespace test;

// Row groups have 131072 rows when write_table() makes them.
constexpr std::uint64_t group_rows = 131'072, rows = 2 * group_rows + 5'000;

std::shared_ptr<TableSource> written(const Table& table, const std::string& path) {
  EXPECT_TRUE(write_table(table, path, FileFormat::parquet).ok());
  auto source = open_table(path);
  EXPECT_TRUE(source.ok());
  return *source;
}

Table counted() {
  std::vector<std::int64_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), 0);
  return Table::of({{"n", Column::from(std::move(numbers))}});
}

RowCondition compare(RowTest test, std::int64_t value) {
  RowCondition condition;
  condition.test = test;
  condition.constants = Column::from(std::vector{value});
  return condition;
}

TEST(Skipping, RangesOfRowsAreReadByEveryDecoderAndBatchSize) {
  const Folder folder;
  RowSelection selection;
  selection.ranges = {{0, 1},
                      {5, 70},
                      {100, 3'000},
                      {group_rows - 2, group_rows + 9},
                      {200'000, 200'001},
                      {2 * group_rows + 3, rows}};
  for (const bool nulls : {false, true}) {
    const Table table = every_kind(rows, nulls);
    const auto source = written(table, folder / "t.parquet");
    const auto all = cells_of(table);
    for (const std::uint64_t batch_rows : {64u, 4096u, 1u << 20}) {
      ScanOptions options{batch_rows, 3};
      options.rows = std::make_shared<const RowSelection>(selection);
      const auto cells = read_cells(*source, all_columns(*source), options);
      ASSERT_TRUE(cells.ok()) << cells.status().text();
      for (std::size_t column = 0; column < all.size(); column++) {
        std::vector<std::string> expected;
        for (const RowRange& range : selection.ranges)
          expected.insert(expected.end(),
                          all[column].begin() + static_cast<std::ptrdiff_t>(range.begin),
                          all[column].begin() + static_cast<std::ptrdiff_t>(range.end));
        ASSERT_EQ(cells.value()[column], expected) << table.names[column] << " by " << batch_rows;
      }
    }
  }
}

TEST(Skipping, NoRowIsNoBatch) {
  const Folder folder;
  const auto source = written(counted(), folder / "t.parquet");
  ScanOptions options;
  options.rows = std::make_shared<const RowSelection>();
  const auto cells = read_cells(*source, all_columns(*source), options);
  ASSERT_TRUE(cells.ok()) << cells.status().text();
  EXPECT_TRUE(cells.value()[0].empty());
}

TEST(Skipping, RowGroupsOutsideTheirBoundsAreLeftOut) {
  const Folder folder;
  const auto source = written(counted(), folder / "t.parquet");
  const auto last = static_cast<std::int64_t>(group_rows) - 1;
  const auto groups_left_out = [&](RowTest test, std::int64_t value) {
    const auto selected = source->select_rows(compare(test, value));
    EXPECT_TRUE(selected.ok() && *selected);
    return (**selected).counts.groups_by_statistics;
  };
  EXPECT_EQ(groups_left_out(RowTest::less, 0), 3u);
  EXPECT_EQ(groups_left_out(RowTest::less_equal, 0), 2u);
  EXPECT_EQ(groups_left_out(RowTest::less, last + 1), 2u);
  EXPECT_EQ(groups_left_out(RowTest::less_equal, last + 1), 1u);
  EXPECT_EQ(groups_left_out(RowTest::greater, last), 1u);
  EXPECT_EQ(groups_left_out(RowTest::greater_equal, last), 0u);
  EXPECT_EQ(groups_left_out(RowTest::equal, last), 2u);
  EXPECT_EQ(groups_left_out(RowTest::equal, -1), 3u);
  EXPECT_EQ(groups_left_out(RowTest::not_equal, last), 0u);
  EXPECT_EQ(groups_left_out(RowTest::is_null, 0), 3u);
  EXPECT_EQ(groups_left_out(RowTest::is_not_null, 0), 0u);
}

TEST(Skipping, ANanIsAboveEveryMaximum) {
  const Folder folder;
  std::vector<double> values(1000, 1.0);
  values[500] = std::numeric_limits<double>::quiet_NaN();
  const auto source =
      written(Table::of({{"v", Column::from(std::move(values))}}), folder / "t.parquet");
  RowCondition above = compare(RowTest::greater, 0);
  above.constants = Column::from(std::vector<double>{5});
  const auto selected = source->select_rows(above);
  ASSERT_TRUE(selected.ok() && *selected);
  EXPECT_EQ((**selected).row_count(), 1000u);
  above.test = RowTest::less;
  above.constants = Column::from(std::vector<double>{1});
  EXPECT_EQ((**source->select_rows(above)).row_count(), 0u) << "and below no number";
}

TEST(Skipping, RowsOfNullAreKeptWhereTheyCount) {
  const Folder folder;
  const std::vector<std::optional<std::int64_t>> values{1, std::nullopt, 3};
  const auto source = written(Table::of({{"v", Column::from(values)}}), folder / "t.parquet");
  RowCondition above = compare(RowTest::greater, 5);
  EXPECT_EQ((**source->select_rows(above)).row_count(), 0u);
  above.keeps_nulls = true;
  EXPECT_EQ((**source->select_rows(above)).row_count(), 3u);
}

RowCondition of_texts(const std::vector<std::string>& texts) {
  RowCondition condition;
  condition.test = RowTest::equal;
  condition.constants = Column::from_strings(texts);
  return condition;
}

RowCondition group_of(RowTest test, const std::vector<RowCondition>& parts) {
  RowCondition condition;
  condition.test = test;
  condition.conditions = parts;
  return condition;
}

TEST(KnownSelections, ConditionsThatDifferHaveOtherKeys) {
  const RowCondition less = compare(RowTest::less, 5), more = compare(RowTest::greater, 3);
  RowCondition keeps_nulls = less, other_column = less;
  keeps_nulls.keeps_nulls = true;
  other_column.column = 1;
  const RowCondition all = group_of(RowTest::all_of, {less, more});
  const std::vector<RowCondition> conditions = {less,
                                                more,
                                                compare(RowTest::less, 6),
                                                compare(RowTest::less_equal, 5),
                                                keeps_nulls,
                                                other_column,
                                                all,
                                                group_of(RowTest::any_of, {less, more}),
                                                group_of(RowTest::all_of, {more, less}),
                                                group_of(RowTest::all_of, {less}),
                                                group_of(RowTest::all_of, {all}),
                                                group_of(RowTest::all_of, {all, more}),
                                                group_of(RowTest::all_of, {}),
                                                of_texts({}),
                                                of_texts({"ab", "c"}),
                                                of_texts({"a", "bc"}),
                                                of_texts({"abc"}),
                                                of_texts({"abc", ""})};
  std::set<std::string> keys;
  for (const RowCondition& condition : conditions) {
    const auto key = io::KnownSelections::key_of(condition);
    ASSERT_TRUE(key);
    EXPECT_EQ(key, io::KnownSelections::key_of(condition));
    keys.insert(*key);
  }
  EXPECT_EQ(keys.size(), conditions.size());
}

// Constants of texts as a plan has them: with a bit for each, though none is NULL.
TEST(KnownSelections, TextsWithValidityBitsHaveTheSameKey) {
  RowCondition bits = of_texts({"a", "bc"});
  const auto key = io::KnownSelections::key_of(bits);
  ASSERT_TRUE(key);
  bits.constants = Column::from_strings(std::vector<std::optional<std::string>>{"a", "bc"});
  bits.constants.validity = Column::from_booleans({true, true}).values;
  EXPECT_EQ(io::KnownSelections::key_of(bits), key);
}

// Three of them are more than the eight MiB that are kept.
TEST(KnownSelections, TheLeastRecentlyUsedLeaveFirst) {
  io::KnownSelections known;
  RowSelection large;
  large.ranges.resize((3 << 20) / sizeof(RowRange));
  known.keep("first", large);
  known.keep("second", large);
  ASSERT_TRUE(known.find("first"));
  large.ranges[0].end = 65;
  known.keep("third", large);
  EXPECT_FALSE(known.find("second"));
  EXPECT_TRUE(known.find("first"));
  EXPECT_EQ(known.find("third")->ranges[0].end, 65u);
}

TEST(KnownSelections, OneThatTakesMoreThanTheLimitIsNotKept) {
  io::KnownSelections known;
  RowSelection many;
  many.ranges.resize((9 << 20) / sizeof(RowRange));
  known.keep("few", RowSelection());
  known.keep("many", many);
  EXPECT_FALSE(known.find("many"));
  EXPECT_TRUE(known.find("few"));
}

// Reads what a condition on every column needs; false where the file is refused.
bool reads_selected(const std::string& path, const Table& table) {
  const auto source = open_table(path);
  if (!source.ok() || (*source)->schema().size() != table.columns.size()) return false;
  RowCondition any;
  any.test = RowTest::any_of;
  for (std::uint32_t column = 0; column < table.columns.size(); column++) {
    if ((*source)->schema()[column].type != table.columns[column].type) return false;
    static_cast<void>((*source)->statistics(column));
    for (const RowTest test : {RowTest::equal, RowTest::less, RowTest::greater}) {
      RowCondition condition;
      condition.test = test;
      condition.column = column;
      condition.constants = table.columns[column].slice(0, 1);
      any.conditions.push_back(std::move(condition));
    }
  }
  const auto rows = (*source)->select_rows(any);
  if (!rows.ok()) return false;
  ScanOptions options;
  options.rows = std::make_shared<const RowSelection>(**rows);
  return (*source)->check_statistics(all_columns(**source)).ok() &&
         read_cells(**source, all_columns(**source), options).ok();
}

TEST(Skipping, FlippedBitsOfFooterAndIndexNeverCrash) {
  const Folder folder;
  const Table table = every_kind(700, false);
  written(table, folder / "whole");
  ASSERT_TRUE(reads_selected(folder / "whole", table));
  std::string bytes = read_file(folder / "whole");
  std::mt19937_64 random(20260102);
  const std::size_t tail = std::min<std::size_t>(bytes.size(), 8192);
  int refused = 0;
  for (int i = 0; i < 1000; i++) {
    const std::size_t at = bytes.size() - 1 - random() % tail;
    const char before = bytes[at];
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    write_file(folder / "flipped", bytes);
    bytes[at] = before;
    refused += !reads_selected(folder / "flipped", table);
  }
  EXPECT_GT(refused, 200);
}

// The footer alone answers min and max, so a bound that no row has is a wrong answer.
TEST(Skipping, AStatedExtremeThatNoRowHasIsFound) {
  const Folder folder;
  constexpr std::int64_t largest = 0x1122334455667788;
  const std::string path = folder / "t.parquet";
  const auto source =
      written(Table::of({{"v", Column::from(std::vector<std::int64_t>{1, largest, 3})}}), path);
  EXPECT_TRUE(source->check_statistics(all_columns(*source)).ok());
  std::string bytes = read_file(path);
  const std::string stored = "\x88\x77\x66\x55\x44\x33\x22\x11";
  const std::size_t footer = bytes.size() - 8 -
                             static_cast<unsigned char>(bytes[bytes.size() - 8]) -
                             (static_cast<unsigned char>(bytes[bytes.size() - 7]) << 8);
  int changed = 0;
  for (std::size_t at = footer; (at = bytes.find(stored, at)) != std::string::npos; changed++)
    bytes[at] = '\x89';
  ASSERT_GT(changed, 0);
  write_file(path, bytes);
  const Status status = (*open_table(path))->check_statistics(all_columns(*source));
  EXPECT_EQ(status.code(), Code::corrupt);
  EXPECT_NE(status.message().find("column 'v', row group 0: no row has their maximum"),
            std::string::npos)
      << status.message();
}

TEST(Skipping, TheFooterStatesExtremesOfCountedTypesAlone) {
  const Folder folder;
  const Table table = every_kind(1000, true);
  const auto source = written(table, folder / "t.parquet");
  for (std::uint32_t column = 0; column < table.columns.size(); column++) {
    const auto statistics = source->statistics(column);
    ASSERT_TRUE(statistics.ok()) << statistics.status().text();
    const Type type = table.columns[column].type;
    const bool is_stated = !is_float(type) && type.kind != Kind::string;
    ASSERT_EQ(statistics->minimum.has_value(), is_stated) << table.names[column];
    if (!is_stated) continue;
    EXPECT_EQ(statistics->minimum->type, type);
  }
}

TEST(Skipping, NullsAreCountedByTheirLevels) {
  const Folder folder;
  for (const bool nulls : {false, true}) {
    const Table table = every_kind(1000, nulls);
    const auto source = written(table, folder / "t.parquet");
    for (std::uint32_t column = 0; column < table.columns.size(); column++) {
      std::uint64_t expected = 0;
      for (std::uint64_t row = 0; row < table.row_count; row++)
        expected += !table.columns[column].is_valid(row);
      const auto counted = source->null_count(column);
      ASSERT_TRUE(counted.ok()) << counted.status().text();
      EXPECT_EQ(*counted, std::optional(expected)) << table.names[column];
    }
  }
}

// The file's bytes are gone when it is asked again.
TEST(Skipping, BloomFiltersOfAnOpenFileAreReadOnce) {
  const Folder folder;
  if (!by_pyarrow(folder / "t", R"py(
import duckdb
duckdb.sql(f"COPY (SELECT 2 * (range * 7919 % 3000) AS k FROM range(8192)) TO '{path}' "
           f"(FORMAT parquet, ROW_GROUP_SIZE 4096, DICTIONARY_SIZE_LIMIT 10000)")
)py"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok()) << source.status().text();
  for (const bool is_first : {true, false}) {
    const auto selected = (*source)->select_rows(compare(RowTest::equal, 1001));
    ASSERT_TRUE(selected.ok() && *selected);
    EXPECT_EQ((**selected).counts.groups_by_bloom_filter, 2u);
    if (is_first)
      write_file(folder / "t", std::string(std::filesystem::file_size(folder / "t"), '\0'));
  }
}

}  // namespace
}  // namespace penstock
