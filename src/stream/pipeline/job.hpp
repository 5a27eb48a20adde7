// Jobs: what goes through a pipeline, one slot of the ring each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "penstock/status.hpp"

namespace penstock::stream {

// Holds the output of one job. A slot's memory and worker state are kept from job to job, since
// fresh pages cost as much as LZ4 takes to fill them.
struct Job {
  LargeArray<std::byte> memory;
  std::size_t begin = 0, end = 0;                   // the range of `memory` that the output has
  std::span<const std::byte> external_output;       // the output where it is not in `memory`
  std::vector<std::shared_ptr<const void>> owners;  // keep the compressed bytes alive
  std::shared_ptr<void> worker_state;               // of the stage that works on this slot

  void keep_alive(const std::shared_ptr<const void>& owner) {
    if (owner && (owners.empty() || owners.back() != owner)) owners.push_back(owner);
  }
  // Returns memory of at least `bytes` bytes with undefined content.
  std::byte* reserve(std::size_t bytes) {
    memory.reserve(bytes);
    return memory.data();
  }
  std::span<const std::byte> output() const {
    return external_output.empty() ? std::span<const std::byte>(memory.data() + begin, end - begin)
                                   : external_output;
  }
  void clear() {
    begin = end = 0;
    external_output = {};
    owners.clear();
  }
};

// An independent compressed buffer inside a job: an LZ4 or Snappy block, a gzip member, a
// Zstandard frame.
struct Chunk {
  std::span<const std::byte> bytes;  // its compressed body
  std::uint64_t offset = 0;          // of the body in the input
  std::uint64_t index = 0;           // of the member, frame or chunk that errors name
  // How many bytes it becomes: exactly or at most, as its format knows; exactly once it is decoded.
  std::uint64_t output_bytes = 0;
  std::uint32_t checksum = 0;
  bool is_stored = false, has_checksum = false;
  // Bytes before and after the body that belong to it, where devices check them, too.
  std::uint32_t header_bytes = 0, trailer_bytes = 0;
  // Whether its matches reach into the chunks before it, up to the one that begins the stream.
  bool is_dependent = false, begins_stream = true;

  // Stored chunks stay on the host, unless dependent ones may reach into them.
  bool is_for_devices() const { return !is_stored || is_dependent; }
  std::span<const std::byte> whole() const {
    return {bytes.data() - header_bytes, header_bytes + bytes.size() + trailer_bytes};
  }
};

// The output that a chunk counts for at least, which bounds the number of chunks in a job. An empty
// stored block has four bytes in a file, and its Chunk takes twenty times as much memory.
constexpr std::uint64_t min_counted_output_bytes = 1024;

// Tells join() where frames begin and end in a job. Only LZ4 has frames that cross jobs.
struct FrameEdges {
  bool begins = false, ends = false;
  bool has_checksum = false;  // of its content
  std::uint32_t checksum = 0;
  std::optional<std::uint64_t> content_bytes = {};  // what the header says
  std::uint64_t index = 0, offset = 0;              // of the checksum, or of the frame's end
  std::size_t chunk_end = 0;  // one past the frame's last chunk, where frames follow in the job
};

// Chunks to decode.
struct DecodeJob : Job {
  std::vector<Chunk> chunks;
  std::uint64_t capacity = 0;             // what the chunks' output may take
  std::vector<FrameEdges> frames_before;  // that end in the job
  FrameEdges frame;                       // the last, or the only one
  Status error;  // of the chunk after `chunks`; join() first checks the frames that end before it

  // Cuts the job before chunk `index`, which has `error`. Returns the error, or leaves it to join()
  // where frames end in the job.
  Status end_before(std::size_t index, Status chunk_error) {
    if (frames_before.empty()) return chunk_error;
    chunks.resize(index);
    error = std::move(chunk_error);
    return {};
  }
  void clear() {
    Job::clear();
    chunks.clear(), frames_before.clear();
    capacity = 0;
    frame = {}, error = {};
  }
};

// A block to compress.
struct EncodeJob : Job {
  std::span<const std::byte> input;
  bool begins_frame = false, ends_frame = false;  // an ending job has no input

  void clear() {
    Job::clear();
    input = {};
    begins_frame = ends_frame = false;
  }
};

}  // namespace penstock::stream
