// Tables and codes of cwida/fsst, recorded in fsst_vectors/: what its encoder writes and we read
// differently.
#include <fstream>
#include <sstream>

#include "fsst_strings.hpp"

namespace penstock::fsst {
namespace {

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t at = 0; hex != "-" && at + 1 < hex.size(); at += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  return bytes;
}
std::span<const std::byte> octets(const std::string& bytes) {
  return std::as_bytes(std::span(bytes));
}

struct Vector {
  std::string table;
  std::vector<std::string> texts, codes;
  std::uint64_t string_bytes = 0;
};

Vector read_vector(const std::string& name) {
  std::ifstream file(std::string(PENSTOCK_FSST_VECTORS) + "/" + name + ".txt");
  EXPECT_TRUE(file.is_open()) << name;
  Vector vector;
  for (std::string line; std::getline(file, line);) {
    std::istringstream message(line);
    std::string kind, first, second;
    message >> kind >> first >> second;
    if (kind == "table") vector.table = bytes_of(first);
    if (kind != "row") continue;
    vector.texts.push_back(bytes_of(first));
    vector.codes.push_back(bytes_of(second));
    vector.string_bytes += vector.texts.back().size();
  }
  EXPECT_GT(vector.texts.size(), 10) << name;
  return vector;
}

class FsstVectors : public testing::TestWithParam<const char*> {
 protected:
  const Vector vector = read_vector(GetParam());
};

TEST_P(FsstVectors, TablesAreReadAndWrittenBackByteForByte) {
  const auto read = read_symbol_table(octets(vector.table));
  ASSERT_TRUE(read.ok()) << read.status().text();
  EXPECT_EQ(read->byte_count, vector.table.size());
  const auto written = write_symbol_table(read->table);
  ASSERT_TRUE(written.ok()) << written.status().text();
  EXPECT_TRUE(std::ranges::equal(*written, octets(vector.table)));
}

TEST_P(FsstVectors, CodesAreDecodedToTheTexts) {
  const auto read = read_symbol_table(octets(vector.table));
  ASSERT_TRUE(read.ok());
  const EncodedStrings strings = strings_of(read->table, vector.codes, vector.string_bytes);
  const Status valid = validate(strings);
  EXPECT_TRUE(valid.ok()) << valid.text();
  const auto decoded = decode(strings);
  ASSERT_TRUE(decoded.ok()) << decoded.status().text();
  expect_equal(*decoded, Column::from_strings(vector.texts));
}

// Strings that its encoder does not cut into parts (it cuts at 511 bytes) have the codes that ours
// makes with its table.
TEST_P(FsstVectors, ShortTextsHaveOneEncoding) {
  const auto read = read_symbol_table(octets(vector.table));
  ASSERT_TRUE(read.ok());
  for (std::size_t row = 0; row < vector.texts.size(); row++) {
    if (vector.texts[row].size() > 511) continue;
    const auto codes = encode_string(read->table, vector.texts[row]);
    EXPECT_EQ(std::string(codes.begin(), codes.end()), vector.codes[row]) << "row " << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, FsstVectors,
                         testing::Values("urls", "urls_zero_terminated", "logs", "bytes"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace penstock::fsst
