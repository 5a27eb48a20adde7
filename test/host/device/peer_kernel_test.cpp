// The kernel that copies between GPUs, run as C++: all threads of all groups.
#include "device/cuda/peer_kernel.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

namespace penstock::cuda {
namespace {

// Words that have a byte of the source are read whole.
constexpr std::size_t margin_bytes = 16;

struct Bytes {
  explicit Bytes(std::size_t count) : words((count + 7) / 8 + 2 * margin_bytes / 8) {}
  unsigned char* at(std::size_t place) {
    return reinterpret_cast<unsigned char*>(words.data()) + margin_bytes + place;
  }
  std::vector<PeerWord> words;  // aligned, as a GPU's memory is
};

PeerCopy copy_of(Bytes& to, std::size_t to_byte, Bytes& from, std::size_t from_byte,
                 std::size_t bytes) {
  return {std::bit_cast<PeerWord>(to.at(to_byte)), std::bit_cast<PeerWord>(from.at(from_byte)),
          bytes};
}

void run(const PeerCopies& list, std::uint32_t groups, unsigned threads) {
  for (std::uint32_t group = 0; group < groups; group++)
    for (unsigned thread = 0; thread < threads; thread++)
      copy_from_peers_group(list, group, groups, thread, threads);
}

Bytes counted(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; i++) *bytes.at(i) = static_cast<unsigned char>(1 + i % 251);
  return bytes;
}

void expect_copied(Bytes& to, std::size_t to_byte, Bytes& from, std::size_t from_byte,
                   std::size_t bytes, std::size_t capacity) {
  ASSERT_EQ(std::memcmp(to.at(to_byte), from.at(from_byte), bytes), 0);
  for (std::size_t i = 0; i < capacity; i++) {
    const bool is_copied = i >= to_byte && i < to_byte + bytes;
    ASSERT_TRUE(is_copied || *to.at(i) == 0) << "byte " << i;
  }
}

TEST(PeerKernel, BytesAtEveryOffsetOfAWordAreCopiedAndNoOthersWritten) {
  Bytes from = counted(64);
  for (std::size_t to_byte = 0; to_byte < 8; to_byte++)
    for (std::size_t from_byte = 0; from_byte < 8; from_byte++)
      for (std::size_t bytes = 1; bytes < 40; bytes++) {
        SCOPED_TRACE(testing::Message() << bytes << " from " << from_byte << " to " << to_byte);
        Bytes to(64);
        PeerCopies list{.copies = {copy_of(to, to_byte, from, from_byte, bytes)}, .count = 1};
        run(list, groups_of_copies(1, bytes), 3);
        expect_copied(to, to_byte, from, from_byte, bytes, 64);
      }
}

TEST(PeerKernel, AGroupTakesMoreThanOnePartWhereALaunchHasFewGroups) {
  constexpr std::size_t bytes = 5 * peer_part_bytes + 13;
  Bytes from = counted(bytes + 8), to(bytes + 8);
  run({.copies = {copy_of(to, 3, from, 6, bytes)}, .count = 1}, 2, 7);
  expect_copied(to, 3, from, 6, bytes, bytes + 8);
}

TEST(PeerKernel, ShortCopiesBesideLongOnesAreWholeAndNotPassed) {
  const std::vector<std::size_t> lengths = {1, peer_part_bytes, 3 * peer_part_bytes + 1, 9};
  std::vector<Bytes> from, to;
  for (const std::size_t length : lengths) {
    from.push_back(counted(length));
    to.emplace_back(length + 64);
  }
  PeerCopies list{.copies = {}, .count = static_cast<unsigned>(lengths.size())};
  for (std::size_t i = 0; i < lengths.size(); i++)
    list.copies[i] = copy_of(to[i], 8, from[i], 0, lengths[i]);
  run(list, groups_of_copies(lengths.size(), 3 * peer_part_bytes + 1), 5);
  for (std::size_t i = 0; i < lengths.size(); i++)
    expect_copied(to[i], 8, from[i], 0, lengths[i], lengths[i] + 64);
}

TEST(PeerKernel, ACopyOfAllMemoryHasGroupsThatALaunchTakes) {
  const std::uint64_t groups = groups_of_copies(peer_copies_limit, std::uint64_t{1} << 40);
  EXPECT_LE(groups, 1 << 15);
  EXPECT_EQ(groups % peer_copies_limit, 0);
  EXPECT_EQ(groups_of_copies(3, 1), 3);
}

}  // namespace
}  // namespace penstock::cuda
