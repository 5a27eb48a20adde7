// VIF's sums over a scale by threads and vectors: libvmaf's to the last bit.
#pragma once
#include "video/features/vif/vif.hpp"
#include "video/host/kept_image.hpp"

namespace penstock::video {

using VifImage = KeptImage<std::uint16_t>;

// `mean_bits`, `square_bits`: by how much filtered means and squares are shifted after the filter
// along columns.
VifSums fast_vif_sums(const VifImage& reference, const VifImage& distorted, std::uint32_t scale,
                      std::uint32_t mean_bits, std::uint32_t square_bits, double gain_limit);

// The samples that a scale is made from: filtered, every second row and column kept.
void fast_vif_decimate(const VifImage& image, std::uint32_t scale, std::uint32_t first_bits,
                       VifImage& out);

}  // namespace penstock::video
