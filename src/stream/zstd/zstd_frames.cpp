// Decodes Zstandard frames of moderate size several at once, and one long frame in order and in
// parts.
//
// Whole frames are decoded by libzstd, which is 2 to 10 times as fast as our decoder on small
// frames (200 bytes to 64 KiB, one thread). But libzstd 1.5.4 refuses some valid frames and accepts
// some corrupt ones (docs/formats/zstd.md). So it decides only where it decoded a frame whose
// blocks are well-formed, and the frame's checksum vouches for the output. Our decoder decides
// otherwise.
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>
#include <new>

#include "codec/zstd/format/dictionary.hpp"
#include "codec/zstd/host/block_scanner.hpp"
#include "stream/zstd/zstd_decoders.hpp"

namespace penstock::stream {
namespace {

constexpr std::uint64_t min_job_bytes = 1 << 20;  // a job has several small frames, or one
constexpr std::size_t stream_job_bytes = 1 << 20;

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
    return Status(Code::invalid, "zstd: the dictionary is corrupt, or memory is exhausted");
  return dictionary;
}

std::optional<std::uint32_t> dictionary_number(const ZSTD_DDict* dictionary) {
  return dictionary ? std::optional<std::uint32_t>(ZSTD_getDictID_fromDDict(dictionary))
                    : std::nullopt;
}

// Whether the headers and tables of all blocks are what the format allows.
bool is_well_formed(std::span<const std::byte> frame, const zstd::Dictionary* dictionary) {
  const auto header = zstd::read_frame_header(frame);
  if (!header.ok()) return false;
  zstd::BlockScanner scanner({reinterpret_cast<const zstd::Byte*>(frame.data()), frame.size()},
                             *header, dictionary);
  for (zstd::BlockPlan plan; !plan.is_last;)
    if (!scanner.next(plan).ok()) return false;
  return true;
}

Status library_error(std::size_t code, const ErrorLocation& location) {
  switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation: return {Code::no_memory, "out of memory"};
    case ZSTD_error_frameParameter_windowTooLarge:
      return location.error(Code::unsupported, "window is larger than 2 GiB");
    default: return location.corrupt(ZSTD_getErrorName(code));
  }
}

class Frames : public DecodeStages {
 public:
  Frames(Context& context, Dictionary dictionary,
         std::shared_ptr<const zstd::Dictionary> our_dictionary)
      : context_(context),
        dictionary_(std::move(dictionary)),
        our_dictionary_(std::move(our_dictionary)) {}

  Result<bool> take(DecodeJob& job) override {
    const std::uint64_t max_frame_bytes = max_threaded_frame_bytes(context_.input);
    while (job.capacity < min_job_bytes) {
      PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context_));
      if (!header) break;
      const ErrorLocation location{Format::zstd, context_.next_member(), context_.input.offset()};
      PENSTOCK_ASSIGN(const auto extent,
                      measure_zstd_frame(context_.input, *header, max_frame_bytes, location));
      if (!extent ||
          (!job.chunks.empty() && job.capacity + extent->max_output_bytes > max_frame_bytes))
        break;
      PENSTOCK_TRY(check_zstd_dictionary(*header, dictionary_number(dictionary_.get()), location));
      PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(extent->frame_bytes));
      job.chunks.push_back({.bytes = bytes.first(extent->frame_bytes),
                            .offset = location.offset,
                            .index = ++context_.report.member_count,
                            .output_bytes = extent->max_output_bytes,
                            .has_checksum = header->has_checksum});
      job.capacity += std::max(extent->max_output_bytes, min_counted_output_bytes);
      job.keep_alive(context_.input.owner());
      context_.report.unchecked_member_count += !header->has_checksum;
      context_.input.skip(extent->frame_bytes);
    }
    return !job.chunks.empty();
  }

  Status work(DecodeJob& job) override {
    std::byte* const memory = job.reserve(job.capacity);
    for (const Chunk& chunk : job.chunks) {
      PENSTOCK_ASSIGN(const std::uint64_t bytes,
                      decode(chunk, {memory + job.end, chunk.output_bytes}));
      job.end += bytes;
    }
    return {};
  }

 private:
  Result<std::uint64_t> decode(const Chunk& frame, std::span<std::byte> output) const {
    thread_local const DecodingContext decoding = new_context();
    if (frame.has_checksum && is_well_formed(frame.bytes, our_dictionary_.get())) {
      const std::size_t bytes =
          ZSTD_decompress_usingDDict(decoding.get(), output.data(), output.size(),
                                     frame.bytes.data(), frame.bytes.size(), dictionary_.get());
      if (!ZSTD_isError(bytes)) return bytes;
    }
    return decode_whole_frame(frame, output, our_dictionary_);
  }

  Context& context_;
  Dictionary dictionary_;
  std::shared_ptr<const zstd::Dictionary> our_dictionary_;  // the same bytes
};

class FrameStream : public DecodeStages {
 public:
  FrameStream(Context& context, Dictionary dictionary)
      : context_(context), dictionary_(std::move(dictionary)), decoding_(new_context()) {}

  // Decodes one frame. What follows may fit another method.
  Result<bool> take(DecodeJob& job) override {
    if (is_done_) return false;
    if (!is_inside_) {
      PENSTOCK_ASSIGN(is_inside_, begin_frame());
      if (!is_inside_) return false;
    }
    ZSTD_outBuffer out{job.reserve(stream_job_bytes), stream_job_bytes, 0};
    while (out.pos < out.size && !is_done_) PENSTOCK_TRY(step(out));
    job.end = out.pos;
    return true;
  }

 private:
  Result<bool> begin_frame() {
    PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context_));
    if (!header) return false;
    const ErrorLocation location{Format::zstd, ++context_.report.member_count,
                                 context_.input.offset()};
    PENSTOCK_TRY(check_zstd_dictionary(*header, dictionary_number(dictionary_.get()), location));
    context_.report.unchecked_member_count += !header->has_checksum;
    if (dictionary_) ZSTD_DCtx_refDDict(decoding_.get(), dictionary_.get());
    return true;
  }

  Status step(ZSTD_outBuffer& out) {
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(1));
    const ErrorLocation location{Format::zstd, context_.report.member_count,
                                 context_.input.offset()};
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    const std::size_t produced_before = out.pos,
                      hint = ZSTD_decompressStream(decoding_.get(), &out, &in);
    if (ZSTD_isError(hint)) return library_error(hint, location.at(location.offset + in.pos));
    if (hint != 0 && bytes.empty() && out.pos == produced_before) return location.unexpected_end();
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

Result<bool> fits_frames(Context& context) {
  PENSTOCK_ASSIGN(const ZstdFrameHeader header, peek_zstd_header(context));
  const ErrorLocation location{Format::zstd, context.next_member(), context.input.offset()};
  PENSTOCK_ASSIGN(
      const auto extent,
      measure_zstd_frame(context.input, header, max_threaded_frame_bytes(context.input), location));
  return extent.has_value();
}
Result<std::unique_ptr<Decoder>> make_frames(Context& context) {
  PENSTOCK_ASSIGN(Dictionary dictionary, load_dictionary(context.options.dictionary));
  std::shared_ptr<const zstd::Dictionary> our_dictionary;
  if (dictionary) {
    PENSTOCK_ASSIGN(our_dictionary, zstd::read_dictionary(context.options.dictionary));
  }
  return in_pipeline(
      context, std::make_unique<Frames>(context, std::move(dictionary), std::move(our_dictionary)));
}
Result<std::unique_ptr<Decoder>> make_frame_stream(Context& context) {
  PENSTOCK_ASSIGN(Dictionary dictionary, load_dictionary(context.options.dictionary));
  return in_pipeline(context, std::make_unique<FrameStream>(context, std::move(dictionary)), true);
}

}  // namespace penstock::stream
