// Decodes whole gzip members: members that name their size several at once (or on a device), other
// members of small files one after another.
#include <libdeflate.h>

#include <algorithm>
#include <memory>

#include "stream/gzip/gzip_decoders.hpp"
#include "stream/gzip/gzip_format.hpp"
#include "stream/gzip/inflate_body.hpp"
#include "stream/input/byte_reader.hpp"

namespace penstock::stream {
namespace {

// The longest member that is decoded whole; longer ones are decoded as streams. So the trailer's
// length modulo 2^32 is the length itself.
constexpr std::uint64_t max_member_bytes = 4 << 20;

// The output that a member counts for at least, since its tables take as long as some kilobytes.
// With fewer a batch of empty members keeps a CPU busy for seconds, in which none can be cancelled.
constexpr std::uint64_t min_counted_member_bytes = 8 << 10;

// Returns the length modulo 2^32 at the end of the trailer.
std::uint32_t stored_length(std::span<const std::byte> trailer) {
  return ByteReader(trailer.last(4)).u32();
}

Status check_content(std::span<const std::byte> trailer, std::span<const std::byte> output,
                     const ErrorLocation& location) {
  return check_gzip_trailer(trailer, libdeflate_crc32(0, output.data(), output.size()),
                            output.size(), location);
}

// Returns whether a member of exactly these bytes is valid. `body_offset` is after its header.
bool is_whole_member(std::span<const std::byte> member, std::size_t body_offset) {
  const auto body = member.subspan(body_offset, member.size() - body_offset - gzip_trailer_bytes);
  const std::uint32_t output_bytes = stored_length(member);
  if (output_bytes > max_inflated(body.size())) return false;
  // Not zeroed: many small members could each state the maximum, although their streams write less.
  const auto output = std::make_unique_for_overwrite<std::byte[]>(output_bytes);
  const InflateResult result = inflate_body(body, output.get(), output_bytes);
  return result.outcome == InflateOutcome::done && result.bytes_in == body.size() &&
         check_content(member.last(gzip_trailer_bytes), {output.get(), result.bytes_out}, {}).ok();
}

// Returns whether the member at the input's position names its size. Another program may use a
// subfield of the same name: then the size does not lead to a member's end, and the member is
// decoded as one without a size. A member ends the input, or is followed by another. Anything else
// that follows (zeros, garbage) is ignored, once in a file. Only decoding tells whether a member
// ends before it.
Result<bool> is_sized(Input& input, const GzipHeader& header) {
  const std::uint64_t bytes = header.member_bytes.value_or(0);
  if (bytes < header.header_bytes + gzip_trailer_bytes || bytes > max_member_bytes) return false;
  constexpr std::byte magic[] = {std::byte{0x1f}, std::byte{0x8b}, std::byte{8}};
  PENSTOCK_ASSIGN(const auto found, input.peek(bytes + std::size(magic)));
  if (found.size() <= bytes) return found.size() == bytes;
  const auto next = found.subspan(bytes, std::min(found.size() - bytes, std::size(magic)));
  return std::equal(next.begin(), next.end(), magic) ||
         is_whole_member(found.first(bytes), header.header_bytes);
}

// Parses the header of a member that names its size. Returns nothing for other members, for members
// with a stated output above max_chunk_output_bytes, and for zeros after the last member.
Result<std::optional<GzipHeader>> next_sized_header(
    Context& context, std::uint64_t max_chunk_output_bytes = UINT64_MAX) {
  PENSTOCK_ASSIGN(const bool is_member, begins_gzip_member(context.input));
  if (!is_member) return std::optional<GzipHeader>();
  PENSTOCK_ASSIGN(GzipHeader header, peek_gzip_header(context.input, context.next_member()));
  PENSTOCK_ASSIGN(const bool names_size, is_sized(context.input, header));
  if (!names_size) return std::optional<GzipHeader>();
  if (max_chunk_output_bytes == UINT64_MAX) return std::optional(std::move(header));
  PENSTOCK_ASSIGN(const auto bytes, context.input.peek(*header.member_bytes));
  if (stored_length(bytes.first(*header.member_bytes)) > max_chunk_output_bytes)
    return std::optional<GzipHeader>();
  return std::optional(std::move(header));
}

class SizedMembers : public ChunkStages {
 public:
  SizedMembers(Context& context, std::uint64_t job_bytes, std::uint64_t max_chunk_output_bytes)
      : context_(context), job_bytes_(job_bytes), max_chunk_output_bytes_(max_chunk_output_bytes) {}

  Result<bool> take(DecodeJob& job) override {
    std::uint64_t counted_bytes = 0, input_bytes = 0;
    const std::uint64_t begin = context_.input.offset();
    while (counted_bytes < job_bytes_ && input_bytes < job_bytes_) {
      PENSTOCK_ASSIGN(const auto header, next_sized_header(context_, max_chunk_output_bytes_));
      if (!header) break;
      PENSTOCK_ASSIGN(const Chunk chunk, take_member(*header));
      job.chunks.push_back(chunk);
      job.keep_alive(context_.input.owner());
      job.capacity += chunk.output_bytes;
      counted_bytes += std::max(chunk.output_bytes, min_counted_member_bytes);
      input_bytes = context_.input.offset() - begin;
    }
    return !job.chunks.empty();
  }

  Status work(DecodeJob& job) override { return inflate(job); }

  // Devices take whole members and verify their checksums. They take an empty member with another
  // after it, within the size that the first names; so does gzip. inflate() refuses the size.
  batch::Format chunk_format() const override { return batch::Format::gzip; }
  bool reads_outputs() const override { return false; }
  Status check_output(const Chunk& chunk, std::span<const std::byte>,
                      batch::ChunkStatus chunk_status) const override {
    return chunk_status.offset == chunk.whole().size() ? Status() : wrong_size(chunk);
  }
  // The host decodes the member again, since it may report another of several errors.
  Status error_of(const Chunk& chunk, batch::ChunkStatus chunk_status) const override {
    DecodeJob again;
    again.chunks = {chunk}, again.capacity = chunk.output_bytes;
    PENSTOCK_TRY(inflate(again));
    return ErrorLocation{Format::gzip, chunk.index,
                         chunk.offset - chunk.header_bytes + chunk_status.offset}
        .corrupt(message(chunk_status.error));
  }

 private:
  static Status inflate(DecodeJob& job) {
    std::byte* const memory = job.reserve(job.capacity);
    for (const Chunk& chunk : job.chunks) {
      const ErrorLocation location{Format::gzip, chunk.index, chunk.offset};
      const InflateResult body = inflate_body(chunk.bytes, memory + job.end, chunk.output_bytes);
      if (body.outcome == InflateOutcome::bad) return diagnose_body(chunk.bytes, location);
      if (body.outcome == InflateOutcome::output_too_small) return wrong_size(chunk);
      if (body.bytes_in != chunk.bytes.size()) return wrong_size(chunk);
      const std::span<const std::byte> trailer(chunk.bytes.data() + chunk.bytes.size(),
                                               gzip_trailer_bytes);
      PENSTOCK_TRY(check_content(trailer, {memory + job.end, body.bytes_out},
                                 location.at(chunk.offset + chunk.bytes.size())));
      job.end += body.bytes_out;
    }
    return {};
  }

  static Status wrong_size(const Chunk& chunk) {
    return ErrorLocation{Format::gzip, chunk.index, chunk.offset}.corrupt(
        "incorrect member size: the Deflate stream does not end where header and trailer say");
  }
  Result<Chunk> take_member(const GzipHeader& header) {
    count_gzip_member(context_.report, header);
    const ErrorLocation location{Format::gzip, context_.report.member_count,
                                 context_.input.offset()};
    const auto member_bytes = static_cast<std::size_t>(*header.member_bytes);
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(member_bytes));
    const auto body =
        bytes.subspan(header.header_bytes, member_bytes - header.header_bytes - gzip_trailer_bytes);
    const std::uint32_t output_bytes = stored_length(bytes.first(member_bytes));
    if (output_bytes > max_inflated(body.size()))
      return location.at(location.offset + member_bytes - 4)
          .corrupt("incorrect length: larger than the member can become");
    context_.input.skip(member_bytes);
    return Chunk{.bytes = body,
                 .offset = location.offset + header.header_bytes,
                 .index = location.index,
                 .output_bytes = output_bytes,
                 .header_bytes = static_cast<std::uint32_t>(header.header_bytes),
                 .trailer_bytes = gzip_trailer_bytes};
  }
  Context& context_;
  std::uint64_t job_bytes_, max_chunk_output_bytes_;
};

// The largest file with members that are decoded whole: threads would only start when the work is
// done. A member with more output than max_whole_output_bytes is decoded as a stream.
constexpr std::uint64_t max_whole_input_bytes = 1 << 20;
constexpr std::uint64_t max_whole_output_bytes = 64 << 20;

bool is_small(const Context& context) {
  return context.input.size() &&
         *context.input.size() - context.input.offset() <= max_whole_input_bytes;
}

// Returns all the rest of a small input.
Result<std::span<const std::byte>> peek_rest(Input& input) {
  return input.peek(*input.size() - input.offset());
}

// Decodes the body at the beginning of `rest` into the job's memory, which grows until it is large
// enough. Returns nothing if it would become too large. `guess` is the first capacity, such as the
// length in the last four bytes of a file with one member.
Result<std::optional<InflateResult>> inflate_growing(std::span<const std::byte> rest,
                                                     DecodeJob& job, std::uint64_t guess,
                                                     const ErrorLocation& location) {
  const std::uint64_t limit = std::min(max_whole_output_bytes, max_inflated(rest.size()));
  std::uint64_t capacity = guess <= limit ? guess : std::min<std::uint64_t>(limit, rest.size() * 4);
  for (;; capacity = std::min(limit, capacity * 4 + 65536)) {
    const InflateResult body = inflate_body(rest, job.reserve(capacity), capacity);
    if (body.outcome == InflateOutcome::done) return std::optional(body);
    if (body.outcome == InflateOutcome::bad) return diagnose_body(rest, location);
    if (capacity >= limit) return std::optional<InflateResult>();
  }
}

class WholeMembers : public DecodeStages {
 public:
  explicit WholeMembers(Context& context) : context_(context) {}

  Result<bool> take(DecodeJob& job) override {
    Input& input = context_.input;
    PENSTOCK_ASSIGN(const bool is_member, begins_gzip_member(input));
    if (!is_member) return false;
    PENSTOCK_ASSIGN(const auto bytes, peek_rest(input));
    const ErrorLocation location{Format::gzip, context_.report.member_count + 1, input.offset()};
    PENSTOCK_ASSIGN(const GzipHeader header, peek_gzip_header(input, location.index));
    PENSTOCK_ASSIGN(const bool names_size, is_sized(input, header));
    if (names_size) return false;
    const auto rest = bytes.subspan(header.header_bytes);
    const std::uint64_t guess = rest.size() < gzip_trailer_bytes ? 0 : stored_length(rest);
    PENSTOCK_ASSIGN(
        const auto body,
        inflate_growing(rest, job, guess, location.at(location.offset + header.header_bytes)));
    if (!body) {
      rejects_member_ = true;
      return false;
    }
    count_gzip_member(context_.report, header);
    const std::size_t trailer_offset = header.header_bytes + body->bytes_in;
    job.end = body->bytes_out;
    PENSTOCK_TRY(check_content(bytes.subspan(trailer_offset), job.output(),
                               location.at(location.offset + trailer_offset)));
    input.skip(trailer_offset + gzip_trailer_bytes);
    return true;
  }

  bool rejects_member() const override { return rejects_member_; }

 private:
  Context& context_;
  bool rejects_member_ = false;
};

class WholeZlib : public DecodeStages {
 public:
  explicit WholeZlib(Context& context) : context_(context) {}

  Result<bool> take(DecodeJob& job) override {
    if (std::exchange(is_done_, true)) return false;
    Input& input = context_.input;
    PENSTOCK_ASSIGN(const auto bytes, peek_rest(input));
    const ErrorLocation location{Format::zlib, 1, input.offset()};
    PENSTOCK_ASSIGN(const ZlibHeader header, parse_zlib_header(bytes, location));
    const ErrorLocation body_location = location.at(location.offset + header.header_bytes);
    PENSTOCK_ASSIGN(const auto body, inflate_growing(bytes.subspan(header.header_bytes), job,
                                                     UINT64_MAX, body_location));
    if (!body) {
      rejects_member_ = true;
      return false;
    }
    context_.report.member_count++;
    const std::size_t trailer_offset = header.header_bytes + body->bytes_in;
    job.end = body->bytes_out;
    PENSTOCK_TRY(check_zlib_trailer(bytes.subspan(trailer_offset),
                                    libdeflate_adler32(1, job.memory.data(), job.end),
                                    location.at(location.offset + trailer_offset)));
    input.skip(trailer_offset + 4);
    return true;
  }

  bool rejects_member() const override { return rejects_member_; }

 private:
  Context& context_;
  bool is_done_ = false, rejects_member_ = false;
};

}  // namespace

Result<std::optional<GzipHeader>> next_streamed_header(Context& context, bool is_first) {
  PENSTOCK_ASSIGN(const bool is_member, begins_gzip_member(context.input));
  if (!is_member) return std::optional<GzipHeader>();
  PENSTOCK_ASSIGN(GzipHeader header, peek_gzip_header(context.input, context.next_member()));
  PENSTOCK_ASSIGN(const bool names_size, is_sized(context.input, header));
  if (!is_first && names_size) return std::optional<GzipHeader>();
  count_gzip_member(context.report, header);
  return std::optional(std::move(header));
}

Result<bool> fits_sized_members(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_sized_header(context));
  return header.has_value();
}
Result<std::unique_ptr<Decoder>> make_sized_members(Context& context) {
  return in_pipeline(context, std::make_unique<SizedMembers>(context, host_job_bytes, UINT64_MAX));
}

// A member that says to become more, as a bomb may, is the host's: a batch would need its capacity.
constexpr std::uint64_t max_member_output_bytes = 256 << 20;
Result<bool> fits_sized_members_on_device(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_sized_header(context, max_member_output_bytes));
  return header.has_value();
}
std::unique_ptr<ChunkStages> make_sized_member_chunks(Context& context, std::uint64_t job_bytes) {
  return std::make_unique<SizedMembers>(context, job_bytes, max_member_output_bytes);
}

Result<bool> fits_whole_members(Context& context) { return is_small(context); }
Result<std::unique_ptr<Decoder>> make_whole_members(Context& context) {
  return in_pipeline(context, std::make_unique<WholeMembers>(context), true);
}
Result<bool> fits_whole_zlib(Context& context) {
  // inflate_body() takes no dictionaries.
  PENSTOCK_ASSIGN(const bool needs_dictionary, zlib_needs_dictionary(context.input));
  return is_small(context) && !needs_dictionary;
}
Result<std::unique_ptr<Decoder>> make_whole_zlib(Context& context) {
  return in_pipeline(context, std::make_unique<WholeZlib>(context), true);
}

}  // namespace penstock::stream
