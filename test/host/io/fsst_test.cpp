// Arrow files with FSST columns: callers that ask for codes get them.
#include "codec/fsst/format/encoded_column.hpp"
#include "host/io/io_files.hpp"

namespace penstock::test {
namespace {

std::string encoded_bytes(const Table& table, const std::string& column) {
  std::string bytes;
  const auto report = encode_table(*table_source(table),
                                   [&](std::string_view part) {
                                     bytes += part;
                                     return Status();
                                   },
                                   {.codecs = {{column, ColumnEncoding::fsst}}});
  EXPECT_TRUE(report.ok()) << report.status().text();
  return bytes;
}

std::shared_ptr<TableSource> file_of(const Folder& folder, const std::string& bytes) {
  write_file(folder / "encoded.arrow", bytes);
  auto source = open_table(folder / "encoded.arrow");
  EXPECT_TRUE(source.ok()) << source.status().text();
  return *source;
}

std::shared_ptr<TableSource> encoded_file(const Folder& folder, const Table& table,
                                          const std::string& column) {
  return file_of(folder, encoded_bytes(table, column));
}

Result<std::optional<Table>> first_batch(const TableSource& source, const ScanOptions& options) {
  PENSTOCK_ASSIGN(const auto stream, source.scan(all_columns(source), options));
  return stream->next();
}

TEST(FsstFile, TheSchemaSaysWhichColumnsCanStayEncoded) {
  const Folder folder;
  const auto source = encoded_file(folder, every_kind(1000, true), "many");
  for (const Field& field : source->schema())
    EXPECT_EQ(field.is_encoded, field.name == "many") << field.name;
}

TEST(FsstFile, CodesComeToWhoAsksForThemAndTextsToOthers) {
  const Folder folder;
  const Table table = every_kind(5000, true);
  const auto source = encoded_file(folder, table, "many");
  const std::uint32_t many = *find_field(source->schema(), "many");
  const auto texts = read_cells(*source, all_columns(*source), {.batch_rows = 640});
  ASSERT_TRUE(texts.ok()) << texts.status().text();
  EXPECT_EQ((*texts)[many], cells_of(table)[many]);
  const auto batch = first_batch(*source, {.batch_rows = 640, .encoded = {many, many - 1}});
  ASSERT_TRUE(batch.ok() && *batch) << batch.status().text();
  const Column& codes = (*batch)->columns[many];
  ASSERT_NE(fsst::codes_of(codes), nullptr);
  EXPECT_EQ((*batch)->columns[many - 1].encoded, nullptr)
      << "the wish for a plain column means nothing";
  const auto column = decoded(codes);
  ASSERT_TRUE(column.ok()) << column.status().text();
  for (std::uint64_t row = 0; row < 640; row++)
    EXPECT_EQ(cell(*column, row), (*texts)[many][row]) << "row " << row;
}

// The name of columns with splits, which were written once.
TEST(FsstFile, AColumnThatIsNamedGsstIsRead) {
  const Folder folder;
  const Table table = every_kind(1000, true);
  std::string bytes = encoded_bytes(table, "many");
  std::size_t renamed = 0;
  for (std::size_t at = 0; (at = bytes.find("penstock.fsst", at)) != std::string::npos; at++)
    if (bytes[at + 13] != ':') bytes[at + 9] = 'g', renamed++;
  EXPECT_GT(renamed, 0u);
  const auto source = file_of(folder, bytes);
  const auto cells = read_cells(*source, all_columns(*source), {});
  ASSERT_TRUE(cells.ok()) << cells.status().text();
  EXPECT_EQ(*cells, cells_of(table));
}

TEST(FsstFile, TextsThatAreNotUtf8AreRefusedWhenTheyAreDecoded) {
  const Folder folder;
  const auto source = encoded_file(
      folder, Table::of({{"s", Column::from_strings(std::vector<std::string>{"a", "\xff", "c"})}}),
      "s");
  EXPECT_FALSE(first_batch(*source, {}).ok());
  const auto batch = first_batch(*source, {.encoded = {0}});
  ASSERT_TRUE(batch.ok() && *batch) << batch.status().text();
  const Column& codes = (*batch)->columns[0];
  EXPECT_TRUE(codes.encoded->decode_rows(std::vector<std::uint64_t>{0, 2}).ok());
  EXPECT_FALSE(codes.encoded->decode_rows(std::vector<std::uint64_t>{0, 1}).ok());
  EXPECT_FALSE(decoded(codes).ok());
}

}  // namespace
}  // namespace penstock::test
