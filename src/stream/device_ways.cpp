// The ways for devices: units that the host finds, decoded in batches by device_batch.hpp.
#include "stream/device_batch.hpp"
#include "stream/lz4_format.hpp"

namespace penstock::stream {
namespace {

// A member that says to become more, as a bomb may, is the host's: a batch would have to have its room.
constexpr std::uint64_t most_member_text_bytes = 256 << 20;

class DeviceStages : public Stages {
 public:
  DeviceStages(std::unique_ptr<UnitStages> units, std::shared_ptr<DeviceRun> run) : units_(std::move(units)), run_(std::move(run)) {}
  Result<bool> take(Piece& piece) override { return units_->take(piece); }
  Status work(Piece& piece) override {
    if (piece.units.empty()) return {};
    if (piece.tools == nullptr) piece.tools = std::make_shared<DeviceBatch>(run_);
    return static_cast<DeviceBatch*>(piece.tools.get())->decode(*units_, piece);
  }
  Status join(Piece& piece) override { return units_->join(piece); }

 private:
  std::unique_ptr<UnitStages> units_;
  std::shared_ptr<DeviceRun> run_;
};

// On GPUs two of what others take: of 4 MiB a batch has 32 blocks then, each of which is a group's.
std::uint64_t piece_bytes(const Context& context) {
  const Device& device = *context.device->device();
  return (device.traits().is_cpu ? 1 : 2) * batch_bytes_on(device);
}

}  // namespace

Result<bool> fits_lz4_device(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_lz4_frame(context.input, context.member_count + 1));
  return !header || (!header->is_linked && context.options.dictionary.empty());
}

Result<bool> fits_members_device(Context& context) { return fits_member_units(context, most_member_text_bytes); }
std::unique_ptr<UnitStages> members_for_devices(Context& context, std::uint64_t bytes) {
  return member_units(context, bytes, most_member_text_bytes);
}

Result<std::unique_ptr<Decoder>> make_on_device(const Way& way, Context& context) {
  auto stages = std::make_unique<DeviceStages>(way.units(context, piece_bytes(context)), context.device);
  return std::unique_ptr<Decoder>(new Pipeline(std::move(stages), batches_in_flight));
}

}  // namespace penstock::stream
