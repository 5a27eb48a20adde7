#include "codec/zstd/host/whole_frame_decoder.hpp"

#include "codec/zstd/host/block_scanner.hpp"

namespace penstock::zstd {

WholeFrameDecoder::WholeFrameDecoder() : loops_(hot_loops()), decoder_(loops_) {}

Result<DecodedFrame> WholeFrameDecoder::decode(std::span<const std::byte> input,
                                               const FrameHeader& header,
                                               const OutputLimits& limits,
                                               const Dictionary* dictionary, OutputWindow output) {
  FrameInMemory frame(input);
  BlockScanner scanner(frame, header, dictionary);
  BlockWriter writer(loops_, header, limits, dictionary, std::move(output));
  decoder_.begin_frame();
  do {
    PENSTOCK_TRY(scanner.next(plan_));
    if (plan_.type == BlockType::compressed)
      PENSTOCK_TRY(decoder_.decode(plan_, header.block_limit_bytes(), block_));
    PENSTOCK_TRY(writer.write(plan_, block_));
  } while (!plan_.is_last);
  PENSTOCK_ASSIGN(const FrameBytes rest, frame.bytes_from(scanner.at(), checksum_bytes));
  PENSTOCK_ASSIGN(const std::uint64_t end, writer.finish(rest.bytes, scanner.at()));
  return DecodedFrame{end, writer.written_bytes()};
}

}  // namespace penstock::zstd
