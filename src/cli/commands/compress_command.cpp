// penstock compress: writes .gz, .zst or .lz4 files, which every standard tool reads.
#include <cstdio>

#include <unistd.h>

#include "base/clock.hpp"
#include "cli/commands.hpp"
#include "cli/commands/stream_files.hpp"
#include "terminal/messages.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/signals.hpp"

namespace penstock::cli {
namespace {

struct CompressCommand {
  std::vector<std::string> files;
  std::string output, codec = "zstd", block_size, device;
  std::uint64_t level = 0, threads = 0;
  bool force = false, no_progress = false;
};

Result<std::string> output_name(const std::string& file, std::string_view suffix, bool is_forced) {
  if (file == "-") return std::string("-");
  if (file.ends_with(suffix) && !is_forced)
    return Status(Code::invalid, "'" + file + "' already has the suffix " + std::string(suffix) +
                                     "; --force compresses it again");
  return file + std::string(suffix);
}

std::string report_line(const std::string& file, const stream::Report& report,
                        const stream::CompressOptions& options, double seconds) {
  const double ratio = report.bytes_out == 0 ? 0
                                             : static_cast<double>(report.bytes_in) /
                                                   static_cast<double>(report.bytes_out);
  return shown_name(file) + ": " + std::string(name_of(report.format)) + " level " +
         std::to_string(options.level) + ", " +
         sizes_and_time(report, report.bytes_in, seconds,
                        " (ratio " + number_text(ratio, "") + ")") +
         ", " + bytes_text(options.block_bytes) + " blocks, " +
         (report.device ? device_times(*report.device, report.device->bytes_in)
                        : counted(report.threads, "thread"));
}

Result<stream::CompressOptions> options_of(const CompressCommand& command) {
  stream::CompressOptions options;
  options.format = *stream::format_named(command.codec);
  const bool is_on_device = !command.device.empty();
  if (is_on_device) { PENSTOCK_ASSIGN(options.device, open_device(command.device)); }
  options.level = command.level > 0 ? static_cast<std::uint32_t>(command.level)
                                    : stream::default_level(options.format, is_on_device);
  options.block_bytes = command.block_size.empty()
                            ? stream::block_bytes_for(options.format, options.level, is_on_device)
                            : bytes_in(command.block_size);
  options.threads = static_cast<std::uint32_t>(command.threads);
  return options;
}

Status compress_file(const CompressCommand& command, stream::CompressOptions options,
                     const std::string& file) {
  PENSTOCK_TRY(check_input(file, command.force));
  PENSTOCK_ASSIGN(const std::string path,
                  command.output.empty()
                      ? output_name(file, suffix_of(options.format), command.force)
                      : Result<std::string>(command.output));
  if (path == "-" && ::isatty(STDOUT_FILENO) == 1 && !command.force)
    return {Code::invalid, "compressed data is not written to a terminal; --force writes it"};
  PENSTOCK_TRY(check_output_is_not_input(path, file));
  PENSTOCK_ASSIGN(const auto output, StreamOutput::create(path, command.force));
  const double start = now_seconds();
  ProgressBar bar(!command.no_progress);
  options.progress = [&](const stream::Progress& progress) {
    bar.show_bytes(progress.bytes_in, progress.bytes_in_total);
    return !interrupted();
  };
  const auto report = stream::compress(
      source_of(file), [&](std::span<const std::byte> bytes) { return output->write(bytes); },
      options);
  bar.erase();
  PENSTOCK_TRY(report.status().with("while compressing " + shown_name(file)));
  PENSTOCK_TRY(output->commit(file));
  print_line(report_line(file, *report, options, now_seconds() - start));
  return {};
}

Status compress(const CompressCommand& command) {
  PENSTOCK_ASSIGN(const stream::CompressOptions options, options_of(command));
  return for_each_file(command.files, [&](const std::string& file) {
    return compress_file(command, options, file);
  });
}

}  // namespace

Action declare_compress(Arguments& arguments) {
  auto command = std::make_shared<CompressCommand>();
  arguments.positional("FILE", command->files, "files to compress; '-' is standard input");
  arguments.choice("--codec", {"gzip", "zstd", "lz4"}, command->codec, "the format");
  arguments.value("--level", "N", command->level,
                  "compression level: gzip 1 to 12 (default 6), zstd 1 to 22 (3), lz4 1 to 12 (1)",
                  1, 22);
  arguments.value("--output,-o", "OUT", command->output,
                  "output file, '-' for standard output; default: FILE with .gz, .zst or .lz4");
  arguments.value("--block-size", "BYTES", command->block_size,
                  "size of independent blocks; gzip blocks of at most 65280 are BGZF; lz4 64K, "
                  "256K, 1M or 4M",
                  check_bytes);
  arguments.device(
      command->device,
      "compress gzip or lz4 on a device (cuda:0, opencl:1, cuda, opencl, gpu or cpu), at"
      " level 1, in blocks of 65280 bytes or 64K");
  arguments.value("--threads,-T", "N", command->threads,
                  "number of compressing threads; 0: one for each core", 0, 1024);
  arguments.flag("--force,-f", command->force, "overwrite existing files");
  arguments.flag("--no-progress", command->no_progress, "no progress bar on a terminal");
  arguments.check([command] {
    std::string wrong = check_levels(command->files);
    return wrong.empty() ? check_single_output(command->files, command->output) : wrong;
  });
  arguments.footer("\nExample: penstock compress --codec gzip --level 9 logs.json");
  return [command] { return compress(*command); };
}

}  // namespace penstock::cli
