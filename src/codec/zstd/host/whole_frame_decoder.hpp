// Decodes frames on one thread, whole and one after another. Keeps its memory and tables from frame
// to frame: without that a frame of some kilobytes spends most of its time on fresh pages.
#pragma once
#include "codec/zstd/host/block_decoder.hpp"
#include "codec/zstd/host/block_writer.hpp"
#include "codec/zstd/host/frame_decoder.hpp"

namespace penstock::zstd {

class WholeFrameDecoder {
 public:
  WholeFrameDecoder();
  // Decodes the frame that `input` begins with, as decode_frame() does. A dictionary may be null.
  Result<DecodedFrame> decode(std::span<const std::byte> input, const FrameHeader& header,
                              const OutputLimits& limits, const Dictionary* dictionary,
                              OutputWindow output);

 private:
  const HotLoops& loops_;
  BlockDecoder decoder_;
  BlockPlan plan_;
  DecodedBlock block_;
};

}  // namespace penstock::zstd
