// The frames that test another implementation: Debian's golang-github-klauspost-compress-dev, where
// it is installed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "zstd_frames.hpp"

namespace penstock::zstd_test {
namespace {

const std::filesystem::path vectors =
    "/usr/share/gocode/src/github.com/klauspost/compress/zstd/testdata";

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Returns the files of an archive by name; none where it or unzip is not installed.
std::map<std::string, std::string> files_of(const std::string& archive) {
  std::string folder = (std::filesystem::temp_directory_path() / "penstock_zstd_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return {};
  const std::string command =
      "unzip -q -o '" + (vectors / archive).string() + "' -d '" + folder + "' 2>/dev/null";
  const int status = std::system(command.c_str());
  std::map<std::string, std::string> files;
  if (status == 0)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.is_regular_file())
        files[std::filesystem::relative(entry.path(), folder).string()] = content_of(entry.path());
  std::filesystem::remove_all(folder);
  return files;
}

// Decodes all frames of a file and skips what is to be skipped between them.
ChunkStatus all_decoded(const std::string& file, std::size_t limit, unsigned threads) {
  ChunkStatus result{true, {}};
  for (std::size_t at = 0; at < file.size();) {
    const std::string rest = file.substr(at);
    const auto byte = [&](std::size_t of) {
      return static_cast<unsigned>(static_cast<unsigned char>(rest[of]));
    };
    if (rest.size() >= 8 && (byte(0) & 0xF0) == 0x50 && rest.compare(1, 3, "\x2a\x4d\x18") == 0) {
      const std::size_t bytes =
          8 + (byte(4) | byte(5) << 8 | byte(6) << 16 | std::size_t{byte(7)} << 24);
      if (bytes > rest.size()) return {false, "a skippable frame is cut short"};
      at += bytes;
      continue;
    }
    std::string text(limit, 0);
    const auto frame = zstd::decode_frame(bytes_of(rest), std::as_writable_bytes(std::span(text)),
                                          {.threads = threads});
    if (!frame.ok()) return {false, frame.status().text()};
    result.output.append(text, 0, frame->output_bytes);
    at += frame->input_bytes;
  }
  return result;
}

constexpr std::size_t limit = 4 << 20;

// Our status of any file is libzstd's, or at least as strict.
void expect_as_libzstd(const std::map<std::string, std::string>& files) {
  std::size_t decoded = 0, stricter = 0;
  for (const auto& [name, file] : files) {
    const ChunkStatus theirs = libzstd_status(file, limit), ours = all_decoded(file, limit, 2);
    ASSERT_TRUE(!ours.is_ok || theirs.is_ok || ours.output.size() > limit)
        << name << ": decoded, and libzstd says " << theirs.output;
    ASSERT_TRUE(!ours.is_ok || !theirs.is_ok || ours.output == theirs.output) << name;
    decoded += ours.is_ok;
    stricter += !ours.is_ok && theirs.is_ok;
    if (!ours.is_ok && theirs.is_ok) std::printf("%s: %s\n", name.c_str(), ours.output.c_str());
  }
  std::printf("%zu files: %zu decoded, %zu refused that libzstd decodes\n", files.size(), decoded,
              stricter);
  ::testing::Test::RecordProperty("stricter", static_cast<int>(stricter));
}

class CodecZstdVectors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(vectors) || std::system("unzip -v >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "no vectors, or no unzip";
  }
  static void expect_pairs(const std::string& archive) {
    const auto files = files_of(archive);
    std::size_t pairs = 0;
    for (const auto& [name, frame] : files) {
      if (!name.ends_with(".zst") || !files.contains(name.substr(0, name.size() - 4))) continue;
      const std::string& text = files.at(name.substr(0, name.size() - 4));
      const ChunkStatus ours = all_decoded(frame, text.size() + 1, 2);
      ASSERT_TRUE(ours.is_ok) << name << ": " << ours.output;
      ASSERT_TRUE(ours.output == text) << name;
      pairs++;
    }
    EXPECT_GT(pairs, 0u);
  }
};

TEST_F(CodecZstdVectors, GoodFilesDecodeToTheirTexts) {
  for (const char* const archive : {"decoder.zip", "good.zip", "large.zip"}) expect_pairs(archive);
}

TEST_F(CodecZstdVectors, BadFilesAreRefused) {
  for (const auto& [name, frame] : files_of("bad.zip")) {
    if (!name.ends_with(".zst")) continue;
    EXPECT_FALSE(all_decoded(frame, limit, 1).is_ok) << name;
  }
}

TEST_F(CodecZstdVectors, CrashersOfOthers) { expect_as_libzstd(files_of("comp-crashers.zip")); }
TEST_F(CodecZstdVectors, Regressions) {
  expect_as_libzstd(files_of("regression.zip"));
  expect_as_libzstd(files_of("decode-regression.zip"));
}
TEST_F(CodecZstdVectors, FuzzedFrames) {
  expect_as_libzstd(files_of("fuzz/decode-corpus-raw.zip"));
}
TEST_F(CodecZstdVectors, BenchmarkFrames) { expect_as_libzstd(files_of("benchdecoder.zip")); }

// Headers are read as libzstd reads them.
TEST_F(CodecZstdVectors, Headers) {
  for (const auto& [name, file] : files_of("headers.zip")) {
    ZSTD_frameHeader theirs;
    const std::size_t status = ZSTD_getFrameHeader(&theirs, file.data(), file.size());
    const auto ours = zstd::read_frame_header(bytes_of(file));
    if (status == 0 && theirs.frameType == ZSTD_skippableFrame) {
      EXPECT_FALSE(ours.ok()) << name;
      continue;
    }
    ASSERT_EQ(ours.ok(), status == 0) << name;
    if (!ours.ok()) continue;
    EXPECT_EQ(ours->window_bytes, theirs.windowSize) << name;
    EXPECT_EQ(ours->content_bytes.value_or(ZSTD_CONTENTSIZE_UNKNOWN), theirs.frameContentSize)
        << name;
    EXPECT_EQ(ours->dictionary_id, theirs.dictID) << name;
    EXPECT_EQ(ours->has_checksum, theirs.checksumFlag != 0) << name;
    EXPECT_EQ(ours->header_bytes, theirs.headerSize) << name;
  }
}

// Frames that need dictionaries, which lie beside them.
TEST_F(CodecZstdVectors, Dictionaries) {
  const auto files = files_of("dict-tests-small.zip");
  std::size_t decoded_count = 0;
  for (const auto& [name, frame] : files) {
    if (!name.ends_with(".zst")) continue;
    for (const auto& [other, dictionary] : files) {
      if (other != name.substr(0, name.find('/')) + ".dict") continue;
      const auto read = zstd::read_dictionary(bytes_of(dictionary));
      const ChunkStatus theirs = libzstd_status(frame, limit, dictionary);
      if (!read.ok()) continue;
      const ChunkStatus ours = decoded(frame, limit, {.threads = 1, .dictionary = *read});
      ASSERT_EQ(ours.is_ok, theirs.is_ok)
          << name << " with " << other << ": " << ours.output << theirs.output;
      if (!ours.is_ok) continue;
      ASSERT_TRUE(ours.output == theirs.output) << name;
      decoded_count++;
    }
  }
  EXPECT_GT(decoded_count, 0u);
}

}  // namespace
}  // namespace penstock::zstd_test
