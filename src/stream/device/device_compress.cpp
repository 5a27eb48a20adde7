// Compresses the blocks of a job on a device, all at once. The plain bytes go through pinned
// memory, batch::Encoder makes the chunks, and these come back in one transfer with the gaps
// between their capacities, to be framed as the format has it. As for batches that are decoded
// (device_batch.hpp), each waits for a queue of its own, and several are in flight.
#include "stream/device/device_compress.hpp"

#include <algorithm>
#include <cstring>

#include "stream/device/device_batch.hpp"

namespace penstock::stream {
namespace {

// The worker state of a pipeline's slot.
class EncodeBatch {
 public:
  EncodeBatch(std::shared_ptr<DeviceSession> session, batch::Format format,
              std::uint64_t block_bytes)
      : session_(std::move(session)),
        format_(format),
        block_bytes_(block_bytes),
        capacity_bytes_(aligned_to_chunk(batch::Encoder::bound_bytes(format, block_bytes))) {}

  // Compresses the blocks of `plain`. The chunks are valid until the next call.
  Status encode(std::span<const std::byte> plain) {
    Device& device = *session_->device();
    PENSTOCK_ASSIGN(batch::Encoder* const encoder, session_->encoder(format_));
    if (queue_ == nullptr) { PENSTOCK_ASSIGN(queue_, device.queue()); }
    events_.clear();
    PENSTOCK_TRY(reserve_memory(device, *encoder, plain));
    std::memcpy(plain_->data(), plain.data(), plain.size());
    PENSTOCK_TRY(record_event());
    PENSTOCK_TRY(queue_->upload(*batch_.input, plain_->data(), plain.size()));
    PENSTOCK_TRY(tables_.upload(device, *queue_, batch_));
    PENSTOCK_TRY(record_event());
    PENSTOCK_TRY(encoder->enqueue(*queue_, batch_, *scratch_));
    PENSTOCK_TRY(record_event());
    PENSTOCK_TRY(tables_.download(*queue_, batch_));
    PENSTOCK_TRY(queue_->finish());
    for (std::uint32_t i = 0; i < tables_.count(); i++)
      PENSTOCK_TRY(batch::status_of(format_, i, tables_.chunk_status(i)));
    PENSTOCK_TRY(record_event());
    const std::uint64_t bytes =
        (tables_.count() - 1) * capacity_bytes_ + tables_.size(tables_.count() - 1);
    PENSTOCK_TRY(queue_->download(chunks_->data(), *batch_.output, bytes));
    PENSTOCK_TRY(record_event());
    PENSTOCK_TRY(queue_->finish());
    return note_times(plain.size(), bytes);
  }
  std::span<const std::byte> chunk(std::uint32_t index) const {
    return {chunks_->data() + index * capacity_bytes_, tables_.size(index)};
  }

 private:
  Status reserve_memory(Device& device, const batch::Encoder& encoder,
                        std::span<const std::byte> plain) {
    tables_.clear();
    for (std::uint64_t at = 0; at == 0 || at < plain.size(); at += block_bytes_)
      tables_.add(at, std::min<std::uint64_t>(block_bytes_, plain.size() - at),
                  tables_.count() * capacity_bytes_, capacity_bytes_);
    PENSTOCK_TRY(reserve(device, plain.size(), plain_));
    PENSTOCK_TRY(reserve(device, tables_.count() * capacity_bytes_, chunks_));
    PENSTOCK_TRY(reserve(device, plain.size() + chunk_alignment, batch_.input));
    PENSTOCK_TRY(
        reserve(device, tables_.count() * capacity_bytes_ + chunk_alignment, batch_.output));
    return reserve(device, encoder.scratch_bytes(tables_.count()), scratch_);
  }
  Status record_event() {
    PENSTOCK_ASSIGN(auto event, queue_->record());
    events_.push_back(std::move(event));
    return {};
  }
  Status note_times(std::uint64_t bytes_in, std::uint64_t bytes_out) {
    DeviceReport times;
    times.bytes_in = bytes_in, times.bytes_out = bytes_out;
    PENSTOCK_ASSIGN(times.upload_seconds, events_[1]->seconds_since(*events_[0]));
    PENSTOCK_ASSIGN(times.kernel_seconds, events_[2]->seconds_since(*events_[1]));
    PENSTOCK_ASSIGN(times.download_seconds, events_[4]->seconds_since(*events_[3]));
    session_->add(times);
    return {};
  }

  std::shared_ptr<DeviceSession> session_;
  batch::Format format_;
  std::uint64_t block_bytes_, capacity_bytes_;
  std::shared_ptr<HostBuffer> plain_, chunks_;
  batch::Batch batch_;
  std::shared_ptr<Buffer> scratch_;
  ChunkTables tables_;
  // Begin, uploaded, encoded, chunks requested, chunks fetched.
  std::vector<std::shared_ptr<Event>> events_;
  std::unique_ptr<Queue> queue_;  // last: it waits for work that uses the other members
};

class DeviceCompressor : public EncodeStages {
 public:
  DeviceCompressor(Input& input, const CompressOptions& options, std::unique_ptr<Framing> framing,
                   std::shared_ptr<DeviceSession> session)
      : input_(input),
        block_bytes_(options.block_bytes),
        framing_(std::move(framing)),
        session_(std::move(session)),
        job_bytes_(std::max<std::uint64_t>(batch_bytes_on(*session_->device()) / block_bytes_, 1) *
                   block_bytes_) {}

  Result<bool> take(EncodeJob& job) override {
    job.begins_frame = std::exchange(begins_, false);
    const bool allows_empty = job.begins_frame && framing_->has_block_for_empty_input();
    PENSTOCK_ASSIGN(const bool is_block, take_input_block(input_, job_bytes_, allows_empty, job));
    if (is_block) return true;
    job.ends_frame = true;
    return !std::exchange(is_ended_, true);
  }

  Status work(EncodeJob& job) override {
    const std::uint64_t count =
        job.ends_frame
            ? 0
            : std::max<std::uint64_t>((job.input.size() + block_bytes_ - 1) / block_bytes_, 1);
    const std::uint64_t max_block_bytes =
        batch::Encoder::bound_bytes(framing_->chunk_format(), block_bytes_) +
        Framing::max_overhead_bytes;
    std::byte* const out = job.reserve(2 * Framing::max_overhead_bytes + count * max_block_bytes);
    job.end = job.begins_frame ? framing_->begin(out) : 0;
    if (count == 0) return {};
    if (job.worker_state == nullptr)
      job.worker_state =
          std::make_shared<EncodeBatch>(session_, framing_->chunk_format(), block_bytes_);
    auto* const batch = static_cast<EncodeBatch*>(job.worker_state.get());
    PENSTOCK_TRY(batch->encode(job.input));
    for (std::uint32_t i = 0; i < count; i++) {
      const auto plain = job.input.subspan(
          i * block_bytes_,
          std::min<std::uint64_t>(block_bytes_, job.input.size() - i * block_bytes_));
      job.end += framing_->put(out + job.end, plain, batch->chunk(i));
    }
    return {};
  }

  Status join(EncodeJob& job) override {
    framing_->update(job.input);
    if (job.ends_frame) job.end += framing_->end(job.memory.data() + job.end);
    return {};
  }

 private:
  Input& input_;
  std::uint64_t block_bytes_;
  std::unique_ptr<Framing> framing_;  // join() alone calls update() and end()
  std::shared_ptr<DeviceSession> session_;
  std::uint64_t job_bytes_;
  bool begins_ = true, is_ended_ = false;
};

}  // namespace

std::unique_ptr<EncodeStages> make_device_compressor(Input& input, const CompressOptions& options,
                                                     std::unique_ptr<Framing> framing,
                                                     std::shared_ptr<DeviceSession> session) {
  return std::make_unique<DeviceCompressor>(input, options, std::move(framing), std::move(session));
}

}  // namespace penstock::stream
