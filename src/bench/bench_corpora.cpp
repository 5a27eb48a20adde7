#include "bench/bench_corpora.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/parallel.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::bench {
namespace {

using Generate = Column (*)(std::uint64_t row_count, std::uint64_t seed);

// Returns the bytes of a column's rows. A sample tells how many rows are needed.
std::vector<char> bytes_of(Generate generate, std::uint64_t bytes) {
  constexpr std::uint64_t sample_rows = 1000;
  const Column sample = generate(sample_rows, 1);
  std::uint64_t sample_bytes = 0;
  for (std::uint64_t row = 0; row < sample_rows; row++) sample_bytes += sample.string(row).size();
  const Column column = generate(bytes * sample_rows / sample_bytes * 11 / 10 + sample_rows, 1);
  const char* const output = column.values.as<char>();
  return {output, output + std::min<std::uint64_t>(bytes, column.values.size)};
}

Result<std::vector<char>> make_output(std::uint64_t bytes) {
  return bytes_of(codec::generate_sentences, bytes);
}
Result<std::vector<char>> make_logs(std::uint64_t bytes) {
  return bytes_of(codec::generate_json_lines, bytes);
}

// Reads this system's shared libraries, sorted by path; small ones are left out.
Result<std::vector<char>> make_binaries(std::uint64_t bytes) {
  constexpr std::uint64_t min_bytes = 64 << 10;
  std::vector<std::string> paths;
  std::error_code error;
  constexpr auto options = std::filesystem::directory_options::skip_permission_denied;
  for (std::filesystem::recursive_directory_iterator entry("/usr/lib", options, error), end;
       !error && entry != end; entry.increment(error))
    if (entry->is_regular_file(error) &&
        entry->path().filename().string().find(".so") != std::string::npos &&
        entry->file_size(error) >= min_bytes)
      paths.push_back(entry->path().string());
  std::sort(paths.begin(), paths.end());
  return read_corpus(paths, bytes);
}

// Makes columns of 64-bit numbers as in tables, 1024 rows of each in turn: rising identifiers,
// times, prices in cents, few categories.
Result<std::vector<char>> make_numbers(std::uint64_t bytes) {
  constexpr std::uint64_t rows = 1024, columns = 4;
  std::vector<char> made(bytes);
  in_parallel(bytes / 8 / rows, 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t at = first * rows; at < last * rows; at++) {
      std::uint64_t hash = (at + 1) * 0x9e3779b97f4a7c15;
      hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9, hash ^= hash >> 31;
      const std::uint64_t row = at / (rows * columns) * rows + at % rows;
      const std::uint64_t values[] = {row * 3 + hash % 3,
                                      1'767'225'600'000'000 + row * 1000 + hash % 1000,
                                      100 + hash % 100'000, hash % 7};
      std::memcpy(made.data() + at * 8, &values[at / rows % columns], 8);
    }
  });
  return made;
}

}  // namespace

std::span<const Corpus> corpora() {
  static const std::array<Corpus, 4> all = {{{"text", make_output},
                                             {"logs", make_logs},
                                             {"binaries", make_binaries},
                                             {"numbers", make_numbers}}};
  return all;
}

Result<std::vector<char>> read_corpus(const std::vector<std::string>& paths, std::uint64_t bytes) {
  std::vector<char> read;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) return Status(Code::io, "cannot read '" + path + "'");
    const std::uint64_t before = read.size(),
                        count = std::min<std::uint64_t>(static_cast<std::uint64_t>(file.tellg()),
                                                        bytes - before);
    read.resize(before + count);
    file.seekg(0);
    if (!file.read(read.data() + before, static_cast<std::streamsize>(count)))
      return Status(Code::io, "cannot read '" + path + "'");
    if (read.size() == bytes) break;
  }
  const std::uint64_t unique = read.size();
  if (unique == 0) return Status(Code::invalid, "no files to read");
  read.reserve(bytes);
  while (read.size() < bytes)
    read.insert(read.end(), read.begin(),
                read.begin() + std::min<std::uint64_t>(unique, bytes - read.size()));
  return read;
}

}  // namespace penstock::bench
