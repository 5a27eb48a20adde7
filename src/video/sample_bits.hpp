// Samples of 10 and 12 bits lie in 16 bits. Samples with more bits than their format are refused,
// as features would disagree about them.
#pragma once
#include "penstock/video.hpp"

namespace penstock::video {

// The bits set in any sample of a row; 0 if the format allows all bits. A row at an odd address is
// read byte by byte.
inline std::uint32_t bits_of_row(const std::byte* row, std::size_t row_bytes, std::uint32_t bits) {
  if (bits == 8 || bits == 16) return 0;
  std::uint8_t high = 0;  // of each sample the higher byte, where the bits beyond are
  for (std::size_t i = 1; i < row_bytes; i += 2) high |= std::to_integer<std::uint8_t>(row[i]);
  return std::uint32_t{high} << 8;
}

// Code::invalid if samples have more bits than their format.
Status check_bits(std::uint32_t found, const PictureFormat& format);
Status check_samples(const Picture& picture);

}  // namespace penstock::video
