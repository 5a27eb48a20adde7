// Several files as one table: their columns, types and rows.
#include "host/io/files_folder.hpp"
#include "io/files/open_files.hpp"

namespace penstock {
namespace {

using namespace test;

const TableOption union_by_name{"union_by_name", true};

std::string schema_of(const TableSource& source) {
  std::string text;
  for (const Field& field : source.schema())
    text += (text.empty() ? "" : ", ") + field.name + " " + name_of(field.type);
  return text;
}

TEST(JoinedFiles, RowsAreThoseOfTheFilesOneAfterAnother) {
  const FilesFolder files;
  files.write("b.parquet", numbers(100, 70));
  files.write("a.parquet", numbers(0, 100));
  files.write("c.parquet", numbers(170, 500));
  const auto table = files.open({"*.parquet"});
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ((*table)->row_count(), 670u);
  Cells expected(1);
  for (int i = 0; i < 670; i++) expected[0].push_back(std::to_string(i));
  for (const std::uint64_t batch_rows : {64u, 128u, 1u << 20})
    EXPECT_EQ(cells_of(**table, {.batch_rows = batch_rows}), expected);
}

TEST(JoinedFiles, KeysOfThePathAndItsNameAreColumns) {
  const FilesFolder files;
  files.write("y=2024/m=02/a.parquet", numbers(1, 2));
  files.write("y=__HIVE_DEFAULT_PARTITION__/m=03/b.parquet", numbers(3, 1));
  const auto table = files.open({"*/*/*.parquet"}, {{"filename", true}});
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ(schema_of(**table), "i INTEGER, filename VARCHAR, m VARCHAR, y BIGINT");
  const std::string a = '"' + (files / "y=2024/m=02/a.parquet") + '"';
  const std::string b = '"' + (files / "y=__HIVE_DEFAULT_PARTITION__/m=03/b.parquet") + '"';
  EXPECT_EQ(
      cells_of(**table),
      (Cells{
          {"1", "2", "3"}, {a, a, b}, {"\"02\"", "\"02\"", "\"03\""}, {"2024", "2024", "NULL"}}));
}

TEST(JoinedFiles, OneFileHasTheKeysOfItsPath) {
  const FilesFolder files;
  files.write("year=2023/p.parquet", numbers(7, 1));
  const auto table = open_table(files / "year=2023/p.parquet");
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ(schema_of(**table), "i INTEGER, year BIGINT");
  EXPECT_EQ(cells_of(**table), (Cells{{"7"}, {"2023"}}));
  const auto without = files.open({"year=2023/p.parquet"}, {{"hive_partitioning", false}});
  EXPECT_EQ(schema_of(**without), "i INTEGER");
}

TEST(JoinedFiles, AKeyTakesThePlaceOfAColumnOfItsName) {
  const FilesFolder files;
  files.write("I=5/p.parquet", numbers(1, 2));
  const auto table = open_table(files / "I=5/p.parquet");
  EXPECT_EQ(schema_of(**table), "i BIGINT");
  EXPECT_EQ(cells_of(**table), (Cells{{"5", "5"}}));
}

TEST(JoinedFiles, KeysThatDifferAreNoColumnsUnlessTheyAreAskedFor) {
  const FilesFolder files;
  files.write("a=1/p.parquet", numbers(1, 1));
  files.write("b=1/p.parquet", numbers(2, 1));
  EXPECT_EQ(schema_of(**files.open({"*/*.parquet"})), "i INTEGER");
  const auto asked = files.open({"*/*.parquet"}, {{"hive_partitioning", true}});
  EXPECT_NE(asked.status().message().find("other keys"), std::string::npos);
}

TEST(JoinedFiles, TypesOfKeysCanBeGiven) {
  const FilesFolder files;
  files.write("y=2023/p.parquet", numbers(1, 1));
  const auto given = files.open({"*/*"}, {{"hive_types", OptionMap{{"y", "varchar"}}}});
  EXPECT_EQ(schema_of(**given), "i INTEGER, y VARCHAR");
  const auto texts = files.open({"*/*"}, {{"hive_types_autocast", false}});
  EXPECT_EQ(schema_of(**texts), "i INTEGER, y VARCHAR");
  const auto unknown = files.open({"*/*"}, {{"hive_types", OptionMap{{"z", "int"}}}});
  EXPECT_EQ(unknown.status().message(), "hive_types names 'z', which is no key of the paths");
}

TEST(JoinedFiles, ColumnsAreFoundByNameAndHaveTheFirstFilesTypes) {
  const FilesFolder files;
  files.write("a.parquet", Table::of({{"i", Column::from(std::vector<std::int64_t>{1})},
                                      {"j", Column::from(std::vector<double>{0.5})}}));
  files.write("b.parquet",
              Table::of({{"J", Column::from(std::vector<std::int32_t>{3})},
                         {"extra", Column::from_strings(std::vector<std::string>{"x"})},
                         {"I", Column::from(std::vector<std::int16_t>{4})}}));
  const auto table = files.open({"*.parquet"});
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ(schema_of(**table), "i BIGINT, j DOUBLE");
  EXPECT_EQ(cells_of(**table), (Cells{{"1", "4"}, {"0.500000", "3.000000"}}));
}

TEST(JoinedFiles, AFileWithoutAColumnIsAnErrorThatNamesItAndWhatToWrite) {
  const FilesFolder files;
  files.write("a.parquet", Table::of({{"i", Column::from(std::vector<int>{1})},
                                      {"j", Column::from(std::vector<int>{2})}}));
  files.write("b.parquet", numbers(2, 1));
  const std::string message = files.open({"*.parquet"}).status().message();
  EXPECT_NE(message.find("b.parquet' has no column 'j'"), std::string::npos) << message;
  EXPECT_NE(message.find("union_by_name = true"), std::string::npos) << message;
}

TEST(JoinedFiles, UnitedColumnsAreThoseOfAllFilesInTheirCommonTypes) {
  const FilesFolder files;
  files.write("a.parquet", Table::of({{"i", Column::from(std::vector<std::int32_t>{1})},
                                      {"t", Column::from(std::vector<std::int32_t>{2})}}));
  files.write("b.parquet", Table::of({{"i", Column::from(std::vector<std::int64_t>{5000000000})},
                                      {"t", Column::from_strings(std::vector<std::string>{"x"})},
                                      {"k", Column::from(std::vector<double>{0.5})}}));
  const auto table = files.open({"*.parquet"}, {union_by_name});
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ(schema_of(**table), "i BIGINT, t VARCHAR, k DOUBLE");
  EXPECT_EQ(cells_of(**table),
            (Cells{{"1", "5000000000"}, {"\"2\"", "\"x\""}, {"NULL", "0.500000"}}));
}

TEST(JoinedFiles, AValueThatTheFirstFilesTypeLacksNamesItsFileAndColumn) {
  const FilesFolder files;
  files.write("a.parquet", numbers(1, 1));
  files.write("b.parquet", one_column<std::int64_t>("i", {5000000000}));
  const auto table = files.open({"*.parquet"});
  ASSERT_TRUE(table.ok());
  const std::string text = read_cells(**table, all_columns(**table)).status().text();
  EXPECT_NE(text.find("the value 5000000000 is no INTEGER"), std::string::npos) << text;
  EXPECT_NE(text.find("b.parquet"), std::string::npos) << text;
  EXPECT_NE(text.find("column 'i'"), std::string::npos) << text;
}

TEST(JoinedFiles, TypesThatHaveNoCastAreRefusedOnlyWhereTheColumnIsRead) {
  const FilesFolder files;
  Column day = Column::from(std::vector<std::int32_t>{1});
  day.type = {Kind::date32};
  files.write("a.parquet", Table::of({{"d", day}, {"i", Column::from(std::vector<int>{1})}}));
  files.write("b.parquet", Table::of({{"d", Column::from_booleans({true})},
                                      {"i", Column::from(std::vector<int>{2})}}));
  const auto table = files.open({"*.parquet"});
  ASSERT_TRUE(table.ok()) << table.status().text();
  const std::uint32_t d = 0, i = 1;
  EXPECT_EQ(read_cells(**table, std::span(&i, 1)).value(), (Cells{{"1", "2"}}));
  const std::string text = read_cells(**table, std::span(&d, 1)).status().text();
  EXPECT_NE(text.find("column 'd' is DATE in the first file, and BOOLEAN in"), std::string::npos)
      << text;
}

TEST(JoinedFiles, ColumnsOfTextFilesHaveTheTypesOfAllFiles) {
  const FilesFolder files;
  files.write_text("a.csv", "i,j,k\n1,2,3\n");
  files.write_text("b.csv", "i,j,k\n1.5,x,4\n");
  files.write_text("c.csv", "k,j,i\n");
  files.write_text("d.csv", "");
  const auto table = files.open({"*.csv"});
  ASSERT_TRUE(table.ok()) << table.status().text();
  EXPECT_EQ(schema_of(**table), "i DOUBLE, j VARCHAR, k BIGINT");
  EXPECT_EQ(cells_of(**table), (Cells{{"1.000000", "1.500000"}, {"\"2\"", "\"x\""}, {"3", "4"}}));
}

TEST(JoinedFiles, ATextOfOneFileIsKeptWhereAnotherFilesAreNumbers) {
  const FilesFolder files;
  files.write_text("a.csv", "i,n\n1.50,1\n");
  files.write_text("b.csv", "i,n\nx,2\n");
  EXPECT_EQ(cells_of(**files.open({"*.csv"})), (Cells{{"\"1.50\"", "\"x\""}, {"1", "2"}}));
}

TEST(JoinedFiles, ColumnsOfJsonFilesAreThoseOfAll) {
  const FilesFolder files;
  files.write_text("a.json", "{\"i\":1,\"t\":\"2020-01-01T10:00:00\",\"x\":1}\n");
  files.write_text("b.json", "{\"i\":2.5,\"t\":\"soon\",\"x\":\"y\",\"k\":true}\n");
  const auto table = files.open({"*.json"});
  ASSERT_TRUE(table.ok()) << table.status().text();
  const std::vector<std::uint32_t> read = {0, 1, 3};
  EXPECT_EQ(
      read_cells(**table, read).value(),
      (Cells{{"1.000000", "2.500000"}, {"\"2020-01-01T10:00:00\"", "\"soon\""}, {"NULL", "true"}}));
  const std::uint32_t x = 2;
  const std::string text = read_cells(**table, std::span(&x, 1)).status().text();
  EXPECT_NE(text.find("BIGINT in one file and VARCHAR in another"), std::string::npos) << text;
}

TEST(JoinedFiles, CompressedTextsAreFilesOfATable) {
  const FilesFolder files;
  files.write_text("a.csv", "i\n1\n");
  ASSERT_EQ(std::system(("gzip -k '" + (files / "a.csv") + "'").c_str()), 0);
  EXPECT_EQ(cells_of(**files.open({"a.csv*"})), (Cells{{"1", "1"}}));
}

TEST(JoinedFiles, FilesOfTwoFormatsAreRefusedByName) {
  const FilesFolder files;
  files.write("a.parquet", numbers(1, 1));
  files.write_text("b.csv", "i\n1\n");
  const std::string message = files.open({"*"}).status().message();
  EXPECT_NE(message.find("a.parquet' is Parquet and '"), std::string::npos) << message;
  EXPECT_NE(message.find("b.csv' is CSV"), std::string::npos) << message;
}

TEST(JoinedFiles, AMissingFileOfAListIsNamed) {
  const FilesFolder files;
  files.write("a.parquet", numbers(1, 1));
  EXPECT_NE(files.open({"a.parquet", "nope.parquet"}).status().text().find("nope.parquet'"),
            std::string::npos);
}

TEST(JoinedFiles, MoreFilesThanAProcessMayHoldOpenAreRead) {
  const FilesFolder files;
  files.write("f/0.parquet", numbers(3, 2));
  std::vector<std::string> names(300, "f/0.parquet");
  const auto table = files.open(names);
  ASSERT_TRUE(table.ok()) << table.status().text();
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  EXPECT_LT(count(), 100);
  EXPECT_EQ(cells_of(**table)[0].size(), 600u);
}

// As in DuckDB 2.0.
TEST(JoinedFiles, ACsvFileOfNoBytesHasOneColumnAndNoRows) {
  const FilesFolder files;
  files.write_text("empty.csv", "");
  files.write_text("other.csv", "");
  files.write_text("rows.csv", "a,b\n1,2\n");
  for (const std::vector<std::string>& names :
       std::vector<std::vector<std::string>>{{"empty.csv"}, {"empty.csv", "other.csv"}}) {
    const auto table = files.open(names);
    ASSERT_TRUE(table.ok()) << table.status().text();
    EXPECT_EQ(schema_of(**table), "column0 VARCHAR");
    EXPECT_EQ(cells_of(**table), Cells{{}});
  }
  const auto with_rows = files.open({"empty.csv", "rows.csv"});
  ASSERT_TRUE(with_rows.ok()) << with_rows.status().text();
  EXPECT_EQ(schema_of(**with_rows), "a BIGINT, b BIGINT");
}

TEST(JoinedFiles, AFileOfNoBytesAndOfAnotherNameIsCutShort) {
  const FilesFolder files;
  for (const char* name : {"empty.parquet", "empty.json", "empty"}) {
    files.write_text(name, "");
    EXPECT_EQ(files.open({name}).status().code(), Code::truncated) << name;
  }
}

TEST(JoinedFiles, TheIdentityChangesWithTheFilesAndTheOptions) {
  const FilesFolder files;
  files.write("a.parquet", numbers(1, 1));
  const TableReference all = files / "*.parquet";
  const std::string before = io::table_identity(all);
  EXPECT_EQ(open_table(all).value()->identity(), before);
  files.write("b.parquet", numbers(2, 1));
  const std::string with_b = io::table_identity(all);
  EXPECT_NE(with_b, before);
  EXPECT_EQ(open_table(all).value()->identity(), with_b);
  const TableReference named({files / "*.parquet"}, "parquet", {{"filename", true}});
  EXPECT_NE(io::table_identity(named), with_b);
  std::filesystem::remove(files / "b.parquet");
  EXPECT_EQ(io::table_identity(all), before);
}

}  // namespace
}  // namespace penstock
