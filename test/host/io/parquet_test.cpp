#include <gtest/gtest.h>

#include "host/io/io_files.hpp"

namespace penstock {
namespace {

using namespace test;

std::string message(const auto& result) { return result.ok() ? "" : result.status().text(); }

// Row groups have 131072 rows when write_table() makes them: 200000 rows are two.
TEST(Parquet, RowsSurviveEveryBatchSizeAndThreadCount) {
  const Folder folder;
  for (const bool nulls : {false, true}) {
    const Table table = every_kind(200'000, nulls);
    const std::string path = folder / "t.parquet";
    ASSERT_TRUE(write_table(table, path, FileFormat::parquet).ok());
    const auto source = open_table(path);
    ASSERT_TRUE(source.ok()) << message(source);
    const auto expected = cells_of(table);
    for (const ScanOptions& options :
         {ScanOptions{4096, 4}, ScanOptions{100'000, 3}, ScanOptions{1 << 20, 1}}) {
      const auto cells = read_cells(**source, all_columns(**source), options);
      ASSERT_TRUE(cells.ok()) << message(cells);
      for (std::size_t i = 0; i < expected.size(); i++)
        ASSERT_TRUE(cells.value()[i] == expected[i])
            << table.names[i] << " by " << options.batch_rows;
    }
  }
}

TEST(Parquet, StringsOfAFewValuesComeAsCodes) {
  const Folder folder;
  ASSERT_TRUE(write_table(every_kind(200'000, true), folder / "t", FileFormat::parquet).ok());
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok());
  const std::uint32_t columns[] = {*find_field((*source)->schema(), "few")};
  auto stream = (*source)->scan(columns, {1 << 20, 2});
  ASSERT_TRUE(stream.ok());
  const auto batch = (*stream)->next();
  ASSERT_TRUE(batch.ok() && batch.value());
  ASSERT_NE(batch.value()->columns[0].dictionary, nullptr);
  EXPECT_LE(batch.value()->columns[0].dictionary->row_count, 10u);
}

// DuckDB counts no pages in the footer; the list of encodings says it.
TEST(Parquet, ByDuckDBStringsOfAFewValuesComeAsCodes) {
  const Folder folder;
  if (!by_pyarrow(folder / "t", R"py(
import duckdb
duckdb.sql(f"COPY (SELECT 'kind ' || range % 5 AS few, 'row ' || range AS many "
           f"FROM range(200000)) TO '{path}' (FORMAT parquet)")
)py"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok()) << message(source);
  auto stream = (*source)->scan(all_columns(**source), {1 << 20, 2});
  ASSERT_TRUE(stream.ok());
  const auto batch = (*stream)->next();
  ASSERT_TRUE(batch.ok() && batch.value()) << message(batch);
  ASSERT_NE(batch.value()->columns[0].dictionary, nullptr);
  EXPECT_EQ(batch.value()->columns[0].string(123'456), "kind 1");
  EXPECT_EQ(batch.value()->columns[1].dictionary, nullptr);
  EXPECT_EQ(batch.value()->columns[1].string(123'456), "row 123456");
}

TEST(Parquet, ColumnsComeInTheOrderAskedForAndTwice) {
  const Folder folder;
  const Table table = every_kind(1000, true);
  ASSERT_TRUE(write_table(table, folder / "t", FileFormat::parquet).ok());
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok());
  const std::uint32_t columns[] = {12, 0, 12};
  const auto cells = read_cells(**source, columns);
  ASSERT_TRUE(cells.ok());
  EXPECT_EQ(cells.value()[0], cells_of(table)[12]);
  EXPECT_EQ(cells.value()[1], cells_of(table)[0]);
  EXPECT_EQ(cells.value()[2], cells_of(table)[12]);
}

TEST(Parquet, RowsAreCountedWithoutAnyColumn) {
  const Folder folder;
  ASSERT_TRUE(write_table(every_kind(1000, true), folder / "t", FileFormat::parquet).ok());
  const auto source = open_table(folder / "t");
  auto stream = (*source)->scan({}, {});
  ASSERT_TRUE(stream.ok());
  const auto batch = (*stream)->next();
  ASSERT_TRUE(batch.ok() && batch.value());
  EXPECT_EQ(batch.value()->row_count, 1000u);
  EXPECT_FALSE((*stream)->next().value().has_value());
}

TEST(Parquet, AStreamLeftEarlyStopsItsThreads) {
  const Folder folder;
  ASSERT_TRUE(write_table(every_kind(300'000, true), folder / "t", FileFormat::parquet).ok());
  const auto source = open_table(folder / "t");
  for (int taken = 0; taken < 3; taken++) {
    auto stream = (*source)->scan(all_columns(**source), {8192, 4});
    ASSERT_TRUE(stream.ok());
    for (int i = 0; i < taken; i++) ASSERT_TRUE((*stream)->next().ok());
  }
}

TEST(Parquet, BatchesOutliveTheirStream) {
  const Folder folder;
  const Table table = every_kind(20'000, true);
  ASSERT_TRUE(write_table(table, folder / "t", FileFormat::parquet).ok());
  std::vector<Table> batches;
  {
    const auto source = open_table(folder / "t");
    auto stream = (*source)->scan(all_columns(**source), {4096, 2});
    for (;;) {
      auto batch = (*stream)->next();
      ASSERT_TRUE(batch.ok());
      if (!*batch) break;
      batches.push_back(std::move(**batch));
    }
  }
  ASSERT_EQ(batches.size(), 5u);
  EXPECT_EQ(cell(batches[3].columns[16], 77), cell(table.columns[16], 3 * 4096 + 77));
}

TEST(Parquet, ColumnsWithoutNullsAreNotNullable) {
  const Folder folder;
  if (!by_pyarrow(folder / "t",
                  "pq.write_table(pa.table({'full': [1, 2], 'holed': [None, 2]}), path)\n"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok());
  EXPECT_FALSE((*source)->schema()[0].nullable);
  EXPECT_TRUE((*source)->schema()[1].nullable);
}

TEST(Parquet, WithoutStatisticsAnOptionalColumnIsNullable) {
  const Folder folder;
  if (!by_pyarrow(folder / "t",
                  "pq.write_table(pa.table({'x': [1, 2]}), path, write_statistics=False)\n"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok());
  EXPECT_TRUE((*source)->schema()[0].nullable);
}

// Spellings that writers use for one value: each is read as the same cells.
TEST(Parquet, TimestampsOfEveryUnitAndAge) {
  for (const char* options : {"coerce_timestamps='ms'", "coerce_timestamps='us'", "version='2.6'",
                              "use_deprecated_int96_timestamps=True"}) {
    const Folder folder;
    const std::string script =
        "t = pa.array([1_600_000_000_000_000_000, None, -1_000_000], pa.timestamp('ns'))\n"
        "pq.write_table(pa.table({'t': t}), path, " +
        std::string(options) + ")\n";
    if (!by_pyarrow(folder / "t", script)) GTEST_SKIP() << "no pyarrow";
    const auto source = open_table(folder / "t");
    ASSERT_TRUE(source.ok()) << message(source);
    const auto cells = read_cells(**source, all_columns(**source));
    ASSERT_TRUE(cells.ok()) << options << message(cells);
    EXPECT_EQ(cells.value()[0], (std::vector<std::string>{"1600000000000000", "NULL", "-1000"}))
        << options;
  }
}

TEST(Parquet, ATimestampBetweenMicrosecondsIsRefused) {
  const Folder folder;
  if (!by_pyarrow(folder / "t",
                  "pq.write_table(pa.table({'t': pa.array([1001], pa.timestamp('ns'))}), path)\n"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  const auto cells = read_cells(**source, all_columns(**source));
  ASSERT_FALSE(cells.ok());
  EXPECT_EQ(cells.status().code(), Code::unsupported);
}

TEST(Parquet, DecimalsOfEveryPhysicalType) {
  for (const char* options : {"store_decimal_as_integer=True", "store_decimal_as_integer=False"})
    for (const int precision : {5, 9, 10, 18}) {
      const Folder folder;
      const std::string script =
          "d = pa.array([decimal.Decimal('-12.34'), None, decimal.Decimal('999.99'), "
          "decimal.Decimal('-0.01')], pa.decimal128(" +
          std::to_string(precision) + ", 2))\npq.write_table(pa.table({'d': d}), path, " + options +
          ")\n";
      if (!by_pyarrow(folder / "t", script)) GTEST_SKIP() << "no pyarrow";
      const auto source = open_table(folder / "t");
      ASSERT_TRUE(source.ok()) << message(source);
      EXPECT_EQ((*source)->schema()[0].type, Type::decimal(precision, 2));
      const auto cells = read_cells(**source, all_columns(**source));
      ASSERT_TRUE(cells.ok()) << message(cells);
      EXPECT_EQ(cells.value()[0], (std::vector<std::string>{"-1234", "NULL", "99999", "-1"}))
          << options << precision;
    }
}

TEST(Parquet, EveryPageVersionCodecAndEncoding) {
  for (const char* options :
       {"data_page_version='2.0'", "compression='zstd'", "compression='gzip'",
        "compression='none', write_page_checksum=True", "use_dictionary=False",
        "data_page_size=100", "use_dictionary=False, column_encoding='DELTA_BINARY_PACKED'",
        "dictionary_pagesize_limit=50", "row_group_size=37"}) {
    const Folder folder;
    const bool numbers_only = std::string_view(options).find("DELTA") != std::string_view::npos;
    const std::string script =
        "t = {'x': pa.array([None if i % 5 == 0 else i * 3 for i in range(1000)])}\n" +
        std::string(numbers_only ? ""
                                 : "t['s'] = pa.array([None if i % 7 == 0 else 'v%d' % (i % 90) "
                                   "for i in range(1000)])\n") +
        "pq.write_table(pa.table(t), path, " + options + ")\n";
    if (!by_pyarrow(folder / "t", script)) GTEST_SKIP() << "no pyarrow";
    const auto source = open_table(folder / "t");
    ASSERT_TRUE(source.ok()) << message(source);
    const auto cells = read_cells(**source, all_columns(**source), {128, 2});
    ASSERT_TRUE(cells.ok()) << options << message(cells);
    for (std::size_t i = 0; i < 1000; i++) {
      ASSERT_EQ(cells.value()[0][i], i % 5 == 0 ? "NULL" : std::to_string(i * 3)) << options;
      if (cells.value().size() > 1) {
        ASSERT_EQ(cells.value()[1][i], i % 7 == 0 ? "NULL" : "\"v" + std::to_string(i % 90) + '"')
            << options;
      }
    }
  }
}

TEST(Parquet, UnsupportedColumnsAreNamedOnlyWhenAskedFor) {
  const Folder folder;
  if (!by_pyarrow(folder / "t",
                  "wide = pa.array([decimal.Decimal(1)], pa.decimal256(40, 20))\n"
                  "pq.write_table(pa.table({'a': [1], 'wide': wide, 'lists': [[1]], 'deep': "
                  "pa.array([{'wide': wide[0]}]), 'b': [2]}), path)\n"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  ASSERT_TRUE(source.ok()) << message(source);
  const std::uint32_t good[] = {0, 4};
  const auto cells = read_cells(**source, good);
  ASSERT_TRUE(cells.ok()) << message(cells);
  EXPECT_EQ(cells.value()[1], std::vector<std::string>{"2"});
  for (const std::uint32_t column : {1u, 3u}) {
    const auto stream = (*source)->scan({&column, 1}, {});
    ASSERT_FALSE(stream.ok());
    EXPECT_EQ(stream.status().code(), Code::unsupported);
    EXPECT_NE(stream.status().text().find("'" + (*source)->schema()[column].name + "'"),
              std::string::npos)
        << stream.status().text();
  }
  const auto all = (*source)->scan(all_columns(**source), {});
  ASSERT_FALSE(all.ok());
  EXPECT_EQ(all.status().message(),
            "columns of '" + (folder / "t") +
                "' cannot be read: 'wide' is DECIMAL(40,20), 'deep' is DECIMAL(40,20) of "
                "256 bits; ask for the other columns by name");
}

}  // namespace
}  // namespace penstock
