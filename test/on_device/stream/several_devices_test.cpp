// Batches of a file on several devices: bytes in order, whichever decoded them, and devices that
// fail. One device that is given n times stands for n.
#include <gtest/gtest.h>

#include "on_device/device/device_fixture.hpp"
#include "on_device/device/failing_device.hpp"
#include "penstock/stream.hpp"
#include "stream/device/device_stages.hpp"

namespace penstock::stream {
namespace {

using test::FailingDevice;

// A device with little memory, so that a GPU's batches are the smallest that it takes.
class SmallDevice final : public test::ForwardingDevice {
 public:
  explicit SmallDevice(std::shared_ptr<Device> device) : ForwardingDevice(std::move(device)) {
    traits_.global_bytes = std::min(traits_.global_bytes, std::uint64_t{4} << 30);
  }
};

// Runs `body` on every device, as a small one.
template <class Body> void on_each_small(Body body) {
  on_each_shared([&](std::shared_ptr<Device> device) {
    body(std::make_shared<SmallDevice>(std::move(device)));
  });
}

// Lines with their numbers, so that no two parts are equal.
std::vector<std::byte> numbered_lines(std::size_t min_bytes) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; bytes.size() < min_bytes; i++) {
    const std::string line = "line " + std::to_string(i) + " of a text that is decoded in parts\n";
    const auto* data = reinterpret_cast<const std::byte*>(line.data());
    bytes.insert(bytes.end(), data, data + line.size());
  }
  return bytes;
}

// Five batches of a device: one for each of four, and one more.
struct Compressed {
  std::vector<std::byte> plain, file;
  Compressed(Format format, const Device& device)
      : plain(numbered_lines(5 * device_job_bytes(device))) {
    CompressOptions options{.format = format};
    options.level = 1;
    options.block_bytes = 64 << 10;
    auto made = compress(plain, options);
    EXPECT_TRUE(made.ok());
    if (made.ok()) file = std::move(*made);
  }
};

DecompressOptions on(std::vector<std::shared_ptr<Device>> devices) {
  DecompressOptions options;
  options.device = devices[0];
  options.further_devices.assign(devices.begin() + 1, devices.end());
  return options;
}

struct Decoded {
  std::vector<std::byte> bytes;
  Result<Report> report;
};
Decoded decode(const Compressed& input, const DecompressOptions& options) {
  Decoded decoded{{}, Report()};
  decoded.report = decompress(
      Source::memory(input.file),
      [&](std::span<const std::byte> part) {
        decoded.bytes.insert(decoded.bytes.end(), part.begin(), part.end());
        return Status();
      },
      options);
  return decoded;
}

TEST(StreamOnSeveralDevices, PartsComeInOrder) {
  for (const Format format : {Format::lz4, Format::gzip}) {
    on_each_small([&](std::shared_ptr<Device> device) {
      const Compressed input(format, *device);
      const Decoded decoded = decode(input, on({device, device, device, device}));
      ASSERT_OK(decoded.report);
      EXPECT_TRUE(decoded.bytes == input.plain);
      EXPECT_EQ(decoded.report->further_devices.size(), 3u);
    });
  }
}

TEST(StreamOnSeveralDevices, AFailingDeviceEndsTheRunByItsName) {
  on_each_small([&](std::shared_ptr<Device> device) {
    const Compressed input(Format::lz4, *device);
    const auto failing = std::make_shared<FailingDevice>(device, 0);
    const Decoded decoded = decode(input, on({device, failing}));
    ASSERT_FALSE(decoded.report.ok());
    EXPECT_EQ(decoded.report.status().code(), Code::device_lost);
    EXPECT_NE(decoded.report.status().text().find("on failing:0"), std::string::npos)
        << decoded.report.status().text();
  });
}

TEST(StreamOnSeveralDevices, OthersTakeOverTheBatchesOfAFailingDevice) {
  on_each_small([&](std::shared_ptr<Device> device) {
    const Compressed input(Format::lz4, *device);
    for (const int launches : {0, 1}) {
      const auto failing = std::make_shared<FailingDevice>(device, launches);
      DecompressOptions options = on({failing, device});
      options.devices_take_over = true;
      const Decoded decoded = decode(input, options);
      ASSERT_OK(decoded.report);
      EXPECT_TRUE(decoded.bytes == input.plain);
      ASSERT_TRUE(decoded.report->device.has_value());
      EXPECT_NE(decoded.report->device->failure.find("took the device away"), std::string::npos);
    }
  });
}

TEST(StreamOnSeveralDevices, AllDevicesFailingIsAnError) {
  on_each_small([&](std::shared_ptr<Device> device) {
    const Compressed input(Format::lz4, *device);
    DecompressOptions options = on(
        {std::make_shared<FailingDevice>(device, 0), std::make_shared<FailingDevice>(device, 2)});
    options.devices_take_over = true;
    const Decoded decoded = decode(input, options);
    ASSERT_FALSE(decoded.report.ok());
    EXPECT_EQ(decoded.report.status().code(), Code::device_lost);
  });
}

}  // namespace
}  // namespace penstock::stream
