// Checksums of runs of bytes on every device and on the host executor, against the host's
// (which test/host/codec/checksum_test.cpp compares with the libraries'): runs of any length and
// alignment.
#include <gtest/gtest.h>

#include "codec/batch/run_checksums.hpp"
#include "codec/checksum/adler32.hpp"
#include "codec/checksum/crc32.hpp"
#include "codec/checksum/xxhash.hpp"
#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::batch {
namespace {

constexpr Checksum all_checksums[] = {Checksum::crc32, Checksum::adler32, Checksum::xxh32,
                                      Checksum::xxh64};

std::uint64_t on_host(Checksum checksum, std::span<const std::uint8_t> run) {
  const auto bytes = std::as_bytes(run);
  switch (checksum) {
    case Checksum::crc32: return checksum::crc32(0, bytes);
    case Checksum::adler32: return checksum::adler32(1, bytes);
    case Checksum::xxh32: return checksum::xxh32(bytes);
    case Checksum::xxh64: break;
  }
  return checksum::xxh64(bytes);
}

struct Runs {
  Bytes bytes;
  std::vector<std::uint64_t> offsets, sizes;
};

Result<std::vector<std::uint64_t>> checksums_of(const std::shared_ptr<Device>& device,
                                                Checksum checksum, const Runs& runs) {
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  Bytes padded = runs.bytes;
  padded.resize(rounded(padded.size(), 16), 0xcc);
  RunBatch batch;
  batch.run_count = static_cast<std::uint32_t>(runs.sizes.size());
  PENSTOCK_ASSIGN(batch.bytes, on_device(*device, *queue, padded));
  PENSTOCK_ASSIGN(batch.offsets, on_device(*device, *queue, runs.offsets));
  PENSTOCK_ASSIGN(batch.sizes, on_device(*device, *queue, runs.sizes));
  std::vector<std::uint64_t> checksums(runs.sizes.size(), 0x7777777777777777);
  PENSTOCK_ASSIGN(batch.checksums, on_device(*device, *queue, checksums));
  PENSTOCK_ASSIGN(auto runner, RunChecksums::build(device, checksum));
  PENSTOCK_TRY(runner.enqueue(*queue, batch));
  PENSTOCK_TRY(queue->download(checksums.data(), *batch.checksums, checksums.size() * 8));
  PENSTOCK_TRY(queue->finish());
  return checksums;
}

void expect_checksums(const std::shared_ptr<Device>& device, const Runs& runs) {
  for (const Checksum checksum : all_checksums) {
    SCOPED_TRACE(static_cast<int>(checksum));
    const auto made = checksums_of(device, checksum, runs);
    ASSERT_TRUE(made.ok()) << made.status().text();
    for (std::size_t i = 0; i < runs.sizes.size(); i++)
      ASSERT_EQ((*made)[i],
                on_host(checksum, std::span(runs.bytes).subspan(runs.offsets[i], runs.sizes[i])))
          << "run " << i << " of " << runs.sizes[i] << " bytes at " << runs.offsets[i];
  }
}

void add_run(Runs& runs, const Bytes& bytes) {
  runs.offsets.push_back(runs.bytes.size());
  runs.sizes.push_back(bytes.size());
  runs.bytes.insert(runs.bytes.end(), bytes.begin(), bytes.end());
}
// All lengths to `end` at all alignments, and some longer; the last ends with the memory.
Runs runs_of_all_lengths(std::uint32_t end) {
  Runs runs;
  for (std::uint32_t bytes = 0; bytes < end; bytes++) add_run(runs, random_output(bytes, bytes));
  for (const std::uint32_t bytes : {511u, 512u, 513u, 1023u, 4096u, 9001u})
    add_run(runs, random_output(bytes, bytes));
  for (std::uint32_t place = 0; place < 16; place++)
    runs.offsets.push_back(7000 + place), runs.sizes.push_back(3000 + place);
  runs.bytes.resize(runs.bytes.size() / 16 * 16 + 16, 3);
  runs.offsets.push_back(runs.bytes.size() - 777), runs.sizes.push_back(777);
  return runs;
}
// Sums that are reduced too late, or rows that are miscounted, show only with many bytes of 255.
Runs long_runs(std::uint64_t bytes) {
  Runs runs;
  add_run(runs, {1, 2, 3});
  add_run(runs, Bytes(bytes, 255));
  runs.offsets.push_back(0), runs.sizes.push_back(runs.bytes.size());
  return runs;
}

TEST(RunChecksums, AreTheHostsForAllLengthsAndPositions) {
  on_each_device([](Device& found) {
    const auto device = *open_device(found.traits().id);
    expect_checksums(device, runs_of_all_lengths(600));
    expect_checksums(device, long_runs(5'000'000));
  });
}

TEST(RunChecksums, MoreRunsThanGroupsAreAllTaken) {
  Runs runs;
  for (std::uint32_t i = 0; i < 30'000; i++) add_run(runs, random_output(i % 37, i));
  on_each_device([&](Device& found) { expect_checksums(*open_device(found.traits().id), runs); });
}

TEST(RunChecksums, PartsJoinedAreTheWhole) {
  const Bytes output = random_output(1'000'003, 5);
  constexpr std::uint64_t piece = 65'536;
  Runs runs;
  runs.bytes = output;
  for (std::uint64_t at = 0; at < output.size(); at += piece)
    runs.offsets.push_back(at),
        runs.sizes.push_back(std::min<std::uint64_t>(piece, output.size() - at));
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    TAKE(const auto crcs, checksums_of(device, Checksum::crc32, runs));
    TAKE(const auto adlers, checksums_of(device, Checksum::adler32, runs));
    const std::vector<std::uint32_t> crc_words(crcs.begin(), crcs.end()),
        adler_words(adlers.begin(), adlers.end());
    EXPECT_EQ(checksum::crc32_joined(crc_words, piece, runs.sizes.back()),
              on_host(Checksum::crc32, output));
    EXPECT_EQ(checksum::adler32_joined(adler_words, piece, runs.sizes.back()),
              on_host(Checksum::adler32, output));
  });
}

TEST(RunChecksums, MemoryThatIsTooSmallIsRefused) {
  on_each_device([](Device& found) {
    const auto device = *open_device(found.traits().id);
    TAKE(auto runner, RunChecksums::build(device, Checksum::crc32));
    TAKE(const auto queue, device->queue());
    TAKE(const std::shared_ptr<Buffer> small, device->allocate(64));
    EXPECT_EQ(runner.enqueue(*queue, {9, small, small, small, small}).code(), Code::invalid);
    EXPECT_EQ(runner.enqueue(*queue, {1, nullptr, small, small, small}).code(), Code::invalid);
    EXPECT_OK(runner.enqueue(*queue, {0, small, small, small, small}));
    EXPECT_OK(queue->finish());
  });
}

class RunChecksumsOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(RunChecksumsOnHost, AreTheHostsForAllLengthsAndPositions) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device(GetParam());
  expect_checksums(device, runs_of_all_lengths(130));
  expect_checksums(device, long_runs(1'100'000));
}
INSTANTIATE_TEST_SUITE_P(Warps, RunChecksumsOnHost, ::testing::ValuesIn(warps_on_host()));

}  // namespace
}  // namespace penstock::batch
