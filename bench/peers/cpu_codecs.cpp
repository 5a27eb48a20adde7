// Intel's ISA-L (igzip) on all cores, on the same Deflate, zlib and gzip chunks that `penstock
// bench codecs` decodes.
//
//     apt-get install libisal-dev
//     g++ -std=c++20 -O3 -o cpu_codecs bench/peers/cpu_codecs.cpp -lisal
//     penstock bench codecs --only "deflate," --write-outputs chunks --peers "./cpu_codecs chunks"
//
// Takes a folder, and the bench's rows and repeats, and decodes the folder's `<case>.chunks` of
// these formats. Every chunk is compared with the original before it is timed. Prints
// `case;name;seconds;spread;bytes moved;bytes stored`.
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Chunks {  // src/bench/bench_chunks.hpp has the file's layout
  std::vector<std::uint64_t> sizes, text_sizes, begins, text_begins;
  std::vector<std::uint8_t> bytes, text;
};

bool read_chunks(const std::filesystem::path& path, Chunks& chunks) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t count = 0, bytes = 0, text_bytes = 0;
  file.read(reinterpret_cast<char*>(&count), 8);
  for (std::uint64_t i = 0; file && i < count; i++) {
    std::uint64_t pair[2] = {};
    file.read(reinterpret_cast<char*>(pair), 16);
    chunks.sizes.push_back(pair[0]), chunks.begins.push_back(bytes), bytes += pair[0];
    chunks.text_sizes.push_back(pair[1]), chunks.text_begins.push_back(text_bytes),
        text_bytes += pair[1];
  }
  chunks.bytes.resize(bytes), chunks.text.resize(text_bytes);
  file.read(reinterpret_cast<char*>(chunks.bytes.data()), static_cast<std::streamsize>(bytes));
  file.read(reinterpret_cast<char*>(chunks.text.data()), static_cast<std::streamsize>(text_bytes));
  return static_cast<bool>(file);
}

bool inflated(const Chunks& chunks, std::uint64_t i, std::uint32_t frame,
              std::vector<std::uint8_t>& out) {
  static thread_local inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = frame;
  state.next_in = const_cast<std::uint8_t*>(chunks.bytes.data()) + chunks.begins[i];
  state.avail_in = static_cast<std::uint32_t>(chunks.sizes[i]);
  state.next_out = out.data() + chunks.text_begins[i];
  state.avail_out = static_cast<std::uint32_t>(chunks.text_sizes[i]);
  return isal_inflate(&state) == ISAL_DECOMP_OK && state.block_state == ISAL_BLOCK_FINISH &&
         state.total_out == chunks.text_sizes[i];
}

double seconds_of_all(const Chunks& chunks, std::uint32_t frame, std::vector<std::uint8_t>& out,
                      bool& is_valid) {
  std::atomic<std::uint64_t> next = 0;
  std::atomic<bool> has_failed = false;
  const auto run = [&] {
    for (std::uint64_t i = next++; i < chunks.sizes.size(); i = next++)
      if (!inflated(chunks, i, frame, out)) has_failed = true;
  };
  const auto begun = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); i++)
    threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
  is_valid = !has_failed;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

// Returns 0 for success.
int measure(const std::filesystem::path& path, std::uint32_t frame, unsigned repeats) {
  Chunks chunks;
  if (!read_chunks(path, chunks))
    return std::fprintf(stderr, "cpu_codecs: cannot read %s\n", path.c_str()), 1;
  std::vector<std::uint8_t> out(chunks.text.size());
  std::vector<double> seconds;
  for (unsigned i = 0; i < std::min(repeats, 5u) + 1; i++) {
    bool is_valid = true;
    const double once = seconds_of_all(chunks, frame, out, is_valid);
    if (!is_valid || (i == 0 && out != chunks.text))
      return std::fprintf(stderr, "cpu_codecs: a chunk of %s is wrong\n", path.c_str()), 1;
    if (i > 0) seconds.push_back(once);  // the first one touches the memory
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  std::printf("%s;isal, all cores;%.9f;%.4f;%zu;%zu\n", path.stem().c_str(), median,
              (seconds.back() - seconds.front()) / median, chunks.bytes.size() + chunks.text.size(),
              chunks.bytes.size());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return std::fprintf(stderr, "usage: cpu_codecs FOLDER [ROWS [REPEATS]]\n"), 2;
  const unsigned repeats = count > 3 ? std::max(1, std::atoi(words[3])) : 5;
  int result = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(words[1], error)) {
    const std::string name = entry.path().filename().string();
    for (const auto& [format, frame] :
         {std::pair{"deflate, ", ISAL_DEFLATE}, {"zlib, ", ISAL_ZLIB}, {"gzip, ", ISAL_GZIP}})
      if (name.starts_with(format) && entry.path().extension() == ".chunks")
        result |= measure(entry.path(), static_cast<std::uint32_t>(frame), repeats);
  }
  if (error) return std::fprintf(stderr, "cpu_codecs: cannot read the folder %s\n", words[1]), 1;
  return result;
}
