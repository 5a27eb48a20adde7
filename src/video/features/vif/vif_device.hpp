// VIF by kernels (kernels/vif_tiles.kc, float_vif_tiles.kc).
#pragma once
#include "video/device/device_feature.hpp"

namespace penstock::video {

// FeatureRow::device of vif. Code::unsupported if a device has no f64.
Result<std::unique_ptr<DeviceFeature>> make_device_vif(const std::shared_ptr<Device>& device,
                                                       const DeviceLayout& layout,
                                                       const OptionValues& options);
Result<std::unique_ptr<DeviceFeature>> make_device_float_vif(const std::shared_ptr<Device>& device,
                                                             const DeviceLayout& layout,
                                                             const OptionValues& options);

}  // namespace penstock::video
