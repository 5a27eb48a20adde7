// Decodes a long Zstandard frame by our own decoder, several threads inside of it. The input is
// mapped.
#include "codec/zstd/host/frame_decoder.hpp"
#include "stream/zstd/zstd_decoders.hpp"

namespace penstock::stream {
namespace {

// Decodes one frame. What follows may fit another method.
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
    context_.input.skip(frame_->consumed_bytes());
    return bytes;
  }

  std::uint64_t bytes_decoded_ahead() const override {
    return frame_ && !is_done_ ? frame_->consumed_bytes() : 0;
  }

 private:
  Status begin_frame() {
    PENSTOCK_ASSIGN(const ZstdFrameHeader header, peek_zstd_header(context_));
    location_ = {Format::zstd, ++context_.report.member_count, context_.input.offset()};
    PENSTOCK_TRY(check_zstd_dictionary(
        header, options_.dictionary ? std::optional(options_.dictionary->id) : std::nullopt,
        location_));
    context_.report.unchecked_member_count += !header.has_checksum;
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(1));
    auto frame = zstd::FrameDecoder::begin(bytes, options_);
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
  if (!context.input.is_mapped()) return false;
  PENSTOCK_ASSIGN(const ZstdFrameHeader header, peek_zstd_header(context));
  if (!context.options.method.empty()) return true;
  const ErrorLocation location{Format::zstd, context.next_member(), context.input.offset()};
  PENSTOCK_ASSIGN(
      const auto extent,
      measure_zstd_frame(context.input, header, max_threaded_frame_bytes(context.input), location));
  if (!extent) return true;
  const bool is_only_one = context.report.member_count == 0 &&
                           context.input.offset() + extent->frame_bytes == *context.input.size();
  return is_only_one && extent->frame_bytes >= min_frame_bytes;
}

Result<std::unique_ptr<Decoder>> make_parallel_frame(Context& context) {
  PENSTOCK_ASSIGN(auto dictionary, read_zstd_dictionary(context));
  return std::unique_ptr<Decoder>(new ParallelFrame(context, std::move(dictionary)));
}

}  // namespace penstock::stream
