// Resolves source indices on every device and compares the output with one that is made in order.
// Chains have all lengths, up to as many steps as the output has bytes. Following each of those to
// its end would take 2^41 steps for 2 MiB.
#include <gtest/gtest.h>

#include "codec/lz/source_resolver.hpp"
#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::batch {
namespace {

constexpr std::uint32_t is_byte = 0x80000000;

// A stream's source indices from position `first` on. The output before it exists.
struct Stream {
  std::uint32_t first;
  std::vector<std::uint32_t> source_indices;
};

Bytes resolved_in_order(const Stream& stream, const Bytes& before) {
  Bytes output = before;
  for (const std::uint32_t index : stream.source_indices)
    output.push_back((index & is_byte) != 0 ? static_cast<std::uint8_t>(index) : output[index]);
  return output;
}

// Position p equals p - distance, but for a byte here and there.
Stream chains(std::uint32_t first, std::uint32_t count, std::uint32_t distance,
              std::uint32_t positions_per_byte) {
  std::mt19937 random(distance);
  Stream stream{first, {}};
  for (std::uint32_t position = first; position < first + count; position++) {
    const bool ends = position < distance || random() % positions_per_byte == 0;
    stream.source_indices.push_back(ends ? is_byte | random() % 256 : position - distance);
  }
  return stream;
}
// Distances of all sizes, most of them short.
Stream mixed_chains(std::uint32_t first, std::uint32_t count) {
  std::mt19937 random(count);
  Stream stream{first, {}};
  for (std::uint32_t position = first; position < first + count; position++) {
    const std::uint32_t distance = 1 + static_cast<std::uint32_t>(random() % (1u << random() % 21));
    stream.source_indices.push_back(position < distance ? is_byte | random() % 256
                                                        : position - distance);
  }
  return stream;
}

void expect_outputs(const std::shared_ptr<Device>& device, const std::vector<Stream>& streams) {
  Bytes output;
  std::vector<std::uint32_t> words;
  std::vector<SourceStream> rows;
  std::vector<Bytes> expected;
  std::uint32_t max_positions = 0;
  for (const Stream& stream : streams) {
    const auto count = static_cast<std::uint32_t>(stream.source_indices.size()),
               aligned = stream.first & ~std::uint32_t{3};
    const Bytes before = random_output(stream.first, stream.first);
    rows.push_back(
        {output.size(), words.size() - std::uint64_t{aligned}, stream.first, stream.first + count});
    expected.push_back(resolved_in_order(stream, before));
    output.insert(output.end(), before.begin(), before.end());
    output.resize((output.size() + count + 19) / 16 * 16, canary);
    words.insert(words.end(), stream.first - aligned, 0xdeadbeef);  // must not be read
    words.insert(words.end(), stream.source_indices.begin(), stream.source_indices.end());
    words.resize((words.size() + 7) / 4 * 4);
    max_positions = std::max(max_positions, count);
  }
  TAKE(const auto queue, device->queue());
  SourceBatch batch;
  batch.stream_count = static_cast<std::uint32_t>(streams.size()),
  batch.max_positions = max_positions;
  TAKE(batch.streams, on_device(*device, *queue, rows));
  TAKE(batch.source_indices, on_device(*device, *queue, words));
  TAKE(batch.output, on_device(*device, *queue, output));
  const std::vector<std::uint32_t> nothing(1);
  TAKE(batch.wrong, on_device(*device, *queue, nothing));
  TAKE(const auto resolver, SourceResolver::build(device));
  ASSERT_OK(resolver.enqueue(*queue, batch));
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

TEST(SourceResolver, ChainsOfAsManyStepsAsOutputHasBytesAreMadeInBoundedTime) {
  for (const std::uint32_t distance : {1, 3, 250}) {
    SCOPED_TRACE(distance);
    on_each({chains(0, 5 << 20, distance, UINT32_MAX)});
    on_each({chains(70'001, 3 << 20, distance, UINT32_MAX)});
  }
}
TEST(SourceResolver, ChainsOfAllLengthsAreFollowed) {
  on_each({mixed_chains(0, 3'000'000)});
  on_each({mixed_chains(65'535, 2'500'001)});
  for (const std::uint32_t positions_per_byte : {2, 30, 5000})
    on_each({chains(3, 3'000'002, 7, positions_per_byte)});
}
TEST(SourceResolver, StreamsBesideOneAnotherKeepTheirOwn) {
  std::vector<Stream> streams;
  for (std::uint32_t i = 0; i < 40; i++) {
    const std::uint32_t first = i * i * 31, count = 1 + i * i * 200;
    streams.push_back(i % 2 == 0 ? chains(first, count, 1 + i % 5, 1 << i % 20)
                                 : mixed_chains(first, count));
  }
  on_each(streams);
}
TEST(SourceResolver, OutputOfNoBytesAndOfAFewIsMade) {
  on_each({{0, {}}});
  for (std::uint32_t first = 0; first < 5; first++)
    for (std::uint32_t count = 1; count < 8; count++) on_each({chains(first, count, 1, 3)});
}

// Threads that write shortcuts must not race with threads that read source indices. The executor
// gives both the same memory, as devices do.
class SourceResolverOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(SourceResolverOnHost, ShortcutsRaceWithNothing) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device(GetParam());
  expect_outputs(device, {chains(5, 140'000, 300, UINT32_MAX)});
  expect_outputs(device, {mixed_chains(0, 90'000), chains(11, 79'998, 400, 100'000),
                          chains(30, 1000, 1, 900)});
}
INSTANTIATE_TEST_SUITE_P(Warps, SourceResolverOnHost, ::testing::ValuesIn(warps_on_host()));

}  // namespace
}  // namespace penstock::batch
