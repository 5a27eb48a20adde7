// The variants of a feature: by kernels, or by the host's loops.
#pragma once
#include "kernel/variant_table.hpp"
#include "video/feature.hpp"

namespace penstock::video {

// The name of the variants in PENSTOCK_VARIANT: "video_vif". The rows are "kernels" and "host".
std::string variant_family(const FeatureRow& row);
// Kernels come first, unless they are slower than the host's loops on the host's own cores.
std::vector<kernel::VariantRow> variants_of(const FeatureRow& row, const Traits& traits);

}  // namespace penstock::video
