#include "video/feature_variants.hpp"

namespace penstock::video {
namespace {

std::vector<kernel::VariantCase> view_of_features(const Traits& traits) {
  std::vector<kernel::VariantCase> cases;
  for (const FeatureRow* row : feature_rows())
    cases.push_back({variant_family(*row), "frames", variants_of(*row, traits)});
  return cases;
}
const kernel::VariantTable table_of_features(view_of_features);

}  // namespace

std::span<const FeatureRow* const> feature_rows() {
  static constexpr const FeatureRow* rows[] = {
      &float_ssim_row,   &float_ms_ssim_row, &cambi_row,        &ciede_row,
      &psnr_row,         &float_psnr_row,    &float_moment_row, &motion_row,
      &float_motion_row, &vif_row,           &float_vif_row,    &float_ansnr_row};
  return rows;
}

std::string variant_family(const FeatureRow& row) { return "video_" + std::string(row.name); }

std::vector<kernel::VariantRow> variants_of(const FeatureRow& row, const Traits& traits) {
  const kernel::VariantRow on_host{
      "host", kernel::fits_if(traits.shares_host_cores() || row.device == nullptr,
                              "a device has the frames; --device host takes loops")},
      on_device{"kernels", kernel::fits_if(row.device != nullptr, "it has no kernels")};
  if (traits.shares_host_cores() && !row.has_fast_kernels_on_cpu) return {on_host, on_device};
  return {on_device, on_host};
}

}  // namespace penstock::video
