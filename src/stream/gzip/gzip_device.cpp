#include "stream/gzip/gzip_device.hpp"

#include "codec/checksum/adler32.hpp"
#include "codec/checksum/crc32.hpp"
#include "stream/device/output_reader.hpp"
#include "stream/gzip/gzip_decoders.hpp"
#include "stream/gzip/inflate_body.hpp"
#include "stream/input/byte_reader.hpp"

namespace penstock::stream {
namespace {

// Whether the device has memory for all the rest of the input.
bool fits_device(const Context& context) {
  if (!context.input.is_in_memory()) return false;
  const Traits& traits = context.session->device()->traits();
  const std::uint64_t bytes = *context.input.size() - context.input.offset();
  return deflate::SegmentFinder::fits(traits) &&
         bytes + chunk_alignment <= traits.max_allocation_bytes;
}

// Returns the size of a Deflate stream that is one last block without output, stored or of fixed
// codes (RFC 1951, 3.2.4 and 3.2.6); 0 for all others. A file may have very many of them, and each
// would take launches of its own.
std::size_t empty_stream_bytes(std::span<const std::byte> stream) {
  ByteReader reader(stream);
  const unsigned first = reader.u8();
  if (first == 3) {  // then seven zero bits: the code of the block's end
    const unsigned second = reader.u8();
    return !reader.ended_early() && (second & 3) == 0 ? 2 : 0;
  }
  constexpr std::uint32_t no_bytes = 0xffff0000;  // a length of 0, and its complement
  return (first & 7) == 1 && reader.u32() == no_bytes ? 5 : 0;
}

// Delivers the output in order, for decompress().
class DeviceMemberReader final : public Decoder {
 public:
  explicit DeviceMemberReader(Context& context) : context_(context), reader_(*context.session) {}

  Result<std::span<const std::byte>> next() override {
    if (members_ == nullptr) {
      PENSTOCK_ASSIGN(members_, DeviceMembers::open(context_, context_.report.format));
    }
    for (;;) {
      PENSTOCK_ASSIGN(const auto part, reader_.next());
      if (!part.empty()) return part;
      PENSTOCK_ASSIGN(const bool has_output, decode_batch());
      if (!has_output) return std::span<const std::byte>();
    }
  }
  std::uint64_t bytes_pending() const override {
    return members_ == nullptr ? 0 : members_->bytes_pending();
  }

 private:
  // Decodes up to the next batch that has output. Returns false after the last member.
  Result<bool> decode_batch() {
    PENSTOCK_TRY(reserve(*context_.session->device(), chunk_alignment, output_));
    while (members_->batch_bytes() == 0) {
      PENSTOCK_TRY(context_.report_progress(context_.input.offset() - bytes_pending()));
      if (!members_->is_done()) {  // a batch without output, after which the member may have others
        PENSTOCK_TRY(members_->decode(output_, 0));
        continue;
      }
      PENSTOCK_ASSIGN(const bool has_member, members_->measure());
      if (!has_member) return false;
    }
    // Before there is memory for it. All earlier batches are delivered.
    if (members_->output_bytes() > context_.remaining_output_bytes())
      return context_.output_limit_error();
    const std::uint64_t bytes = members_->batch_bytes();
    PENSTOCK_TRY(reserve(*context_.session->device(), bytes + chunk_alignment, output_));
    PENSTOCK_TRY(members_->decode(output_, 0));
    reader_.begin(output_, bytes);
    return true;
  }

  Context& context_;
  std::shared_ptr<Buffer> output_;  // of one batch
  OutputReader reader_;
  std::unique_ptr<DeviceMembers> members_;  // last: its queue uses the other members
};

}  // namespace

Result<std::unique_ptr<DeviceMembers>> DeviceMembers::open(Context& context, Format format) {
  std::unique_ptr<DeviceMembers> members(new DeviceMembers(context, format));
  const auto& device = context.session->device();
  PENSTOCK_ASSIGN(members->finder_, deflate::SegmentFinder::build(device));
  PENSTOCK_ASSIGN(
      members->outputs_,
      deflate::SegmentDecoder::build(
          device, 0, format == Format::zlib ? batch::Checksum::adler32 : batch::Checksum::crc32));
  PENSTOCK_ASSIGN(members->queue_, device->queue());
  context.session->add_kernels("deflate_segments");
  PENSTOCK_TRY(members->upload());
  PENSTOCK_TRY(members->timed([&] {
    return members->finder_->open(*members->queue_, members->input_, members->bytes_.size());
  }));
  return members;
}

Status DeviceMembers::upload() {
  PENSTOCK_ASSIGN(bytes_, context_.input.peek(1));  // all that is in memory
  base_ = context_.input.offset();
  PENSTOCK_TRY(reserve(*session_.device(),
                       bytes_.size() / chunk_alignment * chunk_alignment + chunk_alignment,
                       input_));
  PENSTOCK_ASSIGN(const auto begin, queue_->record());
  PENSTOCK_TRY(upload_.send(*session_.device(), *queue_, bytes_, *input_));
  PENSTOCK_ASSIGN(const auto end, queue_->record());
  PENSTOCK_TRY(queue_->finish());
  PENSTOCK_ASSIGN(const double seconds, end->seconds_since(*begin));
  session_.add({.bytes_in = bytes_.size(), .upload_seconds = seconds});
  return {};
}

template <class Work> Status DeviceMembers::timed(Work work) {
  PENSTOCK_ASSIGN(const auto begin, queue_->record());
  PENSTOCK_TRY(work());
  PENSTOCK_ASSIGN(const auto end, queue_->record());
  PENSTOCK_TRY(queue_->finish());
  PENSTOCK_ASSIGN(const double seconds, end->seconds_since(*begin));
  session_.add({.kernel_seconds = seconds});
  return {};
}

// Returns where the next member's Deflate stream begins; nothing if no member stands at the
// input's position that this method takes.
Result<std::optional<ErrorLocation>> DeviceMembers::next_body() {
  const bool is_first = !std::exchange(is_used_, true);
  const std::uint64_t offset = context_.input.offset();
  if (format_ == Format::gzip) {
    PENSTOCK_ASSIGN(const auto header, next_streamed_header(context_, is_first));
    return header ? std::optional(ErrorLocation{format_, context_.report.member_count,
                                                offset + header->header_bytes})
                  : std::nullopt;
  }
  if (!is_first) return std::optional<ErrorLocation>();  // a file has one
  PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(2));
  const ErrorLocation location{format_, ++context_.report.member_count, offset};
  PENSTOCK_ASSIGN(const ZlibHeader header, parse_zlib_header(bytes, location));
  return std::optional(location.at(offset + header.header_bytes));
}

Result<bool> DeviceMembers::measure() {
  PENSTOCK_ASSIGN(const auto found, next_body());
  if (!found) return false;
  const ErrorLocation body = *found;
  Member member{.body = body,
                .trailer = body,
                .stream = {},
                .trailer_bytes = {},
                .checksum = format_ == Format::zlib};
  const std::uint64_t begin_byte = body.offset - base_;
  if (const std::size_t bytes = empty_stream_bytes(bytes_.subspan(begin_byte)); bytes > 0) {
    member.stream.end_byte = begin_byte + bytes;
  } else {
    PENSTOCK_TRY(timed([&]() -> Status {
      PENSTOCK_ASSIGN(member.stream, finder_->follow(*queue_, begin_byte));
      return {};
    }));
  }
  if (member.stream.error.error != batch::ErrorCode::none)
    return error_of(body, member.stream.error);
  member.trailer = body.at(base_ + member.stream.end_byte);
  const auto rest = bytes_.subspan(member.stream.end_byte);
  const auto trailer = rest.first(
      std::min<std::size_t>(rest.size(), format_ == Format::zlib ? 4 : gzip_trailer_bytes));
  member.trailer_bytes.assign(trailer.begin(), trailer.end());
  context_.input.skip(member.trailer.offset + trailer.size() - context_.input.offset());
  output_bytes_ += member.stream.output_bytes;
  members_.push_back(std::move(member));
  return true;
}

std::uint64_t DeviceMembers::batch_bytes() const {
  return members_.empty()
             ? 0
             : outputs_->next_batch(members_.front().stream, members_.front().first_segment)
                   .output_bytes;
}

std::uint64_t DeviceMembers::bytes_pending() const {
  if (members_.empty()) return 0;
  const Member& member = members_.front();
  const bool has_segments = member.first_segment < member.stream.segments.size();
  const std::uint64_t first =
      base_ + (has_segments ? member.stream.segments[member.first_segment].begin_bit / 8
                            : member.stream.end_byte);
  return context_.input.offset() - std::min(first, context_.input.offset());
}

Status DeviceMembers::decode(const std::shared_ptr<Buffer>& output, std::uint64_t output_offset) {
  if (members_.empty()) return {};
  Member& member = members_.front();
  if (member.first_segment < member.stream.segments.size())
    PENSTOCK_TRY(decode_batch(member, output, output_offset));
  if (member.first_segment < member.stream.segments.size()) return {};
  PENSTOCK_TRY(check_trailer(member));
  members_.pop_front();
  return {};
}

Status DeviceMembers::decode_batch(Member& member, const std::shared_ptr<Buffer>& output,
                                   std::uint64_t output_offset) {
  deflate::OutputBatch batch;
  PENSTOCK_TRY(outputs_->reserve_batch(member.stream, member.first_segment));
  PENSTOCK_TRY(timed([&]() -> Status {
    PENSTOCK_ASSIGN(batch, outputs_->decode(*queue_, *finder_, member.stream, member.first_segment,
                                            output, output_offset));
    return {};
  }));
  if (batch.error.error != batch::ErrorCode::none) return error_of(member.body, batch.error);
  member.first_segment += batch.segment_count;
  member.decoded_bytes += batch.output_bytes;
  output_bytes_ -= batch.output_bytes;
  const auto combine =
      format_ == Format::zlib ? checksum::adler32_combine : checksum::crc32_combine;
  member.checksum = combine(member.checksum, batch.checksum, batch.output_bytes);
  return {};
}

Status DeviceMembers::check_trailer(const Member& member) const {
  if (format_ == Format::zlib)
    return check_zlib_trailer(member.trailer_bytes, member.checksum, member.trailer);
  return check_gzip_trailer(member.trailer_bytes, member.checksum, member.decoded_bytes,
                            member.trailer);
}

// The host decodes the member again, so that the message does not depend on the device.
Status DeviceMembers::error_of(const ErrorLocation& body, const deflate::StreamError& error) const {
  constexpr std::uint64_t max_repeated_bytes = 64 << 20;
  const ErrorLocation location = body.at(base_ + error.byte);
  if (error.error == batch::ErrorCode::output_too_small ||
      error.error == batch::ErrorCode::input_too_large)
    return location.error(Code::capacity, "a block is larger than devices support");
  if (location.offset - body.offset < max_repeated_bytes)
    return diagnose_body(bytes_.subspan(body.offset - base_), body);
  return error.error == batch::ErrorCode::truncated_input ? location.unexpected_end()
                                                          : location.corrupt(message(error.error));
}

// Members that name their size are chunks; another method checks their sizes.
Result<bool> fits_members_on_device(Context& context) {
  PENSTOCK_ASSIGN(const bool is_member, begins_gzip_member(context.input));
  if (!is_member || !fits_device(context)) return false;
  PENSTOCK_ASSIGN(const bool is_sized, fits_sized_members(context));
  return !is_sized;
}

Result<bool> fits_zlib_on_device(Context& context) {
  PENSTOCK_ASSIGN(const bool needs_dictionary, zlib_needs_dictionary(context.input));
  return !needs_dictionary && fits_device(context);
}

std::unique_ptr<Decoder> make_stream_decoder(Context& context) {
  return std::make_unique<DeviceMemberReader>(context);
}

}  // namespace penstock::stream
