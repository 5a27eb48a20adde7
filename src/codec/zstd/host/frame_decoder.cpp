#include "codec/zstd/host/frame_decoder.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/exception_boundary.hpp"
#include "base/thread_pool.hpp"
#include "codec/zstd/host/frame_pipeline.hpp"
#include "codec/zstd/host/whole_frame_decoder.hpp"

namespace penstock::zstd {
namespace {

// Output that may be written and not yet taken: at least enough for the threads to go on while a
// part is written to a file.
constexpr std::uint64_t min_kept_bytes = std::uint64_t{2} << 20;
constexpr std::uint64_t max_part_bytes = std::uint64_t{512} << 10;

std::span<const Byte> content_of(const DecodeOptions& options) {
  return options.dictionary == nullptr ? std::span<const Byte>()
                                       : std::span<const Byte>(options.dictionary->content);
}

unsigned threads_of(const DecodeOptions& options) {
  return options.threads != 0 ? options.threads : host_core_count();
}

OutputLimits limits_of(const FrameHeader& header, const DecodeOptions& options) {
  return {options.output_limit_bytes, header.has_checksum && options.is_checksum_verified};
}

Result<FrameHeader> accepted_header(std::span<const std::byte> input,
                                    const DecodeOptions& options) {
  PENSTOCK_ASSIGN(const FrameHeader header, read_frame_header(input));
  const std::uint32_t id = header.dictionary_id;
  if (id == 0 || (options.dictionary != nullptr && options.dictionary->id == id)) return header;
  return Status(Code::invalid,
                "Zstandard frame: it needs dictionary " + std::to_string(id) +
                    (options.dictionary == nullptr
                         ? std::string(", and none is given")
                         : ", and " + std::to_string(options.dictionary->id) + " is given"));
}

class StreamingDecoder final : public FrameDecoder {
 public:
  StreamingDecoder(std::unique_ptr<FrameInput> input, const FrameHeader& header,
                   const DecodeOptions& options)
      : header_(header),
        kept_bytes_(kept_of(header)),
        pipeline_(std::move(input), header, options.dictionary, limits_of(header, options),
                  OutputWindow(kept_bytes_, header.block_limit_bytes(), content_of(options)),
                  kept_bytes_, threads_of(options)) {}

  Result<std::span<const std::byte>> next() override {
    pipeline_.release(part_bytes_);
    part_bytes_ = 0;
    PENSTOCK_ASSIGN(const auto part, pipeline_.take(max_part_bytes));
    part_bytes_ = part.size();
    return std::as_bytes(part);
  }
  std::uint64_t consumed_bytes() const override { return pipeline_.consumed_bytes(); }
  const FrameHeader& header() const override { return header_; }

 private:
  // Returns the output to keep: all of a short frame, and the window of a longer one.
  static std::uint64_t kept_of(const FrameHeader& header) {
    const std::uint64_t kept = std::max<std::uint64_t>(header.window_bytes, min_kept_bytes);
    return header.content_bytes
               ? std::min(kept, std::max<std::uint64_t>(*header.content_bytes,
                                                        header.block_limit_bytes()))
               : kept;
  }

  const FrameHeader header_;
  const std::uint64_t kept_bytes_;
  std::uint64_t part_bytes_ = 0;
  FramePipeline pipeline_;
};

}  // namespace

Result<std::unique_ptr<FrameDecoder>> FrameDecoder::begin(std::span<const std::byte> input,
                                                          const DecodeOptions& options) {
  return catch_exceptions([&] { return begin(std::make_unique<FrameInMemory>(input), options); });
}

Result<std::unique_ptr<FrameDecoder>> FrameDecoder::begin(std::unique_ptr<FrameInput> input,
                                                          const DecodeOptions& options) {
  return catch_exceptions([&]() -> Result<std::unique_ptr<FrameDecoder>> {
    PENSTOCK_ASSIGN(const FrameBytes first, input->bytes_from(0, largest_frame_header_bytes));
    PENSTOCK_ASSIGN(const FrameHeader header, accepted_header(std::as_bytes(first.bytes), options));
    if (header.window_bytes > options.window_limit_bytes)
      return Status(Code::capacity, "Zstandard frame: its window of " +
                                        std::to_string(header.window_bytes) +
                                        " bytes is beyond the limit of " +
                                        std::to_string(options.window_limit_bytes));
    return std::unique_ptr<FrameDecoder>(
        std::make_unique<StreamingDecoder>(std::move(input), header, options));
  });
}

Result<DecodedFrame> decode_frame(std::span<const std::byte> input, std::span<std::byte> output,
                                  const DecodeOptions& options) {
  return catch_exceptions([&]() -> Result<DecodedFrame> {
    PENSTOCK_ASSIGN(const FrameHeader header, accepted_header(input, options));
    const std::span<Byte> buffer{reinterpret_cast<Byte*>(output.data()), output.size()};
    OutputWindow window(buffer, content_of(options));
    const OutputLimits limits = limits_of(header, options);
    if (threads_of(options) == 1) {
      thread_local const auto decoder = std::make_unique<WholeFrameDecoder>();
      return decoder->decode(input, header, limits, options.dictionary.get(), std::move(window));
    }
    FramePipeline pipeline(std::make_unique<FrameInMemory>(input), header, options.dictionary,
                           limits, std::move(window), UINT64_MAX, threads_of(options));
    PENSTOCK_TRY(pipeline.run());
    return DecodedFrame{pipeline.consumed_bytes(), pipeline.written_bytes()};
  });
}

}  // namespace penstock::zstd
