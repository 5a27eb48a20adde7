// What compress and decompress share: files in, files out, standard input and output, one report a
// file.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "penstock/stream.hpp"
#include "terminal/arguments.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {

// "-" is standard input.
stream::Source source_of(const std::string& path);
std::string shown_name(const std::string& path);

// Where one file's result goes: "-" is standard output; what is no ordinary file is written as it
// is; a file appears whole or not at all.
class StreamOutput {
 public:
  static Result<std::unique_ptr<StreamOutput>> create(const std::string& path, bool replaces);
  Status write(std::span<const std::byte> bytes);
  // Gives a file the input's permissions and time, and its place.
  Status commit(const std::string& input);

 private:
  StreamOutput() = default;
  std::string path_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<File> device_;  // neither: standard output
};

// " on cuda:0 (NVIDIA H200): upload 12 ms, lz4_decode_warp 5 ms (200 GB/s), download 20 ms"; rates
// count what was moved, that of kernels their text.
std::string device_output(const stream::DeviceReport& device, std::uint64_t output_bytes);

// "4096", "64K", "1M", "2G", "1T": what it says in bytes, or what is wrong with it.
std::string check_bytes(const std::string& text);
std::uint64_t bytes_in(const std::string& text);

// One file after another; an error is printed and does not stop the next file, but a signal does.
Status for_each_file(const std::vector<std::string>& files,
                     const std::function<Status(const std::string& file)>& work);

}  // namespace penstock::cli
