#include <gtest/gtest.h>

#include "host/io/io_files.hpp"

namespace penstock {
namespace {

using namespace test;

TEST(ArrowIpcTables, RowsSurviveEveryBatchSize) {
  const Folder folder;
  for (const bool nulls : {false, true}) {
    const Table table = every_kind(5000, nulls);
    ASSERT_TRUE(write_table(table, folder / "t", FileFormat::arrow_ipc).ok());
    const auto source = open_table(folder / "t");
    ASSERT_TRUE(source.ok()) << source.status().text();
    EXPECT_EQ((*source)->row_count(), 5000u);
    for (const std::uint64_t batch_rows : {64u, 1000u, 1u << 20}) {
      const auto cells = read_cells(**source, all_columns(**source), {batch_rows, 2});
      ASSERT_TRUE(cells.ok()) << cells.status().text();
      EXPECT_EQ(cells.value(), cells_of(table));
    }
    const std::uint32_t columns[] = {16, 3};
    const auto cells = read_cells(**source, columns);
    ASSERT_TRUE(cells.ok()) << cells.status().text();
    EXPECT_EQ(cells.value()[0], cells_of(table)[16]);
    EXPECT_EQ(cells.value()[1], cells_of(table)[3]);
  }
}

TEST(ArrowIpcTables, StreamsOfOddBatchesWithDictionaries) {
  const Folder folder;
  if (!by_pyarrow(folder / "t",
                  "b = [pa.table({'d': pa.array(['a', None, 'b%d' % k] * k).dictionary_encode(), "
                  "'x': list(range(3 * k))}) for k in (1, 30, 2)]\n"
                  "with ipc.new_stream(path, b[0].schema) as w:\n  for t in b: w.write_table(t)\n"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok()) << source.status().text();
  const auto cells = read_cells(**source, all_columns(**source), {64, 1});
  ASSERT_TRUE(cells.ok()) << cells.status().text();
  ASSERT_EQ(cells.value()[0].size(), 99u);
  EXPECT_EQ(cells.value()[0][2], "\"b1\"");
  EXPECT_EQ(cells.value()[0][3 + 89], "\"b30\"");
  EXPECT_EQ(cells.value()[0][98], "\"b2\"");
  EXPECT_EQ(cells.value()[1][3 + 89], "89");
}

TEST(Csv, TypesAreInferredAndEmptyFieldsAreNull) {
  const Folder folder;
  write_file(folder / "t",
             "n,f,s,d,b,t\n1,1.5,x,2020-01-02,true,2020-01-01 "
             "00:00:01\n,,,,,\n-3,nan,\"\",1969-12-31,false,2020-01-01 00:00:00.5\n");
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok()) << source.status().text();
  const auto cells = read_cells(**source, all_columns(**source));
  ASSERT_TRUE(cells.ok()) << cells.status().text();
  using Column = std::vector<std::string>;
  EXPECT_EQ(cells.value()[0], (Column{"1", "NULL", "-3"}));
  EXPECT_EQ(cells.value()[1], (Column{"1.500000", "NULL", "nan"}));
  EXPECT_EQ(cells.value()[2], (Column{"\"x\"", "NULL", "NULL"}));
  EXPECT_EQ(cells.value()[3], (Column{"18263", "NULL", "-1"}));
  EXPECT_EQ(cells.value()[4], (Column{"true", "NULL", "false"}));
  EXPECT_EQ((*source)->schema()[5].type, Type{Kind::timestamp});
}

std::vector<std::string> only_column(const std::string& path) {
  const auto source = open_table(path);
  if (!source.ok()) return {source.status().text()};
  const auto cells = read_cells(**source, all_columns(**source));
  return cells.ok() && cells.value().size() == 1 ? cells.value()[0]
                                                 : std::vector<std::string>{"not one column"};
}

TEST(Csv, AFileInAWideEncodingIsRefusedWithWhatConvertsIt) {
  using namespace std::string_view_literals;
  const Folder folder;
  for (const auto& [text, command] :
       {std::pair{"\xff\xfe\x61\0\n\0\x31\0\n\0"sv, "iconv -f UTF-16 "},
        std::pair{"a\0\n\0\x31\0\n\0"sv, "iconv -f UTF-16LE "}}) {
    write_file(folder / "t", text);
    const std::string error = open_table(folder / "t").status().text();
    EXPECT_NE(error.find(command), std::string::npos) << error;
  }
  write_file(folder / "t", "\x7f\x45\0\0\0\x02\0\0\x01\0"sv);
  EXPECT_NE(open_table(folder / "t").status().text().find("is not text"), std::string::npos);
}

TEST(Csv, BlankLinesOfOneColumnAreRowsOfNull) {
  const Folder folder;
  using Column = std::vector<std::string>;
  const struct {
    const char* text;
    Column rows;
  } files[] = {
      {"a\n1\n\n3\n\n5\n", {"1", "NULL", "3", "NULL", "5"}},
      {"a\n\n", {"NULL"}},
      {"a\n1\n\n\n", {"1", "NULL", "NULL"}},
      {"a\r\n1\r\n\r\n2\r\n", {"1", "NULL", "2"}},
      {"\n\r\n\na\n\n1", {"NULL", "1"}},  // before the header they are none
      {"a\n1", {"1"}},
      {"a\n\"\"\n\nx\n", {"NULL", "NULL", "\"x\""}},
  };
  for (const auto& file : files) {
    write_file(folder / "t", file.text);
    EXPECT_EQ(only_column(folder / "t"), file.rows) << file.text;
    const auto source = open_table(folder / "t");
    auto stream = (*source)->scan({}, {});
    ASSERT_TRUE(stream.ok()) << stream.status().text();
    const auto batch = (*stream)->next();
    ASSERT_TRUE(batch.ok() && batch.value()) << batch.status().text();
    EXPECT_EQ(batch.value()->row_count, file.rows.size()) << file.text;
  }
}

TEST(Csv, NullsOfOneColumnSurviveWritingAndReading) {
  const Folder folder;
  const Table numbers =
      Table::of({{"n", penstock::Column::from(std::vector<std::optional<std::int64_t>>{
                           std::nullopt, 5, std::nullopt, std::nullopt})}});
  const Table texts =
      Table::of({{"s", penstock::Column::from_strings(std::vector<std::optional<std::string>>{
                           "x", std::nullopt, "y", std::nullopt})}});
  for (const Table& table : {numbers, texts}) {
    ASSERT_TRUE(write_table(table, folder / "t", FileFormat::csv).ok());
    EXPECT_EQ(only_column(folder / "t"), cells_of(table)[0]);
  }
}

TEST(Csv, BlankLinesBetweenRowsOfSeveralColumnsArePassedOver) {
  const Folder folder;
  write_file(folder / "t", "a,b\n1,2\n\n3,4\n\n");
  const auto source = open_table(folder / "t");
  const auto cells = read_cells(**source, all_columns(**source));
  ASSERT_TRUE(cells.ok()) << cells.status().text();
  EXPECT_EQ(cells.value()[0], (std::vector<std::string>{"1", "3"}));
}

TEST(Csv, RowsAreCountedWithoutAnyColumn) {
  const Folder folder;
  write_file(folder / "t", "n\n1\n2\n3\n");
  const auto source = open_table(folder / "t");
  auto stream = (*source)->scan({}, {});
  ASSERT_TRUE(stream.ok()) << stream.status().text();
  const auto batch = (*stream)->next();
  ASSERT_TRUE(batch.ok() && batch.value()) << batch.status().text();
  EXPECT_EQ(batch.value()->row_count, 3u);
}

TEST(Csv, ALaterValueOfAnotherTypeIsAnErrorWithThePath) {
  const Folder folder;
  std::string text = "n\n";
  while (text.size() < 9'000'000) text += "12345\n";
  write_file(folder / "t", text + "x\n");
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok());
  const auto cells = read_cells(**source, all_columns(**source));
  ASSERT_FALSE(cells.ok());
  EXPECT_NE(cells.status().text().find(folder / "t"), std::string::npos) << cells.status().text();
}

TEST(Csv, WhatIsWrittenIsReadAgain) {
  const Folder folder;
  const Table table = Table::of(
      {{"n", Column::from(std::vector<std::optional<std::int64_t>>{1, std::nullopt, -3})},
       {"s", Column::from_strings(std::vector<std::string>{"a,b", "say \"hi\"", "two\nlines"})}});
  ASSERT_TRUE(write_table(table, folder / "t", FileFormat::csv).ok());
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok()) << source.status().text();
  const auto cells = read_cells(**source, all_columns(**source));
  ASSERT_TRUE(cells.ok()) << cells.status().text();
  EXPECT_EQ(cells.value(), cells_of(table));
}

TEST(Csv, EveryKindCanBeWritten) {
  const Folder folder;
  const Status status = write_table(every_kind(100, true), folder / "t", FileFormat::csv);
  EXPECT_TRUE(status.ok()) << status.text();
}

TEST(WriteTable, TablesWithoutRowsAreReadAsSuch) {
  const Folder folder;
  for (const FileFormat format : {FileFormat::parquet, FileFormat::arrow_ipc, FileFormat::csv}) {
    const Status status = write_table(every_kind(0, false), folder / "t", format);
    ASSERT_TRUE(status.ok()) << status.text();
    const auto source = open_table(folder / "t");
    ASSERT_TRUE(source.ok()) << source.status().text();
    EXPECT_EQ((*source)->schema().size(), 17u);
    const auto cells = read_cells(**source, all_columns(**source));
    ASSERT_TRUE(cells.ok()) << cells.status().text();
    EXPECT_TRUE(cells.value()[0].empty());
  }
}

TEST(WriteTable, LeavesNothingAfterFailure) {
  const Folder folder;
  Table table = every_kind(100, true);
  table.columns[3] = table.columns[3].slice(0, 50);
  for (const FileFormat format : {FileFormat::parquet, FileFormat::arrow_ipc, FileFormat::csv})
    EXPECT_FALSE(write_table(table, folder / "t", format).ok());
  EXPECT_EQ(folder.file_count(), 0u);
  std::filesystem::create_directories(folder / "taken" / std::filesystem::path("inside"));
  const Status status = write_table(every_kind(10, true), folder / "taken",
                                    FileFormat::parquet);  // a folder has the name
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.text().find(folder / "taken"), std::string::npos);
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(OpenTable, AFileOfNearlyThisNameIsTold) {
  const Folder folder;
  for (const char* name : {"sales.parquet", "t.parquet", "customers.csv", "customers.arrow"})
    write_file(folder / name, "a\n1\n");
  std::filesystem::create_directory(folder / "salad");
  const auto what_is_said = [&](const char* name) {
    return open_table(folder / name).status().message();
  };
  EXPECT_EQ(what_is_said("sales"),
            "No such file or directory; did you mean '" + (folder / "sales.parquet") + "'?");
  EXPECT_EQ(what_is_said("sale.parquet"),
            "No such file or directory; did you mean '" + (folder / "sales.parquet") + "'?");
  EXPECT_EQ(what_is_said("customers"), "No such file or directory; did you mean '" +
                                           (folder / "customers.arrow") + "', '" +
                                           (folder / "customers.csv") + "'?");
  EXPECT_EQ(what_is_said("orders"), "No such file or directory");
  EXPECT_EQ(open_table(folder / "no_folder/sales").status().message(), "No such file or directory");
}

TEST(OpenTable, WhatIsNoTableIsRefusedWithItsPathAndReason) {
  const Folder folder;
  write_file(folder / "empty", "");
  write_file(folder / "zip", "PK\x03\x04 and so on");
  write_file(folder / "binary", std::string("ab\0cd", 5));
  for (const auto& [path, reason] :
       std::vector<std::pair<std::string, std::string>>{{folder / "absent", "No such file"},
                                                        {folder / "*.parquet", "no file matches"},
                                                        {folder / "empty", "empty"},
                                                        {folder / "zip", "zip"},
                                                        {folder / "binary", "CSV"},
                                                        {"/dev/null", "empty"}}) {
    const auto source = open_table(path);
    ASSERT_FALSE(source.ok()) << path;
    EXPECT_NE(source.status().text().find(path), std::string::npos) << source.status().text();
    EXPECT_NE(source.status().text().find(reason), std::string::npos) << source.status().text();
  }
}

}  // namespace
}  // namespace penstock
