// The record of a batch's codes: one that is cut or changed and still accepted, or that comes back
// different.
#include "codec/fsst/format/fsst_record.hpp"
#include "fsst_strings.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::fsst {
namespace {

using Octets = std::vector<std::byte>;

EncodedStrings urls_of_rows(std::uint32_t split_code_bytes) {
  return encoded(codec::generate_urls(300),
                 {.row_group_rows = 100, .split_code_bytes = split_code_bytes});
}
Octets record_of(const EncodedStrings& strings) {
  auto record = write_record(strings);
  EXPECT_TRUE(record.ok()) << record.status().text();
  return *record;
}

TEST(FsstRecord, GivesBackTablesGroupsAndSplits) {
  for (const std::uint32_t split_code_bytes : {0u, 16u, 4096u}) {
    const EncodedStrings strings = urls_of_rows(split_code_bytes);
    EncodedStrings read = strings;
    read.row_groups.clear(), read.splits.reset(), read.string_bytes = 0, read.is_canonical = false;
    const Status status = read_record(record_of(strings), read);
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_TRUE(validate(read).ok()) << validate(read).text();
    EXPECT_EQ(read.is_canonical, true);
    EXPECT_EQ(read.splits.has_value(), split_code_bytes != 0);
    EXPECT_EQ(record_of(read), record_of(strings));
  }
}
TEST(FsstRecord, EveryTruncatedPrefixIsRefused) {
  const Octets record = record_of(urls_of_rows(256));
  for (std::size_t size = 0; size < record.size(); size++) {
    EncodedStrings strings;
    ASSERT_FALSE(
        read_record(Octets(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(size)),
                    strings)
            .ok())
        << size;
  }
}
// A record that is read is refused, or gives strings that validate() can check.
TEST(FsstRecord, EveryChangedByteIsRefusedOrJudgedByTheChecks) {
  const EncodedStrings strings = urls_of_rows(1024);
  const Octets record = record_of(strings);
  for (std::size_t at = 0; at < record.size(); at++)
    for (const unsigned change : {1u, 128u, 255u}) {
      Octets changed = record;
      changed[at] ^= static_cast<std::byte>(change);
      EncodedStrings read = strings;
      if (!read_record(changed, read).ok()) continue;
      static_cast<void>(validate(read).ok());
      static_cast<void>(decode(read).ok());
    }
}
TEST(FsstRecord, BytesBehindItAreNamed) {
  Octets record = record_of(urls_of_rows(0));
  const std::size_t size = record.size();
  record.push_back(std::byte{0});
  EncodedStrings strings;
  EXPECT_NE(read_record(record, strings).text().find("byte " + std::to_string(size)),
            std::string::npos);
}

}  // namespace
}  // namespace penstock::fsst
