// Opens the inputs and outputs of compress and decompress, and words the reports of both.
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

// Refuses symbolic links, as zstd does, unless `force`. Links in /dev and /proc are followed.
Status check_input(const std::string& path, bool force);

// Writes the output of one file. Long runs of zeros become holes of files. "-" is standard output.
// Outputs other than ordinary files get all bytes. A file appears complete or not at all.
class StreamOutput {
 public:
  static Result<std::unique_ptr<StreamOutput>> create(const std::string& path, bool overwrite);
  Status write(std::span<const std::byte> bytes);
  // Gives the file the input's permissions and time, and its name.
  Status commit(const std::string& input);

 private:
  StreamOutput() = default;
  Status write_sparse(std::string_view bytes);
  std::string path_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<File> device_;  // null like file_ for standard output
};

// Returns "1 member", "3 members".
std::string counted(std::uint64_t count, std::string_view noun);
// Returns "12,345 -> 67,890 bytes in 12.3 ms (5.52 GB/s)". The rate is of `processed_bytes`.
std::string sizes_and_time(const stream::Report& report, std::uint64_t processed_bytes,
                           double seconds, const std::string& after_sizes = {});
// Returns "on cuda:0 (NVIDIA H200): upload 12 ms (1 GB/s), lz4_decode_warp 5 ms (200 GB/s),
// download 20 ms (5 GB/s)". The rate of kernels is that of `plain_bytes`.
std::string device_times(const stream::DeviceReport& device, std::uint64_t plain_bytes);

// Returns what is wrong with a number of bytes such as "4096", "64K", "1M", "2G" or "1T".
std::string check_bytes(const std::string& text);
std::uint64_t bytes_in(const std::string& text);

// Returns the message for a level in the notation of other programs, such as -19, if no file has
// that name; or an empty string.
std::string check_levels(const std::vector<std::string>& files);
// Returns the message for several files with one --output, or an empty string.
std::string check_single_output(const std::vector<std::string>& files, const std::string& output);

// Processes one file after another. An error is printed and does not stop the next file. A signal
// does.
Status for_each_file(const std::vector<std::string>& files,
                     const std::function<Status(const std::string& file)>& work);

}  // namespace penstock::cli
