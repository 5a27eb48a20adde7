// Results as text: quoting, NULL, exact numbers and alignment.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "expr/nested_casts.hpp"
#include "terminal/format.hpp"
#include "terminal/messages.hpp"

namespace penstock::terminal {
namespace {

using Strings = std::vector<std::string>;

std::string csv(const Table& table) {
  std::string text;
  EXPECT_TRUE(format_csv(table, [&](std::string_view part) {
                text += part;
                return Status();
              }).ok());
  return text;
}
std::string json(const Table& table) {
  std::string text;
  EXPECT_TRUE(format_json(table, [&](std::string_view part) {
                text += part;
                return Status();
              }).ok());
  return text;
}
std::string drawn(const Table& table, const TableStyle& style = {}) {
  std::string text;
  EXPECT_TRUE(format_table(table, style, [&](std::string_view part) {
                text += part;
                return Status();
              }).ok());
  return text;
}
Table one_column(Column column) { return Table::of({{"x", std::move(column)}}); }

// A column of one value, which is read from its text.
Table one_value(Type type, const std::string& text) {
  const auto value = expr::parse_value(type, text);
  EXPECT_TRUE(value) << text;
  return one_column(column_of(type, std::vector{value.value_or(Scalar::null_of(type))}));
}

TEST(FormatJson, ListsStructsAndMapsAreArraysAndObjects) {
  const Type text{Kind::string}, real{Kind::float64};
  const Type fields = struct_of({"a", "b \"c\""}, {list_of(real), text});
  EXPECT_EQ(json(one_value(list_of(text), "[a, NULL, 'q\"']")),
            "[\n  {\"x\": [\"a\", null, \"q\\\"\"]}\n]\n");
  EXPECT_EQ(json(one_value(fields, "{a: [0.5, nan, inf], b \"c\": x}")).substr(10),
            "{\"a\": [0.5, \"NaN\", \"Infinity\"], \"b \\\"c\\\"\": \"x\"}}\n]\n");
  EXPECT_EQ(json(one_value(map_of({Kind::int32}, Type::decimal(2, 2)), "{1=0.5, 2=NULL}")),
            "[\n  {\"x\": {\"1\": 0.50, \"2\": null}}\n]\n");
  EXPECT_EQ(json(one_value(struct_of({"", ""}, {text, real}), "(a, 1)")),
            "[\n  {\"x\": [\"a\", 1.0]}\n]\n");
}

TEST(FormatCsv, ListsAreTheirTexts) {
  EXPECT_EQ(csv(one_value(list_of({Kind::string}), "[\"a, b\", NULL, '']")),
            "x\n\"['a, b', NULL, '']\"\n");
}

TEST(FormatCsv, QuotesCommasQuotesAndLineBreaksOnly) {
  EXPECT_EQ(csv(one_column(
                Column::from_strings(Strings{"plain", "a,b", "say \"hi\"", "two\nlines", "cr\r"}))),
            "x\nplain\n\"a,b\"\n\"say \"\"hi\"\"\"\n\"two\nlines\"\n\"cr\r\"\n");
}

TEST(FormatCsv, NullIsEmptyAndAnEmptyStringIsQuoted) {
  using Cells = std::vector<std::optional<std::string>>;
  EXPECT_EQ(csv(Table::of(
                {{"a", Column::from_strings(Cells{"", std::nullopt})},
                 {"b", Column::from(std::vector<std::optional<std::int32_t>>{std::nullopt, 5})}})),
            "a,b\n\"\",\n,5\n");
}

TEST(FormatCsv, NoRowsGiveTheHeaderAlone) {
  EXPECT_EQ(csv(one_column(Column::from(std::vector<float>{}))), "x\n");
}

TEST(FormatCsv, ColumnNamesAreQuotedToo) {
  EXPECT_EQ(csv(Table::of({{"a,b", Column::from(std::vector<int>{1})}})), "\"a,b\"\n1\n");
}

TEST(FormatCsv, FloatsReadBackToTheSameBits) {
  const std::vector<double> values = {0.1,  1.0 / 3, 5e-324,     std::numeric_limits<double>::max(),
                                      -0.0, 1e22,    123456789.0};
  const std::string text = csv(one_column(Column::from(values)));
  std::size_t place = 2;
  for (double value : values) {
    const double read = std::strtod(text.c_str() + place, nullptr);
    EXPECT_EQ(std::memcmp(&read, &value, sizeof value), 0) << text;
    place = text.find('\n', place) + 1;
  }
}

TEST(FormatCsv, FloatsOfFourBytesAreNotPrintedAsDoubles) {
  EXPECT_EQ(csv(one_column(Column::from(std::vector<float>{0.1f, 2, 1e20f}))),
            "x\n0.1\n2.0\n1e+20\n");
}

TEST(FormatCsv, SmallIntegersAreNumbersNotCharacters) {
  EXPECT_EQ(csv(Table::of({{"a", Column::from(std::vector<std::int8_t>{-65})},
                           {"b", Column::from(std::vector<std::uint8_t>{200})},
                           {"c", Column::from(std::vector<std::uint64_t>{UINT64_MAX})}})),
            "a,b,c\n-65,200,18446744073709551615\n");
}

TEST(FormatCsv, DecimalsKeepTheirScale) {
  Column price = Column::from(std::vector<std::int64_t>{-5, 12345, 0});
  price.type = Type::decimal(15, 2);
  EXPECT_EQ(csv(one_column(price)), "x\n-0.05\n123.45\n0.00\n");
}

TEST(FormatCsv, ABrokenSinkEndsTheWriting) {
  int calls = 0;
  const Status status =
      format_csv(one_column(Column::from(std::vector<std::int64_t>(100000, 1234567890123))),
                 [&](std::string_view) {
                   calls++;
                   return Status(Code::io, "full");
                 });
  EXPECT_EQ(status.code(), Code::io);
  EXPECT_EQ(calls, 1);
}

TEST(FormatJson, NoRowsGiveAnEmptyArray) {
  EXPECT_EQ(json(one_column(Column::from(std::vector<float>{}))), "[]\n");
}

TEST(FormatJson, ColumnsOfOneNameGetKeysOfTheirOwn) {
  const Column one = Column::from(std::vector<std::int32_t>{1});
  EXPECT_EQ(json(Table::of({{"x", one}, {"x", one}, {"x_1", one}, {"x", one}})),
            "[\n  {\"x\": 1, \"x_2\": 1, \"x_1\": 1, \"x_3\": 1}\n]\n");
}

TEST(TerminalText, NothingInItCommandsATerminal) {
  EXPECT_EQ(terminal_text("a\x1b[2J\x07\r\x7f b\tc\nd"), "a\\x1b[2J\\x07\\r\\x7f b\tc\nd");
  EXPECT_EQ(terminal_text("\xC2\x9B"
                          "31m \xFF \xE2\x80\xAE \xC3\xA9"),
            "\xEF\xBF\xBD"
            "31m \xEF\xBF\xBD \\u202e \xC3\xA9");
}

TEST(FormatJson, EscapesQuotesControlsAndBackslashes) {
  EXPECT_EQ(json_string("a\"b\\c\n\t\x01é"), "\"a\\\"b\\\\c\\n\\t\\u0001é\"");
}

TEST(FormatJson, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(json_string("a\xFF z"), "\"a\xEF\xBF\xBD z\"");
  EXPECT_EQ(json_string("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");  // cut short
  EXPECT_EQ(json_string("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");  // overlong '/'
  EXPECT_EQ(json_string("\xED\xA0\x80"),
            "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // a surrogate
}

TEST(FormatJson, NanAndInfinityAreStringsBecauseJsonHasNoNumbersForThem) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json(one_column(Column::from(std::vector<double>{std::nan(""), infinity, -infinity}))),
            "[\n  {\"x\": \"NaN\"},\n  {\"x\": \"Infinity\"},\n  {\"x\": \"-Infinity\"}\n]\n");
}

TEST(FormatJson, TheStringNanStaysAString) {
  EXPECT_EQ(json(one_column(Column::from_strings(Strings{"nan"}))), "[\n  {\"x\": \"nan\"}\n]\n");
}

TEST(FormatJson, NullAndBooleansAreBareWords) {
  EXPECT_EQ(json(Table::of({{"a", Column::from_booleans({true})},
                            {"b", Column::from(std::vector<std::optional<float>>{std::nullopt})}})),
            "[\n  {\"a\": true, \"b\": null}\n]\n");
}

TEST(FormatJson, DatesAreStringsAndDecimalsExactNumbers) {
  Column day = Column::from(std::vector<std::int32_t>{0});
  day.type = {Kind::date32};
  Column price = Column::from(std::vector<std::int64_t>{999999999999999999});
  price.type = Type::decimal(18, 2);
  EXPECT_EQ(json(Table::of({{"d", day}, {"p", price}})),
            "[\n  {\"d\": \"1970-01-01\", \"p\": 9999999999999999.99}\n]\n");
}

TEST(FormatTable, NumbersStandRightAndTextLeft) {
  EXPECT_EQ(drawn(Table::of({{"name", Column::from_strings(Strings{"a", "longer name"})},
                             {"n", Column::from(std::vector<std::int32_t>{1, 1234567})}})),
            "┌─────────────┬─────────┐\n"
            "│    name     │    n    │\n"
            "│   VARCHAR   │ INTEGER │\n"
            "├─────────────┼─────────┤\n"
            "│ a           │       1 │\n"
            "│ longer name │ 1234567 │\n"
            "└─────────────┴─────────┘\n"
            "2 rows\n");
}

TEST(FormatTable, LongResultsAreCutInTheMiddleAndCounted) {
  std::vector<std::int32_t> values(1000);
  for (int i = 0; i < 1000; i++) values[static_cast<std::size_t>(i)] = i;
  const std::string text = drawn(one_column(Column::from(values)), {4, 20});
  EXPECT_NE(text.find("       1 │\n│    ·    │\n│     998 │"), std::string::npos) << text;
  EXPECT_NE(text.find("1,000 rows (4 shown)"), std::string::npos) << text;
  EXPECT_EQ(text.find(" 500 "), std::string::npos);
}

TEST(FormatTable, WithoutALimitEveryRowIsThere) {
  const std::string text = drawn(one_column(Column::from(std::vector<std::int32_t>(20000, 7))));
  EXPECT_EQ(std::count(text.begin(), text.end(), '7'), 20000);
}

TEST(FormatTable, TerminalControlsInDataAreShownNotObeyed) {
  const std::string text = drawn(one_column(Column::from_strings(Strings{"a\x1b[2Jb\nc"})));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("a\\x1b[2Jb\\nc"), std::string::npos) << text;
}

TEST(FormatTable, WideAndCombiningCharactersKeepTheBordersAligned) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("é"), 1u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);
  EXPECT_EQ(display_width("日本"), 4u);
}

TEST(FormatTable, LongCellsEndInAnEllipsisOfTheAskedWidth) {
  const std::string text =
      drawn(one_column(Column::from_strings(Strings{"abcdefghijklmno", "exactly 10"})), {40, 10});
  EXPECT_NE(text.find("│ abcdefghi… │"), std::string::npos) << text;
  EXPECT_NE(text.find("│ exactly 10 │"), std::string::npos) << text;
}

TEST(FormatTable, NoRowsStillShowNamesAndTypes) {
  const std::string text = drawn(one_column(Column::from(std::vector<float>{})));
  EXPECT_NE(text.find("FLOAT"), std::string::npos) << text;
  EXPECT_NE(text.find("0 rows"), std::string::npos) << text;
}

TEST(Messages, NumbersCarryTheirUnits) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(6001215), "6,001,215");
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(1023), "1023 bytes");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(seconds_text(0.0312), "31.2 ms");
  EXPECT_EQ(rate_text(1.46e7), "14.6 M");
  EXPECT_EQ(gigabytes_text(4.269e12), "4269 GB/s");
}

}  // namespace
}  // namespace penstock::terminal
