// A file that another program shortens while it is read is an error, and never ends the process.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file.hpp"
#include "stream_bytes.hpp"

namespace penstock::stream {
namespace {

namespace fs = std::filesystem;

// Longer than all that is read before output comes.
constexpr std::size_t plain_bytes = 40 << 20;

const std::string& noise() {
  static const std::string bytes = [] {
    std::string all(plain_bytes, 0);
    std::mt19937_64 random(3);
    for (std::size_t at = 0; at < all.size(); at += 8) {
      const std::uint64_t number = random();
      std::memcpy(all.data() + at, &number, 8);
    }
    return all;
  }();
  return bytes;
}

struct TemporaryFile {
  fs::path path = fs::temp_directory_path() / ("penstock-shortened-" + std::to_string(::getpid()));
  explicit TemporaryFile(std::string_view content) { write(content); }
  void write(std::string_view content) const {
    std::ofstream(path, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  ~TemporaryFile() { fs::remove(path); }
};

// Compresses in blocks of 1 MiB: members, frames or blocks that are decoded in threads.
std::string made_in_blocks(Format format) {
  const auto made =
      compress(bytes_of(noise()), {.format = format, .level = 1, .block_bytes = 1 << 20});
  EXPECT_TRUE(made.ok()) << made.status().text();
  return made.ok() ? text_of(*made) : std::string();
}

void expect_shortened(const Result<Report>& report, const std::string& what) {
  EXPECT_EQ(report.status().code(), Code::truncated) << what << ": " << report.status().text();
  EXPECT_NE(report.status().message().find("was shortened while it was read"), std::string::npos)
      << what << ": " << report.status().text();
}

// Calls `run` with a sink that shortens the file when the first output comes.
template <class Run> void check(const std::string& what, std::string_view content, Run run) {
  const TemporaryFile file(content);
  std::uintmax_t left = content.size() * 3 / 4;
  bool is_first = true;
  const auto sink = [&](std::span<const std::byte>) {
    if (std::exchange(is_first, false)) fs::resize_file(file.path, left);
    return Status();
  };
  expect_shortened(run(Source::file(file.path), sink), what + " by name");
  fs::resize_file(file.path, 0);
  file.write(content);
  left = 0, is_first = true;
  const File open(file.path, O_RDONLY);
  expect_shortened(run(Source::descriptor("standard input", open.descriptor()), sink),
                   what + " by descriptor");
}

TEST(StreamShortened, DecompressingIsAnError) {
  const std::pair<const char*, std::string> files[] = {
      {"gzip in members", made_in_blocks(Format::gzip)},
      {"gzip as one member", zlib_made(noise(), 0)},
      {"zlib", zlib_made(noise(), 0, 15)},
      {"zstd in frames", made_in_blocks(Format::zstd)},
      {"zstd as one frame", zstd_made(noise(), 1)},
      {"lz4", made_in_blocks(Format::lz4)}};
  for (const auto& [name, content] : files)
    check(name, content, [](const Source& source, const Sink& sink) {
      return decompress(source, sink, {.threads = 2});
    });
}

TEST(StreamShortened, GzipInOrderIsAnError) {
  check("gzip-stream", zlib_made(noise(), 0), [](const Source& source, const Sink& sink) {
    return decompress(source, sink, {.threads = 1, .method = "gzip-stream"});
  });
}

TEST(StreamShortened, CompressingIsAnError) {
  for (const Format format : {Format::gzip, Format::zstd, Format::lz4})
    check(std::string(name_of(format)), noise(), [&](const Source& source, const Sink& sink) {
      return compress(source, sink,
                      {.format = format, .level = 1, .block_bytes = 1 << 20, .threads = 2});
    });
}

// A file's Deflate is read as it is decoded.
TEST(StreamShortened, AFileThatStaysHasTheBytesOfMemory) {
  const std::string text = words(6 << 20) + noise().substr(0, 6 << 20) + words(6 << 20, 2);
  for (const std::string& content : {zlib_made(text, 6), zlib_made(text, 1, 15),
                                     zlib_made(text, 6) + zlib_made(text, 1), zstd_made(text, 1)}) {
    const TemporaryFile file(content);
    const auto found = decompressed(Source::file(file.path), {.threads = 3});
    ASSERT_TRUE(found.ok()) << found.status().text();
    EXPECT_TRUE(*found == text || *found == text + text);
  }
}

// Files of the kernel state a size of 0 and have content.
TEST(StreamShortened, AFileThatStatesNoSizeIsReadToItsEnd) {
  std::string made;
  const auto report =
      compress(Source::file("/proc/self/maps"),
               [&](std::span<const std::byte> part) { return made += text_of(part), Status(); },
               {.format = Format::gzip});
  ASSERT_TRUE(report.ok()) << report.status().text();
  const auto plain = decompressed(Source::memory(bytes_of(made)));
  ASSERT_TRUE(plain.ok());
  EXPECT_GT(plain->size(), 100u);
}

}  // namespace
}  // namespace penstock::stream
