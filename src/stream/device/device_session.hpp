// Holds what one decompression or compression has on a device: its decoders, its encoder, the
// uploaded input, and the report of all batches.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "device/reserve_buffer.hpp"
#include "penstock/batch.hpp"
#include "stream/input/input.hpp"

namespace penstock::zstd {
class DeviceFrame;
}

namespace penstock::stream {

class UploadedInput;  // device_frames.hpp

// The output bytes of a batch. A GPU wants a thousand chunks of 64 KiB at once; the cores of a CPU
// want a few.
inline std::uint64_t batch_bytes_on(const Device& device) {
  return device.traits().wants_cache_sized_chunks() ? 8 << 20 : 64 << 20;
}
// One is uploaded while another is decoded and a third is downloaded.
constexpr std::uint32_t batches_in_flight = 3;
// Kernels have least to do with a chunk that begins at such a multiple.
constexpr std::uint64_t chunk_alignment = 16;
constexpr std::uint64_t aligned_to_chunk(std::uint64_t bytes) {
  return (bytes + chunk_alignment - 1) / chunk_alignment * chunk_alignment;
}

class DeviceSession {
 public:
  explicit DeviceSession(std::shared_ptr<Device> device);
  const std::shared_ptr<Device>& device() const { return device_; }
  // Builds the decoder on the first call for its variant.
  Result<batch::Decoder*> decoder(batch::Format format, batch::Requirements needs);
  Result<batch::Encoder*> encoder(batch::Format format);
  // Uploads the input on the first call, for all of its frames.
  Result<UploadedInput*> input(Input& input);
  Result<zstd::DeviceFrame*> zstd_frame();
  void add(const DeviceReport& batch);
  // Notes kernels that ran and belong to no decoder; each name once.
  void add_kernels(std::string_view name);
  // Notes that the device failed: other devices decode its batches.
  void fail(const Status& status);
  bool has_failed() const;
  // Returns nothing if no batch ran and nothing failed.
  std::optional<DeviceReport> report() const;

 private:
  std::shared_ptr<Device> device_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<batch::Decoder>> decoders_;  // by variant
  std::unique_ptr<batch::Encoder> encoder_;  // of the one format that is written
  std::shared_ptr<zstd::DeviceFrame> zstd_frame_;
  std::shared_ptr<UploadedInput> input_;
  DeviceReport report_;
};

// Uploads memory that the device's link reads slowly, since it is not pinned, by way of memory that
// is.
class StagedUpload {
 public:
  // Copies `bytes` to the beginning of `to` and waits for it.
  Status send(Device& device, Queue& queue, std::span<const std::byte> bytes, const Buffer& to);

 private:
  std::shared_ptr<HostBuffer> staging_[2];
};

}  // namespace penstock::stream
