// The ways for devices: units that the host finds, decoded in batches by device_batch.hpp.
#include "stream/device/device_stages.hpp"

#include <algorithm>

#include "stream/device/device_batch.hpp"

namespace penstock::stream {
namespace {

constexpr std::size_t max_window_bytes = 64 << 10;  // how far a match reaches back

class DeviceStages : public Stages {
 public:
  DeviceStages(std::unique_ptr<UnitStages> units, std::shared_ptr<DeviceRun> run)
      : units_(std::move(units)), run_(std::move(run)) {}
  Result<bool> take(Piece& piece) override { return units_->take(piece); }
  Status work(Piece& piece) override {
    if (piece.units.empty()) return {};
    if (piece.tools == nullptr) piece.tools = std::make_shared<DeviceBatch>(run_);
    PENSTOCK_TRY(static_cast<DeviceBatch*>(piece.tools.get())->decode(*units_, piece, window_));
    if (units_->is_linked()) keep_window(piece);
    return {};
  }
  Status join(Piece& piece) override { return units_->join(piece); }

 private:
  // What the next piece of a frame whose blocks are linked reaches.
  void keep_window(const Piece& piece) {
    if (piece.units.front().begins_stream) window_.clear();
    window_.insert(window_.end(),
                   piece.lent.end() - std::min<std::size_t>(piece.lent.size(), max_window_bytes),
                   piece.lent.end());
    window_.erase(window_.begin(),
                  window_.end() - std::min<std::size_t>(window_.size(), max_window_bytes));
  }

  std::unique_ptr<UnitStages> units_;
  std::shared_ptr<DeviceRun> run_;
  std::vector<std::byte>
      window_;  // by work(), of which there is one at a time where units are linked
};

// Of text in a batch on GPUs: 64 blocks of 4 MiB, whose stretches are some 20 000 and more (an H200
// holds 5000 teams at once), or 4096 chunks of 64 KiB. More would keep a device busier; but each
// batch in flight pins as much memory of the host as its text and its bytes take, and has up to six
// times its text on the device (origins are four), so that smaller devices get smaller batches.
constexpr std::uint64_t max_piece_bytes = 256 << 20, device_bytes_per_byte = 6;

}  // namespace

std::uint64_t device_piece_bytes(const Device& device) {
  std::uint64_t bytes = batch_bytes_on(device);
  if (device.traits().is_cpu) return bytes;
  const std::uint64_t capacity =
      device.traits().global_bytes / 2 / (device_bytes_per_byte * batches_in_flight);
  while (bytes < max_piece_bytes && 2 * bytes <= capacity) bytes *= 2;
  return bytes;
}

std::unique_ptr<Decoder> make_on_device(std::unique_ptr<UnitStages> units, Context& context) {
  const bool is_linked = units->is_linked();
  auto stages = std::make_unique<DeviceStages>(std::move(units), context.device);
  return std::make_unique<Pipeline>(std::move(stages), is_linked ? 1 : batches_in_flight);
}

}  // namespace penstock::stream
