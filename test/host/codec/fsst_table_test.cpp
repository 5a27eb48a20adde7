// Serialized symbol tables: damaged ones that are accepted, and valid ones that are refused or
// written differently.
#include "fsst_strings.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::fsst {
namespace {

using Octets = std::vector<std::byte>;

SymbolTable trained() {
  const auto encoded = encode(codec::generate_urls(2000));
  return encoded.ok() ? *encoded->row_groups[0].table : SymbolTable{};
}
Octets written(const SymbolTable& table) {
  auto bytes = write_symbol_table(table);
  EXPECT_TRUE(bytes.ok()) << bytes.status().text();
  return bytes.ok() ? *bytes : Octets{};
}
Octets with(Octets bytes, std::size_t at, unsigned value) {
  bytes[at] = static_cast<std::byte>(value);
  return bytes;
}
void expect_refused(const Octets& bytes, std::string_view message) {
  const auto read = read_symbol_table(bytes);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.status().text().find(message), std::string::npos) << read.status().text();
}
// "ab" and "c" as a serialized table.
Octets small() { return written(table_of({"ab", "c"})); }

TEST(FsstTable, ComesBackAsItWasWritten) {
  const SymbolTable table = trained();
  const Octets bytes = written(table);
  const auto read = read_symbol_table(bytes);
  ASSERT_TRUE(read.ok()) << read.status().text();
  EXPECT_EQ(read->table, table);
  EXPECT_EQ(read->byte_count, bytes.size());
}
TEST(FsstTable, BytesBehindItAreNotItsOwn) {
  Octets bytes = small();
  const std::size_t size = bytes.size();
  bytes.resize(size + 100, std::byte{0x55});
  const auto read = read_symbol_table(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->byte_count, size);
}
TEST(FsstTable, AnEmptyTableIsATable) {
  const auto read = read_symbol_table(written({}));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->table, SymbolTable{});
}
TEST(FsstTable, AZeroTerminatedTableKeepsItsZero) {
  SymbolTable table = table_of({"x", "ab", "c"});
  table.symbols[0] = 0;
  table.zero_terminated = true;
  const auto read = read_symbol_table(written(table));
  ASSERT_TRUE(read.ok()) << read.status().text();
  EXPECT_EQ(read->table, table);
}
TEST(FsstTable, EveryTruncatedPrefixIsRefused) {
  const Octets bytes = written(trained());
  for (std::size_t size = 0; size < bytes.size(); size++) {
    // A copy of that size, so that the address sanitizer sees a read past its end.
    const auto read =
        read_symbol_table(Octets(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    ASSERT_FALSE(read.ok()) << size;
    ASSERT_EQ(read.status().code(), Code::truncated) << size;
  }
}
// Whatever a byte of the header becomes, the table is refused or valid.
TEST(FsstTable, EveryChangedHeaderByteIsRefusedOrValid) {
  const Octets bytes = written(trained());
  for (std::size_t at = 0; at < 17; at++)
    for (unsigned value = 0; value < 256; value++) {
      const auto read = read_symbol_table(with(bytes, at, value));
      ASSERT_TRUE(!read.ok() || validate(read->table).ok()) << at << " " << value;
    }
}
TEST(FsstTable, AnotherVersionIsNamed) {
  expect_refused(with(small(), 4, 0), "byte 4: the version");
}
TEST(FsstTable, TheOtherByteOrderIsNamed) { expect_refused(with(small(), 0, 0), "byte 0"); }
TEST(FsstTable, ZeroTerminatedIsNoNumber) { expect_refused(with(small(), 8, 2), "byte 8"); }
TEST(FsstTable, MoreSymbolsThanCountedAreNamed) { expect_refused(with(small(), 16, 9), "byte 16"); }
TEST(FsstTable, FewerSymbolsThanCountedAreNamed) { expect_refused(with(small(), 1, 3), "byte 1"); }
TEST(FsstTable, ZeroTerminatedWithoutSymbolsOfOneByteIsNamed) {
  expect_refused(with(written(table_of({"ab"})), 8, 1), "byte 9");
}

TEST(FsstTable, LengthsOutOfTheFormatsOrderAreNotWritten) {
  EXPECT_EQ(write_symbol_table(table_of({"a", "bc"})).status().code(), Code::unsupported);
}
TEST(FsstTable, ValidateNamesTheCode) {
  const auto refused = [](SymbolTable table, std::string_view message) {
    EXPECT_NE(validate(table).text().find(message), std::string::npos) << validate(table).text();
  };
  SymbolTable table = table_of({"ab", "c"});
  table.lengths[1] = 9;
  refused(table, "code 1: a symbol of 9 bytes");
  table.lengths[1] = 0;
  refused(table, "code 1: a symbol of 0 bytes");
  table = table_of({"ab", "c"});
  table.symbols[1] |= 0x100;
  refused(table, "code 1: bytes after");
  table = table_of({"ab"});
  table.lengths[200] = 1;
  refused(table, "code 200: a length after the last symbol");
  table.symbol_count = 256;
  refused(table, "256 symbols");
}

}  // namespace
}  // namespace penstock::fsst
