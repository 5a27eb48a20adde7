// Decodes gzip members and zlib streams in order, in parts, by zlib, if they are too long to be
// decoded whole, or come through a pipe.
#include <libdeflate.h>

#include "stream/gzip/gzip_decoders.hpp"
#include "stream/gzip/gzip_format.hpp"
#include "stream/gzip/inflate_body.hpp"

namespace penstock::stream {
namespace {

constexpr std::size_t job_bytes = 1 << 20;

// Fills a job from the stream that `inflater` is in. Sets `is_end` where the stream ended.
Status inflate_job(Context& context, Inflater& inflater, DecodeJob& job,
                   const ErrorLocation& member, bool& is_end) {
  std::byte* const memory = job.reserve(job_bytes);
  while (job.end < job_bytes && !is_end) {
    PENSTOCK_ASSIGN(const auto in, context.input.peek(1));
    const ErrorLocation location = member.at(context.input.offset());
    PENSTOCK_ASSIGN(const auto step,
                    inflater.step(in, {memory + job.end, job_bytes - job.end}, location));
    if (in.empty() && step.bytes_out == 0 && !step.is_end) return location.unexpected_end();
    context.input.skip(step.bytes_in);
    job.end += step.bytes_out;
    is_end = step.is_end;
  }
  return {};
}

class MemberStream : public DecodeStages {
 public:
  explicit MemberStream(Context& context) : context_(context) {}

  Result<bool> take(DecodeJob& job) override {
    if (!is_inside_) {
      PENSTOCK_ASSIGN(is_inside_, begin_member());
      if (!is_inside_) return false;
    }
    const ErrorLocation member{Format::gzip, context_.report.member_count, 0};
    bool is_end = false;
    PENSTOCK_TRY(inflate_job(context_, inflater_, job, member, is_end));
    checksum_ = libdeflate_crc32(checksum_, job.memory.data(), job.end);
    total_bytes_ += job.end;
    if (is_end) PENSTOCK_TRY(end_member(member.at(context_.input.offset())));
    return true;
  }

 private:
  // Returns false if next_streamed_header() has nothing.
  Result<bool> begin_member() {
    PENSTOCK_ASSIGN(const auto header,
                    next_streamed_header(context_, !std::exchange(is_used_, true)));
    if (!header) return false;
    context_.input.skip(header->header_bytes);
    checksum_ = 0, total_bytes_ = 0;
    PENSTOCK_TRY(inflater_.begin());
    return true;
  }

  Status end_member(const ErrorLocation& location) {
    is_inside_ = false;
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(gzip_trailer_bytes));
    PENSTOCK_TRY(check_gzip_trailer(bytes, checksum_, total_bytes_, location));
    context_.input.skip(gzip_trailer_bytes);
    return {};
  }

  Context& context_;
  Inflater inflater_;
  std::uint32_t checksum_ = 0;
  std::uint64_t total_bytes_ = 0;
  bool is_inside_ = false, is_used_ = false;
};

class ZlibStream : public DecodeStages {
 public:
  explicit ZlibStream(Context& context) : context_(context) {}

  Result<bool> take(DecodeJob& job) override {
    if (is_done_) return false;
    if (!is_inside_) PENSTOCK_TRY(begin_stream());
    const ErrorLocation stream{Format::zlib, 1, 0};
    PENSTOCK_TRY(inflate_job(context_, inflater_, job, stream, is_done_));
    checksum_ = libdeflate_adler32(checksum_, job.memory.data(), job.end);
    if (!is_done_) return true;
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(4));
    PENSTOCK_TRY(check_zlib_trailer(bytes, checksum_, stream.at(context_.input.offset())));
    context_.input.skip(4);
    return true;
  }

 private:
  Status begin_stream() {
    const ErrorLocation location{Format::zlib, ++context_.report.member_count,
                                 context_.input.offset()};
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(6));
    PENSTOCK_ASSIGN(const ZlibHeader header, parse_zlib_header(bytes, location));
    const auto dictionary = context_.options.dictionary;
    if (header.dictionary_checksum) {
      if (dictionary.empty())
        return location.error(Code::invalid, "a dictionary is needed and none was given");
      if (libdeflate_adler32(1, dictionary.data(), dictionary.size()) !=
          *header.dictionary_checksum)
        return location.error(Code::invalid, "another dictionary is needed than the one given");
    }
    context_.input.skip(header.header_bytes);
    is_inside_ = true;
    return inflater_.begin(header.dictionary_checksum ? dictionary : std::span<const std::byte>());
  }

  Context& context_;
  Inflater inflater_;
  std::uint32_t checksum_ = 1;
  bool is_inside_ = false, is_done_ = false;
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_member_stream(Context& context) {
  return in_pipeline(context, std::make_unique<MemberStream>(context), true);
}
Result<std::unique_ptr<Decoder>> make_zlib_stream(Context& context) {
  return in_pipeline(context, std::make_unique<ZlibStream>(context), true);
}

}  // namespace penstock::stream
