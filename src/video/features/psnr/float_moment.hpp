// Moments of luma on devices, for the feature's row.
#pragma once
#include "video/feature.hpp"

namespace penstock::video {

Result<std::unique_ptr<DeviceFeature>> make_device_float_moment(
    const std::shared_ptr<Device>& device, const DeviceLayout& layout, const OptionValues& options);

}  // namespace penstock::video
