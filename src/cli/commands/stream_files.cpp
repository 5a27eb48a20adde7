#include "cli/commands/stream_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "terminal/messages.hpp"
#include "terminal/signals.hpp"

namespace penstock::cli {
namespace {

// Waits in parts, so that a signal is noticed while no input arrives.
Result<std::size_t> read_standard_input(std::span<std::byte> into) {
  for (;;) {
    if (interrupted()) return Status(Code::cancelled, "interrupted while reading standard input");
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    constexpr int wait_milliseconds = 100;
    if (::poll(&waiting, 1, wait_milliseconds) == 0) continue;
    const ssize_t count = ::read(STDIN_FILENO, into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR)
      return Status(Code::io, std::string("cannot read standard input: ") + std::strerror(errno));
  }
}

// Whether standard input is a file that the shell opened, which is then read like a named one.
bool is_file_from_its_beginning(int descriptor) {
  struct stat info{};
  return ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
         ::lseek(descriptor, 0, SEEK_CUR) == 0;
}

// Parses a number with an optional unit; returns nothing for anything else.
std::optional<std::uint64_t> parse_bytes(const std::string& text) {
  constexpr std::string_view units = "KMGT";
  std::uint64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || last - end > 1) return std::nullopt;
  const std::size_t unit = end == last ? 0 : units.find(*end) + 1;
  if (end != last && unit == 0) return std::nullopt;
  if (number > UINT64_MAX >> (10 * unit)) return std::nullopt;
  return number << (10 * unit);
}

}  // namespace

stream::Source source_of(const std::string& path) {
  // /dev/stdin leads through /proc, which may not be mounted.
  const bool is_standard_input =
      path == "-" || (path == "/dev/stdin" && ::access(path.c_str(), F_OK) != 0);
  if (!is_standard_input) return stream::Source::file(path);
  if (is_file_from_its_beginning(STDIN_FILENO))
    return stream::Source::descriptor("standard input", STDIN_FILENO);
  return stream::Source::reader("standard input", read_standard_input);
}

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

Status check_input(const std::string& path, bool force) {
  struct stat info{};
  const bool is_link = ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
  if (force || !is_link || path.starts_with("/dev/") || path.starts_with("/proc/")) return {};
  return {Code::invalid, path + " is a symbolic link; --force follows it"};
}

Result<std::unique_ptr<StreamOutput>> StreamOutput::create(const std::string& path,
                                                           bool overwrite) {
  std::unique_ptr<StreamOutput> output(new StreamOutput);
  output->path_ = path;
  if (path == "-") return output;
  struct stat info{};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
    output->device_ = std::make_unique<File>(path, O_WRONLY);
    if (*output->device_) return output;
    return Status(Code::io, "cannot write " + path + ": " + std::strerror(errno));
  }
  if (exists && S_ISREG(info.st_mode) && !overwrite)
    return Status(Code::invalid, path + " already exists; --force overwrites it");
  PENSTOCK_ASSIGN(output->file_, OutputFile::create(path));
  return output;
}

Status StreamOutput::write(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (file_) return write_sparse(text);
  if (!device_) return standard_output()(text);
  if (interrupted()) return {Code::cancelled, "interrupted while writing " + path_};
  return device_->write_all(text.data(), text.size())
             ? Status()
             : Status(Code::io, "cannot write " + path_ + ": " + std::strerror(errno));
}

// Leaves out whole blocks of zeros.
Status StreamOutput::write_sparse(std::string_view bytes) {
  constexpr std::size_t block_bytes = 32 << 10;  // as zstd
  static constexpr char zeros[block_bytes] = {};
  const auto is_zero = [](std::string_view block) {
    return block.size() == block_bytes && std::memcmp(block.data(), zeros, block_bytes) == 0;
  };
  while (!bytes.empty()) {
    std::size_t end = 0;
    const bool is_hole = is_zero(bytes.substr(0, block_bytes));
    while (end < bytes.size() && is_zero(bytes.substr(end, block_bytes)) == is_hole)
      end += std::min(block_bytes, bytes.size() - end);
    PENSTOCK_TRY(is_hole ? file_->write_hole(end) : file_->write(bytes.substr(0, end)));
    bytes.remove_prefix(end);
  }
  return {};
}

Status StreamOutput::commit(const std::string& input) {
  if (!file_) return {};
  if (input == "-") return file_->commit();
  const File source(input, O_RDONLY | O_NONBLOCK);
  struct stat info{};
  const bool is_file = source && ::fstat(source.descriptor(), &info) == 0 && S_ISREG(info.st_mode);
  if (is_file) PENSTOCK_TRY(file_->take_attributes(source.descriptor()));
  return file_->commit();
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return count_text(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string sizes_and_time(const stream::Report& report, std::uint64_t processed_bytes,
                           double seconds, const std::string& after_sizes) {
  std::string text = count_text(report.bytes_in) + " -> " + count_text(report.bytes_out) +
                     " bytes" + after_sizes + " in " + seconds_text(seconds);
  // The rate of a shorter run would say how long files take to open.
  constexpr double min_seconds = 10e-3;
  if (seconds >= min_seconds)
    text += " (" + gigabytes_text(static_cast<double>(processed_bytes) / seconds) + ")";
  return text;
}

std::string device_times(const stream::DeviceReport& device, std::uint64_t plain_bytes) {
  const auto part = [](const std::string& name, double seconds, std::uint64_t bytes) {
    const std::string rate =
        seconds > 0 ? " (" + gigabytes_text(static_cast<double>(bytes) / seconds) + ")" : "";
    return name + " " + seconds_text(seconds) + rate;
  };
  std::string kernels;
  for (const std::string& kernel : device.kernels)
    kernels += (kernels.empty() ? "" : ", ") + kernel;
  return "on " + device.id + " (" + device.name +
         "): " + part("upload", device.upload_seconds, device.bytes_in) + ", " +
         part(kernels, device.kernel_seconds, plain_bytes) + ", " +
         part("download", device.download_seconds, device.bytes_out);
}

std::string check_bytes(const std::string& text) {
  return parse_bytes(text)
             ? ""
             : "'" + text + "' is not a number of bytes such as 4096, 64K, 1M, 2G or 1T";
}

std::uint64_t bytes_in(const std::string& text) { return parse_bytes(text).value_or(0); }

std::string check_levels(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const bool is_level = file.size() > 1 && file[0] == '-' &&
                          file.find_first_not_of("0123456789", 1) == std::string::npos;
    if (is_level && ::access(file.c_str(), F_OK) != 0)
      return "there is no option " + file + "; 'penstock compress --level " + file.substr(1) +
             "' compresses at that level";
  }
  return "";
}

std::string check_single_output(const std::vector<std::string>& files, const std::string& output) {
  if (files.size() <= 1 || output.empty() || output == "-") return "";
  return "--output names one file, and several are given; '-' concatenates them";
}

Status for_each_file(const std::vector<std::string>& files,
                     const std::function<Status(const std::string& file)>& work) {
  std::size_t failed = 0;
  Code code = Code::ok;
  for (const std::string& file : files) {
    Status status = work(file);
    if (status.ok()) continue;
    if (files.size() == 1 || status.code() == Code::cancelled) return status;
    code = status.code();
    failed++;
    print_outcome(status);
  }
  if (failed == 0) return {};
  return {code, std::to_string(failed) + " of " + std::to_string(files.size()) + " files failed"};
}

}  // namespace penstock::cli
