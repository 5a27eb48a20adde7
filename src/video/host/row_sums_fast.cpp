#include "video/host/row_sums.hpp"

#include <atomic>

#include "base/parallel.hpp"

namespace penstock::video {
namespace {

constexpr std::uint64_t min_rows = 64;  // that are worth a thread

// Bytes' squares have a sum of 32 bits in a row of 65535.
PENSTOCK_VECTOR_LOOP std::uint64_t error_of_bytes(const std::byte* __restrict a,
                                                  const std::byte* __restrict b,
                                                  std::size_t count) {
  std::uint32_t sum = 0;
  for (std::size_t x = 0; x < count; x++) {
    const std::int32_t difference = ByteSamples::at(a, x) - ByteSamples::at(b, x);
    sum += static_cast<std::uint32_t>(difference * difference);
  }
  return sum;
}
PENSTOCK_VECTOR_LOOP std::uint64_t error_of_words(const std::byte* __restrict a,
                                                  const std::byte* __restrict b,
                                                  std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t x = 0; x < count; x++) {
    const auto difference =
        static_cast<std::uint32_t>(WordSamples::at(a, x) - WordSamples::at(b, x));
    sum += difference * difference;  // of 16 bits: below 2^32
  }
  return sum;
}

struct RowSums {
  std::uint32_t sum = 0;
  std::uint64_t squares = 0;
};
template <class Samples>
PENSTOCK_VECTOR_LOOP RowSums sums_of(const std::byte* row, std::size_t count) {
  RowSums sums;
  for (std::size_t x = 0; x < count; x++) {
    const std::uint32_t sample = Samples::at(row, x);
    sums.sum += sample, sums.squares += sample * sample;
  }
  return sums;
}

}  // namespace

std::uint64_t squared_error(const Picture& one, const Picture& other, std::uint32_t plane) {
  const auto error_of_row = one.format.bits > 8 ? error_of_words : error_of_bytes;
  const std::uint32_t width = plane_width(one.format, plane);
  std::atomic<std::uint64_t> all = 0;
  in_parallel(plane_height(one.format, plane), min_rows,
              [&](std::uint64_t first, std::uint64_t last) {
                std::uint64_t sum = 0;
                for (auto y = static_cast<std::uint32_t>(first); y < last; y++)
                  sum += error_of_row(row_of(one, plane, y), row_of(other, plane, y), width);
                all += sum;
              });
  return all;
}

SampleSums luma_sums(const Picture& picture) {
  const auto sums_of_row = picture.format.bits > 8 ? sums_of<WordSamples> : sums_of<ByteSamples>;
  std::atomic<std::uint64_t> all = 0, all_squares = 0;
  in_parallel(picture.format.height, min_rows, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t sum = 0, squares = 0;
    for (auto y = static_cast<std::uint32_t>(first); y < last; y++) {
      const RowSums row = sums_of_row(row_of(picture, 0, y), picture.format.width);
      sum += row.sum, squares += row.squares;
    }
    all += sum, all_squares += squares;
  });
  return {all, all_squares};
}

}  // namespace penstock::video
