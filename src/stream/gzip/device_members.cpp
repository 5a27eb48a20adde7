#include "stream/gzip/device_members.hpp"

#include "codec/checksum/adler32.hpp"
#include "codec/checksum/crc32.hpp"
#include "stream/device/output_pieces.hpp"
#include "stream/gzip/inflate_library.hpp"
#include "stream/methods.hpp"

namespace penstock::stream {
namespace {

// For all the rest of the input.
bool has_capacity(const Context& context) {
  if (!context.input.is_mapped()) return false;
  const Traits& traits = context.device->device()->traits();
  const std::uint64_t bytes = *context.input.size() - context.input.offset();
  return deflate::SegmentFinder::fits(traits) &&
         bytes + chunk_alignment <= traits.max_allocation_bytes;
}

// The text in order, for decompress().
class MembersOnDevice : public Decoder {
 public:
  MembersOnDevice(Context& context, Format format)
      : context_(context), format_(format), pieces_(*context.device) {}

  Result<std::span<const std::byte>> next() override {
    if (members_ == nullptr) { PENSTOCK_ASSIGN(members_, DeviceMembers::open(context_, format_)); }
    for (;;) {
      PENSTOCK_ASSIGN(const auto piece, pieces_.next());
      if (!piece.empty()) return piece;
      PENSTOCK_ASSIGN(const bool has_output, make_output());
      if (!has_output) return std::span<const std::byte>();
    }
  }
  std::uint64_t bytes_ahead() const override {
    return members_ == nullptr ? 0 : members_->bytes_ahead();
  }

 private:
  // The next batch's. False behind the last member.
  Result<bool> make_output() {
    PENSTOCK_TRY(reserve(*context_.device->device(), chunk_alignment, output_));
    while (members_->batch_bytes() ==
           0) {  // of no text: a member's batch, of which there may be more, or no member
      if (!members_->is_done()) {
        PENSTOCK_TRY(members_->decode(output_, 0));
        continue;
      }
      PENSTOCK_ASSIGN(const bool has_member, members_->measure());
      if (!has_member) return false;
    }
    if (members_->output_bytes() >
        context_.remaining_output_bytes - made_bytes_)  // before there is memory for it
      return Status(Code::capacity, "it becomes more than the limit of " +
                                        std::to_string(context_.options.max_output_bytes) +
                                        " bytes");
    const std::uint64_t bytes = members_->batch_bytes();
    made_bytes_ += bytes;
    PENSTOCK_TRY(reserve(*context_.device->device(), bytes + chunk_alignment, output_));
    PENSTOCK_TRY(members_->decode(output_, 0));
    pieces_.begin(output_, bytes);
    return true;
  }

  Context& context_;
  const Format format_;
  std::shared_ptr<Buffer> output_;  // a batch's
  std::uint64_t made_bytes_ = 0;    // of all batches
  OutputPieces pieces_;
  std::unique_ptr<DeviceMembers> members_;  // the last: its queue uses the others
};

}  // namespace

Result<std::unique_ptr<DeviceMembers>> DeviceMembers::open(Context& context, Format format) {
  std::unique_ptr<DeviceMembers> members(new DeviceMembers(context, format));
  const auto& device = context.device->device();
  PENSTOCK_ASSIGN(members->pieces_, deflate::SegmentFinder::build(device));
  PENSTOCK_ASSIGN(
      members->outputs_,
      deflate::SegmentDecoder::build(
          device, 0, format == Format::zlib ? batch::Checksum::adler32 : batch::Checksum::crc32));
  PENSTOCK_ASSIGN(members->queue_, device->queue());
  context.device->add_kernels("deflate_pieces");
  PENSTOCK_TRY(members->upload());
  PENSTOCK_TRY(members->timed([&] {
    return members->pieces_->open(*members->queue_, members->input_, members->bytes_.size());
  }));
  return members;
}

Status DeviceMembers::upload() {
  PENSTOCK_ASSIGN(bytes_, context_.input.peek(1));  // all the rest, as it is mapped
  base_ = context_.input.offset();
  PENSTOCK_TRY(reserve(
      *run_.device(), bytes_.size() / chunk_alignment * chunk_alignment + chunk_alignment, input_));
  PENSTOCK_ASSIGN(const auto begin, queue_->record());
  PENSTOCK_TRY(staged_.send(*run_.device(), *queue_, bytes_, *input_));
  PENSTOCK_ASSIGN(const auto end, queue_->record());
  PENSTOCK_TRY(queue_->finish());
  PENSTOCK_ASSIGN(const double seconds, end->seconds_since(*begin));
  DeviceReport had;
  had.bytes_in = bytes_.size(), had.upload_seconds = seconds;
  run_.add(had);
  return {};
}

template <class Work> Status DeviceMembers::timed(Work work) {
  PENSTOCK_ASSIGN(const auto begin, queue_->record());
  PENSTOCK_TRY(work());
  PENSTOCK_ASSIGN(const auto end, queue_->record());
  PENSTOCK_TRY(queue_->finish());
  PENSTOCK_ASSIGN(const double seconds, end->seconds_since(*begin));
  DeviceReport had;
  had.kernel_seconds = seconds;
  run_.add(had);
  return {};
}

// Behind the header at the input's position. Nothing where no member stands there that this way
// takes.
Result<std::optional<Place>> DeviceMembers::next_body() {
  const bool is_first = !std::exchange(is_used_, true);
  const std::uint64_t at = context_.input.offset();
  if (format_ == Format::gzip) {
    PENSTOCK_ASSIGN(const auto header, next_streamed_header(context_, is_first));
    return header ? std::optional(Place{format_, context_.member_count, at + header->header_bytes})
                  : std::nullopt;
  }
  if (!is_first) return std::optional<Place>();  // a file has one
  PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(2));
  const Place place{format_, ++context_.member_count, at};
  PENSTOCK_ASSIGN(const ZlibHeader header, parse_zlib_header(bytes, place));
  return std::optional(place.at(at + header.header_bytes));
}

Result<bool> DeviceMembers::measure() {
  PENSTOCK_ASSIGN(const auto found, next_body());
  if (!found) return false;
  const Place body = *found;
  Member member{.body = body,
                .trailer = body,
                .stream = {},
                .trailer_bytes = {},
                .checksum = format_ == Format::zlib};
  PENSTOCK_TRY(timed([&]() -> Status {
    PENSTOCK_ASSIGN(member.stream, pieces_->follow(*queue_, body.offset - base_));
    return {};
  }));
  if (member.stream.error.error != batch::ErrorCode::none) return refuse(body, member.stream.error);
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
             : outputs_->next_batch(members_.front().stream, members_.front().first_piece)
                   .output_bytes;
}

std::uint64_t DeviceMembers::bytes_ahead() const {
  if (members_.empty()) return 0;
  const Member& member = members_.front();  // which has pieces left, or it were gone
  const bool is_begun = member.first_piece < member.stream.segments.size();
  const std::uint64_t at =
      base_ + (is_begun ? member.stream.segments[member.first_piece].begin_bit / 8
                        : member.stream.end_byte);
  return context_.input.offset() - std::min(at, context_.input.offset());
}

Status DeviceMembers::decode(const std::shared_ptr<Buffer>& output, std::uint64_t output_at) {
  if (members_.empty()) return {};
  Member& member = members_.front();
  deflate::OutputBatch batch;
  PENSTOCK_TRY(outputs_->reserve_batch(member.stream, member.first_piece));
  PENSTOCK_TRY(timed([&]() -> Status {
    PENSTOCK_ASSIGN(batch, outputs_->decode(*queue_, *pieces_, member.stream, member.first_piece,
                                            output, output_at));
    return {};
  }));
  if (batch.error.error != batch::ErrorCode::none) return refuse(member.body, batch.error);
  member.first_piece += batch.segment_count, member.made_bytes += batch.output_bytes,
      output_bytes_ -= batch.output_bytes;
  const auto combine =
      format_ == Format::zlib ? checksum::adler32_combine : checksum::crc32_combine;
  member.checksum = combine(member.checksum, batch.checksum, batch.output_bytes);
  if (member.first_piece < member.stream.segments.size()) return {};
  PENSTOCK_TRY(check_trailer(member));
  members_.pop_front();
  return {};
}

Status DeviceMembers::check_trailer(const Member& member) const {
  if (format_ == Format::zlib)
    return check_zlib_trailer(member.trailer_bytes, member.checksum, member.trailer);
  return check_gzip_trailer(member.trailer_bytes, member.checksum, member.made_bytes,
                            member.trailer);
}

// In the words of the host's ways, which decode the member again.
Status DeviceMembers::refuse(const Place& body, const deflate::StreamError& error) const {
  constexpr std::uint64_t max_bytes = 64 << 20;  // that are decoded again
  const Place at = body.at(base_ + error.byte);
  if (error.error == batch::ErrorCode::output_too_small ||
      error.error == batch::ErrorCode::input_too_large)
    return at.error(Code::capacity,
                    "a block of more text, or blocks of more bytes, than devices take");
  if (at.offset - body.offset < max_bytes)
    return diagnose_body(bytes_.subspan(body.offset - base_), body);
  return error.error == batch::ErrorCode::truncated_input ? at.ended()
                                                          : at.corrupt(message(error.error));
}

Result<bool> fits_streams_device(Context& context) {
  PENSTOCK_ASSIGN(const bool is_member, begins_gzip_member(context.input));
  if (!is_member || !has_capacity(context)) return false;
  PENSTOCK_ASSIGN(const bool is_sized,
                  fits_sized_members(context));  // whose sizes are checked by another way
  return !is_sized;
}
Result<std::unique_ptr<Decoder>> make_streams_device(Context& context) {
  return std::unique_ptr<Decoder>(new MembersOnDevice(context, Format::gzip));
}

Result<bool> fits_zlib_device(Context& context) {
  PENSTOCK_ASSIGN(const bool needs_dictionary, zlib_needs_dictionary(context.input));
  return !needs_dictionary && has_capacity(context);
}
Result<std::unique_ptr<Decoder>> make_zlib_device(Context& context) {
  return std::unique_ptr<Decoder>(new MembersOnDevice(context, Format::zlib));
}

}  // namespace penstock::stream
