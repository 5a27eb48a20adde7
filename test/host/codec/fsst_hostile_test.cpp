// Corrupt encoded strings: taken for valid, reported at another position, or written outside the
// output.
#include <random>

#include "codec/fsst/host/decode_span.hpp"
#include "fsst_strings.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::fsst {
namespace {

// Requires the same error of validate() and the decoder.
void expect_refused(const EncodedStrings& strings, std::string_view message) {
  for (const Status& status : {validate(strings), decode(strings).status()}) {
    EXPECT_FALSE(status.ok()) << message;
    EXPECT_NE(status.text().find(message), std::string::npos)
        << status.text() << "\nexpected: " << message;
  }
}
SymbolTable small_table() { return table_of({"ab", "cde", "x"}); }
EncodedStrings valid_strings() {
  return strings_of(small_table(), {{"\0\1", 2}, "\2", "", "\xff\xff"}, 7);
}
EncodedStrings urls() { return encoded(codec::generate_urls(3000), {.row_group_rows = 1000}); }
template <class T> std::vector<T> values_of(const Bytes& bytes) {
  return {bytes.as<T>(), bytes.as<T>() + bytes.size / sizeof(T)};
}
template <class T> Bytes changed(const Bytes& bytes, std::size_t at, T value) {
  auto values = values_of<T>(bytes);
  values[at] = value;
  return Bytes::own(std::move(values));
}

TEST(FsstHostile, TheStartingPointIsValid) {
  EXPECT_TRUE(validate(valid_strings()).ok()) << validate(valid_strings()).text();
  EXPECT_TRUE(decode(valid_strings()).ok());
  EXPECT_TRUE(validate(urls()).ok()) << validate(urls()).text();
}

TEST(FsstHostile, AnEscapeAtARowsEnd) {
  expect_refused(strings_of(small_table(), {std::string("\0\0\xff", 3), "\2"}, 6),
                 "row 0, byte 2 of its codes: an escape at the row's end");
}
TEST(FsstHostile, AnEscapeAtTheLastRowsEnd) {
  expect_refused(strings_of(small_table(), {"\2", "\xff"}, 2),
                 "row 1, byte 0 of its codes: an escape at the row's end");
}
TEST(FsstHostile, AnEscapeThatTakesTheNextRowsByte) {
  expect_refused(strings_of(small_table(), {"\2\xff", "\xff\xff\xff"}, 4),
                 "row 0, byte 1 of its codes: an escape at the row's end");
}
TEST(FsstHostile, AnEscapedEscapeAtARowsEndIsValid) {
  EXPECT_TRUE(decode(strings_of(small_table(), {"\xff\xff", "\2"}, 2)).ok());
}
TEST(FsstHostile, ACodeWithoutASymbol) {
  expect_refused(strings_of(small_table(), {"\2", std::string("\0\3", 2)}, 5),
                 "row 1, byte 1 of its codes: code 3 has no symbol");
}
TEST(FsstHostile, ACodeWithoutASymbolInTheMiddleOfABlock) {
  for (std::size_t at = 0; at < 40; at++) {
    std::string row(40, '\2');
    row[at] = '\x80';
    expect_refused(strings_of(small_table(), {"\2", row}, 41),
                   "row 1, byte " + std::to_string(at) + " of its codes: code 128 has no symbol");
  }
}
TEST(FsstHostile, EveryNumberOfSymbolsFindsTheCodesThatHaveNone) {
  for (std::uint32_t count = 1; count < 255; count++) {
    SymbolTable table;
    table.symbol_count = count;
    for (std::uint32_t code = 0; code < count; code++)
      table.symbols[code] = 'a', table.lengths[code] = 1;
    const std::string last(20, static_cast<char>(count - 1)), behind(20, static_cast<char>(count));
    EXPECT_TRUE(decode(strings_of(table, {last}, 20)).ok()) << count;
    EXPECT_FALSE(decode(strings_of(table, {behind}, 20)).ok()) << count;
  }
}

TEST(FsstHostile, OffsetsThatDescend) {
  EncodedStrings strings = valid_strings();
  strings.offsets = changed<std::uint32_t>(strings.offsets, 1, 4);
  expect_refused(strings, "row 1: its codes end before they begin");
}
TEST(FsstHostile, OffsetsBehindTheCodes) {
  EncodedStrings strings = valid_strings();
  strings.offsets = changed<std::uint32_t>(strings.offsets, 4, 6);
  expect_refused(strings, "row 3: its codes end at byte 6 of 5");
}
TEST(FsstHostile, TheOffsetOfNoRowsBehindTheCodes) {
  for (const std::uint32_t width : {4u, 8u}) {
    EncodedStrings strings = strings_of(small_table(), {}, 0);
    strings.offset_bytes = width;
    strings.offsets = width == 4 ? Bytes::own(std::vector<std::uint32_t>{5})
                                 : Bytes::own(std::vector<std::uint64_t>{5});
    expect_refused(strings, "row 0: its codes begin at byte 5 of 0");
  }
}
TEST(FsstHostile, FewerOffsetsThanRows) {
  EncodedStrings strings = valid_strings();
  strings.row_count++;
  expect_refused(strings, "5 offsets for 5 rows");
}
TEST(FsstHostile, RowsWithoutEnd) {
  EncodedStrings strings = valid_strings();
  strings.row_count = ~std::uint64_t{0};
  expect_refused(strings, "offsets for");
}
TEST(FsstHostile, OffsetsOfAnotherWidth) {
  EncodedStrings strings = valid_strings();
  strings.offset_bytes = 3;
  expect_refused(strings, "offsets of 3 bytes");
}
TEST(FsstHostile, FewerValidityBitsThanRows) {
  EncodedStrings strings = urls();
  strings.validity = Bytes::own(std::vector<std::byte>(10));
  expect_refused(strings, "fewer bits");
}

TEST(FsstHostile, LessTextThanStated) {
  EncodedStrings strings = valid_strings();
  strings.string_bytes = 8;
  EXPECT_FALSE(validate(strings).ok());
  EXPECT_FALSE(decode(strings).ok());
}
TEST(FsstHostile, MoreTextThanStated) {
  EncodedStrings strings = valid_strings();
  strings.string_bytes = 6;
  EXPECT_FALSE(validate(strings).ok());
  EXPECT_FALSE(decode(strings).ok());
}
TEST(FsstHostile, MoreTextThanCodesCanMakeIsRefusedBeforeMemoryIsTaken) {
  EncodedStrings strings = valid_strings();
  strings.string_bytes = std::uint64_t{1} << 60;
  expect_refused(strings, "row group 0: strings from byte 0");
}
TEST(FsstHostile, TextOfARowGroupThatBeginsElsewhere) {
  for (const std::int64_t moved : {-1000, -1, 1, 1000}) {
    EncodedStrings strings = urls();
    strings.row_groups[1].first_string_byte += static_cast<std::uint64_t>(moved);
    EXPECT_FALSE(validate(strings).ok());
    EXPECT_FALSE(decode(strings).ok());
  }
}
TEST(FsstHostile, RowGroupsOutOfOrder) {
  EncodedStrings strings = urls();
  std::swap(strings.row_groups[1], strings.row_groups[2]);
  expect_refused(strings, "row group 2: it begins at row 1000");
}
TEST(FsstHostile, ARowGroupBehindTheRows) {
  EncodedStrings strings = urls();
  strings.row_groups[2].first_row = 3000;
  expect_refused(strings, "row group 2: it begins at row 3000");
}
TEST(FsstHostile, RowsInFrontOfTheFirstRowGroup) {
  EncodedStrings strings = urls();
  strings.row_groups[0].first_row = 1;
  expect_refused(strings, "row group 0: it begins at row 1");
}
TEST(FsstHostile, RowsWithoutARowGroup) {
  EncodedStrings strings = valid_strings();
  strings.row_groups.clear();
  expect_refused(strings, "rows without a row group");
}
TEST(FsstHostile, ARowGroupWithoutATable) {
  EncodedStrings strings = valid_strings();
  strings.row_groups[0].table = nullptr;
  expect_refused(strings, "row group 0: no symbol table");
}
TEST(FsstHostile, ATableWithBadLengths) {
  SymbolTable table = small_table();
  table.lengths[1] = 200;
  expect_refused(strings_of(table, {"\1"}, 3), "code 1: a symbol of 200 bytes");
}

// Whatever one byte becomes, validate() and the decoder agree, and nothing is accessed out of
// bounds (the sanitizers look).
TEST(FsstHostile, EveryChangedByteIsJudgedAlikeByBoth) {
  const auto encoded = encode(codec::generate_urls(40), {.row_group_rows = 16});
  ASSERT_TRUE(encoded.ok());
  std::mt19937 random(7);
  for (std::size_t at = 0; at < encoded->codes.size; at++) {
    EncodedStrings strings = *encoded;
    strings.codes = changed<std::uint8_t>(
        strings.codes, at, random() % 3 == 0 ? 255 : static_cast<std::uint8_t>(random()));
    ASSERT_EQ(validate(strings).ok(), decode(strings).ok())
        << at << ": " << validate(strings).text();
  }
  for (std::size_t at = 0; at < encoded->offsets.size; at++) {
    EncodedStrings strings = *encoded;
    strings.offsets =
        changed<std::uint8_t>(strings.offsets, at, static_cast<std::uint8_t>(random()));
    ASSERT_EQ(validate(strings).ok(), decode(strings).ok())
        << at << ": " << validate(strings).text();
  }
}

// Random codes into outputs that are too small: the bytes around them keep their value.
TEST(FsstHostile, NothingIsWrittenOutsideTheOutput) {
  std::mt19937 random(11);
  const EncodedStrings strings = urls();
  const CodeTable table(*strings.row_groups[0].table);
  for (int round = 0; round < 20'000; round++) {
    std::vector<std::uint8_t> codes(random() % 200);
    for (auto& code : codes) code = random() % 8 == 0 ? 255 : static_cast<std::uint8_t>(random());
    constexpr std::size_t guard = 80;
    const std::size_t out_bytes = random() % 300;
    std::vector<std::uint8_t> out(guard + out_bytes + guard, 0xA5);
    Span span{codes.data(), out.data() + guard, codes.data() + codes.size(),
              codes.data() + codes.size(), out.data() + guard + out_bytes};
    TileStarts starts;
    static_cast<void>(decode_tile(table, span, span.end, starts));
    for (std::size_t i = 0; i < guard; i++) {
      ASSERT_EQ(out[i], 0xA5);
      ASSERT_EQ(out[out.size() - 1 - i], 0xA5);
    }
  }
}

}  // namespace
}  // namespace penstock::fsst
