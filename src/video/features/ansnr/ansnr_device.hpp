// ANSNR by kernels (kernels/ansnr_tiles.kc).
#pragma once
#include "video/device/device_feature.hpp"

namespace penstock::video {

// FeatureRow::device of float_ansnr.
Result<std::unique_ptr<DeviceFeature>> make_device_ansnr(const std::shared_ptr<Device>& device,
                                                         const DeviceLayout& layout,
                                                         const OptionValues& options);

}  // namespace penstock::video
