// Zstandard frames decoded on every device by every variant that fits it, against libzstd: output,
// and the status of corrupt frames.
#include <gtest/gtest.h>

#include "on_device/codec/chunk_fixture.hpp"
#include "zstd_reference.hpp"

namespace penstock::batch {
namespace {

using zstd_test::Parameters;
const Parameters without_checksum = {{ZSTD_c_checksumFlag, 0}};
const Reference of_libzstd = zstd_reference(without_checksum);

TEST(ZstdChunks, OutputsOfAllKindsComeBack) {
  on_each_method(Format::zstd, [](const Method& method) {
    for (const int level : {-5, 1, 3, 19})
      expect_outputs(method, zstd_reference({{ZSTD_c_compressionLevel, level}}),
                     outputs_of_all_kinds(65536));
    std::vector<Bytes> outputs;
    for (const auto& [name, output] : zstd_test::kinds_of_data(100'000))
      outputs.push_back(bytes_of(output));
    for (const int level : {1, 9, 22})
      expect_outputs(method, zstd_reference({{ZSTD_c_compressionLevel, level}}), outputs);
  });
}

TEST(ZstdChunks, CapacitiesThatBeginAnywhereKeepTheirNeighbours) {
  expect_neighbours_kept(of_libzstd);
}

TEST(ZstdChunks, FramesOfManyBlocksComeBack) {
  on_each_method(Format::zstd, [](const Method& method) {
    expect_outputs(method, of_libzstd, large_outputs());
    std::vector<Bytes> outputs;
    for (const auto& [name, output] : zstd_test::kinds_of_data(1'000'000))
      outputs.push_back(bytes_of(output));
    for (const int level : {1, 3, 13, 19})
      expect_outputs(method, zstd_reference({{ZSTD_c_compressionLevel, level}}), outputs, {1, 1});
    expect_outputs(method, zstd_reference({{ZSTD_c_windowLog, 10}}), outputs);
  });
}

TEST(ZstdChunks, BlocksThatRepeatTablesAndTreesComeBack) {
  on_each_method(Format::zstd, [](const Method& method) {
    std::vector<Chunk> chunks;
    for (const auto& [name, output] : zstd_test::kinds_of_data(60'000))
      for (const std::size_t piece : {1, 700, 5000})
        chunks.push_back(
            {bytes_of(zstd_test::streamed(output, {}, [&] { return piece; })), 60'000});
    expect_statuses(method, of_libzstd, chunks);
  });
}

// Blocks of few sequences use the predefined tables, which are kept until a longer block between
// them has its own.
TEST(ZstdChunks, TablesBetweenPredefinedOnesAreNotTakenForThem) {
  std::vector<Chunk> chunks;
  for (const auto& [name, output] : zstd_test::kinds_of_data(30'000))
    for (const std::size_t few : {40, 90, 200}) {
      std::size_t pieces = 0;
      chunks.push_back(
          {bytes_of(zstd_test::streamed(
               output, {}, [&] { return pieces++ % 4 == 2 ? std::size_t{3000} : few; })),
           30'000});
    }
  on_each_method(Format::zstd,
                 [&](const Method& method) { expect_statuses(method, of_libzstd, chunks); });
}

// Small frames of all kinds of blocks, tables and trees.
std::vector<Bytes> small_frames() {
  const auto made = [](const std::string& output, Parameters parameters) {
    parameters.emplace_back(ZSTD_c_checksumFlag, 0);
    return bytes_of(zstd_test::compressed(output, parameters));
  };
  std::vector<Bytes> frames = {
      made(zstd_test::words(700, 1), {{ZSTD_c_compressionLevel, 19}}),
      made(zstd_test::log_lines(900, 1), {{ZSTD_c_compressionLevel, 12}}),
      made(zstd_test::records(600, 1), {}),
      made(std::string(5000, 0), {}),
      made(zstd_test::noise(60, 1), {}),
      made(zstd_test::periodic(300, 7), {}),
      made(zstd_test::words(3000, 2), {{ZSTD_c_windowLog, 10}, {ZSTD_c_contentSizeFlag, 0}}),
      made(zstd_test::words(2500, 5).substr(0, 1200), {{ZSTD_c_compressionLevel, 1}})};
  frames.push_back(bytes_of(zstd_test::compressed(zstd_test::words(300, 1), {})));
  frames.push_back(bytes_of(
      zstd_test::streamed(zstd_test::words(600, 3), without_checksum, [] { return 150; })));
  return frames;
}

TEST(ZstdChunks, EveryPrefixGetsTheStatusOfTheReference) {
  on_each_method(Format::zstd, [](const Method& method) {
    for (const Bytes& frame : small_frames())
      expect_statuses(method, of_libzstd, prefixes(frame, 6000));
  });
}

TEST(ZstdChunks, EveryChangedByteGetsTheStatusOfTheReference) {
  on_each_method(Format::zstd, [](const Method& method) {
    for (const Bytes& frame : small_frames()) {
      const std::vector<Chunk> chunks = single_changes(frame, 6000, frame.size() < 400 ? 1 : 6);
      for (std::size_t first = 0; first < chunks.size();
           first += 50'000)  // of as much scratch memory as devices give in one piece
        expect_statuses(
            method, of_libzstd,
            {chunks.begin() + first, chunks.begin() + std::min(first + 50'000, chunks.size())});
    }
  });
}

TEST(ZstdChunks, CapacityOfAnySizeGetsTheStatusOfTheReference) {
  const std::vector<Chunk> chunks = capacities(of_libzstd.compressed(mixed_output(400, 5)), 450);
  on_each_method(Format::zstd,
                 [&](const Method& method) { expect_statuses(method, of_libzstd, chunks); });
}

TEST(ZstdChunks, AnotherFrameBehindTheFirstIsNotPassedBy) {
  const Bytes frame = of_libzstd.compressed(words_text(500, 3)),
              skippable = {0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7};
  const auto with_behind = [&](const Bytes& more) {
    Bytes both = frame;
    return both.insert(both.end(), more.begin(), more.end()), both;
  };
  on_each_method(Format::zstd, [&](const Method& method) {
    for (const Bytes& behind : {Bytes{1}, Bytes(99, 0), Bytes{0x28, 0xb5, 0x2f}, skippable})
      expect_statuses(method, of_libzstd, {{with_behind(behind), 500}});
    TAKE(const auto result, decoded(method, Format::zstd, {{with_behind(frame), 1000}}));
    EXPECT_EQ(result[0].chunk_status.error, ErrorCode::additional_frame);
    EXPECT_EQ(result[0].chunk_status.offset, frame.size());
    EXPECT_EQ(status_of(Format::zstd, 0, result[0].chunk_status).code(), Code::unsupported);
    EXPECT_TRUE(result[0].output.empty());
  });
}

TEST(ZstdChunks, RandomBytesBehindAHeaderGetTheStatusOfTheReference) {
  std::mt19937 random(7);
  std::vector<Chunk> chunks;
  for (std::uint32_t i = 0; i < 4000; i++) {
    Bytes frame = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58};
    const auto bytes = static_cast<std::uint32_t>(random() % 200);
    const std::uint32_t head = 1 + (2 << 1) + (bytes << 3);
    for (std::uint32_t at = 0; at < 3; at++)
      frame.push_back(static_cast<std::uint8_t>(head >> (8 * at)));
    for (std::uint32_t at = 0; at < bytes; at++)
      frame.push_back(static_cast<std::uint8_t>(random()));
    chunks.push_back({std::move(frame), 100'000});
  }
  on_each_method(Format::zstd,
                 [&](const Method& method) { expect_statuses(method, of_libzstd, chunks); });
}

// A byte, and `count` sequences of three bytes, each with `offset_bits` bits in the stream: 2 for
// distance 1, 3 for distance 5.
Bytes frame_of_threes(std::uint32_t count, std::uint32_t offset_bits = 2) {
  Bytes frame = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x08, 0, 0, 'a'};
  Bytes block = {0, static_cast<std::uint8_t>(count),       0x54,
                 0, static_cast<std::uint8_t>(offset_bits), 0};  // tables of one code
  block.resize(block.size() + count * offset_bits / 8);
  block.push_back(static_cast<std::uint8_t>(1 << (count * offset_bits % 8)));
  const auto head = static_cast<std::uint32_t>(1 + (2 << 1) + (block.size() << 3));
  for (std::uint32_t at = 0; at < 3; at++)
    frame.push_back(static_cast<std::uint8_t>(head >> (8 * at)));
  frame.insert(frame.end(), block.begin(), block.end());
  return frame;
}

// Sequences that fill their list, and one more. The list of the next chunk, a larger one that is
// decoded before, begins after it.
TEST(ZstdChunks, ASequenceWithoutCapacityLeavesTheNextChunkAlone) {
  std::vector<Chunk> chunks;
  for (std::uint32_t i = 0; i < 32; i++) {
    chunks.push_back({frame_of_threes(101), 301});
    chunks.push_back({of_libzstd.compressed(bytes_of(zstd_test::log_lines(301, i))), 301});
  }
  on_each_method(Format::zstd, [&](const Method& method) {
    expect_statuses(method, of_libzstd, chunks);
    expect_statuses(method, of_libzstd, {{frame_of_threes(101), 304}, {frame_of_threes(1), 4}});
    for (const std::uint64_t capacity : {0, 1, 2})
      expect_statuses(method, of_libzstd, {{frame_of_threes(2), capacity}});
  });
}

TEST(ZstdChunks, OutputWithoutCapacityIsTooLongAndNotCorrupt) {
  const Bytes output = mixed_output(400, 5);
  const std::vector<Chunk> chunks = capacities(of_libzstd.compressed(output), output.size());
  on_each_method(Format::zstd, [&](const Method& method) {
    TAKE(const auto result, decoded(method, Format::zstd, chunks));
    for (std::size_t capacity = 0; capacity < chunks.size(); capacity++)
      EXPECT_EQ(result[capacity].chunk_status.error, ErrorCode::output_too_small) << capacity;
    TAKE(const auto far, decoded(method, Format::zstd, {{frame_of_threes(1, 3), 100}}));
    EXPECT_EQ(far[0].chunk_status.error, ErrorCode::invalid_distance);
  });
}

// libzstd accepts them where it does not stream.
TEST(ZstdChunks, RunsLongerThanABlockAreRefused) {
  const auto run_of = [](std::uint32_t bytes) {  // in a window of 1 KiB
    const std::uint32_t head = 1 + (1 << 1) + (bytes << 3);
    return Bytes{0x28,
                 0xb5,
                 0x2f,
                 0xfd,
                 0,
                 0,
                 static_cast<std::uint8_t>(head),
                 static_cast<std::uint8_t>(head >> 8),
                 0,
                 'r'};
  };
  on_each_method(Format::zstd, [&](const Method& method) {
    expect_statuses(method, of_libzstd, {{run_of(1024), 2000}, {run_of(1025), 2000}});
    TAKE(const auto result, decoded(method, Format::zstd, {{run_of(1025), 2000}}));
    EXPECT_EQ(result[0].chunk_status.error, ErrorCode::invalid_block);
  });
}

struct JudgedFrame {
  Bytes bytes;
  ErrorCode error;
  std::uint32_t offset;
};
TEST(ZstdChunks, AErrorNamesItsBlock) {
  const Bytes frame = bytes_of(zstd_test::compressed(zstd_test::words(300'000, 1), {}));
  const auto head_of = [&](std::size_t at) {
    return frame[at] | frame[at + 1] << 8 | frame[at + 2] << 16;
  };
  const std::uint32_t first = 9,
                      second = first + 3 + head_of(first) / 8;  // behind a size of 4 bytes
  const auto changed = [&](std::uint32_t at, std::uint8_t change) {
    Bytes bytes = frame;
    bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ change);
    return bytes;
  };
  const auto last = static_cast<std::uint32_t>(frame.size() - 4);
  const std::vector<JudgedFrame> rows = {
      {changed(second, 2), ErrorCode::invalid_block, second},
      {changed(0, 1), ErrorCode::invalid_header, 0},
      {changed(4, 8), ErrorCode::invalid_header, 0},
      {changed(4, 1), ErrorCode::needs_dictionary, 0},
      {Bytes(frame.begin(), frame.begin() + second + 9), ErrorCode::truncated_input, second},
      {changed(last, 1), ErrorCode::checksum_mismatch, last}};
  on_each_method(Format::zstd, [&](const Method& method) {
    for (const JudgedFrame& row : rows) {
      TAKE(const auto result, decoded(method, Format::zstd, {{row.bytes, 300'000}}));
      EXPECT_EQ(result[0].chunk_status.error, row.error);
      EXPECT_EQ(result[0].chunk_status.offset, row.offset);
    }
  });
}

TEST(ZstdChunks, ABatchThatDoesNotTellItsOutputsSizesIsRefused) {
  on_each_method(Format::zstd, [](const Method& method) {
    TAKE(const auto queue, method.device->queue());
    TAKE(const auto decoder, Decoder::build(method.device, Format::zstd, method.variant));
    TAKE(const auto memory, method.device->allocate(1 << 20));
    Batch batch{9, memory, memory, memory, memory, memory, memory, memory, memory};
    EXPECT_EQ(decoder->enqueue(*queue, batch, *memory).code(), Code::invalid);
    batch.max_output_bytes = 1 << 20;
    EXPECT_EQ(decoder->enqueue(*queue, batch, *memory).code(),
              Code::invalid);  // for the scratch memory
    EXPECT_GE(decoder->scratch_bytes(3, UINT64_MAX), decoder->scratch_bytes(3, 1 << 29));
  });
}

// The kernels themselves under sanitizers, with barriers and races checked: warps that are groups
// and warps that are sub-groups.
class ZstdChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(ZstdChunksOnHost, OutputsComeBackAndBadFramesAreTold) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device(GetParam());
  for (const std::string& variant : Decoder::variants(Format::zstd, device->traits())) {
    SCOPED_TRACE(variant);
    const Method method{device, variant};
    std::vector<Bytes> outputs = {
        words_text(9000, 1), random_output(3000, 2), Bytes(20'000, 1), {}, {1}};
    for (std::uint32_t seed = 0; seed < 2; seed++)
      outputs.push_back(mixed_output(5000, seed)), outputs.push_back(numbers_output(3000, seed));
    expect_outputs(method, zstd_reference({{ZSTD_c_compressionLevel, 12}}), outputs);
    expect_outputs(method, of_libzstd, {mixed_output(900, 20), mixed_output(77, 21)}, {5, 1});
    expect_statuses(method, of_libzstd, {{frame_of_threes(101), 301}, {frame_of_threes(2), 301}});
    expect_statuses(method, of_libzstd, {{frame_of_threes(2), 1}});
    const std::vector<Bytes> frames = small_frames();
    expect_statuses(method, of_libzstd, prefixes(frames[2], 1000));
    for (const std::size_t i : {2, 8})
      expect_statuses(method, of_libzstd, single_changes(frames[i], 1000, 127));
  }
}
INSTANTIATE_TEST_SUITE_P(
    Warps, ZstdChunksOnHost,
    ::testing::Values(kernel::HostDeviceOptions{},
                      kernel::HostDeviceOptions{.order = kernel::ThreadOrder::reverse},
                      kernel::HostDeviceOptions{.order = kernel::ThreadOrder::shuffled,
                                                .subgroup_size = 32},
                      kernel::HostDeviceOptions{.is_cpu = true, .max_group_size = 1}));

}  // namespace
}  // namespace penstock::batch
