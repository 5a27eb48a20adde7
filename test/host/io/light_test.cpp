// Arrow files with numbers in light encodings.
#include "codec/light/light_column.hpp"
#include "host/io/io_files.hpp"

namespace penstock::test {
namespace {

// The bytes of a file of all of the table's columns in an encoding, where they have it.
std::string light_bytes(const Table& table, ColumnEncoding encoding) {
  std::vector<ColumnCodec> codecs;
  for (const Field& field : table.schema())
    if (field.type.kind != Kind::string && field.type.kind != Kind::boolean &&
        (encoding == ColumnEncoding::automatic ||
         is_float(field.type) == (encoding == ColumnEncoding::alp)))
      codecs.push_back({field.name, encoding});
  std::string bytes;
  const auto report = encode_table(*table_source(table),
                                   [&](std::string_view part) {
                                     bytes += part;
                                     return Status();
                                   },
                                   {.codecs = std::move(codecs)});
  EXPECT_TRUE(report.ok()) << report.status().text();
  return bytes;
}

TEST(LightFile, EveryTypeComesBackFromEveryEncoding) {
  for (const std::uint64_t rows : {0u, 1u, 1024u, 5000u})
    for (const ColumnEncoding encoding :
         {ColumnEncoding::bitpack, ColumnEncoding::frame_of_reference, ColumnEncoding::delta,
          ColumnEncoding::alp, ColumnEncoding::automatic}) {
      SCOPED_TRACE(std::string(name_of(encoding)) + ", " + std::to_string(rows) + " rows");
      const Folder folder;
      const Table table = every_kind(rows, true);
      write_file(folder / "light.arrow", light_bytes(table, encoding));
      const auto source = open_table(folder / "light.arrow");
      ASSERT_TRUE(source.ok()) << source.status().text();
      const auto cells = read_cells(**source, all_columns(**source), {.batch_rows = 640});
      ASSERT_TRUE(cells.ok()) << cells.status().text();
      EXPECT_EQ(*cells, cells_of(table));
    }
}

TEST(LightFile, BlocksComeToWhoAsksForThem) {
  const Folder folder;
  const Table table = every_kind(5000, true);
  write_file(folder / "light.arrow", light_bytes(table, ColumnEncoding::automatic));
  const auto source = open_table(folder / "light.arrow");
  ASSERT_TRUE(source.ok()) << source.status().text();
  for (std::uint32_t column = 0; column < table.columns.size(); column++) {
    const Field& field = (*source)->schema()[column];
    const bool is_number = field.type.kind != Kind::string && field.type.kind != Kind::boolean;
    EXPECT_EQ(field.is_encoded, is_number) << field.name;
    const std::vector<std::uint32_t> one = {column};
    const auto stream = (*source)->scan(one, {.encoded = one});
    ASSERT_TRUE(stream.ok()) << stream.status().text();
    const auto batch = (*stream)->next();
    ASSERT_TRUE(batch.ok() && *batch) << batch.status().text();
    EXPECT_EQ(light::block_of((*batch)->columns[0]) != nullptr, is_number) << field.name;
  }
}

TEST(LightFile, TypesWithoutAnEncodingAreRefusedByName) {
  const Table table = every_kind(10, false);
  const auto discard = [](std::string_view) { return Status(); };
  for (const Field& field : table.schema()) {
    const bool is_number = field.type.kind != Kind::string && field.type.kind != Kind::boolean;
    const auto packed =
        encode_table(*table_source(table), discard,
                     {.codecs = {{field.name, ColumnEncoding::frame_of_reference}}});
    EXPECT_EQ(packed.ok(), is_number && !is_float(field.type)) << field.name;
    const auto alp = encode_table(*table_source(table), discard,
                                  {.codecs = {{field.name, ColumnEncoding::alp}}});
    EXPECT_EQ(alp.ok(), is_float(field.type)) << field.name;
  }
}

// Whatever bytes a file has, it is read or refused.
TEST(LightFile, CutAndChangedFilesAreReadOrRefused) {
  const Folder folder;
  const std::string whole = light_bytes(every_kind(2000, true), ColumnEncoding::automatic);
  const auto read = [&](std::string bytes) {
    write_file(folder / "light.arrow", bytes);
    const auto source = open_table(folder / "light.arrow");
    if (source.ok())
      static_cast<void>(read_cells(**source, all_columns(**source), {.batch_rows = 640}));
  };
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 100) {
    read(whole.substr(0, at));
    for (const char mask : {'\x01', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ mask);
      read(changed);
    }
  }
}

}  // namespace
}  // namespace penstock::test
