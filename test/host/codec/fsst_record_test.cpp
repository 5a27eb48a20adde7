// The record of a batch's codes: one that is cut or changed and still accepted, or that comes back
// different.
#include "codec/fsst/format/fsst_record.hpp"
#include "fsst_strings.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::fsst {
namespace {

using Octets = std::vector<std::byte>;

EncodedStrings urls_of_rows() {
  return encoded(codec::generate_urls(300), {.row_group_rows = 100});
}
Octets record_of(const EncodedStrings& strings) {
  auto record = write_record(strings);
  EXPECT_TRUE(record.ok()) << record.status().text();
  return *record;
}

// A record of a column with splits, as Penstock wrote them once: their distance is not 0, and
// blocks and splits come last.
Octets record_with_splits(const EncodedStrings& strings) {
  Octets record = record_of(strings);
  const auto append = [&](const auto&... numbers) {
    (record.insert(record.end(), reinterpret_cast<const std::byte*>(&numbers),
                   reinterpret_cast<const std::byte*>(&numbers) + sizeof numbers),
     ...);
  };
  record[12] = std::byte{64};
  append(std::uint64_t{2}, std::uint64_t{0}, std::uint64_t{9000});
  append(std::uint64_t{3}, std::uint16_t{0}, std::uint16_t{150}, std::uint16_t{0x8001});
  return record;
}

void expect_gives_back(const Octets& record, const EncodedStrings& strings) {
  EncodedStrings read = strings;
  read.row_groups.clear(), read.string_bytes = 0, read.is_canonical = false;
  const Status status = read_record(record, read);
  ASSERT_TRUE(status.ok()) << status.text();
  EXPECT_TRUE(validate(read).ok()) << validate(read).text();
  EXPECT_EQ(read.is_canonical, true);
  EXPECT_EQ(record_of(read), record_of(strings));
}

TEST(FsstRecord, GivesBackTablesAndGroups) {
  expect_gives_back(record_of(urls_of_rows()), urls_of_rows());
}
TEST(FsstRecord, SplitsAreSkipped) {
  expect_gives_back(record_with_splits(urls_of_rows()), urls_of_rows());
}
TEST(FsstRecord, EveryTruncatedPrefixIsRefused) {
  const Octets record = record_with_splits(urls_of_rows());
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
  const EncodedStrings strings = urls_of_rows();
  const Octets record = record_with_splits(strings);
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
  for (Octets record : {record_of(urls_of_rows()), record_with_splits(urls_of_rows())}) {
    const std::size_t size = record.size();
    record.push_back(std::byte{0});
    EncodedStrings strings;
    EXPECT_NE(read_record(record, strings).text().find("byte " + std::to_string(size)),
              std::string::npos);
  }
}

}  // namespace
}  // namespace penstock::fsst
