// Errors about CSV files that are not read, and about options.
#include "host/io/csv_files.hpp"

namespace penstock {
namespace {

using namespace test;

// More rows than are looked at to find types.
std::string rows_of(std::string_view row, std::size_t count = 30'000) {
  std::string text = "a,b\n";
  for (std::size_t i = 0; i < count; i++) text += row;
  return text;
}

TEST(CsvErrors, ALaterValueOfAnotherTypeIsNamedWithItsLineAndColumn) {
  expect_error(rows_of("1,2\n") + "3,4\n5,abc\n",
               {"line 30003", "'abc'", "column 'b'", "BIGINT", "types = {'b': 'VARCHAR'}",
                "sample_size = -1", "ignore_errors"});
  const std::string wider =
      csv_answer(rows_of("1,2\n") + "5,abc\n", {{"sample_size", std::int64_t{-1}}});
  EXPECT_TRUE(wider.starts_with("a BIGINT, b VARCHAR\n")) << wider.substr(0, 100);
}

TEST(CsvErrors, ALaterQuoteThatIsNeverClosedIsNamedWithItsLine) {
  expect_error(rows_of("1,\"x\"\n") + "3,\"y\n4,z\n", {"line 30002", "never closed", "quote = ''"});
}

TEST(CsvErrors, LaterBytesBehindAClosingQuoteAreNamedWithTheirLine) {
  expect_error(rows_of("1,\"x\"\n") + "3,\"y\"z\n4,\"z\"\n",
               {"line 30002", "behind a closing quote"});
}

TEST(CsvErrors, ALaterRowOfAnotherWidthIsNamedWithItsLine) {
  expect_error(rows_of("1,2\n") + "3\n", {"line 30002", "1 field", "2 columns", "null_padding"});
  expect_error(rows_of("1,2\n") + "3,4,5\n", {"line 30002", "3 fields", "ignore_errors"});
}

TEST(CsvErrors, RowsThatAreIgnoredAreThoseOfEveryColumn) {
  const Folder folder;
  write_file(folder / "t", rows_of("1,2\n") + "x,4\n5,y\n6,7,8\n9,10\n");
  const auto source = io::open_csv(folder / "t", Options{{"ignore_errors", true}});
  ASSERT_TRUE(source.ok()) << source.status().text();
  for (const std::vector<std::uint32_t>& columns :
       {std::vector<std::uint32_t>{0}, std::vector<std::uint32_t>{1, 0}}) {
    const auto cells = read_cells(**source, columns);
    ASSERT_TRUE(cells.ok()) << cells.status().text();
    EXPECT_EQ(cells.value()[0].size(), 30'001u);
  }
}

TEST(CsvErrors, ALineBeyondTheLimitIsAnError) {
  expect_error("a,b\n1," + std::string(3'000'000, 'x') + "\n", {"max_line_size"});
  expect_error(rows_of("1,2\n") + "1," + std::string(5'000'000, 'x') + "\n",
               {"line 30002", "max_line_size"});
  const std::string longer = csv_answer("a\n" + std::string(3'000'000, 'x') + "\n",
                                        {{"max_line_size", std::int64_t{4'000'000}}});
  EXPECT_EQ(longer.size(), std::string_view("a VARCHAR\n\"\"\n").size() + 3'000'000);
}

TEST(CsvErrors, OptionsThatThereAreNotAreSaidWithThoseThatThereAre) {
  expect_error("a\n1\n", {"'deliminator'", "delim", "quote", "ignore_errors"},
               {{"deliminator", std::string(";")}});
  expect_error("a\n1\n", {"'null_pading'", "did you mean 'null_padding'"}, {{"null_pading", true}});
  expect_error("a\n1\n", {"option 'delim'", "one byte"}, {{"delim", std::string("||")}});
  expect_error("a\n1\n", {"option 'header'", "true or false"}, {{"header", std::string("x")}});
  expect_error("a\n1\n", {"option 'types'", "'FOO'", "DECIMAL(p, s)"},
               {{"types", OptionMap{{"a", "FOO"}}}});
  expect_error("a\n1\n", {"'zz'"}, {{"types", OptionMap{{"zz", "BIGINT"}}}});
  expect_error("a\n1\n", {"option 'dateformat'", "%q", "%Y"}, {{"dateformat", std::string("%q")}});
  expect_error("a\n1\n", {"same byte"}, {{"delim", std::string(";")}, {"quote", std::string(";")}});
  expect_error("a\n1\n", {"iconv"}, {{"encoding", std::string("latin-1")}});
}

TEST(CsvErrors, OptionsOfDuckDBThatAreNotReadSayWhatToWrite) {
  expect_error("a\n1\n", {"option 'normalize_names'", "names = ["}, {{"normalize_names", true}});
  expect_error("a\n1\n", {"option 'thousands'", "types = {"}, {{"thousands", std::string(",")}});
  expect_error("a\n1\n", {"option 'strict_mode'", "quote = ''"}, {{"strict_mode", false}});
  expect_error("a\n1\n", {"option 'compression'", "'gzip'"},
               {{"compression", std::string("brotli")}});
}

TEST(CsvErrors, AFormatOfDatesThatDoesNotFitIsNotMadeUp) {
  expect_error("a\n2024-01-01\n", {"'2024-01-01'", "column 'a'", "DATE"},
               {{"types", OptionMap{{"a", "DATE"}}}, {"dateformat", std::string("%d.%m.%Y")}});
}

}  // namespace
}  // namespace penstock
