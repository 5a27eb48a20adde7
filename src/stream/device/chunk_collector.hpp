// Collects a file's chunks and decodes them into one buffer of a device's memory.
#pragma once
#include <memory>

#include "stream/device/device_session.hpp"
#include "stream/pipeline/method.hpp"

namespace penstock::stream {

struct DeviceBytes {
  std::shared_ptr<Buffer> buffer;
  std::uint64_t bytes = 0;
};

class DeviceCollector {
 public:
  virtual ~DeviceCollector() = default;
  // Takes the members at the input's position that the method fits.
  virtual Status collect(const Method& method) = 0;
  // Decodes the collected chunks. `discovery_error` ended the collecting, where it is not ok;
  // errors of what precedes it are returned first.
  virtual Result<DeviceBytes> finish(const Status& discovery_error) = 0;
};

// Finds all chunks of a file first, uploads its bytes as they lie in it, and decodes one batch.
//
// The output offsets are sums of capacities. So the output is contiguous if every chunk but the
// last fills its capacity, as the blocks of one frame do. Otherwise (several frames), the output is
// assembled by way of the host, which is rare.
std::unique_ptr<DeviceCollector> make_chunk_collector(Context& context);

}  // namespace penstock::stream
