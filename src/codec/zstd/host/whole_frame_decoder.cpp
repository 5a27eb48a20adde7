#include "codec/zstd/host/whole_frame_decoder.hpp"

#include "codec/zstd/host/block_scanner.hpp"

namespace penstock::zstd {

WholeFrameDecoder::WholeFrameDecoder() : loops_(hot_loops()), decoder_(loops_) {}

Result<DecodedFrame> WholeFrameDecoder::decode(std::span<const Byte> input,
                                               const FrameHeader& header,
                                               const OutputLimits& limits,
                                               const Dictionary* dictionary, OutputWindow output) {
  BlockScanner scanner(input, header, dictionary);
  BlockWriter writer(loops_, header, limits, dictionary, std::move(output));
  decoder_.begin_frame();
  do {
    PENSTOCK_TRY(scanner.next(plan_));
    if (plan_.type == BlockType::compressed)
      PENSTOCK_TRY(
          decoder_.decode(plan_, input.data() + input.size(), header.block_limit_bytes(), block_));
    PENSTOCK_TRY(writer.write(plan_, block_));
  } while (!plan_.is_last);
  PENSTOCK_ASSIGN(const std::uint64_t end, writer.finish(input, scanner.at()));
  return DecodedFrame{end, writer.written_bytes()};
}

}  // namespace penstock::zstd
