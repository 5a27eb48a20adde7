// Columns that keep FSST codes, sliced and concatenated: they have the rows' strings, whatever was
// asked of them before.
#include "codec/fsst/format/encoded_column.hpp"
#include "column/rebatch.hpp"
#include "fsst_strings.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::fsst {
namespace {

// NULLs and empty strings among addresses.
Column texts(std::uint64_t row_count) {
  const Column generated = codec::generate_urls(row_count, 3);
  std::vector<std::optional<std::string>> values;
  for (std::uint64_t row = 0; row < row_count; row++)
    values.push_back(row % 9 == 4 ? std::nullopt
                                  : std::optional<std::string>(
                                        row % 7 == 0 ? "" : std::string(generated.string(row))));
  return Column::from_strings(values);
}

void expect_texts(const Column& found, const Column& expected) {
  ASSERT_NE(found.encoded, nullptr);
  const EncodedStrings& codes = *codes_of(found);
  EXPECT_TRUE(validate_layout(codes).ok()) << validate_layout(codes).text();
  const auto column = decoded(found);
  ASSERT_TRUE(column.ok()) << column.status().text();
  expect_equal(*column, expected);
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < expected.row_count; row += 3)
    rows.push_back(expected.row_count - 1 - row);
  const auto selected = found.encoded->decode_rows(rows);
  ASSERT_TRUE(selected.ok()) << selected.status().text();
  for (std::size_t i = 0; i < rows.size(); i++) {
    if (!expected.is_valid(rows[i])) continue;
    EXPECT_EQ(selected->string(i), expected.string(rows[i])) << "row " << rows[i];
  }
}

TEST(EncodedColumn, SlicesHaveTheTextsOfTheirRows) {
  const Column plain = texts(1000), codes = encoded_strings(plain, 300);
  expect_texts(codes, plain);
  for (const auto& [first, count] : {std::pair(0u, 1000u),
                                     {0u, 300u},
                                     {300u, 300u},
                                     {1u, 1u},
                                     {299u, 2u},
                                     {64u, 640u},
                                     {993u, 7u},
                                     {5u, 0u}}) {
    SCOPED_TRACE(std::to_string(first) + " " + std::to_string(count));
    expect_texts(codes.slice(first, count), plain.slice(first, count));
  }
}

TEST(EncodedColumn, ASliceOfASliceHasTheCodesOfItsRowsAlone) {
  const Column plain = texts(1000),
               part = encoded_strings(plain, 300).slice(128, 640).slice(192, 256);
  expect_texts(part, plain.slice(320, 256));
  const EncodedStrings& codes = *codes_of(part);
  EXPECT_EQ(codes.offset(0), 0u);
  EXPECT_EQ(codes.offset(256), codes.codes.size);
  ASSERT_EQ(codes.row_groups.size(), 1u) << "row 320 to row 575 are of the second group";
}

TEST(EncodedColumn, OffsetsOfEightBytesAreCutAndJoinedAsThoseOfFour) {
  const Column plain = texts(400);
  const auto codes = encoded_column(moved(encoded(plain, {.row_group_rows = 150}), 0));
  ASSERT_TRUE(codes.ok()) << codes.status().text();
  expect_texts(codes->slice(100, 200), plain.slice(100, 200));
  Column joined = *codes;
  joined.encoded = *codes->encoded->joined(
      std::vector{codes->slice(0, 64).encoded, codes->slice(64, 336).encoded});
  EXPECT_EQ(codes_of(joined)->offset_bytes, 4u) << "so few codes need no more";
  expect_texts(joined, plain);
}

TEST(EncodedColumn, PartsPutTogetherAreTheRowsInTheirOrder) {
  const Column plain = texts(500), codes = encoded_strings(plain, 200);
  const std::vector<std::shared_ptr<const EncodedStringColumn>> parts = {
      codes.slice(100, 250).encoded, codes.slice(7, 0).encoded, codes.slice(3, 64).encoded,
      codes.encoded};
  const auto joined = codes.encoded->joined(parts);
  ASSERT_TRUE(joined.ok()) << joined.status().text();
  const auto all = (*joined)->decode();
  ASSERT_TRUE(all.ok()) << all.status().text();
  ASSERT_EQ(all->row_count, 814u);
  const auto expect_row = [&](std::uint64_t row, std::uint64_t of) {
    EXPECT_EQ(all->string(row), plain.is_valid(of) ? plain.string(of) : "") << "row " << row;
  };
  for (std::uint64_t row = 0; row < 250; row++) expect_row(row, 100 + row);
  for (std::uint64_t row = 0; row < 64; row++) expect_row(250 + row, 3 + row);
  for (std::uint64_t row = 0; row < 500; row++) expect_row(314 + row, row);
}

TEST(EncodedColumn, WhoDecodesAPartIsToldWhatTheCheckSays) {
  const Column codes = encoded_strings(
      texts(300), 100, [](const Column&) { return Status(Code::corrupt, "not these"); });
  EXPECT_EQ(decoded(codes.slice(64, 64)).status().message(), "not these");
  EXPECT_EQ(codes.encoded->decode_rows(std::vector<std::uint64_t>{1}).status().message(),
            "not these");
}

TEST(EncodedColumn, ATableYieldsTextsToWhoDoesNotAskForCodes) {
  const Column plain = texts(300);
  const auto source = table_source(Table::of({{"s", encoded_strings(plain, 100)}}));
  EXPECT_TRUE(source->schema()[0].is_encoded);
  for (const bool asks : {false, true}) {
    ScanOptions options;
    if (asks) options.encoded = {0};
    const auto stream = source->scan(std::vector<std::uint32_t>{0}, options);
    ASSERT_TRUE(stream.ok());
    const auto batch = (*stream)->next();
    ASSERT_TRUE(batch.ok() && *batch);
    EXPECT_EQ((*batch)->columns[0].encoded != nullptr, asks);
    if (!asks) expect_equal((*batch)->columns[0], plain);
  }
}

// Cuts tables of `sizes` rows into batches of `batch_rows` and checks the strings of each.
std::vector<std::uint64_t> batches_of(const std::vector<std::uint64_t>& sizes,
                                      std::uint64_t batch_rows) {
  std::uint64_t total = 0;
  for (const std::uint64_t size : sizes) total += size;
  const Column plain = texts(total);
  std::size_t at = 0;
  std::uint64_t first = 0;
  const auto stream = column::rebatch(
      [&]() -> Result<std::optional<Table>> {
        if (at == sizes.size()) return std::optional<Table>();
        const Column part = plain.slice(first, sizes[at]);
        first += sizes[at++];
        return std::optional(Table::of({{"s", encoded_strings(part, 1000)}}));
      },
      batch_rows);
  std::vector<std::uint64_t> rows;
  for (std::uint64_t begin = 0;; begin += rows.back()) {
    const auto batch = stream->next();
    EXPECT_TRUE(batch.ok()) << batch.status().text();
    if (!batch.ok() || !*batch) return rows;
    rows.push_back((*batch)->row_count);
    expect_texts((*batch)->columns[0], plain.slice(begin, rows.back()));
  }
}

TEST(EncodedColumn, SmallTablesArePutTogetherAndLargeOnesStayAsTheyAre) {
  using Rows = std::vector<std::uint64_t>;
  EXPECT_EQ(batches_of({1000, 1000, 500}, 1 << 20), (Rows{2500}));
  EXPECT_EQ(batches_of({1000, 1000}, 640), (Rows{640, 640, 640, 80}))
      << "640 rows are taken from one table, or from two";
  EXPECT_EQ(batches_of({65600, 100, 65536}, 1 << 20), (Rows{65600, 65636}));
  EXPECT_EQ(batches_of({65601, 65600}, 1 << 20), (Rows{65600, 65601}))
      << "what is left of one table joins the next";
}

}  // namespace
}  // namespace penstock::fsst
