#include "video/host/luma_rows.hpp"

namespace penstock::video {
namespace {

template <class Samples>
PENSTOCK_VECTOR_LOOP void scale_row(const std::byte* __restrict row, std::size_t first,
                                    std::size_t count, float scale, float offset,
                                    float* __restrict out) {
  for (std::size_t i = 0; i < count; i++)
    out[i] = static_cast<float>(Samples::at(row, first + i)) * scale + offset;
}

}  // namespace

void set_floats(const std::byte* row, std::uint32_t bits, std::size_t first, std::size_t count,
                float offset, float* out) {
  const float scale = 1.0f / static_cast<float>(1u << (bits - 8));  // a power of 2: exact
  (bits > 8 ? scale_row<WordSamples> : scale_row<ByteSamples>)(row, first, count, scale, offset,
                                                               out);
}

}  // namespace penstock::video
