// Rows gathered, found and filtered by several threads.
#include "table/rows/gather.hpp"

#include <gtest/gtest.h>

#include "base/rows_where.hpp"
#include "column/concatenate.hpp"
#include "penstock/expression.hpp"
#include "table/strings/written_column.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t gathered_rows = 100'001;

// Every third value is NULL.
Column values_of(Type type) {
  std::vector<Scalar> values;
  for (std::uint64_t row = 0; row < gathered_rows; row++) {
    if (row % 3 == 0)
      values.push_back(Scalar::null_of(type));
    else if (type.kind == Kind::string)
      values.push_back(Scalar::of(std::string(row % 40, 'a') + std::to_string(row)));
    else if (is_float(type))
      values.push_back(Scalar::of(type, static_cast<double>(row)));
    else
      values.push_back(Scalar::of(type, Int128{row % (type.kind == Kind::boolean ? 2 : 100)}));
  }
  return column_of(type, values);
}

std::vector<std::uint64_t> scattered_rows() {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; i < gathered_rows; i++) rows.push_back(i * 7919 % gathered_rows);
  return rows;
}

bool are_equal(const Scalar& a, const Scalar& b) {
  if (a.is_null || b.is_null) return a.is_null == b.is_null;
  return a.integer == b.integer && a.real == b.real && a.text == b.text;
}

const std::vector<Type> types_gathered = {{Kind::boolean}, {Kind::int8},    {Kind::uint16},
                                          {Kind::int32},   {Kind::float64}, {Kind::int128},
                                          {Kind::string}};

TEST(Gather, EveryRowHasItsValueWhateverTheWidth) {
  const std::vector<std::uint64_t> rows = scattered_rows();
  for (const Type type : types_gathered) {
    SCOPED_TRACE(name_of(type));
    const Column from = values_of(type), to = gather(from, rows);
    ASSERT_EQ(to.row_count, gathered_rows);
    for (std::uint64_t i = 0; i < gathered_rows; i++)
      ASSERT_TRUE(are_equal(scalar_at(to, i), scalar_at(from, rows[i]))) << i;
  }
}

TEST(Gather, RowsThatAreNotThereAreNull) {
  std::vector<std::uint64_t> rows = scattered_rows();
  std::vector<std::uint32_t> found(rows.begin(), rows.end());
  for (std::uint64_t i = 0; i < gathered_rows; i += 5) rows[i] = no_row, found[i] = ~0u;
  for (const Type type : types_gathered) {
    SCOPED_TRACE(name_of(type));
    const Column from = values_of(type);
    for (const Column& to : {gather_or_null(from, rows), gather_found(from, found)})
      for (std::uint64_t i = 0; i < gathered_rows; i++)
        ASSERT_TRUE(are_equal(scalar_at(to, i),
                              i % 5 == 0 ? Scalar::null_of(type) : scalar_at(from, rows[i])))
            << i;
  }
}

TEST(Gather, StringsWithAndWithoutADictionaryAreJoinedInOrder) {
  const Column plain = values_of({Kind::string});
  std::vector<std::uint32_t> codes(gathered_rows);
  for (std::uint64_t row = 0; row < gathered_rows; row++)
    codes[row] = static_cast<std::uint32_t>(row % 1000);
  Column coded;
  coded.type = {Kind::string};
  coded.row_count = gathered_rows;
  coded.validity = plain.validity;
  const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int i = 0; i < 1000; i++) all.push_back("name " + std::to_string(i));
    return all;
  }();
  coded = column_of_codes(coded, codes.data(),
                          [&](std::uint32_t code) { return std::string_view(names[code]); });
  ASSERT_TRUE(coded.dictionary);
  const Column joined = column::concatenate({Kind::string}, std::vector{coded, plain});
  for (std::uint64_t row = 0; row < gathered_rows; row++) {
    ASSERT_TRUE(are_equal(scalar_at(joined, row), scalar_at(coded, row))) << row;
    ASSERT_TRUE(are_equal(scalar_at(joined, gathered_rows + row), scalar_at(plain, row))) << row;
    if (row % 3 != 0) { ASSERT_EQ(coded.string(row), names[row % 1000]); }
  }
}

// A table of all codes for a few rows would cost more than the rows' strings.
TEST(Gather, AFewRowsOfManyCodesGetTheirStringsAlone) {
  const std::uint32_t codes[] = {4'000'000'000u, 7};
  Column column;
  column.type = {Kind::string};
  column.row_count = 2;
  column = column_of_codes(column, codes, [](std::uint32_t code) {
    return code == 7 ? std::string_view("seven") : std::string_view("many");
  });
  EXPECT_FALSE(column.dictionary);
  EXPECT_EQ(column.string(0), "many");
  EXPECT_EQ(column.string(1), "seven");
}

TEST(RowsWhere, TheKeptRowsAreInOrder) {
  for (const std::uint64_t count : {0ul, 1ul, 16'384ul, 16'385ul, gathered_rows}) {
    const auto kept = rows_where(count, [](std::uint64_t row) { return row % 3 == 1; });
    ASSERT_EQ(kept.size(), (count + 1) / 3);
    for (std::uint64_t i = 0; i < kept.size(); i++) ASSERT_EQ(kept[i], 3 * i + 1);
  }
}

}  // namespace
}  // namespace penstock::plan
