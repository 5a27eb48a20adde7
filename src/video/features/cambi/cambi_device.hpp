// CAMBI by kernels.
#pragma once
#include "video/device/device_feature.hpp"

namespace penstock::video {

Result<std::unique_ptr<DeviceFeature>> make_device_cambi(const std::shared_ptr<Device>& device,
                                                         const DeviceLayout& layout,
                                                         const OptionValues& options);

}  // namespace penstock::video
