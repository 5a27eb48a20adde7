// Writes blocks in order: raw and RLE blocks, and LZ77 copies of decoded sequences. Keeps the state
// between blocks: the repeat offsets and the checksum.
#pragma once
#include <array>
#include <cstdint>

#include "codec/checksum/xxhash.hpp"
#include "codec/zstd/format/dictionary.hpp"
#include "codec/zstd/format/frame_header.hpp"
#include "codec/zstd/host/block_decoder.hpp"
#include "codec/zstd/host/output_window.hpp"
#include "penstock/status.hpp"

namespace penstock::zstd {

struct OutputLimits {
  std::uint64_t output_bytes = UINT64_MAX;
  bool is_checksum_wanted = false;
};

class BlockWriter {
 public:
  // A dictionary may be null.
  BlockWriter(const HotLoops& loops, const FrameHeader& header, const OutputLimits& limits,
              const Dictionary* dictionary, OutputWindow output);

  static std::uint64_t bytes_of(const BlockPlan& plan, const DecodedBlock& block);
  // Writes a block. Errors: Code::corrupt (offsets, more bytes than the header states),
  // Code::capacity (the limit, or the caller's buffer).
  Status write(const BlockPlan& plan, const DecodedBlock& block);
  // Checks the content size after the last block, and the checksum at byte `at` of the input where
  // that is wanted. Returns where the frame ends.
  Result<std::uint64_t> finish(std::span<const Byte> rest, std::uint64_t at) const;

  std::uint64_t written_bytes() const { return written_; }
  const OutputWindow& output() const { return output_; }

 private:
  Status check_size(const BlockPlan& plan, std::uint64_t bytes) const;
  bool is_plain(const DecodedBlock& block) const;
  Status write_sequences(const BlockPlan& plan, const DecodedBlock& block);
  const Sequence* write_carefully(const DecodedBlock& block);
  bool is_within_reach(std::uint32_t offset, std::uint64_t written) const;

  const HotLoops& loops_;
  FrameHeader header_;
  OutputLimits limits_;
  OutputWindow output_;
  std::uint64_t dictionary_bytes_ = 0, written_ = 0;
  std::array<std::uint32_t, 3> repeat_offsets_;
  checksum::Xxh64 checksum_;
};

}  // namespace penstock::zstd
