#include "stream/device_frames.hpp"

#include <algorithm>

#include "stream/text_pieces.hpp"
#include "stream/way_choice.hpp"

namespace penstock::stream {
namespace {

class FramePieces final : public Decoder {
 public:
  FramePieces(Result<FrameOnDevice> (*make)(Context& context), Context& context)
      : make_(make), context_(context), pieces_(*context.device) {}

  Result<std::span<const std::byte>> next() override {
    if (is_done_) return std::span<const std::byte>();
    if (frame_.text == nullptr) {
      PENSTOCK_ASSIGN(frame_, make_(context_));
      pieces_.begin(frame_.text, frame_.bytes);
    }
    PENSTOCK_ASSIGN(const auto piece, pieces_.next());
    if (frame_.check != nullptr) frame_.check->add(piece);
    if (!piece.empty()) return piece;
    is_done_ = true;
    if (frame_.check != nullptr) PENSTOCK_TRY(frame_.check->verdict());
    context_.input.skip(frame_.input_bytes);
    return piece;
  }
  // All of the frame's, while its text comes.
  std::uint64_t bytes_begun() const override { return is_done_ ? 0 : frame_.input_bytes; }

 private:
  Result<FrameOnDevice> (*make_)(Context& context);
  Context& context_;
  FrameOnDevice frame_;
  TextPieces pieces_;
  bool is_done_ = false;
};

// One text of several, by way of the host: `copy` has no places within buffers.
Result<std::shared_ptr<Buffer>> joined(DeviceRun& run, std::span<const FrameOnDevice> frames,
                                       std::uint64_t bytes) {
  std::shared_ptr<Buffer> text;
  PENSTOCK_TRY(reserve(*run.device(), bytes + 16, text));
  PENSTOCK_ASSIGN(const auto queue, run.device()->queue());
  std::uint64_t at = 0;
  TextPieces pieces(run);
  for (const FrameOnDevice& frame : frames) {
    pieces.begin(frame.text, frame.bytes);
    for (;;) {
      PENSTOCK_ASSIGN(const auto piece, pieces.next());
      if (piece.empty()) break;
      PENSTOCK_TRY(queue->upload(*text, piece.data(), piece.size(), at));
      PENSTOCK_TRY(queue->finish());
      at += piece.size();
    }
  }
  return text;
}

Status check_text(DeviceRun& run, const FrameOnDevice& frame) {
  if (frame.check == nullptr) return {};
  TextPieces pieces(run);
  pieces.begin(frame.text, frame.bytes);
  for (;;) {
    PENSTOCK_ASSIGN(const auto piece, pieces.next());
    if (piece.empty()) return frame.check->verdict();
    frame.check->add(piece);
  }
}

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

Result<DeviceText> frames_to_device(Context& context, Format format) {
  Report report{.format = format};
  std::vector<FrameOnDevice> frames;
  for (bool goes_on = true; goes_on;) {
    PENSTOCK_ASSIGN(const Way* const way, choose_way(context, format));
    if (std::find(report.variants.begin(), report.variants.end(), way->name) ==
        report.variants.end())
      report.variants.push_back(way->name);
    context.most_output_bytes = context.options.max_output_bytes - report.bytes_out;
    PENSTOCK_ASSIGN(auto frame, way->frame(context));
    PENSTOCK_TRY(check_text(*context.device, frame));
    report.bytes_out += frame.bytes;
    context.input.skip(frame.input_bytes);
    frames.push_back(std::move(frame));
    PENSTOCK_ASSIGN(goes_on, another_follows(context, format));
  }
  std::shared_ptr<Buffer> text = frames.front().text;
  if (frames.size() > 1) {
    PENSTOCK_ASSIGN(text, joined(*context.device, frames, report.bytes_out));
  }
  report.bytes_in = context.input.offset(), report.threads = 1;
  report.member_count = context.member_count,
  report.unchecked_member_count = context.unchecked_member_count;
  report.first_name = context.first_name, report.held_bytes = context.held_bytes;
  report.device = context.device->report();
  return DeviceText{text, report.bytes_out, report};
}

}  // namespace penstock::stream
