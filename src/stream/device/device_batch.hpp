// Decodes all chunks of a job on a device at once. Their compressed bytes are put together in
// pinned memory and uploaded, batch::Decoder decodes them, and their output comes back into pinned
// memory in order. Stored chunks are copied by the host and are never uploaded.
//
// A batch waits for its own queue alone. Several batches, each on a thread of the pipeline, keep
// link and kernels busy at once, and the host's checksums run while other batches are on the
// device.
#pragma once
#include "stream/device/device_session.hpp"
#include "stream/pipeline/chunk_stages.hpp"

namespace penstock::stream {

// The tables of batch::Batch for some chunks, on the host and on the device. Stored chunks have no
// row.
class ChunkTables {
 public:
  void clear();
  void add(std::uint64_t input_offset, std::uint64_t input_bytes, std::uint64_t output_offset,
           std::uint64_t capacity);
  // Adds a chunk with its block dependencies.
  void add(const Chunk& chunk, std::uint64_t input_offset, std::uint64_t output_offset);
  std::uint32_t count() const { return static_cast<std::uint32_t>(input_offsets_.size()); }
  batch::Requirements needs() const { return {max_output_bytes_, has_dependent_chunks_}; }
  Status upload(Device& device, Queue& queue, batch::Batch& batch);
  // Enqueues the download of sizes and statuses.
  Status download(Queue& queue, const batch::Batch& batch);
  std::uint64_t size(std::size_t row) const { return sizes_[row]; }
  batch::ChunkStatus chunk_status(std::size_t row) const { return statuses_[row]; }

 private:
  std::vector<std::uint64_t> input_offsets_, input_sizes_, output_offsets_, capacities_, sizes_;
  std::vector<batch::ChunkStatus> statuses_;
  std::vector<std::uint32_t> streams_;  // batch::BlockDependencies
  std::uint32_t stream_count_ = 0;
  std::uint64_t max_output_bytes_ = 0, stream_bytes_ = 0, max_stream_bytes_ = 0;
  bool has_dependent_chunks_ = false;
};

// The worker state of a pipeline's slot.
class DeviceBatch {
 public:
  explicit DeviceBatch(std::shared_ptr<DeviceSession> session) : session_(std::move(session)) {}
  // Sets job.external_output. Returns the error of the first chunk that has one. `window` is the
  // output before the job, which its first chunk may reach into where it continues a stream.
  Status decode(const ChunkStages& stages, DecodeJob& job, std::span<const std::byte> window);

 private:
  struct Decoded {
    std::uint64_t bytes = 0;
    batch::ChunkStatus chunk_status;
  };
  Status enqueue(const ChunkStages& stages, const DecodeJob& job,
                 std::span<const std::byte> window);
  void fill_tables(const DecodeJob& job, std::uint64_t window_bytes);
  Status check_inputs(const ChunkStages& stages, const DecodeJob& job);
  Status check_statuses(const ChunkStages& stages, const DecodeJob& job);
  Status fetch_outputs(const DecodeJob& job);
  Status check_outputs(const ChunkStages& stages, const DecodeJob& job);
  Status note_times();
  Status record_event();

  std::shared_ptr<DeviceSession> session_;
  std::shared_ptr<HostBuffer> input_, output_;
  batch::Batch batch_;
  std::shared_ptr<Buffer> scratch_;
  ChunkTables tables_;
  DeviceReport times_;
  std::vector<Decoded> decoded_;  // of the chunks, in order, before the first that has an error
  std::uint64_t input_bytes_ = 0, output_bytes_ = 0;
  std::uint64_t first_output_offset_ = 0;  // in batch_.output; the window precedes it
  // Begin, uploaded, decoded, outputs requested, outputs fetched.
  std::vector<std::shared_ptr<Event>> events_;
  std::unique_ptr<Queue> queue_;  // last: it waits for work that uses the other members
};

}  // namespace penstock::stream
