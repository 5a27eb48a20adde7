// Names of CSV columns, and whether the first row has them: the answers are DuckDB 2.0's.
#include "host/io/csv_files.hpp"

namespace penstock {
namespace {

using namespace test;

TEST(CsvHeader, ColumnsAreReadByTheirNumberWhereNamesRepeat) {
  expect_answers({
      {"a,b,a\n1,x,2.5\n", "a BIGINT, b VARCHAR, a_1 DOUBLE\n1 \"x\" 2.500000\n"},
      {"a,a\n0,true\n1,false\n", "a BIGINT, a_1 BOOLEAN\n0 true\n1 false\n"},
      {"a,a\n2024-01-01,2024-01-01 00:00:01\n", "a DATE, a_1 TIMESTAMP\n19723 1704067201000000\n"},
      {"a,a\n7,text\n", "a BIGINT, a_1 VARCHAR\n7 \"text\"\n"},
      {"a,a,a_1\n1,2,3\n", "a BIGINT, a_1 BIGINT, a_1_1 BIGINT\n1 2 3\n"},
      {"Id,id,ID\n1,2,3\n", "Id BIGINT, id_1 BIGINT, ID_2 BIGINT\n1 2 3\n"},
  });
}

TEST(CsvHeader, NamesAreTrimmedAndEmptyOnesAreNumbered) {
  expect_answers({
      {"a, b ,c\n1,2,3\n", "a BIGINT, b BIGINT, c BIGINT\n1 2 3\n"},
      {"a,,c\n1,2,3\n", "a BIGINT, column1 BIGINT, c BIGINT\n1 2 3\n"},
      {"\u00a0"
       "a\u00a0,b\n1,2\n",
       "a BIGINT, b BIGINT\n1 2\n"},
  });
}

TEST(CsvHeader, AFirstRowThatFitsTheTypesIsData) {
  expect_answers({
      {"1,StreetA\n", "column0 BIGINT, column1 VARCHAR\n1 \"StreetA\"\n"},
      {"1,2\n3,4\n", "column0 BIGINT, column1 BIGINT\n1 2\n3 4\n"},
      {"zoe,,\nann,,beta\n",
       "column0 VARCHAR, column1 VARCHAR, column2 VARCHAR\n\"zoe\" NULL NULL\n\"ann\" NULL "
       "\"beta\"\n"},
      {"5\n6\n", "column0 BIGINT\n5\n6\n"},
  });
}

TEST(CsvHeader, AFirstRowAmongStringsIsTheHeader) {
  expect_answers({
      {"x,y\nz,w\n", "x VARCHAR, y VARCHAR\n\"z\" \"w\"\n"},
      {"\"zoe\",\"\",\"\"\n\"ann\",\"\",\"beta\"\n\"bob\",\"x\",\"y\"\n",
       "zoe VARCHAR, column1 VARCHAR, column2 VARCHAR\n\"ann\" NULL \"beta\"\n\"bob\" \"x\" "
       "\"y\"\n"},
      {"a,b\n", "a VARCHAR, b VARCHAR\n"},
      {"a,b", "a VARCHAR, b VARCHAR\n"},
      {",,\n1,2,3\n", "column0 BIGINT, column1 BIGINT, column2 BIGINT\n1 2 3\n"},
  });
}

TEST(CsvHeader, OptionsSayWhatItIs) {
  const std::string_view text = "a,b\n1,x\n";
  expect_answers({
      {text, "column0 VARCHAR, column1 VARCHAR\n\"a\" \"b\"\n\"1\" \"x\"\n", {{"header", false}}},
      {"1,2\n3,4\n", "1 BIGINT, 2 BIGINT\n3 4\n", {{"header", true}}},
      {text, "p BIGINT, b VARCHAR\n1 \"x\"\n", {{"names", OptionList{"p"}}}},
      {text,
       "p BIGINT, q VARCHAR\n1 \"x\"\n",
       {{"columns", OptionMap{{"p", "BIGINT"}, {"q", "VARCHAR"}}}}},
      {"t\na,b\n1,x\n", "a BIGINT, b VARCHAR\n1 \"x\"\n", {{"skip", std::int64_t{1}}}},
  });
}

}  // namespace
}  // namespace penstock
