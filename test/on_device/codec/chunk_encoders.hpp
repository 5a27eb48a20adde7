// Encoders of other projects, by library and by program, and realistic data: files of this machine,
// cut into chunks.
#pragma once
#include <libdeflate.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::batch {

inline Bytes file_part(const std::string& path, std::uint64_t at, std::uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  Bytes part(bytes);
  file.read(reinterpret_cast<char*>(part.data()), static_cast<std::streamsize>(bytes));
  part.resize(file ? bytes : static_cast<std::size_t>(file.gcount()));
  return part;
}

// Programs, lists of packages, JSON, logs and tables of a length, from files that every machine
// with the set-up has, as far as it has them.
inline std::vector<Bytes> real_outputs(std::uint64_t bytes) {
  const std::string vectors = "/usr/share/gocode/src/github.com/klauspost/compress/";
  std::vector<Bytes> outputs;
  for (const auto& [path, at] :
       std::vector<std::pair<std::string, std::uint64_t>>{{"/bin/bash", 4096},
                                                          {"/bin/bash", 500'000},
                                                          {"/usr/bin/cmake", 3'000'000},
                                                          {"/var/lib/dpkg/status", 0},
                                                          {"/var/log/dpkg.log", 0},
                                                          {"/etc/services", 0},
                                                          {vectors + "gzip/testdata/test.json", 0},
                                                          {vectors + "testdata/gettysburg.txt", 0},
                                                          {vectors + "testdata/e.txt", 0}})
    if (Bytes part = file_part(path, at, bytes); !part.empty()) outputs.push_back(std::move(part));
  outputs.insert(outputs.end(), {words_text(bytes, 1), random_output(bytes, 2), Bytes(bytes, 0),
                                 numbers_output(bytes, 4), mixed_output(bytes, 5)});
  return outputs;
}
inline std::vector<Bytes> all_periods(std::uint64_t bytes) {
  std::vector<Bytes> outputs;
  for (std::uint32_t period = 1; period <= 64; period++)
    outputs.push_back(period_output(bytes + period, period));
  return outputs;
}

inline Bytes libdeflate_compressed(const Bytes& text, int level) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(level);
  Bytes chunk(libdeflate_deflate_compress_bound(compressor, text.size()));
  chunk.resize(libdeflate_deflate_compress(compressor, text.data(), text.size(), chunk.data(),
                                           chunk.size()));
  libdeflate_free_compressor(compressor);
  return chunk;
}

// Returns what a shell command makes of a file, which it finds in $FILE; nullopt where the program
// is not installed.
inline std::optional<Bytes> made_by(const std::string& command, const Bytes& text) {
  std::string path = (std::filesystem::temp_directory_path() / "penstock-text-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) return {};
  const bool is_written =
      write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  FILE* const output = popen(("FILE=" + path + "; { " + command + "; } 2>/dev/null").c_str(), "r");
  Bytes made;
  for (int byte = 0; output != nullptr && (byte = std::fgetc(output)) != EOF;)
    made.push_back(static_cast<std::uint8_t>(byte));
  const bool has_ended_well = output != nullptr && pclose(output) == 0;
  std::filesystem::remove(path);
  if (!is_written || !has_ended_well || made.empty()) return {};
  return made;
}

// Returns the Deflate stream inside a gzip member (RFC 1952), with the trailer, which decoders of
// streams ignore.
inline Bytes without_header(const Bytes& member) {
  std::size_t at = 10;
  const std::uint8_t flags = member[3];
  if ((flags & 4) != 0) at += 2u + member[at] + 256u * member[at + 1];
  for (const int text : {8, 16})  // FNAME, FCOMMENT
    if ((flags & text) != 0)
      at = std::find(member.begin() + at, member.end(), 0) - member.begin() + 1;
  if ((flags & 2) != 0) at += 2;
  return {member.begin() + at, member.end()};
}

}  // namespace penstock::batch
