// FSST round trips, and the properties of encoding that queries on codes rely on.
#include <random>

#include "codec/fsst/host/symbol_matcher.hpp"
#include "fsst_strings.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::fsst {
namespace {

void expect_round_trip(const Column& column, EncodeOptions options = {}) {
  const auto encoded = encode(column, options);
  ASSERT_TRUE(encoded.ok()) << encoded.status().text();
  const Status valid = validate(*encoded);
  EXPECT_TRUE(valid.ok()) << valid.text();
  const auto decoded = decode(*encoded);
  ASSERT_TRUE(decoded.ok()) << decoded.status().text();
  expect_equal(*decoded, column);
}
Column texts(std::vector<std::string> rows) { return Column::from_strings(rows); }

// Bytes of every value; many of them escapes.
std::string random_bytes(std::uint64_t seed, std::size_t bytes) {
  std::mt19937_64 random(seed);
  std::string text(bytes, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  return text;
}

TEST(FsstRoundTrip, NoRows) { expect_round_trip(texts({})); }
TEST(FsstRoundTrip, OneEmptyText) { expect_round_trip(texts({""})); }
TEST(FsstRoundTrip, OnlyEmptyTexts) { expect_round_trip(texts(std::vector<std::string>(1000))); }
TEST(FsstRoundTrip, OnlyMissingRows) {
  expect_round_trip(Column::from_strings(std::vector<std::optional<std::string>>(1000)));
}
TEST(FsstRoundTrip, MissingAndEmptyRowsAmongOthers) {
  std::vector<std::optional<std::string>> rows;
  for (int i = 0; i < 5000; i++)
    rows.push_back(i % 3 == 0   ? std::nullopt
                   : i % 3 == 1 ? std::optional<std::string>("")
                                : std::optional(std::to_string(i) + "/abc"));
  expect_round_trip(Column::from_strings(rows));
}
TEST(FsstRoundTrip, EveryLengthUpTo100) {
  std::vector<std::string> rows;
  for (std::size_t size = 0; size < 100; size++)
    rows.push_back(std::string("abcdefghijabcdefghij").substr(0, size % 20) +
                   std::string(size, 'x'));
  expect_round_trip(texts(rows));
}
TEST(FsstRoundTrip, TextsOfAMegabyte) {
  std::string text;
  while (text.size() < 1 << 20) text += "http://example.com/" + std::to_string(text.size());
  expect_round_trip(texts({text, "short", random_bytes(3, 1 << 20), ""}));
}
TEST(FsstRoundTrip, EveryByteValue) {
  std::vector<std::string> rows;
  for (int byte = 0; byte < 256; byte++) rows.push_back(std::string(1, static_cast<char>(byte)));
  for (int byte = 0; byte < 256; byte++) rows.push_back(std::string(17, static_cast<char>(byte)));
  expect_round_trip(texts(rows));
}
TEST(FsstRoundTrip, RandomBytes) {
  std::vector<std::string> rows;
  for (std::uint64_t row = 0; row < 3000; row++) rows.push_back(random_bytes(row, row % 70));
  expect_round_trip(texts(rows));
}
TEST(FsstRoundTrip, RunsOfTheEscapesByte) {
  std::vector<std::string> rows;
  for (std::size_t size = 0; size < 40; size++)
    rows.push_back(std::string(size, '\xff') + "a" + std::string(size, '\xff'));
  expect_round_trip(texts(rows));
}
// A table that was trained on other strings escapes most bytes of these.
TEST(FsstRoundTrip, TextsThatEndInEscapes) {
  std::vector<std::string> rows(20'000, "the quick brown fox");
  for (std::size_t row = 0; row < 300; row++) rows[row * 60] += random_bytes(row, row % 9);
  expect_round_trip(texts(rows));
}
TEST(FsstRoundTrip, SeveralRowGroups) {
  expect_round_trip(codec::generate_urls(10'000), {.row_group_rows = 999});
}
TEST(FsstRoundTrip, RowGroupsEndWhereTheirTextWouldBeTooMuch) {
  const Column urls = codec::generate_urls(10'000);
  const auto encoded = encode(urls, {.row_group_string_bytes = 50'000});
  ASSERT_TRUE(encoded.ok());
  EXPECT_GT(encoded->row_groups.size(), 15);
  for (std::size_t group = 0; group < encoded->row_groups.size(); group++)
    EXPECT_LE(encoded->end_string_byte(group) - encoded->row_groups[group].first_string_byte,
              50'000);
  expect_round_trip(urls, {.row_group_string_bytes = 50'000});
}
TEST(FsstRoundTrip, ATextLongerThanARowGroupHasOneOfItsOwn) {
  expect_round_trip(texts({"a", std::string(1000, 'b'), "c", ""}), {.row_group_string_bytes = 100});
}
TEST(FsstRoundTrip, ARowGroupARow) {
  expect_round_trip(codec::generate_urls(50), {.row_group_rows = 1});
}
TEST(FsstRoundTrip, Urls) { expect_round_trip(codec::generate_urls(100'000)); }
TEST(FsstRoundTrip, LogLines) { expect_round_trip(codec::generate_log_lines(100'000)); }
TEST(FsstRoundTrip, ASliceOfAColumn) {
  expect_round_trip(codec::generate_urls(1000).slice(333, 500));
}
TEST(FsstRoundTrip, DictionaryColumns) {
  Column codes = Column::from(std::vector<std::int32_t>{1, 0, 1, 1});
  codes.type = {Kind::string};
  codes.dictionary = std::make_shared<Column>(texts({"zero", "one"}));
  expect_round_trip(codes);
}

// A table trained on little must take what little there is for symbols, or every byte becomes an
// escape.
TEST(Fsst, FewTextsDoNotGrow) {
  for (const std::vector<std::string>& rows :
       {std::vector<std::string>{"hello world"}, {"a", "b", "c"}, {"x"}, {"\xff\xff", ""}}) {
    const auto encoded = encode(texts(rows));
    ASSERT_TRUE(encoded.ok());
    EXPECT_LE(encoded->codes.size, encoded->string_bytes) << rows[0];
  }
}

TEST(Fsst, EncodeRefusesNumbers) {
  EXPECT_EQ(encode(Column::from(std::vector<int>{1})).status().code(), Code::invalid);
}

// Queries compare codes: the fast encoder and the plain one must agree on every string, or `=`
// misses rows.
TEST(Fsst, EncodeTextMakesTheCodesOfEncode) {
  for (const Column& column : {codec::generate_urls(5000), codec::generate_log_lines(5000)}) {
    const auto encoded = encode(column);
    ASSERT_TRUE(encoded.ok());
    for (std::uint64_t row = 0; row < column.row_count; row++) {
      const auto codes = encode_string(*encoded->row_groups[0].table, column.string(row));
      ASSERT_EQ(std::string_view(reinterpret_cast<const char*>(codes.data()), codes.size()),
                std::string_view(encoded->codes.as<char>() + encoded->offset(row),
                                 encoded->offset(row + 1) - encoded->offset(row)));
    }
  }
}

TEST(Fsst, AMatcherRefusesSymbolsThatShareTheirSlot) {
  EXPECT_EQ(matcher_of(table_of({"abcd", "abce"})), nullptr);
  EXPECT_NE(matcher_of(table_of({"abcd", "xbce"})), nullptr);
}
TEST(Fsst, AMatcherWithoutSymbolsEscapesEveryWord) {
  const auto matcher = matcher_of({});
  for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
    EXPECT_TRUE(matcher->find(word).is_escape());
}

TEST(FsstDecode, SelectedRowsInTheOrderAskedFor) {
  const Column urls = codec::generate_urls(20'000);
  const auto encoded = encode(urls, {.row_group_rows = 3000});
  ASSERT_TRUE(encoded.ok());
  const std::vector<std::uint64_t> rows{19'999, 0, 7, 7, 2999, 3000, 5, 12'345};
  const auto decoded = decode(*encoded, {.rows = rows});
  ASSERT_TRUE(decoded.ok()) << decoded.status().text();
  ASSERT_EQ(decoded->row_count, rows.size());
  for (std::size_t at = 0; at < rows.size(); at++)
    EXPECT_EQ(decoded->string(at), urls.string(rows[at]));
}
TEST(FsstDecode, ManySelectedRowsByThreads) {
  const Column urls = codec::generate_urls(30'000);
  const auto encoded = encode(urls);
  ASSERT_TRUE(encoded.ok());
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < urls.row_count; row += 2) rows.push_back(row);
  const auto decoded = decode(*encoded, {.rows = rows});
  ASSERT_TRUE(decoded.ok());
  for (std::size_t at = 0; at < rows.size(); at++)
    ASSERT_EQ(decoded->string(at), urls.string(rows[at]));
}
TEST(FsstDecode, NoSelectedRows) {
  const auto encoded = encode(codec::generate_urls(10));
  ASSERT_TRUE(encoded.ok());
  const auto decoded = decode(*encoded, {.rows = std::span<const std::uint64_t>()});
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->row_count, 0);
}
TEST(FsstDecode, MissingRowsStayMissingWhenSelected) {
  const auto encoded =
      encode(Column::from_strings(std::vector<std::optional<std::string>>{"a", std::nullopt, "c"}));
  ASSERT_TRUE(encoded.ok());
  const std::vector<std::uint64_t> rows{2, 1, 1, 0};
  const auto decoded = decode(*encoded, {.rows = rows});
  ASSERT_TRUE(decoded.ok());
  EXPECT_TRUE(decoded->is_valid(0) && !decoded->is_valid(1) && !decoded->is_valid(2) &&
              decoded->is_valid(3));
}
TEST(FsstDecode, ARowBehindTheLastIsRefused) {
  const auto encoded = encode(texts({"a"}));
  ASSERT_TRUE(encoded.ok());
  const std::vector<std::uint64_t> rows{1};
  EXPECT_EQ(decode(*encoded, {.rows = rows}).status().code(), Code::invalid);
}
TEST(FsstDecode, OffsetsOfTheBytesAskedFor) {
  const auto encoded = encode(texts({"ab", "c"}));
  ASSERT_TRUE(encoded.ok());
  for (const std::uint32_t bytes : {4u, 8u}) {
    const auto decoded = decode(*encoded, {.offset_bytes = bytes});
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded->offset_bytes, bytes);
    EXPECT_EQ(decoded->string(1), "c");
  }
}

}  // namespace
}  // namespace penstock::fsst
