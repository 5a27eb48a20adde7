// Motion by kernels (kernels/motion_tiles.kc, float_motion_tiles.kc).
#pragma once
#include "video/device/device_feature.hpp"

namespace penstock::video {

// FeatureRow::device of motion and float_motion.
Result<std::unique_ptr<DeviceFeature>> make_device_motion(const std::shared_ptr<Device>& device,
                                                          const DeviceLayout& layout,
                                                          const OptionValues& options);
Result<std::unique_ptr<DeviceFeature>> make_device_float_motion(
    const std::shared_ptr<Device>& device, const DeviceLayout& layout, const OptionValues& options);

}  // namespace penstock::video
