// A format's interface for compress(): its levels, its block sizes and its pipeline stages.
#pragma once
#include <memory>

#include "penstock/batch.hpp"
#include "stream/input/input.hpp"
#include "stream/pipeline/pipeline.hpp"

namespace penstock::stream {

// Writes a format's headers and trailers around blocks that a device has compressed.
class Framing {
 public:
  // The limit of bytes around a block, and of the bytes of a beginning and an end.
  static constexpr std::size_t max_overhead_bytes = 32;
  virtual ~Framing() = default;
  virtual batch::Format chunk_format() const = 0;
  // Whether an empty input is written as one empty block.
  virtual bool has_block_for_empty_input() const { return false; }
  // Writes what precedes the first block. Each of these returns how many bytes it wrote.
  virtual std::size_t begin(std::byte* to) const = 0;
  // Writes a block: the compressed chunk, or the plain bytes where the format has stored blocks and
  // the chunk is not shorter.
  virtual std::size_t put(std::byte* to, std::span<const std::byte> plain,
                          std::span<const std::byte> chunk) const = 0;
  // Sees all plain bytes in order, for the checksum that end() writes.
  virtual void update(std::span<const std::byte> plain) = 0;
  virtual std::size_t end(std::byte* to) const = 0;
};

struct Compressor {
  std::uint32_t default_level, max_level;
  std::uint64_t (*default_block_bytes)(std::uint32_t level);
  // The options' level and block_bytes are ones that the format has.
  std::unique_ptr<EncodeStages> (*make)(Input& input, const CompressOptions& options);
  Status (*check_block_bytes)(std::uint64_t block_bytes) = nullptr;  // null: all sizes are allowed
  // Null if devices do not compress the format.
  std::unique_ptr<Framing> (*make_framing)(const CompressOptions& options) = nullptr;
  std::uint64_t device_block_bytes = 0;
};

// Takes the next block of the input. Returns false at the input's end; an empty input is one empty
// block where `allows_empty`.
Result<bool> take_input_block(Input& input, std::uint64_t block_bytes, bool allows_empty,
                              EncodeJob& job);

}  // namespace penstock::stream
