#include "stream/device/device_stages.hpp"

#include <algorithm>

#include "stream/device/device_batch.hpp"

namespace penstock::stream {
namespace {

constexpr std::size_t max_window_bytes = 64 << 10;  // how far an LZ4 match reaches back

class DeviceStages : public DecodeStages {
 public:
  DeviceStages(std::unique_ptr<ChunkStages> chunks, std::shared_ptr<DeviceSession> session)
      : chunks_(std::move(chunks)), session_(std::move(session)) {}
  Result<bool> take(DecodeJob& job) override { return chunks_->take(job); }
  Status work(DecodeJob& job) override {
    if (job.chunks.empty()) return {};
    if (job.worker_state == nullptr) job.worker_state = std::make_shared<DeviceBatch>(session_);
    PENSTOCK_TRY(static_cast<DeviceBatch*>(job.worker_state.get())->decode(*chunks_, job, window_));
    if (chunks_->has_dependent_chunks()) keep_window(job);
    return {};
  }
  Status join(DecodeJob& job) override { return chunks_->join(job); }

 private:
  // Keeps the last output, which the next job of a frame with dependent blocks may reach into.
  void keep_window(const DecodeJob& job) {
    const auto output = job.external_output;
    if (job.chunks.front().begins_stream) window_.clear();
    window_.insert(window_.end(), output.end() - std::min(output.size(), max_window_bytes),
                   output.end());
    window_.erase(window_.begin(), window_.end() - std::min(window_.size(), max_window_bytes));
  }

  std::unique_ptr<ChunkStages> chunks_;
  std::shared_ptr<DeviceSession> session_;
  // Used by work(), of which one call runs at a time where chunks are dependent.
  std::vector<std::byte> window_;
};

// Output in a batch on GPUs: 64 blocks of 4 MiB, whose segments are 20 000 and more (an H200 runs
// 5000 warps at once), or 4096 chunks of 64 KiB. More would keep a device busier. But each batch in
// flight pins as much host memory as its input and output take, and has up to six times its output
// on the device (source indices are four), so that smaller devices get smaller batches.
constexpr std::uint64_t max_job_bytes = 256 << 20, device_bytes_per_output_byte = 6;

}  // namespace

std::uint64_t device_job_bytes(const Device& device) {
  std::uint64_t bytes = batch_bytes_on(device);
  if (device.traits().wants_cache_sized_chunks()) return bytes;
  const std::uint64_t limit =
      device.traits().global_bytes / 2 / (device_bytes_per_output_byte * batches_in_flight);
  while (bytes < max_job_bytes && 2 * bytes <= limit) bytes *= 2;
  return bytes;
}

std::unique_ptr<Decoder> make_chunk_decoder(std::unique_ptr<ChunkStages> chunks, Context& context) {
  const std::uint32_t threads = chunks->has_dependent_chunks() ? 1 : batches_in_flight;
  return std::make_unique<Pipeline<DecodeJob>>(
      std::make_unique<DeviceStages>(std::move(chunks), context.session), threads,
      [&context] { return context.report_progress(context.input.offset()); });
}

}  // namespace penstock::stream
