// Copies between devices: over a link where two GPUs have one, by the host otherwise.
#include "device/peer_copy.hpp"

#include "on_device/device/device_fixture.hpp"

namespace penstock {
namespace {

using device::DeviceCopy;

std::vector<unsigned char> counted_bytes(std::size_t count, unsigned from) {
  std::vector<unsigned char> bytes(count);
  for (std::size_t i = 0; i < count; i++)
    bytes[i] = static_cast<unsigned char>(1 + (from + i) % 251);
  return bytes;
}

// A device's memory, with what it should have.
struct Memory {
  Device* device = nullptr;
  std::shared_ptr<Buffer> buffer;
  std::vector<unsigned char> bytes;
};

Result<Memory> memory_of(Device& device, std::vector<unsigned char> bytes) {
  Memory memory{&device, {}, std::move(bytes)};
  PENSTOCK_ASSIGN(auto queue, device.queue());
  PENSTOCK_ASSIGN(memory.buffer, on_device(device, *queue, memory.bytes));
  PENSTOCK_TRY(queue->finish());
  return memory;
}

void expect_held(const Memory& memory) {
  std::vector<unsigned char> got(memory.bytes.size());
  TAKE(auto queue, memory.device->queue());
  ASSERT_OK(queue->download(got.data(), *memory.buffer, got.size()));
  ASSERT_OK(queue->finish());
  EXPECT_TRUE(got == memory.bytes);
}

// Adds a copy, and does it on the host.
void add(std::vector<DeviceCopy>& copies, Memory& to, std::size_t to_byte, const Memory& from,
         std::size_t from_byte, std::size_t bytes) {
  copies.push_back(
      {{to.device, to.buffer.get(), to_byte}, {from.device, from.buffer.get(), from_byte}, bytes});
  std::copy_n(from.bytes.begin() + static_cast<std::ptrdiff_t>(from_byte), bytes,
              to.bytes.begin() + static_cast<std::ptrdiff_t>(to_byte));
}

template <class Body> void on_each_pair(Body body) {
  const auto devices = devices_under_test();
  ASSERT_FALSE(devices.empty());
  for (const auto& to : devices)
    for (const auto& from : devices) {
      SCOPED_TRACE(from->traits().id + " to " + to->traits().id);
      body(*to, *from);
    }
}

TEST(PeerCopy, BytesAtEveryOffsetOfAWordArriveAndNoOthersAreWritten) {
  on_each_pair([](Device& of_to, Device& of_from) {
    TAKE(const Memory from, memory_of(of_from, counted_bytes(4096, 7)));
    TAKE(Memory to, memory_of(of_to, std::vector<unsigned char>(64 * 64, 0)));
    std::vector<DeviceCopy> copies;
    for (std::size_t i = 0; i < 64; i++)
      add(copies, to, 64 * i + i % 8, from, 40 * i + i / 8, 1 + i % 50);
    ASSERT_OK(device::copy_between(copies));
    expect_held(to);
  });
}

TEST(PeerCopy, MoreCopiesThanALaunchTakesAreAllDone) {
  on_each_pair([](Device& of_to, Device& of_from) {
    TAKE(const Memory from, memory_of(of_from, counted_bytes(3000, 1)));
    TAKE(const Memory own, memory_of(of_to, counted_bytes(3000, 99)));
    TAKE(Memory to, memory_of(of_to, std::vector<unsigned char>(3000, 0)));
    std::vector<DeviceCopy> copies;
    for (std::size_t i = 0; i < 300; i++)
      add(copies, to, 10 * i, i % 2 == 0 ? from : own, 3000 - 10 * (i + 1), 9);
    ASSERT_OK(device::copy_between(copies));
    expect_held(to);
  });
}

TEST(PeerCopy, LongAndShortColumnsOfTwoDevicesArriveWhole) {
  on_each_pair([](Device& of_to, Device& of_from) {
    TAKE(const Memory from, memory_of(of_from, counted_bytes(3 << 20, 5)));
    TAKE(const Memory own, memory_of(of_to, counted_bytes(1 << 20, 50)));
    TAKE(Memory to, memory_of(of_to, std::vector<unsigned char>(4 << 20, 0)));
    std::vector<DeviceCopy> copies;
    add(copies, to, 4, own, 12, (1 << 20) - 12);
    add(copies, to, (1 << 20) + 1, from, 3, (3 << 20) - 3);
    add(copies, to, 0, from, 1, 1);
    ASSERT_OK(device::copy_between(copies));
    expect_held(to);
  });
}

}  // namespace
}  // namespace penstock
