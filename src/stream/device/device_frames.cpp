#include "stream/device/device_frames.hpp"

#include "stream/device/output_pieces.hpp"

namespace penstock::stream {
namespace {

class FramePieces final : public Decoder {
 public:
  FramePieces(Result<FrameOnDevice> (*make)(Context& context), Context& context)
      : make_(make), context_(context), pieces_(*context.device) {}

  Result<std::span<const std::byte>> next() override {
    if (is_done_) return std::span<const std::byte>();
    if (frame_.output == nullptr) {
      PENSTOCK_ASSIGN(frame_, make_(context_));
      pieces_.begin(frame_.output, frame_.bytes);
    }
    PENSTOCK_ASSIGN(const auto piece, pieces_.next());
    if (frame_.check != nullptr) frame_.check->add(piece);
    if (!piece.empty()) return piece;
    is_done_ = true;
    if (frame_.check != nullptr) PENSTOCK_TRY(frame_.check->chunk_status());
    context_.input.skip(frame_.input_bytes);
    return piece;
  }
  // All of the frame's, while its text comes.
  std::uint64_t bytes_begun() const override { return is_done_ ? 0 : frame_.input_bytes; }

 private:
  Result<FrameOnDevice> (*make_)(Context& context);
  Context& context_;
  FrameOnDevice frame_;
  OutputPieces pieces_;
  bool is_done_ = false;
};

}  // namespace

Result<std::unique_ptr<DeviceFile>> DeviceFile::upload(DeviceRun& run, Input& input) {
  StagedUpload staged;  // before the queue, which waits for what reads it
  auto file = std::make_unique<DeviceFile>();
  PENSTOCK_ASSIGN(const auto rest, input.peek(1));
  file->bytes_ = {rest.data() - input.offset(), rest.size() + input.offset()};
  PENSTOCK_ASSIGN(file->queue_, run.device()->queue());
  PENSTOCK_TRY(reserve(*run.device(), file->bytes_.size() + 2 * chunk_alignment, file->buffer_));
  PENSTOCK_ASSIGN(const auto begin, file->queue_->record());
  PENSTOCK_TRY(staged.send(*run.device(), *file->queue_, file->bytes_, *file->buffer_));
  PENSTOCK_ASSIGN(const auto end, file->queue_->record());
  PENSTOCK_TRY(file->queue_->finish());
  PENSTOCK_ASSIGN(const double seconds, end->seconds_since(*begin));
  run.add({.bytes_in = file->bytes_.size(), .upload_seconds = seconds});
  return file;
}

std::unique_ptr<Decoder> make_frame_decoder(Result<FrameOnDevice> (*frame)(Context& context),
                                            Context& context) {
  return std::make_unique<FramePieces>(frame, context);
}

Result<std::shared_ptr<Buffer>> joined_output(DeviceRun& run, std::span<const FrameOnDevice> frames,
                                              std::uint64_t bytes) {
  std::shared_ptr<Buffer> output;
  PENSTOCK_TRY(reserve(*run.device(), bytes + 16, output));
  PENSTOCK_ASSIGN(const auto queue, run.device()->queue());
  std::uint64_t at = 0;
  OutputPieces pieces(run);
  for (const FrameOnDevice& frame : frames) {
    pieces.begin(frame.output, frame.bytes);
    for (;;) {
      PENSTOCK_ASSIGN(const auto piece, pieces.next());
      if (piece.empty()) break;
      PENSTOCK_TRY(queue->upload(*output, piece.data(), piece.size(), at));
      PENSTOCK_TRY(queue->finish());
      at += piece.size();
    }
  }
  return output;
}

Status check_output(DeviceRun& run, const FrameOnDevice& frame) {
  if (frame.check == nullptr) return {};
  OutputPieces pieces(run);
  pieces.begin(frame.output, frame.bytes);
  for (;;) {
    PENSTOCK_ASSIGN(const auto piece, pieces.next());
    if (piece.empty()) return frame.check->chunk_status();
    frame.check->add(piece);
  }
}

}  // namespace penstock::stream
