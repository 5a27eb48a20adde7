// The rows of the method table: the ways in which a format can be decoded.
//
// The first row that fits what stands at the input's position runs. It decodes as many members or
// frames as it fits and leaves the input after them; then the table is asked again.
#pragma once
#include <memory>
#include <variant>

#include "stream/pipeline/context.hpp"

namespace penstock::stream {

struct DecodedFrame;  // device_frames.hpp
class ChunkStages;    // chunk_stages.hpp

// Decodes on the host.
struct HostDecoder {
  Result<std::unique_ptr<Decoder>> (*make)(Context& context);
};
// Decodes chunks that the host finds on a device, in jobs of about this many output bytes.
struct DeviceChunks {
  std::unique_ptr<ChunkStages> (*make)(Context& context, std::uint64_t job_bytes);
};
// Decodes inside of Deflate streams on a device (gzip_device.hpp).
struct DeviceStreams {};
// Decodes the frame at the input's position on a device, all of it at once, and leaves the input
// there.
struct DeviceFrames {
  Result<DecodedFrame> (*decode)(Context& context);
};

struct Method {
  Format format;
  const char* name;
  const char* summary;
  // Whether it can decode what stands at the input's position.
  Result<bool> (*fits)(Context& context);
  std::variant<HostDecoder, DeviceChunks, DeviceStreams, DeviceFrames> decoder;

  bool is_for_devices() const { return !std::holds_alternative<HostDecoder>(decoder); }
  // Whether it needs all of the input in memory, for a device that has it all at once.
  bool needs_whole_input() const {
    return std::holds_alternative<DeviceStreams>(decoder) ||
           std::holds_alternative<DeviceFrames>(decoder);
  }
};

inline Result<bool> fits_always(Context&) { return true; }

}  // namespace penstock::stream
