// The codes of a data page into its chunk's dictionary: runs of one code, and groups of eight codes
// side by side in bits.
//
// https://github.com/apache/parquet-format/blob/master/Encodings.md#RLE
#pragma once
#include <cstdint>
#include <span>

namespace penstock::io {

class PageCodes {
 public:
  PageCodes() = default;
  // A page's bytes behind its levels: the width of a code, then the runs. The dictionary has
  // `entry_count` entries.
  PageCodes(std::span<const std::uint8_t> bytes, std::uint32_t entry_count);

  // The next codes, at least one and `most` at most; none when the page has no more or is damaged.
  // They stay until the next call.
  std::span<const std::uint32_t> take(std::uint64_t most);
  // Whether the codes that take() gave last may have one outside the dictionary. It looks at some
  // more, such as the padding of a page.
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
