// The functions in CIEDE2000's row: fast loops on the host, and kernels.
#pragma once
#include "video/feature.hpp"

namespace penstock::video {

Result<std::unique_ptr<HostFeature>> make_host_ciede(const PictureFormat& format,
                                                     const OptionValues& options);
Result<std::unique_ptr<DeviceFeature>> make_device_ciede(const std::shared_ptr<Device>& device,
                                                         const DeviceLayout& layout,
                                                         const OptionValues& options);

}  // namespace penstock::video
