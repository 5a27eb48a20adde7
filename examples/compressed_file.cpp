// Compresses data, detects the format of files, decodes them in parts, and refuses damaged ones.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "penstock/stream.hpp"

using namespace penstock;

template <class T> T take(Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "compressed_file: %s\n", result.status().text().c_str());
  std::exit(1);
}

int main() {
  std::string text;
  for (int i = 0; i < 200'000; i++)
    text += "request " + std::to_string(i * 7919 % 100'003) + " answered\n";
  const auto bytes = std::as_bytes(std::span(text));

  for (const stream::Format format :
       {stream::Format::gzip, stream::Format::zstd, stream::Format::lz4}) {
    std::vector<std::byte> file = take(stream::compress(bytes, {.format = format, .threads = 2}));
    std::uint64_t lines = 0;
    const auto count_lines = [&](std::span<const std::byte> piece) {
      for (const std::byte byte : piece) lines += byte == std::byte{'\n'};
      return Status();
    };
    const stream::Report report =
        take(stream::decompress(stream::Source::memory(file), count_lines));
    std::printf("%s: %zu bytes became %zu, %llu lines, by %s\n",
                std::string(stream::name_of(report.format)).c_str(), file.size(), text.size(),
                static_cast<unsigned long long>(lines), report.methods.front().c_str());
    if (lines != 200'000 || report.bytes_out != text.size()) return 1;

    file[file.size() / 2] ^= std::byte{1};  // one bit
    const Status damaged = stream::decompress(file).status();
    std::printf("  damaged: %s\n", damaged.text().c_str());
    if (damaged.code() != Code::corrupt) return 1;
  }
  return 0;
}
