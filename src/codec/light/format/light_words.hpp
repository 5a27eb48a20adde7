// The words of light encodings: packing and unpacking bits, reading one vector, writing a block.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "codec/light/format/light_block.hpp"

namespace penstock::light {

inline std::uint64_t two_words(const std::uint32_t* words) {
  return words[0] | std::uint64_t{words[1]} << 32;
}
inline std::uint32_t half_word(const std::uint32_t* words, std::uint32_t index) {
  return words[index / 2] >> (index % 2 * 16) & 0xffff;
}
inline std::uint64_t packed_words(std::uint64_t count, std::uint32_t width) {
  return (count * width + 31) / 32;
}
// The words of an ALP vector's exceptions: positions, then values.
inline std::uint64_t exception_words(std::uint32_t count, std::uint32_t bits) {
  return (count + 1) / 2 + std::uint64_t{count} * (bits / 32);
}
// The differences of a delta vector's first values.
inline std::uint32_t differences_before(std::uint32_t value_count) {
  return value_count - (value_count + LIGHT_CHECKPOINT_VALUES - 1) / LIGHT_CHECKPOINT_VALUES;
}

// Appends the low `width` bits of each value, and fills the last word with zeros.
void pack(std::span<const std::uint64_t> values, std::uint32_t width,
          std::vector<std::uint32_t>& to);
// Reads packed values. The two words after them are readable.
void unpack(const std::uint32_t* words, std::uint32_t width, std::uint32_t count,
            std::uint64_t* to);

// Decodes the first values of a vector, each as its bits; of 32 the high ones mean nothing.
void read_vector(const std::uint32_t* block, std::uint32_t bits, const Vector& vector,
                 std::uint32_t value_count, std::uint64_t* to);

// Puts vectors and their data together as a block.
class BlockWriter {
 public:
  explicit BlockWriter(std::uint32_t bits) : bits_(bits) {}
  // `vector`'s place is set here.
  void add(const Vector& vector, std::span<const std::uint32_t> data);
  void set_dictionary(std::span<const std::uint32_t> words) {
    dictionary_.assign(words.begin(), words.end());
  }
  Bytes finish(std::uint64_t row_count, std::uint32_t first) const;

 private:
  std::uint32_t bits_;
  std::vector<Vector> vectors_;
  std::vector<std::uint32_t> data_, dictionary_;
};

}  // namespace penstock::light
