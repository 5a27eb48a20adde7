// Batches of a file on several devices: bytes in order, whichever decoded them, and devices that
// fail. One device that is given n times stands for n.
#include <gtest/gtest.h>

#include "on_device/device/device_fixture.hpp"
#include "on_device/device/failing_device.hpp"
#include "penstock/stream.hpp"

namespace penstock::stream {
namespace {

using test::FailingDevice;

// Lines with their numbers, so that no two parts are equal. More than a device takes at once.
std::vector<std::byte> numbered_lines(std::size_t lines) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < lines; i++) {
    const std::string line = "line " + std::to_string(i) + " of a text that is decoded in parts\n";
    const auto* data = reinterpret_cast<const std::byte*>(line.data());
    bytes.insert(bytes.end(), data, data + line.size());
  }
  return bytes;
}

struct Compressed {
  std::vector<std::byte> plain = numbered_lines(800'000), file;
  explicit Compressed(Format format) {
    CompressOptions options{.format = format};
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
    const Compressed input(format);
    on_each_shared([&](std::shared_ptr<Device> device) {
      const Decoded decoded = decode(input, on({device, device, device, device}));
      ASSERT_OK(decoded.report);
      EXPECT_TRUE(decoded.bytes == input.plain);
      EXPECT_EQ(decoded.report->further_devices.size(), 3u);
    });
  }
}

TEST(StreamOnSeveralDevices, AFailingDeviceEndsTheRunByItsName) {
  const Compressed input(Format::lz4);
  on_each_shared([&](std::shared_ptr<Device> device) {
    const auto failing = std::make_shared<FailingDevice>(device, 0);
    const Decoded decoded = decode(input, on({device, failing}));
    ASSERT_FALSE(decoded.report.ok());
    EXPECT_EQ(decoded.report.status().code(), Code::device_lost);
    EXPECT_NE(decoded.report.status().text().find("on failing:0"), std::string::npos)
        << decoded.report.status().text();
  });
}

TEST(StreamOnSeveralDevices, OthersTakeOverTheBatchesOfAFailingDevice) {
  const Compressed input(Format::lz4);
  for (const int launches : {0, 1})
    on_each_shared([&](std::shared_ptr<Device> device) {
      const auto failing = std::make_shared<FailingDevice>(device, launches);
      DecompressOptions options = on({failing, device});
      options.devices_take_over = true;
      const Decoded decoded = decode(input, options);
      ASSERT_OK(decoded.report);
      EXPECT_TRUE(decoded.bytes == input.plain);
      ASSERT_TRUE(decoded.report->device.has_value());
      EXPECT_NE(decoded.report->device->failure.find("took the device away"), std::string::npos);
    });
}

TEST(StreamOnSeveralDevices, AllDevicesFailingIsAnError) {
  const Compressed input(Format::lz4);
  on_each_shared([&](std::shared_ptr<Device> device) {
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
