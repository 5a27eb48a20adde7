// Decodes a data page's codes into its chunk's dictionary, and its levels, by Parquet's hybrid of
// run lengths and bit packing: runs of one code, and groups of eight codes packed in bits.
//
// https://github.com/apache/parquet-format/blob/master/Encodings.md#RLE
#pragma once
#include <cstdint>
#include <span>

namespace penstock::io {

class PageCodes {
 public:
  PageCodes() = default;
  // `bytes` are a page's after its levels: the width of a code, then the runs. The dictionary has
  // `entry_count` entries.
  PageCodes(std::span<const std::uint8_t> bytes, std::uint32_t entry_count);
  // Definition levels of a flat column: codes of one bit, 1 for a value.
  static PageCodes levels(std::span<const std::uint8_t> runs);

  // Returns one to `most` of the next codes; none when the page has no more or is corrupt. They are
  // valid until the next call.
  std::span<const std::uint32_t> take(std::uint64_t max_count);
  // Takes up to `max_count` codes of a run of this code; 0 where others may come next.
  std::uint64_t take_run(std::uint32_t code, std::uint64_t max_count);
  // Tells whether one of the codes of the last take() may lie outside the dictionary. It looks at a
  // few more codes, such as a page's padding.
  bool may_be_outside() const { return may_be_outside_; }

 private:
  static constexpr std::uint64_t block_codes = 512;

  bool fill();
  bool next_run();
  std::uint64_t unpack(std::uint64_t codes);

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  unsigned width_ = 0;
  std::uint32_t entry_count_ = 0;
  bool may_be_outside_ = false;
  std::uint64_t repeated_left_ = 0, packed_left_ = 0;  // of the run
  std::uint32_t repeated_ = 0;
  std::uint64_t first_ = 0, count_ = 0;  // of those in codes_ that are not taken
  std::uint32_t codes_[block_codes];
};

}  // namespace penstock::io
