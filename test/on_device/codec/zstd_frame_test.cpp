// One Zstandard frame decoded on every device by its blocks, against libzstd: output, and the
// status of corrupt frames.
#include <gtest/gtest.h>

#include "codec/checksum/xxhash.hpp"
#include "codec/zstd/device/device_frame.hpp"
#include "on_device/codec/chunk_fixture.hpp"
#include "zstd_frames.hpp"

namespace penstock::zstd {
namespace {

using batch::Bytes;
using zstd_test::Parameters;
constexpr std::uint64_t all_at_once = 64 << 20;

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }
std::string string_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }
const Parameters unchecked = {{ZSTD_c_checksumFlag, 0}};
Bytes frame_of(const std::string& text, Parameters parameters = {}) {
  parameters.emplace_back(ZSTD_c_checksumFlag, 0);
  return bytes_of(zstd_test::compressed(text, parameters));
}

// Returns whether `rest` is right behind the blocks: the checksum of the output, or nothing.
bool is_whole(const Bytes& rest, const FrameHeader& header, const Bytes& text) {
  if (!header.has_checksum) return rest.empty();
  const std::uint64_t sum = checksum::xxh64(std::as_bytes(std::span(text)));
  return rest.size() == 4 && std::memcmp(rest.data(), &sum, 4) == 0;
}

// Decodes the frame after `before` other bytes, to output from `gap` on. A byte written outside of
// the capacity is an error, too.
Result<Bytes> decoded(Device& device, DeviceFrame& decoder, const Bytes& frame,
                      std::uint64_t capacity, std::uint64_t before = 0, std::uint64_t gap = 32) {
  Bytes input(before, 7), text((gap + capacity + 64) / 16 * 16, batch::canary);
  input.insert(input.end(), frame.begin(), frame.end());
  PENSTOCK_ASSIGN(const FrameHeader header, read_frame_header(std::as_bytes(std::span(frame))));
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  Bytes padded = input;
  padded.resize((padded.size() + 31) / 16 * 16);
  DeviceFrame::Target place;
  place.input = input;
  place.frame_begin = before;
  place.output_begin = gap;
  place.capacity_bytes = capacity;
  PENSTOCK_ASSIGN(place.device_input, on_device(device, *queue, padded));
  PENSTOCK_ASSIGN(place.output, on_device(device, *queue, text));
  const auto made = decoder.decode(*queue, header, place);
  PENSTOCK_TRY(queue->download(text.data(), *place.output, text.size()));
  PENSTOCK_TRY(queue->finish());
  const auto is_canary = [](std::uint8_t byte) { return byte == batch::canary; };
  const auto inside = text.begin() + static_cast<std::ptrdiff_t>(gap);
  if (!std::all_of(text.begin(), inside, is_canary) ||
      !std::all_of(inside + static_cast<std::ptrdiff_t>(capacity), text.end(), is_canary))
    return Status(Code::internal, "bytes outside of the text's room were written");
  PENSTOCK_TRY(made.status());
  const Bytes result(inside, inside + static_cast<std::ptrdiff_t>(made->output_bytes));
  if (!is_whole(Bytes(input.begin() + static_cast<std::ptrdiff_t>(made->frame_end), input.end()),
                header, result))
    return Status(Code::corrupt, "what is behind the blocks is not what there should be");
  return result;
}

void expect_output(Device& device, DeviceFrame& decoder, const std::string& text,
                   const Bytes& frame, std::uint64_t before = 0, std::uint64_t gap = 32) {
  const auto result = decoded(device, decoder, frame, text.size(), before, gap);
  ASSERT_TRUE(result.ok()) << result.status().text();
  ASSERT_EQ(result->size(), text.size());
  const auto other = std::mismatch(
      result->begin(), result->end(), text.begin(),
      [](std::uint8_t one, char two) { return one == static_cast<std::uint8_t>(two); });
  ASSERT_EQ(other.first, result->end()) << "byte " << other.first - result->begin();
}

template <class Body> void on_each_decoder(std::uint64_t batch_output_bytes, Body body) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    const auto decoder = DeviceFrame::build(device, batch_output_bytes);
    ASSERT_TRUE(decoder.ok()) << decoder.status().text();
    body(*device, **decoder);
  });
}

TEST(ZstdFrame, OutputsOfAllKindsAndLevelsComeBack) {
  on_each_decoder(all_at_once, [](Device& device, DeviceFrame& decoder) {
    for (const auto& [name, text] : zstd_test::kinds_of_data(1'500'000))
      for (const int level : {-5, 1, 3, 19}) {
        SCOPED_TRACE(name + " level " + std::to_string(level));
        expect_output(device, decoder, text, frame_of(text, {{ZSTD_c_compressionLevel, level}}));
      }
  });
}

TEST(ZstdFrame, MatchesReachAcrossBatches) {
  for (const std::uint64_t batch : {1u << 17, 3u << 17})
    on_each_decoder(batch, [](Device& device, DeviceFrame& decoder) {
      for (const auto& [name, text] : zstd_test::kinds_of_data(1'000'000)) {
        SCOPED_TRACE(name);
        expect_output(device, decoder, text, frame_of(text, {{ZSTD_c_compressionLevel, 9}}));
        expect_output(device, decoder, text, frame_of(text, {{ZSTD_c_windowLog, 17}}));
      }
    });
}

// libzstd ends blocks where it is told to flush. Such small blocks repeat offsets, tables and trees
// most.
TEST(ZstdFrame, SmallBlocksRepeatOffsetsTablesAndTrees) {
  on_each_decoder(all_at_once, [](Device& device, DeviceFrame& decoder) {
    for (const auto& [name, text] : zstd_test::kinds_of_data(60'000))
      for (const std::size_t piece : {1, 300, 5000}) {
        SCOPED_TRACE(name + " by " + std::to_string(piece));
        expect_output(device, decoder, text,
                      bytes_of(zstd_test::streamed(text, unchecked, [&] { return piece; })));
      }
  });
}

TEST(ZstdFrame, FramesAndOutputsLieAnywhere) {
  const std::string text = zstd_test::words(3000, 5);
  on_each_decoder(all_at_once, [&](Device& device, DeviceFrame& decoder) {
    for (const std::uint64_t before : {0, 1, 15, 33})
      for (const std::uint64_t gap : {16, 17, 30, 31})
        expect_output(device, decoder, text, frame_of(text), before, gap);
  });
}

// A block of three bytes, then blocks that each copy the one before: source indices in a chain of
// 100,000 steps. Followed for each byte of the frame one after another, they would be 1.5e10. Each
// block has no literals and one sequence with RLE codes (RFC 8878 3.1.1.3.2.1.1): no literal,
// offset value 6, three bytes; bits 10 of the offset, and the end mark.
TEST(ZstdFrame, BlocksThatEachCopyTheOneBeforeAreMadeInBoundedTime) {
  constexpr std::uint32_t blocks = 100'000, output_bytes = 3 * (blocks + 1);
  Bytes frame = {0x28,
                 0xb5,
                 0x2f,
                 0xfd,
                 0xa0,
                 output_bytes & 255,
                 output_bytes >> 8 & 255,
                 output_bytes >> 16,
                 0,
                 3 << 3,
                 0,
                 0,
                 'a',
                 'b',
                 'c'};
  for (std::uint32_t i = 1; i <= blocks; i++)
    for (const int byte :
         {7 << 3 | 2 << 1 | (i == blocks), 0, 0, 0x00, 0x01, 0x54, 0x00, 0x02, 0x00, 0x06})
      frame.push_back(static_cast<std::uint8_t>(byte));
  const auto reference = zstd_test::decoded(string_of(frame), output_bytes);
  ASSERT_TRUE(reference.is_ok) << reference.output;
  ASSERT_EQ(reference.output.size(), output_bytes);
  on_each_decoder(all_at_once, [&](Device& device, DeviceFrame& decoder) {
    expect_output(device, decoder, reference.output, frame);
  });
}

// The status must be libzstd's, or be in the CPU decoder's list of what it refuses besides.
void expect_status(Device& device, DeviceFrame& decoder, const Bytes& frame,
                   std::uint64_t capacity) {
  const auto ours = decoded(device, decoder, frame, capacity);
  ASSERT_TRUE(ours.ok() || ours.status().code() != Code::internal) << ours.status().text();
  const auto cpu = zstd_test::decoded(string_of(frame), capacity);
  ASSERT_EQ(ours.ok(), cpu.is_ok) << (ours.ok() ? cpu.output : ours.status().text());
  if (!ours.ok()) return;
  ASSERT_EQ(string_of(*ours), cpu.output);
}

std::vector<Bytes> small_frames() {
  return {frame_of(zstd_test::words(700, 1), {{ZSTD_c_compressionLevel, 19}}),
          frame_of(zstd_test::log_lines(900, 1)),
          frame_of(zstd_test::records(600, 1)),
          frame_of(std::string(5000, 0)),
          frame_of(zstd_test::noise(60, 1)),
          bytes_of(zstd_test::streamed(zstd_test::words(600, 3), unchecked, [] { return 150; }))};
}

TEST(ZstdFrame, EveryPrefixGetsTheStatusOfTheReference) {
  on_each_decoder(all_at_once, [](Device& device, DeviceFrame& decoder) {
    for (const Bytes& frame : small_frames())
      for (std::size_t bytes = 0; bytes < frame.size(); bytes++)
        expect_status(device, decoder,
                      Bytes(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(bytes)),
                      6000);
  });
}

TEST(ZstdFrame, EveryChangedByteGetsTheStatusOfTheReference) {
  on_each_decoder(all_at_once, [](Device& device, DeviceFrame& decoder) {
    for (const Bytes& frame : small_frames())
      for (const auto& chunk : batch::single_changes(frame, 6000, 37)) {
        const auto header = read_frame_header(std::as_bytes(std::span(chunk.bytes)));
        if (header.ok() && DeviceFrame::fits(*header, device.traits()))
          expect_status(device, decoder, chunk.bytes, 6000);
      }
  });
}

TEST(ZstdFrame, CapacityOfAnySizeGetsTheStatusOfTheReference) {
  const Bytes frame = frame_of(zstd_test::words(300, 4));
  on_each_decoder(all_at_once, [&](Device& device, DeviceFrame& decoder) {
    for (std::uint64_t capacity = 0; capacity < 310; capacity++)
      expect_status(device, decoder, frame, capacity);
  });
}

// The kernels themselves under sanitizers, with barriers and races checked: warps that are groups
// and warps that are sub-groups.
class ZstdFrameOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {
 protected:
  void SetUp() override {
    if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
    device_ = kernel::make_host_device(GetParam());
  }
  std::shared_ptr<Device> device_;
};

TEST_P(ZstdFrameOnHost, OutputsAndDamageAreWhatTheyAre) {
  const auto decoder = DeviceFrame::build(device_, 1 << 18);
  ASSERT_TRUE(decoder.ok()) << decoder.status().text();
  for (const auto& [name, text] : zstd_test::kinds_of_data(1'500)) {
    SCOPED_TRACE(name);
    expect_output(*device_, **decoder, text, frame_of(text));
    expect_output(*device_, **decoder, text,
                  bytes_of(zstd_test::streamed(text, unchecked, [] { return 400; })));
  }
  const std::string large = zstd_test::log_lines(270'000, 3);  // of several blocks and two batches
  expect_output(*device_, **decoder, large, frame_of(large, {{ZSTD_c_compressionLevel, 1}}));
  for (const Bytes& frame : small_frames()) {
    const auto changed = batch::single_changes(frame, 6000, 37);
    for (std::size_t i = 40; i < changed.size();
         i += 401) {  // behind the header; each launch is a process here
      const auto header = read_frame_header(std::as_bytes(std::span(changed[i].bytes)));
      if (header.ok() && DeviceFrame::fits(*header, device_->traits()))
        expect_status(*device_, **decoder, changed[i].bytes, 6000);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Warps, ZstdFrameOnHost, ::testing::ValuesIn(batch::warps_on_host()));

}  // namespace
}  // namespace penstock::zstd
