// Vectors of another project, from the package golang-github-klauspost-compress-dev: frames of
// every feature of the format, damaged frames, and findings of fuzzers. Each has the published
// library's status and bytes, by every method that fits.
#include <filesystem>

#include "zstd_frames.hpp"
// zstd_frames.hpp comes first: it needs more of libzstd's header than the others.
#include "stream_bytes.hpp"
#include "zip_reader.hpp"

namespace penstock::stream {
namespace {

const std::string folder = "/usr/share/gocode/src/github.com/klauspost/compress/";

std::map<std::string, std::string> vectors(const std::string& name) {
  auto files = read_zip(folder + name);
  EXPECT_FALSE(files.empty()) << folder << name << " is missing: scripts/setup.sh test installs it";
  return files;
}
std::string file_text(const std::string& name) {
  std::ifstream stream(folder + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Counts of vectors that were right and that were refused.
struct Counts {
  int valid = 0, refused = 0;
};

Counts same_statuses(const std::map<std::string, std::string>& files,
                     const std::string& suffix = "") {
  Counts counts;
  for (const auto& [name, file] : files) {
    if (!name.ends_with(suffix)) continue;
    const ExpectedOutput expected = zstd_says(file);
    for (const char* const method : {"", "zstd-frames", "zstd-parallel"}) {
      const auto found = decompress(bytes_of(file), {.format = Format::zstd,
                                                     .max_window_bytes = std::uint64_t{1} << 31,
                                                     .threads = 2,
                                                     .method = method});
      if (expected && !found.ok() && zstd_test::is_listed_as_stricter(found.status().message()))
        continue;
      EXPECT_EQ(found.ok(), expected.has_value())
          << name << ", " << method << ": " << found.status().text();
      EXPECT_TRUE(!found.ok() || !expected || text_of(*found) == *expected)
          << name << ", " << method;
    }
    (expected ? counts.valid : counts.refused)++;
  }
  return counts;
}

TEST(StreamVectors, FramesOfEveryFeatureBecomeTheirOriginals) {
  for (const char* const zip : {"zstd/testdata/good.zip", "zstd/testdata/decoder.zip"}) {
    const auto files = vectors(zip);
    int count = 0;
    for (const auto& [name, file] : files) {
      if (!name.ends_with(".zst")) continue;
      const auto found = decompress(bytes_of(file), {.format = Format::zstd});
      const auto original = files.find(name.substr(0, name.size() - 4));
      if (original == files.end() || !zstd_says(file))
        continue;  // the library of this system refuses some corner cases of the format
      ASSERT_TRUE(found.ok()) << name << ": " << found.status().text();
      EXPECT_TRUE(text_of(*found) == original->second) << name;
      count++;
    }
    EXPECT_GE(count, zip == std::string("zstd/testdata/good.zip") ? 9 : 90) << zip;
  }
}

TEST(StreamVectors, DamagedFramesAreRefused) {
  const Counts bad = same_statuses(vectors("zstd/testdata/bad.zip"), ".zst");
  EXPECT_GE(bad.refused, 15);
  same_statuses(vectors("zstd/testdata/regression.zip"));
}

TEST(StreamVectors, HeadersOfEveryKindHaveTheLibrarysStatus) {
  EXPECT_GE(same_statuses(vectors("zstd/testdata/headers.zip")).refused, 7000);
}

TEST(StreamVectors, WhatFuzzersFoundHasTheLibrarysStatus) {
  EXPECT_GE(same_statuses(vectors("zstd/testdata/fuzz/decode-corpus-encoded.zip")).refused, 100);
}

TEST(StreamVectors, FramesWithDictionariesBecomeTheirOriginals) {
  int count = 0;
  const auto files = vectors("zstd/testdata/dict-tests-small.zip");
  for (const auto& [name, file] : files) {
    if (!name.ends_with(".zst")) continue;
    const auto dictionary = files.find(name.substr(0, name.find('/')) + ".dict");
    if (dictionary == files.end()) continue;
    ZSTD_DCtx* const context = ZSTD_createDCtx();
    std::string expected(16 << 20, '\0');
    const std::size_t made = ZSTD_decompress_usingDict(
        context, expected.data(), expected.size(), file.data(), file.size(),
        dictionary->second.data(), dictionary->second.size());
    ZSTD_freeDCtx(context);
    const auto found = decompress(
        bytes_of(file), {.format = Format::zstd, .dictionary = bytes_of(dictionary->second)});
    ASSERT_EQ(found.ok(), !ZSTD_isError(made)) << name << ": " << found.status().text();
    EXPECT_TRUE(!found.ok() || text_of(*found) == std::string_view(expected).substr(0, made))
        << name;
    count += found.ok();
  }
  EXPECT_GE(count, 20);
}

TEST(StreamVectors, RawDeflateOfEveryEncoderBecomesWhatZlibSays) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "flate/testdata")) {
    const std::string name = entry.path().filename().string();
    if (name.find(".expect") == std::string::npos && !name.ends_with(".golden")) continue;
    // Blocks without a last one that end on a byte are closed by an empty last block; the stream
    // gets a gzip header and the trailer that zlib's bytes have.
    std::string body = file_text("flate/testdata/" + name);
    body += std::string("\3\0", 2);
    std::string text(1 << 20, '\0');
    z_stream inflating{};
    inflateInit2(&inflating, -15);
    inflating.next_in = reinterpret_cast<Bytef*>(body.data()),
    inflating.avail_in = static_cast<uInt>(body.size());
    inflating.next_out = reinterpret_cast<Bytef*>(text.data()),
    inflating.avail_out = static_cast<uInt>(text.size());
    const int code = inflate(&inflating, Z_FINISH);
    text.resize(text.size() - inflating.avail_out);
    body.resize(body.size() - inflating.avail_in);
    inflateEnd(&inflating);
    if (code != Z_STREAM_END) continue;
    std::string file = std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + body;
    for (const std::uint32_t number :
         {libdeflate_crc32(0, text.data(), text.size()), static_cast<std::uint32_t>(text.size())})
      for (int i = 0; i < 4; i++) file += static_cast<char>(number >> (8 * i));
    for (const char* const method : {"gzip-whole", "gzip-stream"}) {
      const auto found = decompress(bytes_of(file), {.method = method});
      ASSERT_TRUE(found.ok()) << name << ": " << found.status().text();
      EXPECT_TRUE(text_of(*found) == text) << name;
    }
    count++;
  }
  EXPECT_GE(count, 10);
}

TEST(StreamVectors, WhatCrashedCompressorsComesBack) {
  std::uint32_t number = 0;
  for (const auto& [name, file] : vectors("zstd/testdata/comp-crashers.zip")) {
    const Format format = number % 3 == 0   ? Format::gzip
                          : number % 3 == 1 ? Format::zstd
                                            : Format::lz4;
    number++;
    const auto compressed = compress(bytes_of(file), {.format = format, .level = 1 + number % 12});
    ASSERT_TRUE(compressed.ok()) << name;
    const auto found = decompress(*compressed);
    ASSERT_TRUE(found.ok()) << name << ": " << found.status().text();
    EXPECT_TRUE(text_of(*found) == file) << name;
  }
}

}  // namespace
}  // namespace penstock::stream
