// The dialects of CSV files: the answers are DuckDB 2.0's.
#include "host/io/csv_files.hpp"

namespace penstock {
namespace {

using namespace test;

TEST(CsvDialect, AQuoteThatIsNeverClosedIsAByteAsOthers) {
  expect_answers({
      {"a,b\n1,\"5 inch\n2,x\n3,y\n", "a BIGINT, b VARCHAR\n1 \"\"5 inch\"\n2 \"x\"\n3 \"y\"\n"},
      {"id,v\n1,\"5 inch\n2,x\n3,y\n4,\"6 inch\n5,z\n",
       "id BIGINT, v VARCHAR\n1 \"\"5 inch\"\n2 \"x\"\n3 \"y\"\n4 \"\"6 inch\"\n5 \"z\"\n"},
  });
}

TEST(CsvDialect, BytesBehindAClosingQuoteAreKept) {
  expect_answers({
      {"a,b\n1,\"x\"y\n", "a BIGINT, b VARCHAR\n1 \"\"x\"y\"\n"},
      {"a,b\n1,\"x\"  \n2,\"y\"\n", "a BIGINT, b VARCHAR\n1 \"x\"\n2 \"y\"\n"},
      {"a,b\n1,x \"y\" z\n2,z\n", "a BIGINT, b VARCHAR\n1 \"x \"y\" z\"\n2 \"z\"\n"},
  });
}

TEST(CsvDialect, QuotesWithinQuotesAreDoubledOrEscaped) {
  expect_answers({
      {"a,b\n1,\"x \"\"y\"\" z\"\n", "a BIGINT, b VARCHAR\n1 \"x \"y\" z\"\n"},
      {"a,b\n1,\"x \\\"y\\\" z\"\n", "a BIGINT, b VARCHAR\n1 \"x \"y\" z\"\n"},
      {"a,b\n1,\"x\\\"\n2,\"y\"\n", "a BIGINT, b VARCHAR\n1 \"x\\\"\n2 \"y\"\n"},
      {"a,b\n1,'x,y'\n2,'z'\n", "a BIGINT, b VARCHAR\n1 \"x,y\"\n2 \"z\"\n"},
      {"a,b\n1,'it''s'\n2,'z'\n", "a BIGINT, b VARCHAR\n1 \"it's\"\n2 \"z\"\n"},
  });
}

TEST(CsvDialect, TheDelimiterIsTheOneThatGivesRowsOneWidth) {
  expect_answers({
      {"a;b\n1;2,5\n3;4\n", "a BIGINT, b VARCHAR\n1 \"2,5\"\n3 \"4\"\n"},
      {"a|b,c|d\n1|2,3|4\n", "a BIGINT, b,c VARCHAR, d BIGINT\n1 \"2,3\" 4\n"},
      {"a\tb\n1\t\"x,y\"\n2\tz,q\n", "a BIGINT, b VARCHAR\n1 \"x,y\"\n2 \"z,q\"\n"},
      {"name\nSmith, John\nDoe\n", "name VARCHAR\n\"Smith, John\"\n\"Doe\"\n"},
      {"a b\n1 2\n", "a b VARCHAR\n\"1 2\"\n"},
      {"a,b\n1,2,\n3,4,\n", "a BIGINT, b BIGINT\n1 2\n3 4\n"},
  });
}

TEST(CsvDialect, TitleLinesBeforeTheTableAreSkipped) {
  expect_answers({
      {"title\n\na,b\n1,2\n3,4\n", "a BIGINT, b BIGINT\n1 2\n3 4\n"},
      {"# A note\n# more\na;b\n1;3\n6;7\n", "a BIGINT, b BIGINT\n1 3\n6 7\n"},
      {"title, with comma\na,b,c\n1,2,3\n", "a BIGINT, b BIGINT, c BIGINT\n1 2 3\n"},
  });
}

TEST(CsvDialect, CommentLinesArePassedOver) {
  expect_answers({
      {"# c\na,b\n1,2\n# d, e\n3,4\n", "a BIGINT, b BIGINT\n1 2\n3 4\n"},
      {"a,b\n1,2\n3,4 #x\n# full\n5,6\n", "a BIGINT, b BIGINT\n1 2\n3 4\n5 6\n"},
      {"n,color\n1,#ff0000\n", "n BIGINT, color VARCHAR\n1 \"#ff0000\"\n"},
      {"a\n#x\n1\n", "a VARCHAR\n\"#x\"\n\"1\"\n"},
  });
}

TEST(CsvDialect, RowsEndWithEveryKindOfLineEnd) {
  const std::string_view answer = "a BIGINT, b BIGINT\n1 2\n3 4\n";
  expect_answers({
      {"a,b\r\n1,2\r\n3,4\r\n", answer},
      {"a,b\r1,2\r3,4\r", answer},
      {"a,b\r\n1,2\n3,4", answer},
      {"\xef\xbb\xbf"
       "a,b\n1,2\n3,4\n",
       answer},
  });
}

TEST(CsvDialect, UnevenRowsAreReadByOption) {
  expect_answers({
      {"a,b,c\n1,2,3\n4,5\n",
       "a BIGINT, b BIGINT, c BIGINT\n1 2 3\n4 5 NULL\n",
       {{"null_padding", true}}},
      {"a,b\n1,2\n3,4,5\n6,7\n", "a BIGINT, b BIGINT\n1 2\n6 7\n", {{"ignore_errors", true}}},
      {"a,b\n1,2\n3,4,5\n",
       "a BIGINT, b BIGINT, column2 BIGINT\n1 2 NULL\n3 4 5\n",
       {{"null_padding", true}}},
  });
  expect_error("a,b\n1,2\n3\n6,7\n", {"Line 3", "1 fields", "null_padding", "ignore_errors"},
               {{"delim", std::string(",")}});
}

TEST(CsvDialect, OtherEncodingsAreRefusedByName) {
  expect_error(std::string_view("\xff\xfe"
                                "a\0,\0b\0\n\0",
                                10),
               {"UTF-16", "iconv"});
  expect_error(std::string_view("a\0,\0b\0\n\0", 8), {"iconv -f UTF-16LE"});
  expect_error(std::string_view("\0a\0,\0b\0\n", 8), {"iconv -f UTF-16BE"});
  expect_error(std::string_view("\xff\xfe\0\0a\0\0\0\n\0\0\0", 12), {"iconv -f UTF-32"});
  expect_error("a,b\n1,x\n2,\xe9\n", {"line 3 is not UTF-8", "iconv -f LATIN1"});
}

}  // namespace
}  // namespace penstock
