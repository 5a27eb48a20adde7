// Columns one after another: dictionaries that differ become one.
#include <gtest/gtest.h>

#include <numeric>

#include "column/concatenate.hpp"
#include "penstock/expression.hpp"

namespace penstock::column {
namespace {

// Codes into texts; -1 is NULL: its code is out of range.
Column coded(const std::vector<std::string>& texts, const std::vector<int>& codes) {
  std::vector<std::optional<std::int32_t>> values;
  for (const int code : codes)
    values.push_back(code < 0 ? std::nullopt : std::optional<std::int32_t>(code));
  Column column = Column::from(values);
  std::vector<std::int32_t> stored(codes.begin(), codes.end());
  for (std::int32_t& code : stored) code = code < 0 ? 1'000'000 : code;
  column.values = Bytes::own(std::move(stored));
  column.type = {Kind::string};
  column.dictionary = std::make_shared<const Column>(Column::from_strings(texts));
  return column;
}

std::string text_of(const Column& column) {
  std::string text;
  for (std::uint64_t row = 0; row < column.row_count; row++)
    text += (column.is_valid(row) ? std::string(column.string(row)) : "NULL") + " ";
  return text;
}

TEST(Concatenate, DictionariesThatDifferBecomeOneOfEachTextOnce) {
  const Column first = coded({"air", "ship"}, {0, 1, 1, 0, -1, 0}),
               second = coded({"ship", "rail", "air"}, {2, 2, 1, 0, -1, 1});
  const Column joined = concatenate({Kind::string}, std::vector<Column>{first, second, first});
  ASSERT_TRUE(joined.dictionary);
  EXPECT_EQ(joined.dictionary->row_count, 3u);
  EXPECT_EQ(text_of(joined), text_of(first) + text_of(second) + text_of(first));
}

TEST(Concatenate, DictionariesAsLargeAsTheirRowsBecomeTexts) {
  const Column first = coded({"a", "b", "c"}, {0, 1, 2}), second = coded({"d", "e"}, {1, 0});
  const Column joined = concatenate({Kind::string}, std::vector<Column>{first, second});
  EXPECT_FALSE(joined.dictionary);
  EXPECT_EQ(text_of(joined), "a b c e d ");
}

TEST(Concatenate, ADictionaryBesideTextsBecomesTexts) {
  const Column first = coded({"a"}, {0, 0, 0, 0}),
               second = Column::from_strings(std::vector<std::string>{"x", "y"});
  EXPECT_EQ(text_of(concatenate({Kind::string}, std::vector<Column>{first, second})),
            "a a a a x y ");
}

TEST(Concatenate, OfNullsAlone) {
  const Column first = coded({}, {-1, -1}), second = coded({"a"}, {-1, 0});
  EXPECT_EQ(text_of(concatenate({Kind::string}, std::vector<Column>{first, second})),
            "NULL NULL NULL a ");
}

// Threads begin and end within parts.
TEST(Concatenate, LargeColumnsKeepEveryValueInItsPlace) {
  std::vector<Column> parts;
  std::int64_t next = 0;
  for (const std::uint64_t rows : {700'001, 0, 3, 0, 900'000, 400'007, 0}) {
    std::vector<std::int64_t> values(rows);
    std::iota(values.begin(), values.end(), next);
    next += static_cast<std::int64_t>(rows);
    parts.push_back(Column::from(values));
  }
  const Column joined = concatenate({Kind::int64}, parts);
  ASSERT_EQ(joined.row_count, static_cast<std::uint64_t>(next));
  for (std::int64_t i = 0; i < next; i++) ASSERT_EQ(joined.values.as<std::int64_t>()[i], i);
}

}  // namespace
}  // namespace penstock::column
