// Rows that a table of several files leaves out, and its knowledge of its columns.
#include "codec/pages/paged_table.hpp"
#include "host/io/files_folder.hpp"
#include "penstock/skipping.hpp"

namespace penstock {
namespace {

using namespace test;

template <class T> RowCondition equal_to(std::uint32_t column, T value) {
  RowCondition condition;
  condition.test = RowTest::equal;
  condition.column = column;
  condition.constants = Column::from(std::vector<T>{value});
  return condition;
}

// Three files of 100 rows: i from 0 on, and y is 1, 2 and NULL.
void write_years(const FilesFolder& files, FileFormat format = FileFormat::parquet) {
  files.write("y=1/a", numbers(0, 100), format);
  files.write("y=2/b", numbers(100, 100), format);
  files.write("y=__HIVE_DEFAULT_PARTITION__/c", numbers(200, 100), format);
}

Result<Cells> selected_cells(const TableSource& source, const RowCondition& needed) {
  PENSTOCK_ASSIGN(auto rows, source.select_rows(needed));
  if (!rows) return Status(Code::internal, "nothing was selected");
  if (rows->source) return read_cells(*rows->source, all_columns(source));
  ScanOptions options;
  options.rows = std::make_shared<const RowSelection>(std::move(*rows));
  return read_cells(source, all_columns(source), options);
}

// Overwrites all pages of a Parquet file of one column, and leaves its footer.
void damage_pages(const std::string& path) {
  std::string bytes = read_file(path);
  std::uint32_t footer = 0;
  std::memcpy(&footer, bytes.data() + bytes.size() - 8, sizeof footer);
  std::fill(bytes.begin() + 4, bytes.end() - 8 - footer, '\xff');
  write_file(path, bytes);
}

TEST(FilesSkipping, AFileThatItsPathExcludesIsNotRead) {
  const FilesFolder files;
  write_years(files);
  const auto table = files.open({"*/*"}).value();
  damage_pages(files / "y=2/b");
  const auto first = selected_cells(*table, equal_to<std::int64_t>(1, 1));
  ASSERT_TRUE(first.ok()) << first.status().text();
  EXPECT_EQ((*first)[0].size(), 100u);
  EXPECT_EQ((*first)[1], std::vector<std::string>(100, "1"));
  EXPECT_FALSE(selected_cells(*table, equal_to<std::int64_t>(1, 2)).ok());
}

TEST(FilesSkipping, FilesThatDoNotCountTheirRowsAreLeftOutWhole) {
  const FilesFolder files;
  write_years(files, FileFormat::csv);
  const auto table = files.open({"*/*"}).value();
  ASSERT_FALSE(table->row_count().has_value());
  std::filesystem::remove(files / "y=2/b");
  const auto first = selected_cells(*table, equal_to<std::int64_t>(1, 1));
  ASSERT_TRUE(first.ok()) << first.status().text();
  EXPECT_EQ((*first)[0].size(), 100u);
  const auto none = selected_cells(*table, equal_to<std::int64_t>(1, 7));
  ASSERT_TRUE(none.ok()) << none.status().text();
  EXPECT_TRUE((*none)[0].empty());
  const auto rows = table->select_rows(equal_to<std::int64_t>(1, 1)).value();
  EXPECT_EQ(text_of(rows->counts), "2 of 3 files");
  EXPECT_NE(rows->source->identity(), table->identity());
}

TEST(FilesSkipping, StatisticsOfEveryFileCount) {
  const FilesFolder files;
  write_years(files);
  const auto table = files.open({"*/*"}).value();
  RowCondition needed;
  needed.conditions = {equal_to<std::int32_t>(0, 250), RowCondition()};
  needed.conditions[1].test = RowTest::is_null;
  needed.conditions[1].column = 1;
  const auto rows = table->select_rows(needed).value();
  EXPECT_EQ(text_of(rows->counts), "2 of 3 files, 2 of 3 row groups (2 by paths): 200 of 300 rows");
  const auto by_value = table->select_rows(equal_to<std::int32_t>(0, 150)).value();
  EXPECT_EQ(text_of(by_value->counts),
            "0 of 3 files, 2 of 3 row groups (2 by statistics): 200 of 300 rows");
  EXPECT_EQ(by_value->ranges, (std::vector<RowRange>{{100, 200}}));
}

TEST(FilesSkipping, OneOfSeveralConditionsKeepsAFile) {
  const FilesFolder files;
  write_years(files);
  const auto table = files.open({"*/*"}).value();
  RowCondition any;
  any.test = RowTest::any_of;
  any.conditions = {equal_to<std::int64_t>(1, 1), equal_to<std::int32_t>(0, 299)};
  const auto rows = table->select_rows(any).value();
  EXPECT_EQ(rows->ranges, (std::vector<RowRange>{{0, 100}, {200, 300}}));
}

TEST(FilesSkipping, AnyRangesOfRowsAreReadFromFilesOfAnyFormat) {
  const std::vector<RowRange> ranges = {{0, 3}, {64, 65}, {90, 210}, {298, 300}};
  std::vector<std::string> expected;
  for (const RowRange& range : ranges)
    for (std::uint64_t i = range.begin; i < range.end; i++) expected.push_back(std::to_string(i));
  for (const FileFormat format : {FileFormat::parquet, FileFormat::arrow_ipc}) {
    const FilesFolder files;
    write_years(files, format);
    const auto table = files.open({"*/*"}).value();
    auto rows = table->select_rows(RowCondition()).value();
    ASSERT_TRUE(rows.has_value());
    EXPECT_EQ(rows->ranges, (std::vector<RowRange>{{0, 300}}));
    rows->ranges = ranges;
    rows->counts.rows_skipped = 300 - expected.size();
    for (const std::uint64_t batch_rows : {64u, 1u << 20}) {
      ScanOptions options{.batch_rows = batch_rows};
      options.rows = std::make_shared<const RowSelection>(*rows);
      EXPECT_EQ(cells_of(*table, options)[0], expected);
    }
  }
}

TEST(FilesSkipping, WhatFilesKnowOfAColumnIsPutTogether) {
  const FilesFolder files;
  write_years(files);
  const auto table = files.open({"*/*"}).value();
  const auto numbers_known = table->statistics(0).value();
  EXPECT_EQ(cell(*numbers_known.minimum, 0), "0");
  EXPECT_EQ(cell(*numbers_known.maximum, 0), "299");
  EXPECT_EQ(table->null_count(0).value(), 0u);
  const auto years = table->statistics(1).value();
  EXPECT_EQ(cell(*years.minimum, 0), "1");
  EXPECT_EQ(cell(*years.maximum, 0), "2");
  EXPECT_EQ(table->null_count(1).value(), 100u);
  const auto bounds = table->bounds(0, {150, 250}).value();
  ASSERT_TRUE(bounds.has_value());
  EXPECT_EQ(cell(bounds->lowest, 0), "100");
  EXPECT_EQ(cell(bounds->highest, 0), "299");
  EXPECT_TRUE(table->check_statistics(all_columns(*table)).ok());
}

TEST(PagedFiles, RowGroupsOfAllFilesAreOneAfterAnother) {
  const FilesFolder files;
  write_years(files);
  const auto table = files.open({"*/*"}).value();
  const auto pages = table->pages();
  ASSERT_TRUE(pages);
  EXPECT_TRUE(
      std::ranges::equal(pages->first_rows(), std::vector<std::uint64_t>{0, 100, 200, 300}));
  const auto chunk = pages->read(0, 1, {}).value();
  EXPECT_EQ(chunk.row_group, 1u);
  EXPECT_EQ(chunk.row_count, 100u);
  const std::string place = pages->location_of(0, chunk, 0);
  EXPECT_NE(place.find("column 'i', row group 0, page 0"), std::string::npos) << place;
  EXPECT_NE(place.find("y=2/b'"), std::string::npos) << place;
}

TEST(PagedFiles, AKeyOfThePathIsADictionaryOfOneEntryOrNulls) {
  const FilesFolder files;
  write_years(files);
  const auto table = files.open({"*/*"}, {{"hive_types", OptionMap{{"y", "VARCHAR"}}}}).value();
  const auto pages = table->pages();
  const std::vector<std::uint32_t> both = {1, 0};
  const auto chunks = pages->read_neighbours(both, 1, {}).value();
  EXPECT_EQ(chunks[1].data.size(), 1u);
  EXPECT_EQ(cells_of(Table::of({{"y", pages->dictionary_strings(1, chunks[0]).value()}}))[0],
            (std::vector<std::string>{"\"2\""}));
  EXPECT_EQ(chunks[0].data[0].encoding, pages::Encoding::dictionary);
  EXPECT_EQ(pages->read(1, 2, {}).value().dictionary->value_count, 1u);
  const auto numbers = files.open({"*/*"}).value()->pages();
  EXPECT_FALSE(numbers->read(1, 2, {}).value().dictionary.has_value());
  EXPECT_TRUE(pages->why_not(1, 2).empty());
}

TEST(PagedFiles, AColumnThatFilesStoreInTwoTypesIsTheHosts) {
  const FilesFolder files;
  files.write("a", numbers(0, 10));
  files.write("b", one_column<std::int64_t>("i", {10}));
  const auto pages = files.open({"*"}).value()->pages();
  EXPECT_EQ(pages->summary(0).refused, 1u);
  EXPECT_EQ(pages->why_not(0, 1), "files store it in different types");
}

}  // namespace
}  // namespace penstock
