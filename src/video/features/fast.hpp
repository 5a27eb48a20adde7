// FeatureRow::fast_host of the features that have one, and what they share.
#pragma once
#include "video/feature.hpp"

namespace penstock::video {

Result<std::unique_ptr<HostFeature>> make_fast_ciede(const PictureFormat& format,
                                                     const OptionValues& options);

}  // namespace penstock::video
