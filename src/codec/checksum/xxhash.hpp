// XXH32 and XXH64, the checksums of LZ4 and Zstandard frames (github.com/Cyan4973/xxHash,
// doc/xxhash_spec.md).
//
//     checksum::Xxh64 hash;                 // seed 0
//     for (...) hash.update(part);
//     hash.digest();                        // of all bytes so far
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace penstock::checksum {

template <class Word> class Xxh {
 public:
  explicit Xxh(Word seed = 0);
  void update(std::span<const std::byte> bytes);
  Word digest() const;

 private:
  static constexpr std::size_t stripe_bytes = 4 * sizeof(Word);
  void stripe(const std::byte* at);
  std::array<Word, 4> lanes_;
  std::array<std::byte, stripe_bytes> buffered_{};  // bytes of an incomplete stripe
  std::uint64_t total_bytes_ = 0;
  Word seed_;
};
using Xxh32 = Xxh<std::uint32_t>;
using Xxh64 = Xxh<std::uint64_t>;

template <class Word> Word xxh(std::span<const std::byte> bytes, Word seed = 0) {
  Xxh<Word> hash(seed);
  hash.update(bytes);
  return hash.digest();
}
inline std::uint32_t xxh32(std::span<const std::byte> bytes, std::uint32_t seed = 0) {
  return xxh<std::uint32_t>(bytes, seed);
}
inline std::uint64_t xxh64(std::span<const std::byte> bytes, std::uint64_t seed = 0) {
  return xxh<std::uint64_t>(bytes, seed);
}

}  // namespace penstock::checksum
