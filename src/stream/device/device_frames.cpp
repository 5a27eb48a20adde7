#include "stream/device/device_frames.hpp"

#include "stream/device/output_reader.hpp"

namespace penstock::stream {
namespace {

class FrameReader final : public Decoder {
 public:
  FrameReader(Result<DecodedFrame> (*decode)(Context& context), Context& context)
      : decode_(decode), context_(context), reader_(*context.session) {}

  Result<std::span<const std::byte>> next() override {
    if (is_done_) return std::span<const std::byte>();
    if (frame_.output == nullptr) {
      PENSTOCK_ASSIGN(frame_, decode_(context_));
      reader_.begin(frame_.output, frame_.bytes);
    }
    PENSTOCK_ASSIGN(const auto part, reader_.next());
    if (frame_.checksum != nullptr) frame_.checksum->add(part);
    if (!part.empty()) return part;
    is_done_ = true;
    if (frame_.checksum != nullptr) PENSTOCK_TRY(frame_.checksum->check());
    context_.input.skip(frame_.input_bytes);
    PENSTOCK_TRY(context_.report_progress(context_.input.offset()));  // also after empty frames
    return part;
  }
  std::uint64_t bytes_decoded_ahead() const override { return is_done_ ? 0 : frame_.input_bytes; }

 private:
  Result<DecodedFrame> (*decode_)(Context& context);
  Context& context_;
  DecodedFrame frame_;
  OutputReader reader_;
  bool is_done_ = false;
};

}  // namespace

Result<std::unique_ptr<UploadedInput>> UploadedInput::upload(DeviceSession& session, Input& input) {
  StagedUpload staged;  // before the queue, which waits for what reads it
  auto uploaded = std::make_unique<UploadedInput>();
  PENSTOCK_ASSIGN(const auto rest, input.peek(1));
  uploaded->bytes_ = rest, uploaded->begin_ = input.offset();
  PENSTOCK_ASSIGN(uploaded->queue_, session.device()->queue());
  Queue& queue = *uploaded->queue_;
  PENSTOCK_TRY(
      reserve(*session.device(), uploaded->bytes_.size() + 2 * chunk_alignment, uploaded->buffer_));
  PENSTOCK_ASSIGN(const auto begin, queue.record());
  PENSTOCK_TRY(staged.send(*session.device(), queue, uploaded->bytes_, *uploaded->buffer_));
  PENSTOCK_ASSIGN(const auto end, queue.record());
  PENSTOCK_TRY(queue.finish());
  PENSTOCK_ASSIGN(const double seconds, end->seconds_since(*begin));
  session.add({.bytes_in = uploaded->bytes_.size(), .upload_seconds = seconds});
  return uploaded;
}

std::unique_ptr<Decoder> make_frame_decoder(Result<DecodedFrame> (*decode)(Context& context),
                                            Context& context) {
  return std::make_unique<FrameReader>(decode, context);
}

Result<std::shared_ptr<Buffer>> joined_output(DeviceSession& session,
                                              std::span<const DecodedFrame> frames,
                                              std::uint64_t bytes) {
  std::shared_ptr<Buffer> output;
  PENSTOCK_TRY(reserve(*session.device(), bytes + chunk_alignment, output));
  PENSTOCK_ASSIGN(const auto queue, session.device()->queue());
  std::uint64_t offset = 0;
  OutputReader reader(session);
  for (const DecodedFrame& frame : frames) {
    reader.begin(frame.output, frame.bytes);
    for (;;) {
      PENSTOCK_ASSIGN(const auto part, reader.next());
      if (part.empty()) break;
      PENSTOCK_TRY(queue->upload(*output, part.data(), part.size(), offset));
      PENSTOCK_TRY(queue->finish());
      offset += part.size();
    }
  }
  return output;
}

Status check_output(DeviceSession& session, const DecodedFrame& frame) {
  if (frame.checksum == nullptr) return {};
  OutputReader reader(session);
  reader.begin(frame.output, frame.bytes);
  for (;;) {
    PENSTOCK_ASSIGN(const auto part, reader.next());
    if (part.empty()) return frame.checksum->check();
    frame.checksum->add(part);
  }
}

}  // namespace penstock::stream
