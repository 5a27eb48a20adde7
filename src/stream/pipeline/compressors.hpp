// What compress() runs: stages of a pipeline, one table of them.
#pragma once
#include <memory>

#include "penstock/batch.hpp"
#include "stream/input/input.hpp"
#include "stream/pipeline/pipeline.hpp"

namespace penstock::stream {

// How a format puts its compressed blocks one behind the other, whoever has compressed them.
class Framing {
 public:
  static constexpr std::size_t max_bytes_around = 32;  // of a block; and of a beginning, and an end
  virtual ~Framing() = default;
  virtual batch::Format chunk_format() const = 0;
  virtual bool is_empty_a_block() const { return false; }  // of an input without bytes
  // What stands before the first block. Each of these returns how many bytes it wrote.
  virtual std::size_t begin(std::byte* to) const = 0;
  // A block of text and what that became, or the text itself where the format has stored blocks and
  // it is no longer.
  virtual std::size_t put(std::byte* to, std::span<const std::byte> output,
                          std::span<const std::byte> chunk) const = 0;
  // All text, in order; then what stands behind the last block.
  virtual void update(std::span<const std::byte> output) = 0;
  virtual std::size_t end(std::byte* to) const = 0;
};

struct Compressor {
  Format format;
  std::uint32_t default_level, max_level;
  // Options have a level and block_bytes that the format has.
  std::unique_ptr<Stages> (*make)(Input& input, const CompressOptions& options);
  std::unique_ptr<Framing> (*make_framing)(const CompressOptions& options) =
      nullptr;  // null: devices do not compress it
  std::uint64_t device_block_bytes = 0;
};
const Compressor* compressor_of(Format format);  // null: the format is not written

std::unique_ptr<Framing> make_gzip_framing(const CompressOptions& options);
std::unique_ptr<Framing> make_lz4_framing(const CompressOptions& options);

class DeviceRun;  // device_batch.hpp
std::unique_ptr<Stages> make_device_compressor(Input& input, const CompressOptions& options,
                                               std::unique_ptr<Framing> framing,
                                               std::shared_ptr<DeviceRun> run);

std::unique_ptr<Stages> make_gzip_compressor(Input& input, const CompressOptions& options);
std::unique_ptr<Stages> make_zstd_compressor(Input& input, const CompressOptions& options);
std::unique_ptr<Stages> make_lz4_compressor(Input& input, const CompressOptions& options);

// The next block of the input as the piece's; false where the input ended. An empty input is one
// empty block where `begins`.
Result<bool> take_input_block(Input& input, std::uint64_t block_bytes, bool begins, Piece& piece);

}  // namespace penstock::stream
