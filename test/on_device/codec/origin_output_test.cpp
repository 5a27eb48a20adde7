// Text of origins on every device, against a walk of them in order: chains of all lengths, some of
// as many steps as the text has bytes, which nobody could follow to their ends one by one (2^41
// steps of 2 MiB).
#include <gtest/gtest.h>

#include "codec/lz/origin_output.hpp"
#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::batch {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);
constexpr std::uint32_t is_byte = 0x80000000;

// A stream's origins from position `first` on; the text before it is there.
struct Stream {
  std::uint32_t first;
  std::vector<std::uint32_t> origins;
};

Bytes walked(const Stream& stream, const Bytes& before) {
  Bytes output = before;
  for (const std::uint32_t origin : stream.origins)
    output.push_back((origin & is_byte) != 0 ? static_cast<std::uint8_t>(origin) : output[origin]);
  return output;
}

// Position p equals p - distance, but for a byte now and then.
Stream chains(std::uint32_t first, std::uint32_t count, std::uint32_t distance,
              std::uint32_t positions_per_byte) {
  std::mt19937 random(distance);
  Stream stream{first, {}};
  for (std::uint32_t position = first; position < first + count; position++) {
    const bool ends = position < distance || random() % positions_per_byte == 0;
    stream.origins.push_back(ends ? is_byte | random() % 256 : position - distance);
  }
  return stream;
}
// Distances of all sizes, most of them short.
Stream mixed_chains(std::uint32_t first, std::uint32_t count) {
  std::mt19937 random(count);
  Stream stream{first, {}};
  for (std::uint32_t position = first; position < first + count; position++) {
    const std::uint32_t distance = 1 + static_cast<std::uint32_t>(random() % (1u << random() % 21));
    stream.origins.push_back(position < distance ? is_byte | random() % 256 : position - distance);
  }
  return stream;
}

void expect_outputs(const std::shared_ptr<Device>& device, const std::vector<Stream>& streams) {
  Bytes output;
  std::vector<std::uint32_t> words;
  std::vector<OriginStream> rows;
  std::vector<Bytes> expected;
  std::uint32_t max_positions = 0;
  for (const Stream& stream : streams) {
    const auto count = static_cast<std::uint32_t>(stream.origins.size()),
               aligned = stream.first & ~std::uint32_t{3};
    const Bytes before = random_output(stream.first, stream.first);
    rows.push_back(
        {output.size(), words.size() - std::uint64_t{aligned}, stream.first, stream.first + count});
    expected.push_back(walked(stream, before));
    output.insert(output.end(), before.begin(), before.end());
    output.resize((output.size() + count + 19) / 16 * 16, canary);
    words.insert(words.end(), stream.first - aligned, 0xdeadbeef);  // which nobody shall read
    words.insert(words.end(), stream.origins.begin(), stream.origins.end());
    words.resize((words.size() + 7) / 4 * 4);
    max_positions = std::max(max_positions, count);
  }
  TAKE(const auto queue, device->queue());
  OriginBatch batch;
  batch.stream_count = static_cast<std::uint32_t>(streams.size()),
  batch.max_positions = max_positions;
  TAKE(batch.streams, on_device(*device, *queue, rows));
  TAKE(batch.origins, on_device(*device, *queue, words));
  TAKE(batch.output, on_device(*device, *queue, output));
  const std::vector<std::uint32_t> nothing(1);
  TAKE(batch.wrong, on_device(*device, *queue, nothing));
  TAKE(const auto maker, OriginOutput::build(device));
  ASSERT_OK(maker.enqueue(*queue, batch));
  ASSERT_OK(queue->download(output.data(), *batch.output, output.size()));
  ASSERT_OK(queue->finish());
  for (std::size_t i = 0; i < streams.size(); i++) {
    const auto begin = output.begin() + static_cast<std::ptrdiff_t>(rows[i].output);
    const auto other = std::mismatch(expected[i].begin(), expected[i].end(), begin).first;
    ASSERT_EQ(other, expected[i].end())
        << "stream " << i << ", byte " << other - expected[i].begin();
    ASSERT_EQ(begin[static_cast<std::ptrdiff_t>(expected[i].size())], canary) << "stream " << i;
  }
}
void on_each(const std::vector<Stream>& streams) {
  on_each_device([&](Device& found) { expect_outputs(*open_device(found.traits().id), streams); });
}

TEST(OriginOutput, ChainsOfAsManyStepsAsOutputHasBytesAreMadeInBoundedTime) {
  for (const std::uint32_t distance : {1, 3, 250}) {
    SCOPED_TRACE(distance);
    on_each({chains(0, 5 << 20, distance, UINT32_MAX)});
    on_each({chains(70'001, 3 << 20, distance, UINT32_MAX)});
  }
}
TEST(OriginOutput, ChainsOfAllLengthsAreFollowed) {
  on_each({mixed_chains(0, 3'000'000)});
  on_each({mixed_chains(65'535, 2'500'001)});
  for (const std::uint32_t positions_per_byte : {2, 30, 5000})
    on_each({chains(3, 3'000'002, 7, positions_per_byte)});
}
TEST(OriginOutput, StreamsBesideOneAnotherKeepTheirOwn) {
  std::vector<Stream> streams;
  for (std::uint32_t i = 0; i < 40; i++) {
    const std::uint32_t first = i * i * 31, count = 1 + i * i * 200;
    streams.push_back(i % 2 == 0 ? chains(first, count, 1 + i % 5, 1 << i % 20)
                                 : mixed_chains(first, count));
  }
  on_each(streams);
}
TEST(OriginOutput, OutputOfNoBytesAndOfAFewIsMade) {
  on_each({{0, {}}});
  for (std::uint32_t first = 0; first < 5; first++)
    for (std::uint32_t count = 1; count < 8; count++) on_each({chains(first, count, 1, 3)});
}

// Who writes shortcuts and who reads origins meets nobody: the executor gives both the one memory
// that they have on devices.
class OriginOutputOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(OriginOutputOnHost, ShortcutsRaceWithNothing) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device(GetParam());
  expect_outputs(device, {chains(5, 140'000, 300, UINT32_MAX)});
  expect_outputs(device, {mixed_chains(0, 90'000), chains(11, 79'998, 400, 100'000),
                          chains(30, 1000, 1, 900)});
}
INSTANTIATE_TEST_SUITE_P(Warps, OriginOutputOnHost, ::testing::ValuesIn(warps_on_host()));

}  // namespace
}  // namespace penstock::batch
