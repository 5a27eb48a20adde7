// penstock decompress: decompresses files, or only tests or lists them.
#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/clock.hpp"
#include "cli/commands.hpp"
#include "cli/commands/stream_files.hpp"
#include "device/device_list.hpp"
#include "terminal/messages.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/signals.hpp"

namespace penstock::cli {
namespace {

struct DecompressCommand {
  std::vector<std::string> files;
  std::string output, codec, dictionary, method, max_output, memory, device,
      on_device_failure = "stop";
  std::uint64_t threads = 0, long_window = 0;
  bool test_only = false, list_only = false, force = false, no_progress = false, fallback = false,
       keep_on_device = false;
};

// A file name's suffix, which may have capitals, and the suffix that replaces it. Suffixes of gzip
// other than .gz are taken from gzip.
struct Suffix {
  std::string_view compressed, plain;
};
constexpr Suffix suffixes[] = {
    {".gz", ""},       {".bgz", ""},     {".zz", ""}, {".zlib", ""},    {".zst", ""},
    {".zstd", ""},     {".lz4", ""},     {".sz", ""}, {".snappy", ""},  {".z", ""},
    {"-gz", ""},       {"-z", ""},       {"_z", ""},  {".tgz", ".tar"}, {".taz", ".tar"},
    {".tzst", ".tar"}, {".tlz4", ".tar"}};

Result<std::string> output_name(const std::string& file) {
  if (file == "-") return std::string("-");
  std::string small = file;
  for (char& letter : small)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  for (const Suffix& suffix : suffixes)
    if (file.size() > suffix.compressed.size() && small.ends_with(suffix.compressed) &&
        file[file.size() - suffix.compressed.size() - 1] != '/')
      return file.substr(0, file.size() - suffix.compressed.size()) + std::string(suffix.plain);
  return Status(Code::invalid,
                "'" + file + "' has an unknown suffix; name the output with --output");
}

std::string checks_text(const stream::Report& report) {
  if (report.unchecked_member_count == 0) return "checksums verified";
  return count_text(report.unchecked_member_count) + " of " +
         counted(report.member_count, stream::member_name_of(report.format)) +
         " without a checksum";
}

std::string report_line(const std::string& file, const stream::Report& report, double seconds,
                        bool is_test) {
  std::string methods;
  for (const std::string& method : report.methods)
    methods += (methods.empty() ? "method " : ", ") + method;
  std::string line = shown_name(file) + ": " + (is_test ? "ok, " : "") +
                     std::string(name_of(report.format)) + ", " +
                     counted(report.member_count, stream::member_name_of(report.format)) + ", " +
                     sizes_and_time(report, report.bytes_out, seconds);
  if (!methods.empty()) line += ", " + methods;
  line += ", " + (report.device ? device_times(*report.device, report.device->bytes_out)
                                : counted(report.threads, "thread"));
  for (const stream::DeviceReport& further : report.further_devices)
    line += ", " + device_times(further, further.bytes_out);
  if (report.buffered_bytes != 0)
    line += ", buffered " + count_text(report.buffered_bytes) + " bytes of a pipe";
  return line + ", " + checks_text(report);
}

Status list_line(const std::string& file, const stream::Report& report) {
  char line[512];
  const double ratio = report.bytes_in == 0 ? 0
                                            : static_cast<double>(report.bytes_out) /
                                                  static_cast<double>(report.bytes_in);
  std::snprintf(line, sizeof line, "%-6s %8s %20s %20s %8.3f %-9s ",
                std::string(name_of(report.format)).c_str(),
                count_text(report.member_count).c_str(), count_text(report.bytes_in).c_str(),
                count_text(report.bytes_out).c_str(), ratio,
                report.unchecked_member_count == 0 ? "verified" : "partial");
  const std::string name = report.first_name.empty() ? "" : " (" + report.first_name + ")";
  return standard_output()(line + shown_name(file) + name + "\n");
}

Status print_list_header() {
  char line[512];
  std::snprintf(line, sizeof line, "%-6s %8s %20s %20s %8s %-9s %s\n", "format", "members",
                "compressed", "uncompressed", "ratio", "checksums", "file");
  return standard_output()(line);
}

Result<std::vector<std::byte>> read_dictionary(const std::string& path) {
  if (path.empty()) return std::vector<std::byte>();
  const Status unread(Code::invalid, "cannot read dictionary " + path);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return unread;
  std::vector<std::byte> bytes(size);
  const File file(path, O_RDONLY);
  if (!file || file.read_up_to(bytes.data(), bytes.size()) != bytes.size()) return unread;
  return bytes;
}

void warn_of_device(const std::optional<stream::DeviceReport>& device) {
  if (device && !device->failure.empty())
    print_warning("the other devices took over the batches of " + device->id + ": " +
                  device->failure);
}

// Tells of devices that failed, of trailing garbage, as gzip does, and of files that may be cut, as
// bgzip does.
void warn(const std::string& file, const stream::Report& report) {
  warn_of_device(report.device);
  for (const stream::DeviceReport& further : report.further_devices) warn_of_device(further);
  if (report.ignored_bytes > 0)
    print_warning(shown_name(file) + ": decompression OK, trailing garbage ignored (" +
                  counted(report.ignored_bytes, "byte") + " after member " +
                  count_text(report.member_count) + ")");
  if (report.lacks_bgzip_end)
    print_warning(shown_name(file) + ": bgzip's end-of-file block is absent; the file may be cut");
}

Status with_hint(const Status& status, const std::string& file) {
  const bool is_window =
      status.code() == Code::capacity && status.message().find("window size") != std::string::npos;
  return (is_window ? status.with("--memory LIMIT or --long N allows larger windows") : status)
      .with("while decompressing " + shown_name(file));
}

class Decompressor {
 public:
  Decompressor(const DecompressCommand& command, std::vector<std::byte> dictionary)
      : command_(command), dictionary_(std::move(dictionary)) {
    options_.format = stream::format_named(command.codec);
    if (!command.max_output.empty()) options_.max_output_bytes = bytes_in(command.max_output);
    if (!command.memory.empty()) options_.max_window_bytes = bytes_in(command.memory);
    if (command.long_window > 0)
      options_.max_window_bytes =
          std::max(options_.max_window_bytes, std::uint64_t{1} << command.long_window);
    options_.threads = static_cast<std::uint32_t>(command.threads);
    options_.dictionary = dictionary_;
    options_.method = command.method;
    options_.fallback = command.fallback;
    options_.devices_take_over = command.on_device_failure == "continue";
  }
  Status open_device() {
    if (command_.device.empty()) return {};
    PENSTOCK_ASSIGN(const auto ids, device::devices_of_list(command_.device));
    const auto opened = device::open_all(ids);
    for (std::size_t i = 0; i < ids.size(); i++) {
      const auto& device = opened[i];
      if (!device.ok() && !options_.devices_take_over) return device.status();
      if (!device.ok())
        print_warning("the other devices take over what " + ids[i] +
                      " had: " + device.status().text());
      else if (options_.device)
        options_.further_devices.push_back(*device);
      else
        options_.device = *device;
    }
    return options_.device ? Status() : opened[0].status();
  }

  Status run(const std::string& file) {
    PENSTOCK_TRY(check_input(file, command_.force));
    std::unique_ptr<StreamOutput> output;
    if (!command_.test_only && !command_.list_only) {
      PENSTOCK_ASSIGN(const std::string path, command_.output.empty()
                                                  ? output_name(file)
                                                  : Result<std::string>(command_.output));
      PENSTOCK_TRY(check_output_is_not_input(path, file));
      PENSTOCK_ASSIGN(output, StreamOutput::create(path, command_.force));
    }
    const double start = now_seconds();
    PENSTOCK_ASSIGN(const stream::Report report, decode(file, output.get()));
    if (output) PENSTOCK_TRY(output->commit(file));
    if (command_.list_only) {
      warn(file, report);
      return list_line(file, report);
    }
    print_line(report_line(file, report, now_seconds() - start, command_.test_only));
    warn(file, report);
    return {};
  }

 private:
  Result<stream::Report> decode(const std::string& file, StreamOutput* output) {
    ProgressBar bar(!command_.no_progress);
    options_.progress = [&](const stream::Progress& progress) {
      bar.show_bytes(progress.bytes_in, progress.bytes_in_total);
      return !interrupted();
    };
    const auto write = [&](std::span<const std::byte> bytes) {
      return output ? output->write(bytes) : Status();
    };
    auto report = command_.keep_on_device ? decode_to_device(file)
                                          : stream::decompress(source_of(file), write, options_);
    bar.erase();
    if (!report.ok()) return with_hint(report.status(), file);
    return report;
  }

  Result<stream::Report> decode_to_device(const std::string& file) const {
    PENSTOCK_ASSIGN(stream::DeviceOutput output,
                    stream::decompress_to_device(source_of(file), options_));
    return std::move(output.report);
  }

  const DecompressCommand& command_;
  std::vector<std::byte> dictionary_;
  stream::DecompressOptions options_;
};

std::string check_usage(const DecompressCommand& command) {
  const bool is_kept_alone =
      !command.device.empty() && !command.fallback && (command.test_only || command.list_only);
  if (command.keep_on_device && !is_kept_alone)
    return "--keep-on-device needs --test or --list, and --device, without --fallback";
  if (std::string level = check_levels(command.files); !level.empty()) return level;
  return check_single_output(command.files, command.output);
}

Status decompress(const DecompressCommand& command) {
  PENSTOCK_ASSIGN(auto dictionary, read_dictionary(command.dictionary));
  Decompressor decompressor(command, std::move(dictionary));
  PENSTOCK_TRY(decompressor.open_device());
  if (command.list_only) PENSTOCK_TRY(print_list_header());
  return for_each_file(command.files,
                       [&](const std::string& file) { return decompressor.run(file); });
}

std::string check_name(const std::string& name, const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& known : names) {
    if (known == name) return "";
    all += (all.empty() ? "" : ", ") + known;
  }
  return "'" + name + "' is none of " + all;
}

std::string check_method(const std::string& name) {
  std::vector<std::string> names;
  for (const stream::MethodInfo& method : stream::methods()) names.push_back(method.name);
  return check_name(name, names);
}

std::string check_format(const std::string& name) {
  std::vector<std::string> names;
  for (const stream::Format format : stream::formats()) names.emplace_back(name_of(format));
  return check_name(name, names);
}

}  // namespace

Action declare_decompress(Arguments& arguments) {
  auto command = std::make_shared<DecompressCommand>();
  arguments.positional("FILE", command->files, "compressed files; '-' is standard input");
  arguments.value("--output,-o", "OUT", command->output,
                  "output file, '-' for standard output; default: FILE without its suffix");
  arguments.flag("--test,-t", command->test_only, "verify the files and write nothing");
  arguments.flag("--list,-l", command->list_only,
                 "decode each file and print its sizes, ratio and checksums");
  arguments.value("--codec", "gzip|zlib|zstd|lz4|snappy", command->codec,
                  "the format; default: detected by the first bytes", check_format);
  arguments.value("--max-output", "BYTES", command->max_output,
                  "fail if the output is larger, such as 64K, 1M or 2G", check_bytes);
  arguments.value("--memory", "LIMIT", command->memory,
                  "largest window of zstd frames, such as 2048M; default: 128M", check_bytes);
  arguments.value("--long", "N", command->long_window,
                  "allow windows of zstd frames up to 2^N bytes", 10, 31);
  arguments.value("--dictionary,-D", "FILE", command->dictionary,
                  "dictionary for zstd, lz4 or zlib");
  arguments.device(command->device,
                   "decode on a device (cuda:0, opencl:1, cuda, opencl, gpu or cpu), or on several "
                   "(cuda:0,1 or cuda:*)");
  arguments.choice("--on-device-failure", {"stop", "continue"}, command->on_device_failure,
                   "of several devices, where one fails: end with its error, or let the others "
                   "decode its batches");
  arguments.flag("--fallback", command->fallback,
                 "with --device: decode on the host what the device does not support");
  arguments.flag("--keep-on-device", command->keep_on_device,
                 "with --test --device: decode the whole file into the device's memory");
  arguments.value("--threads,-T", "N", command->threads,
                  "number of decoding threads; 0: one for each core", 0, 1024);
  arguments.value("--method", "NAME", command->method,
                  "decode by this method alone; the report names the one that is selected",
                  check_method);
  arguments.flag("--force,-f", command->force, "overwrite existing files");
  arguments.flag("--no-progress", command->no_progress, "no progress bar on a terminal");
  arguments.check([command] { return check_usage(*command); });
  arguments.footer(
      "\nExamples: penstock decompress logs.json.zst\n          penstock decompress -o - logs.gz | "
      "wc -l");
  return [command] { return decompress(*command); };
}

}  // namespace penstock::cli
