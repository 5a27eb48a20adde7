// Real files compressed by other encoders at all their levels, decoded on every device by every
// variant that fits it; and the test vectors of another implementation, from the package
// golang-github-klauspost-compress-dev, with the statuses of zlib and libsnappy.
#include <gtest/gtest.h>

#include "on_device/codec/chunk_encoders.hpp"
#include "zip_reader.hpp"

namespace penstock::batch {
namespace {

constexpr std::uint64_t piece_bytes = 65536;

std::vector<Bytes> real_outputs_and_periods() {
  std::vector<Bytes> outputs = real_outputs(piece_bytes);
  for (Bytes& output : all_periods(2000)) outputs.push_back(std::move(output));
  return outputs;
}

Reference with_encoder(Reference reference, std::function<Bytes(const Bytes&)> compressed) {
  reference.compressed = std::move(compressed);
  return reference;
}

TEST(ChunkConformance, BlocksOfEveryLevelOfLz4ComeBack) {
  const std::vector<Bytes> outputs = real_outputs_and_periods();
  on_each_method(Format::lz4, [&](const Method& method) {
    for (int level = -20; level <= 12; level += level < 0 ? 10 : 1) {
      SCOPED_TRACE(level);
      expect_outputs(method, lz4_reference(level), outputs);
    }
  });
}

TEST(ChunkConformance, BlocksOfSnappyComeBack) {
  on_each_method(Format::snappy, [&](const Method& method) {
    expect_outputs(method, snappy_reference(), real_outputs_and_periods());
  });
}

TEST(ChunkConformance, StreamsOfEveryLevelAndStrategyOfZlibComeBack) {
  const std::vector<Bytes> outputs = real_outputs_and_periods();
  on_each_method(Format::deflate, [&](const Method& method) {
    for (const int strategy : {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED})
      for (int level = strategy == Z_DEFAULT_STRATEGY ? 0 : 1; level <= 9;
           level += strategy == Z_DEFAULT_STRATEGY ? 1 : 4) {
        SCOPED_TRACE(std::to_string(strategy) + ", level " + std::to_string(level));
        expect_outputs(method, deflate_reference({.level = level, .strategy = strategy}), outputs);
      }
  });
}

TEST(ChunkConformance, StreamsOfEveryLevelOfLibdeflateComeBack) {
  const std::vector<Bytes> outputs = real_outputs_and_periods();
  on_each_method(Format::deflate, [&](const Method& method) {
    for (int level = 1; level <= 12; level++) {
      SCOPED_TRACE(level);
      const auto compressed = [level](const Bytes& output) {
        return libdeflate_compressed(output, level);
      };
      expect_outputs(method, with_encoder(deflate_reference(), compressed), outputs);
    }
  });
}

// Members of the command, and the streams inside of them.
struct Made {
  std::vector<Bytes> outputs;
  std::vector<Chunk> members, streams;
};
Made made_of(const std::string& command, const std::vector<Bytes>& outputs) {
  Made made;
  for (const Bytes& output : outputs) {
    const auto member = made_by(command, output);
    if (!member) continue;
    made.outputs.push_back(output);
    made.members.push_back({*member, output.size()});
    made.streams.push_back({without_header(*member), output.size()});
  }
  return made;
}
void expect_made(const Method& method, Format format, const std::vector<Chunk>& chunks,
                 const std::vector<Bytes>& outputs) {
  TAKE(const auto result, decoded(method, format, chunks));
  for (std::size_t i = 0; i < outputs.size(); i++) {
    ASSERT_OK(status_of(format, i, result[i].chunk_status));
    ASSERT_EQ(result[i].output, outputs[i]) << "text " << i;
  }
}

TEST(ChunkConformance, MembersOfEveryProgramComeBack) {
  const std::vector<Bytes> outputs = real_outputs(piece_bytes), short_outputs = real_outputs(6000);
  const std::vector<std::string> commands = {
      "gzip -1 -n -c $FILE",
      "gzip -6 -c $FILE",
      "gzip -9 -n -c $FILE",
      "pigz -6 -c $FILE",
      "pigz -11 -I 1 -c $FILE",
      "igzip -0 -c $FILE",
      "igzip -1 -c $FILE",
      "igzip -2 -c $FILE",
      "igzip -3 -c $FILE",
      "libdeflate-gzip -12 -c $FILE",
      "zopfli --i1 -c $FILE",
      "7zz a -tgzip -mx=1 -so -si unused < $FILE",
      "7zz a -tgzip -mx=5 -so -si unused < $FILE",
      "7zz a -tgzip -mx=9 -so -si unused < $FILE",
      "gzip -1 -n $FILE && advdef -q -z -3 $FILE.gz && cat $FILE.gz && rm $FILE.gz"};
  std::size_t used = 0;
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    const bool is_slow = command.starts_with("zopfli") || command.starts_with("pigz -11") ||
                         command.starts_with("7zz") || command.ends_with("rm $FILE.gz");
    const Made made = made_of(command, is_slow ? short_outputs : outputs);
    if (made.outputs.empty()) {
      std::printf("%s: not installed\n", command.c_str());
      continue;
    }
    EXPECT_EQ(made.outputs.size(), is_slow ? short_outputs.size() : outputs.size());
    used++;
    on_each_method(Format::gzip, [&](const Method& method) {
      expect_made(method, Format::gzip, made.members, made.outputs);
    });
    on_each_method(Format::deflate, [&](const Method& method) {
      expect_made(method, Format::deflate, made.streams, made.outputs);
    });
  }
  EXPECT_GE(used, commands.size() - 1) << "scripts/setup.sh test installs them";
}

const std::string vectors = "/usr/share/gocode/src/github.com/klauspost/compress/";
std::vector<Bytes> files_of(const std::string& zip, std::uint64_t max_bytes) {
  std::vector<Bytes> files;
  for (const auto& [name, output] : read_zip(vectors + zip))
    files.emplace_back(output.begin(), output.begin() + std::min(output.size(), max_bytes));
  EXPECT_FALSE(files.empty()) << vectors << zip << " is missing: scripts/setup.sh test installs it";
  return files;
}
std::vector<Chunk> as_chunks(const std::vector<Bytes>& files, std::uint64_t capacity) {
  std::vector<Chunk> chunks;
  for (const Bytes& file : files) chunks.push_back({file, capacity});
  return chunks;
}

// Streams that end without a last block, and those that an empty block closes.
TEST(ChunkConformance, StreamsOfAnotherEncodersTestsGetTheStatusOfZlib) {
  std::vector<Chunk> chunks;
  for (const auto& entry : std::filesystem::directory_iterator(vectors + "flate/testdata")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name.ends_with(".in") || name.ends_with(".zip")) continue;
    Bytes bytes = file_part(entry.path().string(), 0, 1 << 20);
    chunks.push_back({bytes, 1 << 20});
    bytes.insert(bytes.end(), {3, 0});
    chunks.push_back({std::move(bytes), 1 << 20});
  }
  EXPECT_GE(chunks.size(), 100u);
  on_each_method(Format::deflate, [&](const Method& method) {
    expect_statuses(method, deflate_reference(), chunks);
  });
}

TEST(ChunkConformance, WhatFuzzersFoundGetsTheStatusOfTheReference) {
  std::vector<Chunk> chunks;
  for (const char* const zip :
       {"flate/testdata/fuzz/encode-raw-corpus.zip", "flate/testdata/regression.zip",
        "s2/testdata/dec-block-regressions.zip", "s2/testdata/enc_regressions.zip"})
    for (Chunk& chunk : as_chunks(files_of(zip, piece_bytes), 30'000))
      chunks.push_back(std::move(chunk));
  for (const Reference& reference : {deflate_reference(), snappy_reference(), lz4_reference()})
    on_each_method(reference.format,
                   [&](const Method& method) { expect_statuses(method, reference, chunks); });
}

TEST(ChunkConformance, OutputsThatFuzzersFoundComeBack) {
  std::vector<Bytes> outputs;
  for (const char* const zip :
       {"flate/testdata/fuzz/encode-raw-corpus.zip", "flate/testdata/fuzz/FuzzEncoding.zip",
        "flate/testdata/regression.zip", "s2/testdata/enc_regressions.zip",
        "s2/testdata/fuzz/block-corpus-raw.zip"})
    for (Bytes& output : files_of(zip, 8192)) outputs.push_back(std::move(output));
  for (const Reference& reference :
       {deflate_reference(), snappy_reference(), lz4_reference(), lz4_reference(9)})
    on_each_method(reference.format,
                   [&](const Method& method) { expect_outputs(method, reference, outputs); });
}

// The kernels themselves: a little of everything at once.
class ChunkConformanceOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(ChunkConformanceOnHost, RealFilesComeBackFromEveryEncoder) {
  const std::vector<Bytes> outputs = real_outputs(2500);
  std::size_t turn = 0;
  const auto deflated = [&](const Bytes& output) {
    static const std::vector<std::function<Bytes(const Bytes&)>> encoders = {
        [](const Bytes& t) { return deflate_compressed(t, {.level = 1}); },
        [](const Bytes& t) { return libdeflate_compressed(t, 12); },
        [](const Bytes& t) { return deflate_compressed(t, {.memory = 1}); },
        [](const Bytes& t) { return libdeflate_compressed(t, 1); },
        [](const Bytes& t) {
          return made_by("zopfli --i1 --deflate -c $FILE", t).value_or(deflate_compressed(t));
        },
        [](const Bytes& t) {
          return without_header(made_by("igzip -0 -n -c $FILE", t).value_or(Bytes(10)));
        },
        [](const Bytes& t) {
          return without_header(
              made_by("7zz a -tgzip -mx=9 -so -si unused < $FILE", t).value_or(Bytes(10)));
        }};
    return encoders[turn++ % encoders.size()](output);
  };
  const auto lz4 = [&](const Bytes& output) {
    return lz4_compressed(output, static_cast<int>(turn++ * 5 % 13));
  };
  for (const Reference& reference : {with_encoder(deflate_reference(), deflated),
                                     with_encoder(lz4_reference(), lz4), snappy_reference()})
    on_each_method_on_host(GetParam(), reference.format, [&](const Method& method) {
      expect_outputs(method, reference, outputs);
    });
}
INSTANTIATE_TEST_SUITE_P(
    Warps, ChunkConformanceOnHost,
    ::testing::Values(kernel::HostDeviceOptions{.order = kernel::ThreadOrder::shuffled,
                                                .subgroup_size = 32},
                      kernel::HostDeviceOptions{.is_cpu = true, .max_group_size = 1}));

}  // namespace
}  // namespace penstock::batch
