// Stages with jobs of chunks that are decoded separately. The host decodes them in work() by the
// format's library; a device decodes all chunks of a job at once (device_batch.hpp). Finding
// chunks, and checks across chunks, are the same for both.
#pragma once
#include "penstock/batch.hpp"
#include "stream/input/error_location.hpp"
#include "stream/pipeline/context.hpp"

namespace penstock::stream {

// The output of a job on the host. A thread that takes a job costs some microseconds, and 1 MiB
// stays in the L2 cache.
constexpr std::uint64_t host_job_bytes = 1 << 20;

class ChunkStages : public DecodeStages {
 public:
  virtual batch::Format chunk_format() const = 0;
  // Whether check_output() and join() read the output, which otherwise stays on the device.
  virtual bool reads_outputs() const { return true; }
  // Whether chunks refer to earlier chunks. Jobs are then decoded in order, each after the last
  // bytes of the one before.
  virtual bool has_dependent_chunks() const { return false; }
  // Checks a chunk's compressed bytes against the file's checksum of them.
  virtual Status check_input(const Chunk&) const { return {}; }
  // Checks a device's output of a valid chunk.
  virtual Status check_output(const Chunk&, std::span<const std::byte>, batch::ChunkStatus) const {
    return {};
  }
  // Returns the error of a chunk that a device refused, with its byte in the file.
  virtual Status error_of(const Chunk& chunk, batch::ChunkStatus chunk_status) const = 0;
};

}  // namespace penstock::stream
