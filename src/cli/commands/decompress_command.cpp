// penstock decompress: compressed files in, their bytes out; or only tested, or only listed.
#include <fcntl.h>

#include <cstdio>
#include <filesystem>

#include "base/clock.hpp"
#include "cli/commands.hpp"
#include "cli/commands/stream_files.hpp"
#include "terminal/messages.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/signals.hpp"

namespace penstock::cli {
namespace {

struct DecompressCommand {
  std::vector<std::string> files;
  std::string output, codec, dictionary, variant, max_output, device;
  std::uint64_t threads = 0;
  bool tests = false, lists = false, replaces = false, no_progress = false, falls_back = false,
       stays = false;
};

// What a name becomes without its suffix.
struct Suffix {
  std::string_view compressed, plain;
};
constexpr Suffix suffixes[] = {{".gz", ""},      {".bgz", ""},      {".zz", ""},
                               {".zlib", ""},    {".zst", ""},      {".zstd", ""},
                               {".lz4", ""},     {".sz", ""},       {".snappy", ""},
                               {".tgz", ".tar"}, {".tzst", ".tar"}, {".tlz4", ".tar"}};

Result<std::string> output_name(const std::string& file) {
  if (file == "-") return std::string("-");
  for (const Suffix& suffix : suffixes)
    if (file.size() > suffix.compressed.size() && file.ends_with(suffix.compressed) &&
        file[file.size() - suffix.compressed.size() - 1] != '/')
      return file.substr(0, file.size() - suffix.compressed.size()) + std::string(suffix.plain);
  return Status(
      Code::invalid,
      "'" + file + "' has no suffix that says what its content is called; name it with --output");
}

std::string plural(std::uint64_t count, const char* word) {
  return count_text(count) + " " + word + (count == 1 ? "" : "s");
}

const char* unit_of(stream::Format format) {
  if (format == stream::Format::gzip) return "member";
  return format == stream::Format::zlib || format == stream::Format::snappy ? "stream" : "frame";
}

std::string checks_output(const stream::Report& report) {
  if (report.unchecked_member_count == 0) return "every checksum is right";
  return count_text(report.unchecked_member_count) + " of " +
         plural(report.member_count, unit_of(report.format)) + " without a checksum";
}

// One line: format, sizes, time, rate, which ways ran.
std::string report_line(const std::string& file, const stream::Report& report, double seconds,
                        bool is_test) {
  std::string methods;
  for (const std::string& method : report.variants)
    methods += (methods.empty() ? "" : ", ") + method;
  std::string line = shown_name(file) + ": " + (is_test ? "right: " : "") +
                     std::string(name_of(report.format)) + ", " +
                     plural(report.member_count, unit_of(report.format)) + ", " +
                     count_text(report.bytes_in) + " bytes became " + count_text(report.bytes_out) +
                     " in " + seconds_text(seconds);
  constexpr double min_seconds =
      10e-3;  // of a shorter run a rate would say how long files take to open
  if (seconds >= min_seconds)
    line += ", " + gigabytes_text(static_cast<double>(report.bytes_out) / seconds);
  line += "; by " + methods;
  line += report.device ? device_output(*report.device, report.device->bytes_out)
                        : ", " + plural(report.threads, "thread");
  if (report.held_bytes != 0)
    line += "; a pipe, whose " + count_text(report.held_bytes) + " bytes were held at once";
  return line + "; " + checks_output(report);
}

Status list_line(const std::string& file, const stream::Report& report) {
  char line[512];
  const double ratio = report.bytes_in == 0 ? 0
                                            : static_cast<double>(report.bytes_out) /
                                                  static_cast<double>(report.bytes_in);
  std::snprintf(line, sizeof line, "%-6s %8s %20s %20s %8.3f %-8s ",
                std::string(name_of(report.format)).c_str(),
                count_text(report.member_count).c_str(), count_text(report.bytes_in).c_str(),
                count_text(report.bytes_out).c_str(), ratio,
                report.unchecked_member_count == 0 ? "right" : "partly");
  const std::string name = report.first_name.empty() ? "" : " (" + report.first_name + ")";
  return standard_output()(line + shown_name(file) + name + "\n");
}

Status print_list_head() {
  char line[512];
  std::snprintf(line, sizeof line, "%-6s %8s %20s %20s %8s %-8s %s\n", "format", "members",
                "compressed", "uncompressed", "ratio", "checked", "file");
  return standard_output()(line);
}

Result<std::vector<std::byte>> read_dictionary(const std::string& path) {
  if (path.empty()) return std::vector<std::byte>();
  const Status unread(Code::invalid, "cannot read the dictionary " + path);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return unread;
  std::vector<std::byte> bytes(size);
  const File file(path, O_RDONLY);
  if (!file || file.read_up_to(bytes.data(), bytes.size()) != bytes.size()) return unread;
  return bytes;
}

class Decompressor {
 public:
  Decompressor(const DecompressCommand& command, std::vector<std::byte> dictionary)
      : command_(command), dictionary_(std::move(dictionary)) {
    options_.format = stream::format_named(command.codec);
    if (!command.max_output.empty()) options_.max_output_bytes = bytes_in(command.max_output);
    options_.threads = static_cast<std::uint32_t>(command.threads);
    options_.dictionary = dictionary_;
    options_.variant = command.variant;
    options_.may_leave_device = command.falls_back;
  }
  Status open_device() {
    if (command_.device.empty()) return {};
    PENSTOCK_ASSIGN(options_.device, penstock::open_device(command_.device));
    return {};
  }

  Status run(const std::string& file) {
    std::unique_ptr<StreamOutput> output;
    if (!command_.tests && !command_.lists) {
      PENSTOCK_ASSIGN(const std::string path, command_.output.empty()
                                                  ? output_name(file)
                                                  : Result<std::string>(command_.output));
      PENSTOCK_ASSIGN(output, StreamOutput::create(path, command_.replaces));
    }
    const double start = now_seconds();
    PENSTOCK_ASSIGN(const stream::Report report, decode(file, output.get()));
    if (output) PENSTOCK_TRY(output->commit(file));
    if (command_.lists) return list_line(file, report);
    print_line(report_line(file, report, now_seconds() - start, command_.tests));
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
    auto report =
        command_.stays ? decode_there(file) : stream::decompress(source_of(file), write, options_);
    bar.erase();
    if (!report.ok()) return report.status().with("while decompressing " + shown_name(file));
    return report;
  }

  Result<stream::Report> decode_there(const std::string& file) const {
    PENSTOCK_ASSIGN(stream::DeviceOutput text,
                    stream::decompress_to_device(source_of(file), options_));
    return std::move(text.report);
  }

  const DecompressCommand& command_;
  std::vector<std::byte> dictionary_;
  stream::DecompressOptions options_;
};

Status decompress(const DecompressCommand& command) {
  if (command.files.size() > 1 && !command.output.empty() && command.output != "-")
    return {Code::invalid,
            "several files cannot become the one that --output names; '-' takes them one after "
            "another"};
  if (command.stays &&
      (command.device.empty() || command.falls_back || !(command.tests || command.lists)))
    return {Code::invalid,
            "--stay is for --test and --list on a --device, and nothing falls back then"};
  PENSTOCK_ASSIGN(auto dictionary, read_dictionary(command.dictionary));
  Decompressor decompressor(command, std::move(dictionary));
  PENSTOCK_TRY(decompressor.open_device());
  if (command.lists) PENSTOCK_TRY(print_list_head());
  return for_each_file(command.files,
                       [&](const std::string& file) { return decompressor.run(file); });
}

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const stream::Variant& variant : stream::variants()) names.push_back(variant.name);
  return names;
}

std::string check_name(const std::string& name, const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& known : names) {
    if (known == name) return "";
    all += (all.empty() ? "" : ", ") + known;
  }
  return "'" + name + "' is none of " + all;
}

}  // namespace

Action declare_decompress(Arguments& arguments) {
  auto command = std::make_shared<DecompressCommand>();
  arguments.positional("FILE", command->files, "compressed files; '-' is standard input");
  arguments.value("--output,-o", "OUT", command->output,
                  "the file to write, '-' for standard output; else FILE without its suffix");
  arguments.flag("--test,-t", command->tests, "decode and check, and write nothing");
  arguments.flag("--list,-l", command->lists,
                 "a line a file: sizes, ratio, checks; counted by decoding");
  arguments.value("--codec", "gzip|zlib|zstd|lz4|snappy", command->codec,
                  "the format, where its first bytes should not say it",
                  [](const std::string& name) {
                    return check_name(name, {"gzip", "zlib", "zstd", "lz4", "snappy"});
                  });
  arguments.value("--max-output", "BYTES", command->max_output,
                  "fail where a file becomes more than this; 64K, 1M, 2G", check_bytes);
  arguments.value("--dictionary,-D", "FILE", command->dictionary, "of zstd, lz4 or zlib");
  arguments.value("--device", "ID", command->device,
                  "decode on a device (cuda:0, opencl:1, cuda, opencl, gpu or cpu): gzip, zlib,"
                  " zstd, lz4, framed snappy");
  arguments.flag(
      "--fallback", command->falls_back,
      "with --device: what the device does not decode is decoded here; else it is an error");
  arguments.flag("--stay", command->stays,
                 "with --test --device: the whole file is one batch, and its text stays in the "
                 "device's memory");
  arguments.value("--threads,-T", "N", command->threads, "that decode; 0: as many as cores", 0,
                  1024);
  arguments.value("--variant", "NAME", command->variant,
                  "the one way to decode; the report names the one that is chosen",
                  [](const std::string& name) { return check_name(name, variant_names()); });
  arguments.flag("--force,-f", command->replaces, "replace files that are there");
  arguments.flag("--no-progress", command->no_progress, "no progress bar on a terminal");
  arguments.footer(
      "\nExamples: penstock decompress logs.json.zst\n          penstock decompress -o - logs.gz | "
      "wc -l");
  return [command] { return decompress(*command); };
}

}  // namespace penstock::cli
