#include "stream/device_members.hpp"

#include "codec/checksum/crc32.hpp"
#include "stream/deflate.hpp"
#include "stream/text_pieces.hpp"
#include "stream/ways.hpp"

namespace penstock::stream {
namespace {

// The text in order, for decompress().
class MembersOnDevice : public Decoder {
 public:
  explicit MembersOnDevice(Context& context) : context_(context), pieces_(*context.device) {}

  Result<std::span<const std::byte>> next() override {
    if (members_ == nullptr) { PENSTOCK_ASSIGN(members_, DeviceMembers::open(context_)); }
    for (;;) {
      PENSTOCK_ASSIGN(const auto piece, pieces_.next());
      if (!piece.empty()) return piece;
      PENSTOCK_ASSIGN(const bool has_text, make_text());
      if (!has_text) return std::span<const std::byte>();
    }
  }

 private:
  // The next batch's. False behind the last member.
  Result<bool> make_text() {
    PENSTOCK_TRY(reserve(*context_.device->device(), chunk_alignment, text_));
    while (members_->batch_bytes() == 0) {      // of no text: a member's batch, of which there may be more, or no member
      if (!members_->is_done()) {
        PENSTOCK_TRY(members_->decode(text_, 0));
        continue;
      }
      PENSTOCK_ASSIGN(const bool has_member, members_->measure());
      if (!has_member) return false;
    }
    if (members_->text_bytes() > context_.most_output_bytes - made_bytes_)      // before there is memory for it
      return Status(Code::capacity, "it becomes more than the limit of " + std::to_string(context_.options.max_output_bytes) + " bytes");
    const std::uint64_t bytes = members_->batch_bytes();
    made_bytes_ += bytes;
    PENSTOCK_TRY(reserve(*context_.device->device(), bytes + chunk_alignment, text_));
    PENSTOCK_TRY(members_->decode(text_, 0));
    pieces_.begin(text_, bytes);
    return true;
  }

  Context& context_;
  std::shared_ptr<Buffer> text_;                                // a batch's
  std::uint64_t made_bytes_ = 0;                                // of all batches
  TextPieces pieces_;
  std::unique_ptr<DeviceMembers> members_;                      // the last: its queue uses the others
};

}  // namespace

Result<std::unique_ptr<DeviceMembers>> DeviceMembers::open(Context& context) {
  std::unique_ptr<DeviceMembers> members(new DeviceMembers(context));
  const auto& device = context.device->device();
  PENSTOCK_ASSIGN(members->pieces_, deflate::StreamPieces::build(device));
  PENSTOCK_ASSIGN(members->texts_, deflate::PieceTexts::build(device));
  PENSTOCK_ASSIGN(members->queue_, device->queue());
  context.device->add_kernels("deflate_pieces");
  PENSTOCK_TRY(members->upload());
  PENSTOCK_TRY(members->timed([&] { return members->pieces_->open(*members->queue_, members->input_, members->bytes_.size()); }));
  return members;
}

Status DeviceMembers::upload() {
  PENSTOCK_ASSIGN(bytes_, context_.input.peek(1));      // all the rest, as it is mapped
  base_ = context_.input.offset();
  PENSTOCK_TRY(reserve(*run_.device(), bytes_.size() / chunk_alignment * chunk_alignment + chunk_alignment, input_));
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

Result<bool> DeviceMembers::measure() {
  PENSTOCK_ASSIGN(const auto header, next_streamed_header(context_, !std::exchange(is_used_, true)));
  if (!header) return false;
  const Place body{Format::gzip, context_.member_count, context_.input.offset() + header->header_bytes};
  Member member{.body = body, .trailer = body, .stream = {}, .trailer_bytes = {}};
  PENSTOCK_TRY(timed([&]() -> Status {
    PENSTOCK_ASSIGN(member.stream, pieces_->follow(*queue_, body.offset - base_));
    return {};
  }));
  if (member.stream.fault.fault != chunks::Fault::none) return refuse(body, member.stream.fault);
  member.trailer = body.at(base_ + member.stream.end_byte);
  const auto rest = bytes_.subspan(member.stream.end_byte);
  const auto trailer = rest.first(std::min<std::size_t>(rest.size(), gzip_trailer_bytes));
  member.trailer_bytes.assign(trailer.begin(), trailer.end());
  context_.input.skip(member.trailer.offset + trailer.size() - context_.input.offset());
  text_bytes_ += member.stream.text_bytes;
  members_.push_back(std::move(member));
  return true;
}

std::uint64_t DeviceMembers::batch_bytes() const {
  return members_.empty() ? 0 : texts_->next_batch(members_.front().stream, members_.front().first_piece).text_bytes;
}

Status DeviceMembers::decode(const std::shared_ptr<Buffer>& text, std::uint64_t text_at) {
  if (members_.empty()) return {};
  Member& member = members_.front();
  deflate::TextBatch batch;
  PENSTOCK_TRY(texts_->reserve_batch(*queue_, member.stream, member.first_piece));
  PENSTOCK_TRY(timed([&]() -> Status {
    PENSTOCK_ASSIGN(batch, texts_->decode(*queue_, *pieces_, member.stream, member.first_piece, text, text_at));
    return {};
  }));
  if (batch.fault.fault != chunks::Fault::none) return refuse(member.body, batch.fault);
  member.first_piece += batch.piece_count, member.made_bytes += batch.text_bytes, text_bytes_ -= batch.text_bytes;
  member.crc32 = checksum::crc32_combine(member.crc32, batch.crc32, batch.text_bytes);
  if (member.first_piece < member.stream.pieces.size()) return {};
  PENSTOCK_TRY(check_gzip_trailer(member.trailer_bytes, member.crc32, member.made_bytes, member.trailer));
  members_.pop_front();
  return {};
}

// In the words of the host's ways, which decode the member again.
Status DeviceMembers::refuse(const Place& body, const deflate::StreamFault& fault) const {
  constexpr std::uint64_t most_bytes = 64 << 20;      // that are decoded again
  const Place at = body.at(base_ + fault.byte);
  if (fault.fault == chunks::Fault::too_long || fault.fault == chunks::Fault::too_large)
    return at.error(Code::capacity, "a block of more text, or blocks of more bytes, than devices take");
  if (at.offset - body.offset < most_bytes) return diagnose_body(bytes_.subspan(body.offset - base_), body);
  return fault.fault == chunks::Fault::truncated ? at.ended() : at.corrupt(words_of(fault.fault));
}

Result<bool> fits_streams_device(Context& context) {
  PENSTOCK_ASSIGN(const bool is_member, begins_gzip_member(context.input));
  if (!is_member || !context.input.is_mapped()) return false;
  PENSTOCK_ASSIGN(const bool is_sized, fits_sized_members(context));      // whose sizes are checked by another way
  if (is_sized) return false;
  const Traits& traits = context.device->device()->traits();
  const std::uint64_t bytes = *context.input.size() - context.input.offset();
  return deflate::StreamPieces::fits(traits) && bytes + chunk_alignment <= traits.max_allocation_bytes;
}
Result<std::unique_ptr<Decoder>> make_streams_device(Context& context) {
  return std::unique_ptr<Decoder>(new MembersOnDevice(context));
}

}  // namespace penstock::stream
