// Blocks of a piece compressed on a device, all at once: their text goes through pinned memory,
// batch::Encoder makes the chunks, and what they became comes back with the gaps of their rooms in
// one transfer, to be put together as the format has it. As batches that are decoded
// (device_batch.hpp), each waits for a queue of its own, and several are on their way.
#include <algorithm>
#include <cstring>

#include "stream/device/device_batch.hpp"
#include "stream/pipeline/compressors.hpp"

namespace penstock::stream {
namespace {

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + chunk_alignment - 1) / chunk_alignment * chunk_alignment;
}

// Kept with a place of the pipeline's ring.
class EncodeBatch {
 public:
  EncodeBatch(std::shared_ptr<DeviceRun> run, batch::Format format, std::uint64_t block_bytes)
      : run_(std::move(run)),
        format_(format),
        block_bytes_(block_bytes),
        capacity_bytes_(aligned(batch::Encoder::bound_bytes(format, block_bytes))) {}

  // The chunks of a text's blocks stay until the next call.
  Status encode(std::span<const std::byte> text) {
    Device& device = *run_->device();
    PENSTOCK_ASSIGN(batch::Encoder* const encoder, run_->encoder(format_));
    if (queue_ == nullptr) { PENSTOCK_ASSIGN(queue_, device.queue()); }
    marks_.clear();
    PENSTOCK_TRY(reserve_memory(device, *encoder, text));
    std::memcpy(output_->data(), text.data(), text.size());
    PENSTOCK_TRY(mark());
    PENSTOCK_TRY(queue_->upload(*batch_.input, output_->data(), text.size()));
    PENSTOCK_TRY(tables_.upload(device, *queue_, batch_));
    PENSTOCK_TRY(mark());
    PENSTOCK_TRY(encoder->enqueue(*queue_, batch_, *scratch_));
    PENSTOCK_TRY(mark());
    PENSTOCK_TRY(tables_.download(*queue_, batch_));
    PENSTOCK_TRY(queue_->finish());
    for (std::uint32_t i = 0; i < tables_.count(); i++)
      PENSTOCK_TRY(batch::status_of(format_, i, tables_.chunk_status(i)));
    PENSTOCK_TRY(mark());
    const std::uint64_t bytes =
        (tables_.count() - 1) * capacity_bytes_ + tables_.size(tables_.count() - 1);
    PENSTOCK_TRY(queue_->download(chunks_->data(), *batch_.output, bytes));
    PENSTOCK_TRY(mark());
    PENSTOCK_TRY(queue_->finish());
    return note_times(text.size(), bytes);
  }
  std::span<const std::byte> chunk(std::uint32_t index) const {
    return {chunks_->data() + index * capacity_bytes_, tables_.size(index)};
  }

 private:
  Status reserve_memory(Device& device, const batch::Encoder& encoder,
                        std::span<const std::byte> text) {
    tables_.clear();
    for (std::uint64_t at = 0; at == 0 || at < text.size(); at += block_bytes_)
      tables_.add(at, std::min<std::uint64_t>(block_bytes_, text.size() - at),
                  tables_.count() * capacity_bytes_, capacity_bytes_);
    PENSTOCK_TRY(reserve(device, text.size(), output_));
    PENSTOCK_TRY(reserve(device, tables_.count() * capacity_bytes_, chunks_));
    PENSTOCK_TRY(reserve(device, text.size() + chunk_alignment, batch_.input));
    PENSTOCK_TRY(
        reserve(device, tables_.count() * capacity_bytes_ + chunk_alignment, batch_.output));
    return reserve(device, encoder.scratch_bytes(tables_.count()), scratch_);
  }
  Status mark() {
    PENSTOCK_ASSIGN(auto event, queue_->record());
    marks_.push_back(std::move(event));
    return {};
  }
  Status note_times(std::uint64_t bytes_in, std::uint64_t bytes_out) {
    DeviceReport times;
    times.bytes_in = bytes_in, times.bytes_out = bytes_out;
    PENSTOCK_ASSIGN(times.upload_seconds, marks_[1]->seconds_since(*marks_[0]));
    PENSTOCK_ASSIGN(times.kernel_seconds, marks_[2]->seconds_since(*marks_[1]));
    PENSTOCK_ASSIGN(times.download_seconds, marks_[4]->seconds_since(*marks_[3]));
    run_->add(times);
    return {};
  }

  std::shared_ptr<DeviceRun> run_;
  batch::Format format_;
  std::uint64_t block_bytes_, capacity_bytes_;
  std::shared_ptr<HostBuffer> output_, chunks_;
  batch::Batch batch_;
  std::shared_ptr<Buffer> scratch_;
  UnitTables tables_;
  std::vector<std::shared_ptr<Event>>
      marks_;                     // begin, uploaded, encoded, chunks asked for, chunks there
  std::unique_ptr<Queue> queue_;  // the last: it waits for what uses the others
};

class DeviceCompressor : public Stages {
 public:
  DeviceCompressor(Input& input, const CompressOptions& options, std::unique_ptr<Framing> framing,
                   std::shared_ptr<DeviceRun> run)
      : input_(input),
        block_bytes_(options.block_bytes),
        framing_(std::move(framing)),
        run_(std::move(run)),
        piece_bytes_(std::max<std::uint64_t>(batch_bytes_on(*run_->device()) / block_bytes_, 1) *
                     block_bytes_) {}

  Result<bool> take(Piece& piece) override {
    piece.frame.begins = std::exchange(begins_, false);
    const bool is_empty_a_block = piece.frame.begins && framing_->is_empty_a_block();
    PENSTOCK_ASSIGN(const bool is_block,
                    take_input_block(input_, piece_bytes_, is_empty_a_block, piece));
    if (is_block) return true;
    piece.frame.ends = true;
    return !std::exchange(is_ended_, true);
  }

  Status work(Piece& piece) override {
    const std::uint64_t count =
        piece.frame.ends
            ? 0
            : std::max<std::uint64_t>((piece.input.size() + block_bytes_ - 1) / block_bytes_, 1);
    const std::uint64_t max_block_bytes =
        batch::Encoder::bound_bytes(framing_->chunk_format(), block_bytes_) +
        Framing::max_bytes_around;
    std::byte* const out = piece.reserve(2 * Framing::max_bytes_around + count * max_block_bytes);
    piece.end = piece.frame.begins ? framing_->begin(out) : 0;
    if (count == 0) return {};
    if (piece.tools == nullptr)
      piece.tools = std::make_shared<EncodeBatch>(run_, framing_->chunk_format(), block_bytes_);
    auto* const batch = static_cast<EncodeBatch*>(piece.tools.get());
    PENSTOCK_TRY(batch->encode(piece.input));
    for (std::uint32_t i = 0; i < count; i++) {
      const auto text = piece.input.subspan(
          i * block_bytes_,
          std::min<std::uint64_t>(block_bytes_, piece.input.size() - i * block_bytes_));
      piece.end += framing_->put(out + piece.end, text, batch->chunk(i));
    }
    return {};
  }

  Status join(Piece& piece) override {
    framing_->update(piece.input);
    if (piece.frame.ends) piece.end += framing_->end(piece.memory.data() + piece.end);
    return {};
  }

 private:
  Input& input_;
  std::uint64_t block_bytes_;
  std::unique_ptr<Framing> framing_;  // its update() and end() join()'s alone
  std::shared_ptr<DeviceRun> run_;
  std::uint64_t piece_bytes_;
  bool begins_ = true, is_ended_ = false;
};

}  // namespace

std::unique_ptr<Stages> make_device_compressor(Input& input, const CompressOptions& options,
                                               std::unique_ptr<Framing> framing,
                                               std::shared_ptr<DeviceRun> run) {
  return std::make_unique<DeviceCompressor>(input, options, std::move(framing), std::move(run));
}

}  // namespace penstock::stream
