// FeatureRow::device of the features of structural similarity.
#pragma once
#include "video/feature.hpp"

namespace penstock::video {

Result<std::unique_ptr<DeviceFeature>> make_device_float_ssim(const std::shared_ptr<Device>& device,
                                                              const DeviceLayout& layout,
                                                              const OptionValues& options);
Result<std::unique_ptr<DeviceFeature>> make_device_float_ms_ssim(
    const std::shared_ptr<Device>& device, const DeviceLayout& layout, const OptionValues& options);

}  // namespace penstock::video
