#include "codec/checksum/xxhash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace penstock::checksum {
namespace {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian");

template <class Word> struct Numbers;
template <> struct Numbers<std::uint32_t> {
  static constexpr std::array<std::uint32_t, 5> primes = {0x9e3779b1, 0x85ebca77, 0xc2b2ae3d,
                                                          0x27d4eb2f, 0x165667b1};
  static constexpr int round = 13;
  static constexpr std::array<int, 3> last_shifts = {15, 13, 16};
};
template <> struct Numbers<std::uint64_t> {
  static constexpr std::array<std::uint64_t, 5> primes = {0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f,
                                                          0x165667b19e3779f9, 0x85ebca77c2b2ae63,
                                                          0x27d4eb2f165667c5};
  static constexpr int round = 31;
  static constexpr std::array<int, 3> last_shifts = {33, 29, 32};
};
template <class Word> constexpr auto prime = Numbers<Word>::primes;

template <class Word> Word load(const std::byte* from) {
  Word value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
template <class Word> Word round(Word lane, Word input) {
  return std::rotl<Word>(lane + input * prime<Word>[1], Numbers<Word>::round) * prime<Word>[0];
}

// Adds the bytes after the last whole stripe: by words, then by bytes.
std::uint32_t add_rest(std::uint32_t hash, const std::byte* at, std::size_t count) {
  constexpr auto& p = prime<std::uint32_t>;
  for (; count >= 4; count -= 4, at += 4)
    hash = std::rotl(hash + load<std::uint32_t>(at) * p[2], 17) * p[3];
  for (; count > 0; count--, at++)
    hash = std::rotl(hash + std::to_integer<std::uint32_t>(*at) * p[4], 11) * p[0];
  return hash;
}
std::uint64_t add_rest(std::uint64_t hash, const std::byte* at, std::size_t count) {
  constexpr auto& p = prime<std::uint64_t>;
  for (; count >= 8; count -= 8, at += 8)
    hash = std::rotl(hash ^ round<std::uint64_t>(0, load<std::uint64_t>(at)), 27) * p[0] + p[3];
  if (count >= 4) {
    hash = std::rotl(hash ^ load<std::uint32_t>(at) * p[0], 23) * p[1] + p[2];
    at += 4, count -= 4;
  }
  for (; count > 0; count--, at++)
    hash = std::rotl(hash ^ std::to_integer<std::uint64_t>(*at) * p[4], 11) * p[0];
  return hash;
}

template <class Word> Word merged(const std::array<Word, 4>& lanes) {
  Word hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
              std::rotl(lanes[3], 18);
  if constexpr (sizeof(Word) == 8)
    for (const Word lane : lanes)
      hash = (hash ^ round<Word>(0, lane)) * prime<Word>[0] + prime<Word>[3];
  return hash;
}

}  // namespace

template <class Word> Xxh<Word>::Xxh(Word seed) : seed_(seed) {
  constexpr auto& p = prime<Word>;
  lanes_ = {static_cast<Word>(seed + p[0] + p[1]), static_cast<Word>(seed + p[1]), seed,
            static_cast<Word>(seed - p[0])};
}

template <class Word> void Xxh<Word>::stripe(const std::byte* at) {
  for (std::size_t lane = 0; lane < 4; lane++)
    lanes_[lane] = round(lanes_[lane], load<Word>(at + lane * sizeof(Word)));
}

template <class Word> void Xxh<Word>::update(std::span<const std::byte> bytes) {
  const std::size_t buffered = total_bytes_ % stripe_bytes;
  total_bytes_ += bytes.size();
  if (buffered > 0) {
    const std::size_t count = std::min(bytes.size(), stripe_bytes - buffered);
    std::copy_n(bytes.begin(), count, buffered_.begin() + static_cast<std::ptrdiff_t>(buffered));
    bytes = bytes.subspan(count);
    if (buffered + count < stripe_bytes) return;
    stripe(buffered_.data());
  }
  for (; bytes.size() >= stripe_bytes; bytes = bytes.subspan(stripe_bytes)) stripe(bytes.data());
  std::copy(bytes.begin(), bytes.end(), buffered_.begin());
}

template <class Word> Word Xxh<Word>::digest() const {
  constexpr auto& p = prime<Word>;
  constexpr auto& shifts = Numbers<Word>::last_shifts;
  Word hash = total_bytes_ >= stripe_bytes ? merged(lanes_) : static_cast<Word>(seed_ + p[4]);
  hash = add_rest(static_cast<Word>(hash + total_bytes_), buffered_.data(),
                  total_bytes_ % stripe_bytes);
  hash = (hash ^ hash >> shifts[0]) * p[1];
  hash = (hash ^ hash >> shifts[1]) * p[2];
  return hash ^ hash >> shifts[2];
}

template class Xxh<std::uint32_t>;
template class Xxh<std::uint64_t>;

}  // namespace penstock::checksum
