// Zstandard by libzstd: frames of moderate size several at once, one long frame in order and in
// parts.
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>
#include <new>

#include "stream/methods.hpp"
#include "stream/zstd/zstd_format.hpp"

namespace penstock::stream {
namespace {

constexpr std::uint64_t min_piece_bytes = 1 << 20;  // a piece has several small frames, or one
constexpr std::size_t stream_piece_bytes = 1 << 20;

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
struct FreeDictionary {
  void operator()(ZSTD_DDict* dictionary) const { ZSTD_freeDDict(dictionary); }
};
using DecodingContext = std::unique_ptr<ZSTD_DCtx, FreeContext>;
using Dictionary = std::unique_ptr<ZSTD_DDict, FreeDictionary>;

DecodingContext new_context() {
  DecodingContext context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax,
                         sizeof(void*) == 8 ? 31 : 30);  // as long as the library can
  return context;
}

Result<Dictionary> load_dictionary(std::span<const std::byte> bytes) {
  if (bytes.empty()) return Dictionary();
  Dictionary dictionary(ZSTD_createDDict(bytes.data(), bytes.size()));
  if (!dictionary)
    return Status(Code::invalid, "the dictionary is damaged, or there is no memory for it");
  return dictionary;
}

std::optional<std::uint32_t> dictionary_number(const ZSTD_DDict* dictionary) {
  return dictionary ? std::optional<std::uint32_t>(ZSTD_getDictID_fromDDict(dictionary))
                    : std::nullopt;
}

Status library_error(std::size_t code, const Place& place) {
  const char* const reason = ZSTD_getErrorName(code);
  switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation: return {Code::no_memory, "out of memory"};
    case ZSTD_error_frameParameter_windowTooLarge:
      return place.error(Code::unsupported, "a window of more than 2 GiB");
    default: return place.corrupt(std::string("in the frame: ") + reason);
  }
}

class Frames : public Stages {
 public:
  Frames(Context& context, Dictionary dictionary)
      : context_(context), dictionary_(std::move(dictionary)) {}

  Result<bool> take(Piece& piece) override {
    const std::uint64_t max_frame_bytes = max_threaded_frame_bytes(context_.input);
    while (piece.capacity < min_piece_bytes) {
      PENSTOCK_ASSIGN(const auto header,
                      next_zstd_frame(context_.input, context_.member_count + 1));
      if (!header) break;
      const Place place{Format::zstd, context_.member_count + 1, context_.input.offset()};
      PENSTOCK_ASSIGN(const auto extent,
                      measure_zstd_frame(context_.input, *header, max_frame_bytes, place));
      if (!extent || (!piece.units.empty() &&
                      piece.capacity + extent->remaining_output_bytes > max_frame_bytes))
        break;
      PENSTOCK_TRY(check_zstd_dictionary(*header, dictionary_number(dictionary_.get()), place));
      PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(extent->frame_bytes));
      piece.units.push_back({.bytes = bytes.first(extent->frame_bytes),
                             .offset = place.offset,
                             .index = ++context_.member_count,
                             .output_bytes = extent->remaining_output_bytes});
      piece.capacity += std::max(extent->remaining_output_bytes, min_counted_bytes);
      piece.keep(context_.input.owner());
      context_.unchecked_member_count += !header->has_checksum;
      context_.input.skip(extent->frame_bytes);
    }
    return !piece.units.empty();
  }

  Status work(Piece& piece) override {
    thread_local const DecodingContext decoding = new_context();
    std::byte* const memory = piece.reserve(piece.capacity);
    for (const Unit& unit : piece.units) {
      const std::size_t made =
          ZSTD_decompress_usingDDict(decoding.get(), memory + piece.end, unit.output_bytes,
                                     unit.bytes.data(), unit.bytes.size(), dictionary_.get());
      if (ZSTD_isError(made)) return library_error(made, {Format::zstd, unit.index, unit.offset});
      piece.end += made;
    }
    return {};
  }

 private:
  Context& context_;
  Dictionary dictionary_;
};

class FrameStream : public Stages {
 public:
  FrameStream(Context& context, Dictionary dictionary)
      : context_(context), dictionary_(std::move(dictionary)), decoding_(new_context()) {}

  // One frame; what follows may fit another way.
  Result<bool> take(Piece& piece) override {
    if (is_done_) return false;
    if (!is_inside_) {
      PENSTOCK_ASSIGN(is_inside_, begin_frame());
      if (!is_inside_) return false;
    }
    ZSTD_outBuffer out{piece.reserve(stream_piece_bytes), stream_piece_bytes, 0};
    while (out.pos < out.size && !is_done_) PENSTOCK_TRY(step(out));
    piece.end = out.pos;
    return true;
  }

 private:
  Result<bool> begin_frame() {
    PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context_.input, context_.member_count + 1));
    if (!header) return false;
    const Place place{Format::zstd, ++context_.member_count, context_.input.offset()};
    PENSTOCK_TRY(check_zstd_dictionary(*header, dictionary_number(dictionary_.get()), place));
    context_.unchecked_member_count += !header->has_checksum;
    if (dictionary_) ZSTD_DCtx_refDDict(decoding_.get(), dictionary_.get());
    return true;
  }

  Status step(ZSTD_outBuffer& out) {
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(1));
    const Place place{Format::zstd, context_.member_count, context_.input.offset()};
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    const std::size_t made_before = out.pos,
                      hint = ZSTD_decompressStream(decoding_.get(), &out, &in);
    if (ZSTD_isError(hint)) return library_error(hint, place.at(place.offset + in.pos));
    if (hint != 0 && bytes.empty() && out.pos == made_before) return place.ended();
    context_.input.skip(in.pos);
    is_done_ = hint == 0;
    return {};
  }

  Context& context_;
  Dictionary dictionary_;
  DecodingContext decoding_;
  bool is_inside_ = false, is_done_ = false;
};

}  // namespace

Result<bool> fits_zstd_frames(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context.input, context.member_count + 1));
  if (!header) return true;  // nothing but skippable frames was left
  const Place place{Format::zstd, context.member_count + 1, context.input.offset()};
  PENSTOCK_ASSIGN(
      const auto extent,
      measure_zstd_frame(context.input, *header, max_threaded_frame_bytes(context.input), place));
  return extent.has_value();
}
Result<std::unique_ptr<Decoder>> make_zstd_frames(Context& context) {
  PENSTOCK_ASSIGN(Dictionary dictionary, load_dictionary(context.options.dictionary));
  return in_pipeline(context, std::make_unique<Frames>(context, std::move(dictionary)));
}
Result<std::unique_ptr<Decoder>> make_zstd_stream(Context& context) {
  PENSTOCK_ASSIGN(Dictionary dictionary, load_dictionary(context.options.dictionary));
  return in_pipeline(context, std::make_unique<FrameStream>(context, std::move(dictionary)), true);
}

}  // namespace penstock::stream
