// Units of a piece decoded on a device, all at once: their compressed bytes are put together in
// pinned memory and uploaded, decoded by batch::Decoder, and their texts come back into pinned
// memory in order. Stored units are copied by the host and never travel.
//
// A batch waits for its own queue alone; several batches, each in a thread of the pipeline, keep
// link and kernels busy at once, and the host's checksums run while other batches are on the
// device.
#pragma once
#include <map>
#include <mutex>

#include "device/reserve_buffer.hpp"
#include "stream/pipeline/units.hpp"

namespace penstock::zstd {
class DeviceFrame;
}

namespace penstock::stream {

class DeviceFile;  // device_frames.hpp

// Of text a batch. A GPU wants a thousand chunks of 64 KiB at once; a CPU's cores want a few.
inline std::uint64_t batch_bytes_on(const Device& device) {
  return device.traits().is_cpu ? 8 << 20 : 64 << 20;
}
// One is uploaded while another is in work and a third comes back.
constexpr std::uint32_t batches_in_flight = 3;
// Where kernels have least to do with a chunk's beginning.
constexpr std::uint64_t chunk_alignment = 16;

// What one run of decompress() or compress() has of a device: the decoders, the encoder, and the
// report of all batches.
class DeviceRun {
 public:
  explicit DeviceRun(std::shared_ptr<Device> device);
  const std::shared_ptr<Device>& device() const { return device_; }
  // Built once.
  Result<batch::Decoder*> decoder(batch::Format format, batch::Requirements needs);
  Result<batch::Encoder*> encoder(batch::Format format);
  // What is made once of the file, and for its members (device_frames.hpp).
  Result<DeviceFile*> file(Input& input);
  Result<zstd::DeviceFrame*> zstd_frame();
  void add(const DeviceReport& batch);
  // Kernels that ran and are no decoder's; each name once.
  void add_kernels(std::string_view name);
  std::optional<DeviceReport> report() const;  // nothing where no batch ran

 private:
  std::shared_ptr<Device> device_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<batch::Decoder>> decoders_;  // by variant
  std::unique_ptr<batch::Encoder> encoder_;  // of the one format that is written
  std::shared_ptr<zstd::DeviceFrame> zstd_frame_;
  std::shared_ptr<DeviceFile> file_;
  DeviceReport report_;
};

// The tables of batch::Batch of some units, on the host and on the device. Stored units have no
// row.
class UnitTables {
 public:
  // Rows for the units, `input_offset_of` and `output_offset_of` each.
  void clear();
  void add(std::uint64_t input_offset, std::uint64_t input_bytes, std::uint64_t output_offset,
           std::uint64_t capacity);
  void add(const Unit& unit, std::uint64_t input_offset,
           std::uint64_t output_offset);  // with its links
  std::uint32_t count() const { return static_cast<std::uint32_t>(input_offsets_.size()); }
  batch::Requirements needs() const { return {max_output_bytes_, has_links_}; }
  Status upload(Device& device, Queue& queue, batch::Batch& batch);
  Status download(Queue& queue, const batch::Batch& batch);  // enqueued
  std::uint64_t size(std::size_t row) const { return sizes_[row]; }
  batch::ChunkStatus chunk_status(std::size_t row) const { return statuses_[row]; }

 private:
  std::vector<std::uint64_t> input_offsets_, input_sizes_, output_offsets_, capacities_, sizes_;
  std::vector<batch::ChunkStatus> statuses_;
  std::vector<std::uint32_t> streams_;  // batch::BlockDependencies
  std::uint32_t stream_count_ = 0;
  std::uint64_t max_output_bytes_ = 0, stream_bytes_ = 0, max_stream_bytes_ = 0;
  bool has_links_ = false;
};

// Memory that the device's link reads slowly, such as a mapped file's, by way of pinned memory.
class StagedUpload {
 public:
  // Of `bytes` to the buffer's beginning. Waits for it.
  Status send(Device& device, Queue& queue, std::span<const std::byte> bytes, const Buffer& to);

 private:
  std::shared_ptr<HostBuffer> staging_[2];
};

// Kept with a place of the pipeline's ring.
class DeviceBatch {
 public:
  explicit DeviceBatch(std::shared_ptr<DeviceRun> run) : run_(std::move(run)) {}
  // Makes piece.lent of the piece's units. The first unit that is not right, in order, is the
  // error. `window`: text before the piece, that its first unit may reach where it goes on with a
  // stream.
  Status decode(const UnitStages& stages, Piece& piece, std::span<const std::byte> window);

 private:
  struct Decoded {
    std::uint64_t bytes = 0;
    batch::ChunkStatus chunk_status;
  };
  Status enqueue(const UnitStages& stages, const Piece& piece, std::span<const std::byte> window);
  void gather(const Piece& piece, std::uint64_t window_bytes);
  Status check_inputs(const UnitStages& stages, const Piece& piece);
  Status find_valid(const UnitStages& stages, const Piece& piece);
  Status fetch_outputs(const Piece& piece);
  Status check_outputs(const UnitStages& stages, const Piece& piece);
  Status note_times();
  Status mark();

  std::shared_ptr<DeviceRun> run_;
  std::shared_ptr<HostBuffer> input_, output_;
  batch::Batch batch_;
  std::shared_ptr<Buffer> scratch_;
  UnitTables tables_;
  DeviceReport times_;
  std::vector<Decoded> decoded_;  // of the units, in order, before the first that is not sound
  std::uint64_t input_bytes_ = 0, output_bytes_ = 0;
  std::uint64_t output_at_ =
      0;  // the first text's place in batch_.output: a window stands before it
  std::vector<std::shared_ptr<Event>>
      marks_;                     // begin, uploaded, decoded, texts asked for, texts there
  std::unique_ptr<Queue> queue_;  // the last: it waits for what uses the others
};

}  // namespace penstock::stream
