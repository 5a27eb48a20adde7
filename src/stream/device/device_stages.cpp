#include "stream/device/device_stages.hpp"

#include <algorithm>
#include <atomic>

#include "device/memory_budget.hpp"
#include "stream/device/device_batch.hpp"

namespace penstock::stream {
namespace {

constexpr std::size_t max_window_bytes = 64 << 10;  // how far an LZ4 match reaches back

// The devices that decode batches, each with as many in flight.
class BatchDevices {
 public:
  explicit BatchDevices(const Context& context)
      : sessions_(context.further_sessions), takes_over_(context.options.devices_take_over) {
    sessions_.insert(sessions_.begin(), context.session);
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(sessions_.size()); }

  // Decodes on the device of the job's slot. If that device fails, another one gets the slot.
  Status decode(const ChunkStages& chunks, DecodeJob& job, std::span<const std::byte> window) {
    for (;;) {
      auto* slot = static_cast<SlotState*>(job.worker_state.get());
      if (slot == nullptr || slot->session->has_failed()) {
        std::shared_ptr<DeviceSession> session = next_device();
        if (session == nullptr) session = sessions_.front();  // reports its error
        job.worker_state = std::make_shared<SlotState>(session);
        slot = static_cast<SlotState*>(job.worker_state.get());
      }
      const Status status = slot->batch.decode(chunks, job, window);
      if (status.ok() || !is_of_device(status)) return status;
      const Status named = status.with("on " + slot->session->device()->traits().id);
      if (!takes_over_) return count() == 1 ? status : named;
      slot->session->fail(status);
      if (next_device() == nullptr) return named;
      job.external_output = {};
    }
  }

 private:
  struct SlotState {
    explicit SlotState(std::shared_ptr<DeviceSession> given) : session(given), batch(given) {}
    std::shared_ptr<DeviceSession> session;
    DeviceBatch batch;
  };

  static bool is_of_device(const Status& status) {
    return status.code() == Code::device_lost || status.code() == Code::no_memory;
  }

  // Returns the devices in turn; null if all have failed.
  std::shared_ptr<DeviceSession> next_device() {
    for (std::size_t i = 0; i < sessions_.size(); i++)
      if (const auto& session = sessions_[turn_++ % sessions_.size()]; !session->has_failed())
        return session;
    return nullptr;
  }

  std::vector<std::shared_ptr<DeviceSession>> sessions_;
  const bool takes_over_;
  std::atomic<std::size_t> turn_ = 0;
};

class DeviceStages : public DecodeStages {
 public:
  DeviceStages(std::unique_ptr<ChunkStages> chunks, const Context& context)
      : chunks_(std::move(chunks)), devices_(context) {}
  std::uint32_t threads() const {
    return chunks_->has_dependent_chunks() ? 1 : batches_in_flight * devices_.count();
  }
  Result<bool> take(DecodeJob& job) override { return chunks_->take(job); }
  Status work(DecodeJob& job) override {
    if (job.chunks.empty()) return {};
    PENSTOCK_TRY(devices_.decode(*chunks_, job, window_));
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
  BatchDevices devices_;
  // Used by work(), of which one call runs at a time where chunks are dependent.
  std::vector<std::byte> window_;
};

// Output in a batch on GPUs: 64 blocks of 4 MiB with 20 000 segments and more (an H200 runs 5000
// warps at once), or 4096 chunks of 64 KiB. Larger batches would keep a device busier. But each
// batch in flight pins as much host memory as its input and output, and takes up to six times its
// output on the device (source indices take four), so smaller devices get smaller batches.
constexpr std::uint64_t max_job_bytes = 256 << 20, device_bytes_per_output_byte = 6;

}  // namespace

std::uint64_t device_job_bytes(const Device& device) {
  std::uint64_t bytes = batch_bytes_on(device);
  if (device.traits().wants_cache_sized_chunks()) return bytes;
  const std::uint64_t limit =
      device::MemoryBudget(device.traits()).share_of(device::MemoryUse::frame) /
      (device_bytes_per_output_byte * batches_in_flight);
  while (bytes < max_job_bytes && 2 * bytes <= limit) bytes *= 2;
  return bytes;
}

std::unique_ptr<Decoder> make_chunk_decoder(std::unique_ptr<ChunkStages> chunks, Context& context) {
  auto stages = std::make_unique<DeviceStages>(std::move(chunks), context);
  const std::uint32_t threads = stages->threads();
  return std::make_unique<Pipeline<DecodeJob>>(std::move(stages), threads, [&context] {
    return context.report_progress(context.input.offset());
  });
}

}  // namespace penstock::stream
