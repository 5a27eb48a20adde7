#include "video/host/sample_rows.hpp"

#include "base/parallel.hpp"

namespace penstock::video {
namespace {

template <class Samples>
PENSTOCK_VECTOR_LOOP void widen(const std::byte* __restrict row, std::size_t count,
                                std::uint16_t* __restrict out) {
  for (std::size_t x = 0; x < count; x++) out[x] = Samples::at(row, x);
}

}  // namespace

void set_samples(const Picture& picture, std::uint32_t plane, KeptImage<std::uint16_t>& out) {
  const auto set = picture.format.bits > 8 ? widen<WordSamples> : widen<ByteSamples>;
  in_parallel(out.height, 64, [&](std::uint64_t first, std::uint64_t last) {
    for (auto y = static_cast<std::uint32_t>(first); y < last; y++)
      set(row_of(picture, plane, y), out.width, out.row(y));
  });
}

}  // namespace penstock::video
