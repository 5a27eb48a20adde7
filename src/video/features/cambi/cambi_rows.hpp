// Loops over rows of CAMBI's images.
#pragma once
#include <cstddef>
#include <cstdint>

namespace penstock::video {

// Sets levels of 10 bits.
void set_levels(const std::byte* row, std::uint32_t bits, std::size_t count, std::uint16_t* out);
// The mean of 2 x 2 levels, of `row` and the one below; in the last column of two.
void smooth_levels(const std::uint16_t* row, const std::uint16_t* below, std::size_t count,
                   std::uint16_t* out);
// 1 if a level is that of its right neighbour and of the one below. The last column has no right
// neighbour. For the last row, `below` is the row itself.
void set_flat(const std::uint16_t* row, const std::uint16_t* below, std::size_t count,
              std::uint8_t* out);
void add_row(const std::uint8_t* row, std::size_t count, std::uint8_t* sums);
void subtract_row(const std::uint8_t* row, std::size_t count, std::uint8_t* sums);
// 1 if seven sums are more than `threshold`, from three columns before to three after: `sums`
// begins three columns before the first.
void set_mask(const std::uint8_t* sums, std::size_t count, std::uint32_t threshold,
              std::uint8_t* out);

// The mode of three values: the value that occurs twice, else the least. The first function filters
// along a row and leaves its ends; the second takes three rows.
void mode_along_row(const std::uint16_t* row, std::size_t count, std::uint16_t* out);
void mode_of_rows(const std::uint16_t* a, const std::uint16_t* b, const std::uint16_t* c,
                  std::size_t count, std::uint16_t* out);

constexpr std::uint16_t no_key = 0xFFFF;
// Sets masked levels of first to first + span; no_key elsewhere. Returns how many there are.
std::uint32_t set_keys(const std::uint16_t* levels, const std::uint8_t* mask, std::size_t count,
                       std::uint16_t first, std::uint16_t span, std::uint16_t* out);

// Every second of 2 `count` - 1 values or more.
void halve_row(const std::uint16_t* row, std::size_t count, std::uint16_t* out);
void halve_row(const std::uint8_t* row, std::size_t count, std::uint8_t* out);

}  // namespace penstock::video
