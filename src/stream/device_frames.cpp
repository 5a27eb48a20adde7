#include "stream/device_frames.hpp"

#include <algorithm>
#include <array>

#include "stream/way_choice.hpp"

namespace penstock::stream {
namespace {

// Of text that comes back at once, by way of two pieces of pinned memory.
constexpr std::uint64_t piece_bytes = 32 << 20;

// A text on its way from a device to the host, the next piece while the last one is read.
class TextPieces {
 public:
  TextPieces(DeviceRun& run, const FrameOnDevice& frame) : run_(run), frame_(frame) {}

  // Empty at the end. It stays until the next call.
  Result<std::span<const std::byte>> next() {
    if (queue_ == nullptr) {
      PENSTOCK_ASSIGN(queue_, run_.device()->queue());
      PENSTOCK_TRY(request());
    }
    const std::uint64_t bytes = std::min(piece_bytes, frame_.bytes - given_);
    if (bytes == 0) return std::span<const std::byte>();
    Piece& piece = pieces_[given_ / piece_bytes % 2];
    PENSTOCK_TRY(piece.there->wait());
    PENSTOCK_ASSIGN(const double seconds, piece.there->seconds_since(*piece.asked));
    run_.add({.bytes_out = bytes, .download_seconds = seconds});
    given_ += bytes;
    PENSTOCK_TRY(request());
    const std::span<const std::byte> text(piece.memory->data(), bytes);
    if (frame_.check != nullptr) frame_.check->add(text);
    return text;
  }

 private:
  struct Piece { std::shared_ptr<HostBuffer> memory; std::shared_ptr<Event> asked, there; };

  // The piece at `asked_`, where there is one.
  Status request() {
    const std::uint64_t bytes = std::min(piece_bytes, frame_.bytes - asked_);
    if (bytes == 0) return {};
    Piece& piece = pieces_[asked_ / piece_bytes % 2];
    PENSTOCK_TRY(reserve(*run_.device(), bytes, piece.memory));
    PENSTOCK_ASSIGN(piece.asked, queue_->record());
    PENSTOCK_TRY(queue_->download(piece.memory->data(), *frame_.text, bytes, frame_.begin + asked_));
    PENSTOCK_ASSIGN(piece.there, queue_->record());
    asked_ += bytes;
    return queue_->flush();
  }

  DeviceRun& run_;
  const FrameOnDevice& frame_;
  std::array<Piece, 2> pieces_;
  std::uint64_t asked_ = 0, given_ = 0;
  std::unique_ptr<Queue> queue_;      // the last: it waits for what uses the others
};

class FramePieces final : public Decoder {
 public:
  FramePieces(Result<FrameOnDevice> (*make)(Context& context), Context& context) : make_(make), context_(context) {}

  Result<std::span<const std::byte>> next() override {
    if (is_done_) return std::span<const std::byte>();
    if (pieces_ == nullptr) {
      PENSTOCK_ASSIGN(frame_, make_(context_));
      pieces_ = std::make_unique<TextPieces>(*context_.device, frame_);
    }
    PENSTOCK_ASSIGN(const auto piece, pieces_->next());
    if (!piece.empty()) return piece;
    is_done_ = true;
    if (frame_.check != nullptr) PENSTOCK_TRY(frame_.check->verdict());
    context_.input.skip(frame_.input_bytes);
    return piece;
  }

 private:
  Result<FrameOnDevice> (*make_)(Context& context);
  Context& context_;
  FrameOnDevice frame_;
  std::unique_ptr<TextPieces> pieces_;
  bool is_done_ = false;
};

// One text of several, by way of the host: `copy` has no places within buffers.
Result<std::shared_ptr<Buffer>> joined(DeviceRun& run, std::span<const FrameOnDevice> frames, std::uint64_t bytes) {
  std::shared_ptr<Buffer> text;
  PENSTOCK_TRY(reserve(*run.device(), bytes + 16, text));
  PENSTOCK_ASSIGN(const auto queue, run.device()->queue());
  std::uint64_t at = 0;
  for (const FrameOnDevice& frame : frames) {
    const FrameOnDevice unchecked{frame.text, frame.begin, frame.bytes, 0};
    TextPieces pieces(run, unchecked);
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
  TextPieces pieces(run, frame);
  for (;;) {
    PENSTOCK_ASSIGN(const auto piece, pieces.next());
    if (piece.empty()) return frame.check->verdict();
  }
}

}  // namespace

Result<std::unique_ptr<DeviceFile>> DeviceFile::upload(DeviceRun& run, Input& input) {
  StagedUpload staged;      // before the queue, which waits for what reads it
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

std::unique_ptr<Decoder> make_frame_decoder(Result<FrameOnDevice> (*frame)(Context& context), Context& context) {
  return std::make_unique<FramePieces>(frame, context);
}

Result<DeviceText> frames_to_device(Context& context, Format format) {
  Report report{.format = format};
  std::vector<FrameOnDevice> frames;
  for (bool goes_on = true; goes_on;) {
    PENSTOCK_ASSIGN(const Way* const way, choose_way(context, format));
    if (way->frame == nullptr)
      return Status(Code::unsupported, "what begins at byte " + std::to_string(context.input.offset()) +
                                           " is decoded in another way than what is before it, and not to one text on a device");
    if (std::find(report.variants.begin(), report.variants.end(), way->name) == report.variants.end()) report.variants.push_back(way->name);
    context.most_output_bytes = context.options.max_output_bytes - report.bytes_out;
    PENSTOCK_ASSIGN(auto frame, way->frame(context));
    PENSTOCK_TRY(check_text(*context.device, frame));
    report.bytes_out += frame.bytes;
    context.input.skip(frame.input_bytes);
    frames.push_back(std::move(frame));
    PENSTOCK_ASSIGN(goes_on, another_follows(context, format));
  }
  std::shared_ptr<Buffer> text = frames.front().text;
  if (frames.size() > 1 || frames.front().begin != 0) {
    PENSTOCK_ASSIGN(text, joined(*context.device, frames, report.bytes_out));
  }
  report.bytes_in = context.input.offset(), report.threads = 1;
  report.member_count = context.member_count, report.unchecked_member_count = context.unchecked_member_count;
  report.first_name = context.first_name;
  report.device = context.device->report();
  return DeviceText{text, report.bytes_out, report};
}

}  // namespace penstock::stream
