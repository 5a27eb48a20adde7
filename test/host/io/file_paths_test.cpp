// The files that paths name, and the columns that are in them.
#include "io/files/file_paths.hpp"
#include "host/io/io_files.hpp"
#include "io/files/hive_paths.hpp"

namespace penstock {
namespace {

using namespace test;
using io::HiveKey;

// A folder with files of these names, which are empty.
class Tree {
 public:
  explicit Tree(std::initializer_list<std::string> names) {
    for (const std::string& name : names) {
      std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
      write_file(folder_ / name, "");
    }
  }
  // Returns the names that paths stand for, or the error's message.
  std::vector<std::string> find(std::vector<std::string> paths) const {
    for (std::string& path : paths) path = folder_ / path;
    auto files = io::files_of(paths);
    if (!files.ok()) return {files.status().message()};
    for (std::string& file : *files) file.erase(0, (folder_ / "").size());
    return *files;
  }

 private:
  Folder folder_;
};

using Names = std::vector<std::string>;

TEST(FilePaths, APatternNamesItsFilesInTheOrderOfTheirBytes) {
  const Tree tree({"x10.csv", "x2.csv", "Z.csv", "y.txt", "sub/x1.csv"});
  EXPECT_EQ(tree.find({"*.csv"}), (Names{"Z.csv", "x10.csv", "x2.csv"}));
  EXPECT_EQ(tree.find({"x?.csv"}), (Names{"x2.csv"}));
  EXPECT_EQ(tree.find({"[a-y]*"}), (Names{"x10.csv", "x2.csv", "y.txt"}));
  EXPECT_EQ(tree.find({"[!x]*"}), (Names{"Z.csv", "y.txt"}));
  EXPECT_EQ(tree.find({"*/*.csv"}), (Names{"sub/x1.csv"}));
}

TEST(FilePaths, TwoStarsAreAnyNumberOfFolders) {
  const Tree tree({"d.csv", "y/c.csv", "y/a/b.csv", "e/x.csv", "e/x.txt"});
  EXPECT_EQ(tree.find({"**/*.csv"}), (Names{"d.csv", "e/x.csv", "y/c.csv", "y/a/b.csv"}));
  EXPECT_EQ(tree.find({"y/**"}), (Names{"y/c.csv", "y/a/b.csv"}));
}

TEST(FilePaths, AFolderIsAllFilesBelowItButHiddenOnes) {
  const Tree tree({"t/k=1/a", "t/b", "t/_SUCCESS", "t/.crc", "t/_tmp/c", "t/.d/e", "t/_k=2/f"});
  EXPECT_EQ(tree.find({"t"}), (Names{"t/b", "t/_k=2/f", "t/k=1/a"}));
}

TEST(FilePaths, HiddenFilesAreFoundWhereThePatternBeginsWithADot) {
  const Tree tree({".a.csv", "b.csv"});
  EXPECT_EQ(tree.find({"*.csv"}), (Names{"b.csv"}));
  EXPECT_EQ(tree.find({".*.csv"}), (Names{".a.csv"}));
}

TEST(FilePaths, AListKeepsItsOrderAndRepetitions) {
  const Tree tree({"a.csv", "b.csv"});
  EXPECT_EQ(tree.find({"b.csv", "*.csv"}), (Names{"b.csv", "a.csv", "b.csv"}));
}

TEST(FilePaths, APatternWithoutFilesIsAnErrorThatSaysSo) {
  const Tree tree({"a.csv"});
  const Names error = tree.find({"a.csv", "n*.csv"});
  ASSERT_EQ(error.size(), 1u);
  EXPECT_NE(error[0].find("no file matches '"), std::string::npos);
  EXPECT_NE(error[0].find("n*.csv'"), std::string::npos);
}

TEST(FilePaths, AFileWithTheNameOfAPatternIsThatFile) {
  const Tree tree({"a[1].csv", "a1.csv"});
  EXPECT_EQ(tree.find({"a[1].csv"}), (Names{"a[1].csv"}));
}

TEST(FilePaths, LinksThatLeadInACircleAreNotFollowed) {
  Folder folder;
  write_file(folder / "a.csv", "");
  std::filesystem::create_directory_symlink(folder / "", folder / "loop");
  const std::vector<std::string> all = {folder / "**/*.csv"};
  EXPECT_EQ(io::files_of(all).value(), (Names{folder / "a.csv"}));
}

TEST(FilePaths, MatchingTakesNoMoreTimeThanTheProductOfTheLengths) {
  std::string pattern;
  for (int i = 0; i < 200; i++) pattern += "*a";
  EXPECT_FALSE(io::matches(std::string(2000, 'a') + "b", pattern + "c"));
  EXPECT_TRUE(io::matches("a*b", "a\\*b"));
  EXPECT_FALSE(io::matches("axb", "a\\*b"));
  EXPECT_TRUE(io::matches("a[b", "a[b"));
}

TEST(HivePaths, KeysAreFoldersWithOneSignOfEquality) {
  const std::vector<HiveKey> keys = {{"month", "02"}, {"year", "2024"}};
  EXPECT_EQ(io::hive_keys_of("t/year=2024/month=02/year=1/p=3.csv"), keys);
  EXPECT_TRUE(io::hive_keys_of("k=a=b/=1/p.csv").empty());
}

Type type_of_texts(std::vector<std::string_view> texts) { return io::hive_type_of(texts); }

TEST(HivePaths, TypesAreThoseOfAllValues) {
  EXPECT_EQ(type_of_texts({"2024", "-5", "__HIVE_DEFAULT_PARTITION__"}).kind, Kind::int64);
  EXPECT_EQ(type_of_texts({"01", "2"}).kind, Kind::string);
  EXPECT_EQ(type_of_texts({"2024-01-02", "2024-1-3"}).kind, Kind::date32);
  EXPECT_EQ(type_of_texts({"2024-01-02 10:11:12", "2024-01-02T10:11:12.5"}).kind, Kind::timestamp);
  EXPECT_EQ(type_of_texts({"2024-01-02 10:11"}).kind, Kind::string);
  EXPECT_EQ(type_of_texts({"2024-01-02", "2024-01-02 10:11:12"}).kind, Kind::string);
  EXPECT_EQ(type_of_texts({"12345678901234567890"}).kind, Kind::string);
  EXPECT_EQ(type_of_texts({"+7"}).kind, Kind::string);
  EXPECT_EQ(type_of_texts({"1.5"}).kind, Kind::string);
  EXPECT_EQ(type_of_texts({"__HIVE_DEFAULT_PARTITION__"}).kind, Kind::string);
}

std::string value_as(const std::string& text, Type type) {
  const auto value = io::hive_value_of({"k", text}, type);
  return value.ok() ? text_of(*value) : value.status().message();
}

TEST(HivePaths, ValuesAreDecodedAndNullsAreThoseOfHive) {
  const Type text{Kind::string}, number{Kind::int64};
  EXPECT_EQ(value_as("a%20b%2Fc%zz%", text), "a b/c%zz%");
  EXPECT_EQ(value_as("__HIVE_DEFAULT_PARTITION__", text), "NULL");
  EXPECT_EQ(value_as("__HIVE_DEFAULT_PARTITION__", number), "NULL");
  EXPECT_EQ(value_as("null", number), "NULL");
  EXPECT_EQ(value_as("", number), "NULL");
  EXPECT_EQ(value_as("", text), "");
  EXPECT_EQ(value_as("1.10", Type::decimal(4, 2)), "1.10");
  EXPECT_EQ(value_as("x", number),
            "'k=x' of a path is no BIGINT; write hive_types = {'k': 'VARCHAR'}");
}

}  // namespace
}  // namespace penstock
