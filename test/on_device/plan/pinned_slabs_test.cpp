// Pinned memory that is taken before the device is open.
#include "exec/scan/pinned_slabs.hpp"

#include <cstring>

#include "on_device/device/forwarding_device.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

// Counts what is pinned and not released.
class PinningDevice final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  Result<std::shared_ptr<HostBuffer>> pin_host(std::shared_ptr<std::byte> memory,
                                               std::uint64_t bytes) override {
    pinned_bytes += bytes;
    return std::shared_ptr<HostBuffer>(new HostBuffer, [this, bytes, memory](HostBuffer* buffer) {
      pinned_bytes -= bytes;
      delete buffer;
    });
  }
  std::uint64_t pinned_bytes = 0;
};

TEST(PinnedSlabs, BlocksTakenBeforeTheDeviceIsOpenArePinnedUntilTheLastIsGone) {
  on_each_device([](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    const auto pinning = std::make_shared<PinningDevice>(opened);
    plan::PinnedSlabs slabs(nullptr);
    std::shared_ptr<std::byte> early = slabs.take(1000), large = slabs.take(40 << 20);
    std::memset(early.get(), 1, 1000);
    slabs.pin_on(pinning);
    EXPECT_EQ(early.get()[999], std::byte{1});
    EXPECT_GE(pinning->pinned_bytes, (40u << 20) + 1000u);
    early.reset();
    EXPECT_GE(pinning->pinned_bytes, 40u << 20);
    const std::shared_ptr<std::byte> late = slabs.take(40 << 20);
    large.reset();
    EXPECT_EQ(pinning->pinned_bytes, 0u) << "later slabs are the device's own";
    ASSERT_NE(late, nullptr);
  });
}

}  // namespace
}  // namespace penstock::test
