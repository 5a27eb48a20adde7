// The types that CSV columns are found to have: the answers are DuckDB 2.0's.
#include "host/io/csv_files.hpp"

namespace penstock {
namespace {

using namespace test;

TEST(CsvTypes, AQuotedEmptyFieldIsNullAndNamesNoType) {
  expect_answers({
      {"\"id\",\"v\"\n\"1\",\"10\"\n\"2\",\"9\"\n\"3\",\"\"\n",
       "id BIGINT, v BIGINT\n1 10\n2 9\n3 NULL\n"},
      {"id,v\n1,\"\"\n2,5\n3,\n", "id BIGINT, v BIGINT\n1 NULL\n2 5\n3 NULL\n"},
      {"id,v\n1,\"\"\n2,x\n3,\n",
       "id BIGINT, v VARCHAR\n1 \"\"\n2 \"x\"\n3 NULL\n",
       {{"allow_quoted_nulls", false}}},
  });
}

TEST(CsvTypes, WhatLooksLikeANumberButLosesBytesAsOneIsText) {
  for (const std::string_view value :
       {"01234", "00", "00.5", "+5", "+318855443322", "+1.5", "1_000", "1 2", "1'000", "$5", "5%",
        "1.5 ", "0xg", "1e", "1.5.2", ".", "-", "+nan"})
    EXPECT_EQ(csv_answer("a\n" + std::string(value) + "\n"),
              "a VARCHAR\n\"" + std::string(value) + "\"\n");
}

TEST(CsvTypes, IntegersBeyond64BitsAreNoDoubles) {
  const auto type_of_values = [](const std::string& values) {
    const std::string answer = csv_answer("a\n" + values + "\n");
    return answer.substr(0, answer.find('\n'));
  };
  EXPECT_EQ(type_of_values("9223372036854775807\n-9223372036854775808"), "a BIGINT");
  EXPECT_EQ(type_of_values("9223372036854775808"), "a HUGEINT");
  EXPECT_EQ(type_of_values("5\n12345678901234567890"), "a HUGEINT");
  EXPECT_EQ(type_of_values("170141183460469231731687303715884105728"), "a BIGNUM");
  EXPECT_EQ(type_of_values("12345678901234567890\n1.5"), "a DOUBLE");
}

TEST(CsvTypes, WordsOfDoublesMakeNoDateADouble) {
  expect_answers({
      {"a\nnan\n2\n", "a DOUBLE\nnan\n2.000000\n"},
      {"a\n5\ninf\n", "a DOUBLE\n5.000000\ninf\n"},
      {"a\ninf\nnan\n1.5\n", "a VARCHAR\n\"inf\"\n\"nan\"\n\"1.5\"\n"},
      {"a\n1e5\n.5\n", "a DOUBLE\n100000.000000\n0.500000\n"},
      {"a\n0x1F\n0b11\n", "a BIGINT\n31\n3\n"},
  });
}

TEST(CsvTypes, BooleansAreWordsInAnyCase) {
  expect_answers({
      {"a\nyes\nNo\n", "a BOOLEAN\ntrue\nfalse\n"},
      {"a\nt\nF\n", "a BOOLEAN\ntrue\nfalse\n"},
      {"a\nTrue\nfalse\n", "a BOOLEAN\ntrue\nfalse\n"},
      {"a\ntrue\n1\n", "a VARCHAR\n\"true\"\n\"1\"\n"},
      {"a\ny\n", "a VARCHAR\n\"y\"\n"},
  });
}

TEST(CsvTypes, DatesAreFoundInTheOrderThatAllTheirValuesHave) {
  expect_answers({
      {"id,d\n1,01/05/2024\n2,12/31/2023\n", "id BIGINT, d DATE\n1 19727\n2 19722\n"},
      {"d\n13/05/2024\n12/11/2023\n", "d DATE\n19856\n19673\n"},
      {"d\n31.12.2023\n1.1.2024\n", "d DATE\n19722\n19723\n"},
      {"d\n2024/01/05\n2024/2/3\n", "d DATE\n19727\n19756\n"},
      {"d\n2024-1-5\n", "d DATE\n19727\n"},
      {"d\n12/31/99\n", "d DATE\n10956\n"},
      {"d\n2024-01-01\nx\n", "d VARCHAR\n\"2024-01-01\"\n\"x\"\n"},
      {"d\n2024-02-30\n", "d VARCHAR\n\"2024-02-30\"\n"},
      {"d\n20240105\n", "d BIGINT\n20240105\n"},
  });
}

TEST(CsvTypes, DatesOfTwoOrdersInOneColumnAreText) {
  expect_answers({{"d\n31/12/2023\n12/31/2023\n", "d VARCHAR\n\"31/12/2023\"\n\"12/31/2023\"\n"}});
}

TEST(CsvTypes, TimestampsAreReadWithTheirFormat) {
  expect_answers({
      {"t\n2024-01-01 10:00:00.5\n2024-01-01\n",
       "t TIMESTAMP\n1704103200500000\n1704067200000000\n"},
      {"t\n2024-01-01T10:00\n", "t TIMESTAMP\n1704103200000000\n"},
      {"t\n13/02/2024 10:11:12\n", "t TIMESTAMP\n1707819072000000\n"},
      {"t\n02/13/2024 10:11:12 PM\n", "t TIMESTAMP\n1707862272000000\n"},
      {"t\n1969-12-31 23:59:59.9999999\n", "t TIMESTAMP\n-1\n"},
  });
}

TEST(CsvTypes, IntegersOf128BitsAreRead) {
  expect_answers({{"a\n170141183460469231731687303715884105727\n-5\n",
                   "a HUGEINT\n170141183460469231731687303715884105727\n-5\n"}});
}

// A short number times a large power of ten does not fit 128 bits.
TEST(CsvTypes, DecimalsOfManyPlacesHaveTheirDigits) {
  expect_answers({{"a\n7\n-0.25\n",
                   "a DECIMAL(38,37)\n7.0000000000000000000000000000000000000\n"
                   "-0.2500000000000000000000000000000000000\n",
                   {{"types", OptionList{"DECIMAL(38,37)"}}}}});
}

TEST(CsvTypes, ColumnsOfOtherTypesAreRefusedOnlyWhenTheyAreAskedFor) {
  const Folder folder;
  write_file(folder / "t", "a,b\n1,1234567890123456789012345678901234567890\n");
  const auto source = io::open_csv(folder / "t", {});
  ASSERT_TRUE(source.ok()) << source.status().text();
  EXPECT_EQ(answer_of(**source), "a BIGINT, b BIGNUM\n1\n");
  const std::uint32_t huge[] = {1};
  const auto scan = (*source)->scan(huge, {});
  ASSERT_FALSE(scan.ok());
  EXPECT_NE(scan.status().text().find("it is BIGNUM"), std::string::npos) << scan.status().text();
  EXPECT_NE(scan.status().text().find("types = {'b': 'VARCHAR'} reads it as text"),
            std::string::npos)
      << scan.status().text();
}

TEST(CsvTypes, TimesAndInstantsAreRead) {
  expect_answers({
      {"a\n10:00\n24:00:00\n\n1:2:3.5\n", "a TIME\n36000000000\n86400000000\nNULL\n3723500000\n"},
      {"a,b\n1970-01-01 02:00:00+02,x\n1970-01-01 00:00:00.5-00:30,x\n",
       "a TIMESTAMP WITH TIME ZONE, b VARCHAR\n0 \"x\"\n1800500000 \"x\"\n"},
  });
}

TEST(CsvTypes, IntegersOfEveryLengthAreRead) {
  std::string text = "a,b\n", answer = "a BIGINT, b BIGINT\n", digits;
  for (std::size_t length = 1; length <= 18; length++) {
    digits += std::to_string(length % 10);
    text += digits + ",-" + digits + "\n";
    answer += std::to_string(std::stoll(digits)) + " -" + std::to_string(std::stoll(digits)) + "\n";
  }
  text += "9223372036854775807,-9223372036854775808\n";
  answer += "9223372036854775807 -9223372036854775808\n";
  expect_answers({{text, answer}});
}

TEST(CsvTypes, GivenTypesAreTaken) {
  const OptionMap types{{"a", "DECIMAL(5,2)"}, {"b", "varchar"}, {"c", "utinyint"}, {"d", "DATE"}};
  expect_answers(
      {{"a,b,c,d\n1.555,007,255,5.1.2024\n",
        "a DECIMAL(5,2), b VARCHAR, c UTINYINT, d DATE\n156 \"007\" 255 19727\n",
        {{"types", types}, {"dateformat", std::string("%d.%m.%Y")}}},
       {"a\n 5.5\n1e3\n007\n",
        "a BIGINT\n6\n1000\n7\n",
        {{"types", OptionList{"BIGINT"}}, {"delim", std::string(";")}}},
       {"a;b\n1,5;x\n",
        "a DOUBLE, b VARCHAR\n1.500000 \"x\"\n",
        {{"decimal_separator", std::string(",")}}},
       {"a,b\n1,NA\n2,5\n", "a BIGINT, b BIGINT\n1 NULL\n2 5\n", {{"nullstr", std::string("NA")}}},
       {"a,b\n1,x\n", "a VARCHAR, b VARCHAR\n\"1\" \"x\"\n", {{"all_varchar", true}}}});
}

}  // namespace
}  // namespace penstock
