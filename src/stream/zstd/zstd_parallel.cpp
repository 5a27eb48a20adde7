// A long Zstandard frame by our own decoder, which has several threads inside of it. Of mapped
// input.
#include "codec/zstd/host/frame_decoder.hpp"
#include "stream/methods.hpp"
#include "stream/zstd/zstd_format.hpp"

namespace penstock::stream {
namespace {

// One frame; what follows may fit another way.
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
    PENSTOCK_TRY(placed(bytes.status()));
    if (!bytes->empty()) return bytes;
    is_done_ = true;
    context_.input.skip(frame_->consumed_bytes());
    return bytes;
  }

  std::uint64_t bytes_begun() const override {
    return frame_ && !is_done_ ? frame_->consumed_bytes() : 0;
  }

 private:
  Status begin_frame() {
    PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context_.input, context_.member_count + 1));
    if (!header) return {Code::internal, "a way to decode a zstd frame was chosen where none is"};
    place_ = {Format::zstd, ++context_.member_count, context_.input.offset()};
    PENSTOCK_TRY(check_zstd_dictionary(
        *header, options_.dictionary ? std::optional(options_.dictionary->id) : std::nullopt,
        place_));
    context_.unchecked_member_count += !header->has_checksum;
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(1));
    auto frame = zstd::FrameDecoder::begin(bytes, options_);
    PENSTOCK_TRY(placed(frame.status()));
    frame_ = *std::move(frame);
    return {};
  }

  // The decoder counts bytes from the frame's first.
  Status placed(const Status& status) const {
    if (status.ok() || (status.code() != Code::corrupt && status.code() != Code::truncated))
      return status;
    return place_.error(status.code(), "in the frame that begins here: " + status.message());
  }

  Context& context_;
  zstd::DecodeOptions options_;
  std::unique_ptr<zstd::FrameDecoder> frame_;
  Place place_{};
  bool is_done_ = false;
};

// Of a frame that threads are begun for, where it is the input's only one.
constexpr std::uint64_t min_frame_bytes = 1 << 20;

}  // namespace

Result<bool> fits_zstd_parallel(Context& context) {
  if (!context.input.is_mapped()) return false;
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context.input, context.member_count + 1));
  if (!header) return false;
  if (!context.options.variant.empty()) return true;
  const Place place{Format::zstd, context.member_count + 1, context.input.offset()};
  PENSTOCK_ASSIGN(
      const auto extent,
      measure_zstd_frame(context.input, *header, max_threaded_frame_bytes(context.input), place));
  if (!extent) return true;
  const bool is_only_one = context.member_count == 0 &&
                           context.input.offset() + extent->frame_bytes == *context.input.size();
  return is_only_one && extent->frame_bytes >= min_frame_bytes;
}

Result<std::unique_ptr<Decoder>> make_zstd_parallel(Context& context) {
  std::shared_ptr<const zstd::Dictionary> dictionary;
  if (!context.options.dictionary.empty()) {
    PENSTOCK_ASSIGN(dictionary, zstd::read_dictionary(context.options.dictionary));
  }
  return std::unique_ptr<Decoder>(new ParallelFrame(context, std::move(dictionary)));
}

}  // namespace penstock::stream
