// Finds a frame's blocks one after another. Sizes form a chain, and a block leaves to later ones
// only descriptions of a few hundred bytes. This is all that must happen in order before blocks are
// decoded (repeat offsets are resolved when blocks are written).
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "codec/zstd/format/block_plan.hpp"
#include "codec/zstd/format/dictionary.hpp"
#include "codec/zstd/format/frame_header.hpp"
#include "codec/zstd/host/frame_input.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

class BlockScanner {
 public:
  // `frame` must outlive the scanner. A dictionary may be null.
  BlockScanner(FrameInput& frame, const FrameHeader& header, const Dictionary* dictionary);

  // Reads the next block; not after the last. Errors: Code::truncated, Code::corrupt, and errors of
  // the input.
  Status next(BlockPlan& plan);
  // Returns the bytes of the frame that were read. After the last block the checksum begins here.
  std::uint64_t at() const { return at_; }

 private:
  Result<FrameBytes> block_bytes();
  Status read_compressed(BlockPlan& plan);
  const char* read_literals(std::span<const Byte>& rest, LiteralsPlan& plan);
  const char* read_sequences(std::span<const Byte> rest, SequencesPlan& plan);
  const char* read_source(std::span<const Byte>& rest, CodeKind kind, TableMode mode);

  FrameInput& frame_;
  std::uint64_t at_ = 0, blocks_ = 0, tables_ = predefined_serial;  // the last: serials in use
  std::uint32_t block_limit_bytes_ = 0;
  NumberedTree tree_;
  std::array<NumberedSource, 3> sources_;
};

}  // namespace penstock::zstd
