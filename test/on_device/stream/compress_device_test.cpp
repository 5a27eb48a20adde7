// Files compressed on every device: the formats' own programs' libraries and our own ways read
// them, whatever their length, and what devices do not compress is an error.
#include <random>

#include "on_device/device/device_fixture.hpp"
#include "penstock/batch.hpp"
#include "stream_bytes.hpp"

namespace penstock::stream {
namespace {

struct Case {
  Format format;
  std::uint64_t block_bytes;
};
constexpr Case cases[] = {{Format::lz4, 0},
                          {Format::lz4, 1 << 20},
                          {Format::gzip, 0},
                          {Format::gzip, 4096},
                          {Format::gzip, 1 << 20}};

template <class Body> void on_each_case(Body body) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const Case& row : cases) {
      SCOPED_TRACE(std::string(name_of(row.format)) + ", blocks of " +
                   std::to_string(row.block_bytes));
      body(CompressOptions{.format = row.format, .block_bytes = row.block_bytes, .device = device});
    }
  });
}

// Words, then bytes that do not compress, then zeros, over and over.
std::string output_of_bytes(std::uint64_t bytes) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < bytes) {
    for (int i = 0; i < 20'000; i++) text += "water falls " + std::to_string(random() % 5000);
    for (int i = 0; i < 70'000; i++) text += static_cast<char>(random());
    text.append(100'000, '\0');
  }
  text.resize(bytes);
  return text;
}

TEST(CompressOnDevices, OutputsOfAnyLengthComeBack) {
  on_each_case([](const CompressOptions& options) {
    const std::uint64_t block =
        options.block_bytes != 0 ? options.block_bytes : block_bytes_for(options.format, 1, true);
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{13},
                                      block - 1, block, block + 1, 3 * block + 77}) {
      const std::string text = output_of_bytes(bytes);
      TAKE(const auto file, compress(bytes_of(text), options));
      const auto found = decompress(file);
      ASSERT_TRUE(found.ok()) << bytes << " bytes: " << found.status().text();
      ASSERT_TRUE(text_of(*found) == text) << bytes << " bytes";
    }
  });
}

TEST(CompressOnDevices, SeveralBatchesKeepTheirOrder) {
  on_each_device([](Device& found) {
    const auto device = *open_device(found.traits().id);
    const std::string text = output_of_bytes(20'000'001);  // of 8 MiB on a CPU
    for (const Format format : {Format::lz4, Format::gzip}) {
      TAKE(const auto file, compress(bytes_of(text), {.format = format, .device = device}));
      TAKE(const auto back, decompress(file));
      EXPECT_TRUE(text_of(back) == text);
      TAKE(const auto by_device, decompress(file, {.device = device}));
      EXPECT_TRUE(text_of(by_device) == text);
    }
  });
}

TEST(CompressOnDevices, TheReportNamesWhatRan) {
  on_each_device([](Device& found) {
    const auto device = *open_device(found.traits().id);
    const std::string text = output_of_bytes(200'000);
    std::uint64_t bytes = 0;
    const Sink count = [&](std::span<const std::byte> part) {
      return bytes += part.size(), Status();
    };
    TAKE(const Report report, compress(Source::memory(bytes_of(text)), count,
                                       {.format = Format::lz4, .device = device}));
    ASSERT_TRUE(report.device.has_value());
    EXPECT_EQ(report.device->id, device->traits().id);
    EXPECT_EQ(report.device->kernels,
              std::vector{batch::Encoder::variants(batch::Format::lz4, device->traits()).front()});
    EXPECT_EQ(report.device->bytes_in, text.size());
    EXPECT_EQ(report.bytes_in, text.size());
    EXPECT_EQ(report.bytes_out, bytes);
    EXPECT_GT(report.device->kernel_seconds, 0);
  });
}

TEST(CompressOnDevices, WhatDevicesDoNotCompressIsRefused) {
  on_each_device([](Device& found) {
    const auto device = *open_device(found.traits().id);
    const std::string text = "text";
    EXPECT_EQ(compress(bytes_of(text), {.format = Format::zstd, .device = device}).status().code(),
              Code::unsupported);
    EXPECT_EQ(compress(bytes_of(text), {.format = Format::gzip, .level = 6, .device = device})
                  .status()
                  .code(),
              Code::invalid);
    EXPECT_EQ(
        compress(bytes_of(text), {.format = Format::lz4, .block_bytes = 4096, .device = device})
            .status()
            .code(),
        Code::invalid);
    EXPECT_EQ(
        compress(bytes_of(text), {.format = Format::snappy, .device = device}).status().code(),
        Code::unsupported);
  });
}

}  // namespace
}  // namespace penstock::stream
