// Decodes a long Zstandard frame by our own decoder, several threads inside of it. Its blocks are
// read as they are decoded.
#include "codec/zstd/host/frame_decoder.hpp"
#include "stream/zstd/zstd_decoders.hpp"

namespace penstock::stream {
namespace {

// The frame at the input's position. The position advances as the decoder takes bytes.
class FrameOfInput final : public zstd::FrameInput {
 public:
  explicit FrameOfInput(Input& input) : input_(input), begin_(input.offset()) {}

  Result<zstd::FrameBytes> bytes_from(std::uint64_t at, std::size_t bytes) override {
    input_.skip(begin_ + at - input_.offset());
    PENSTOCK_ASSIGN(const auto found, input_.peek(bytes));
    const auto* const first = reinterpret_cast<const zstd::Byte*>(found.data());
    return zstd::FrameBytes{{first, found.size()}, input_.owner()};
  }

 private:
  Input& input_;
  const std::uint64_t begin_;
};

// Decodes one frame. The rest may fit another method.
class ParallelFrame : public Decoder {
 public:
  ParallelFrame(Context& context, std::shared_ptr<const zstd::Dictionary> dictionary)
      : context_(context),
        options_{.threads = context.threads,
                 .window_limit_bytes = max_zstd_window_bytes,
                 .dictionary = std::move(dictionary)} {}

  Result<std::span<const std::byte>> next() override {
    if (is_done_) return std::span<const std::byte>();
    if (!frame_) PENSTOCK_TRY(begin_frame());
    const auto bytes = frame_->next();
    PENSTOCK_TRY(located_in_frame(bytes.status(), location_));
    if (!bytes->empty()) return bytes;
    is_done_ = true;
    context_.input.skip(location_.offset + frame_->consumed_bytes() - context_.input.offset());
    return bytes;
  }

 private:
  Status begin_frame() {
    PENSTOCK_ASSIGN(const ZstdFrameHeader header, peek_zstd_header(context_));
    location_ = {Format::zstd, ++context_.report.member_count, context_.input.offset()};
    PENSTOCK_TRY(check_zstd_dictionary(
        header, options_.dictionary ? std::optional(options_.dictionary->id) : std::nullopt,
        location_));
    context_.report.unchecked_member_count += !header.has_checksum;
    auto frame =
        zstd::FrameDecoder::begin(std::make_unique<FrameOfInput>(context_.input), options_);
    PENSTOCK_TRY(located_in_frame(frame.status(), location_));
    frame_ = *std::move(frame);
    return {};
  }

  Context& context_;
  zstd::DecodeOptions options_;
  std::unique_ptr<zstd::FrameDecoder> frame_;
  ErrorLocation location_{};
  bool is_done_ = false;
};

// A frame that is the input's only one is decoded by threads from this size on.
constexpr std::uint64_t min_frame_bytes = 1 << 20;

}  // namespace

Result<bool> fits_parallel_frame(Context& context) {
  PENSTOCK_ASSIGN(const ZstdFrameHeader header, peek_zstd_header(context));
  if (!context.options.method.empty()) return true;
  const ErrorLocation location{Format::zstd, context.next_member(), context.input.offset()};
  PENSTOCK_ASSIGN(const auto extent,
                  measure_zstd_frame(context.input, header, max_whole_frame_bytes, location));
  if (!extent) return true;
  const bool is_only_one = context.report.member_count == 0 &&
                           context.input.offset() + extent->frame_bytes == context.input.size();
  return is_only_one && extent->frame_bytes >= min_frame_bytes;
}

Result<std::unique_ptr<Decoder>> make_parallel_frame(Context& context) {
  PENSTOCK_ASSIGN(auto dictionary, read_zstd_dictionary(context));
  return std::unique_ptr<Decoder>(new ParallelFrame(context, std::move(dictionary)));
}

}  // namespace penstock::stream
