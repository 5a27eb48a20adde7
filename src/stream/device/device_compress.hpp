// Compresses on a device.
#pragma once
#include <memory>

#include "stream/device/device_session.hpp"
#include "stream/pipeline/compressor.hpp"

namespace penstock::stream {

std::unique_ptr<EncodeStages> make_device_compressor(Input& input, const CompressOptions& options,
                                                     std::unique_ptr<Framing> framing,
                                                     std::shared_ptr<DeviceSession> session);

}  // namespace penstock::stream
