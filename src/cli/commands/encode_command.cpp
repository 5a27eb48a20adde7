// penstock encode: writes a table with some of its columns compressed.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/commands.hpp"
#include "penstock/io.hpp"
#include "terminal/messages.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/signals.hpp"

namespace penstock::cli {
namespace {

struct EncodeOptions {
  std::string input, output, codecs;
  bool force = false, no_progress = false;
};

// "url=fsst,price=alp"; a column's name may hold "=".
Result<std::vector<ColumnCodec>> read_codecs(const std::string& text) {
  std::vector<ColumnCodec> codecs;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    at = comma + 1;
    const std::size_t sign = part.rfind('=');
    const auto found =
        sign == std::string::npos ? std::nullopt : find_encoding(part.substr(sign + 1));
    if (!found || sign == 0)
      return Status(Code::invalid, "'" + part +
                                       "' is not COLUMN=CODEC, whose codec is fsst, bitpack, for, "
                                       "delta, rle, dictionary, alp or auto");
    codecs.push_back({part.substr(0, sign), *found});
  }
  return codecs;
}

std::string check_codecs(const std::string& text) {
  const auto codecs = read_codecs(text);
  return codecs.ok() ? "" : codecs.status().message();
}

std::string check_output(const std::string& path) {
  return std::filesystem::path(path).extension() == ".arrow"
             ? ""
             : "'" + path + "' does not end in .arrow";
}

std::string report_line(const EncodedColumn& column) {
  const double ratio = column.bytes_after == 0 ? 1
                                               : static_cast<double>(column.bytes_before) /
                                                     static_cast<double>(column.bytes_after);
  char line[512];
  std::snprintf(line, sizeof line, "%-24s %-10s %20s %20s %8.2f", column.name.c_str(),
                std::string(name_of(column.codec)).c_str(), count_text(column.bytes_before).c_str(),
                count_text(column.bytes_after).c_str(), ratio);
  return column.bytes_after > column.bytes_before
             ? std::string(line) + "  grew: leave it out of --codec"
             : line;
}

// Reports both files' sizes, since ratios compare with uncompressed Arrow and a Parquet file is
// smaller.
std::string sizes_text(const EncodeTableReport& report, const EncodeOptions& options) {
  std::string text = options.output + ": " + count_text(report.row_count) + " rows, " +
                     count_text(report.file_bytes) + " bytes";
  std::error_code unknown;
  const std::uint64_t input_bytes = std::filesystem::file_size(options.input, unknown);
  if (unknown) return text;
  text += "; " + options.input + ": " + count_text(input_bytes) + " bytes";
  if (report.file_bytes <= input_bytes) return text;
  return text +
         "\nThe file grew: columns without a codec are uncompressed in Arrow IPC files, and ratios "
         "compare with uncompressed Arrow";
}

void print_report(const EncodeTableReport& report, const EncodeOptions& options) {
  char head[512];
  std::snprintf(head, sizeof head, "%-24s %-10s %20s %20s %8s", "column", "codec", "bytes before",
                "bytes after", "ratio");
  print_line(head);
  for (const EncodedColumn& column : report.columns) print_line(report_line(column));
  print_line(sizes_text(report, options));
}

Status encode(const EncodeOptions& options) {
  EncodeTableOptions encoding;
  PENSTOCK_ASSIGN(encoding.codecs, read_codecs(options.codecs));
  PENSTOCK_ASSIGN(const auto source, open_table(options.input));
  std::error_code unknown;
  if (!options.force && std::filesystem::exists(options.output, unknown))
    return {Code::invalid, options.output + " already exists; --force overwrites it"};
  PENSTOCK_TRY(check_output_is_not_input(options.output, options.input));
  PENSTOCK_ASSIGN(const auto file, OutputFile::create(options.output));
  ProgressBar bar(!options.no_progress);
  encoding.progress = [&](std::uint64_t rows_done) {
    bar.show({.rows_done = rows_done, .rows_total = source->row_count()});
    return !interrupted();
  };
  auto report =
      encode_table(*source, [&](std::string_view bytes) { return file->write(bytes); }, encoding);
  bar.erase();
  PENSTOCK_TRY(report.status().with("while encoding '" + options.input + "'"));
  PENSTOCK_TRY(file->commit());
  print_report(*report, options);
  return {};
}

}  // namespace

Action declare_encode(Arguments& arguments) {
  auto options = std::make_shared<EncodeOptions>();
  arguments.positional("IN", options->input, "a Parquet, Arrow IPC or CSV file");
  arguments.value("--output,-o", "OUT.arrow", options->output, "the Arrow IPC file to write",
                  check_output);
  arguments.require("--output");
  arguments.value(
      "--codec", "COLUMN=CODEC,...", options->codecs,
      "for strings, fsst: codes for frequent substrings; for numbers, bitpack, for, delta, "
      "rle, dictionary, alp (floats), or auto, the smallest for every 1024 values",
      check_codecs);
  arguments.require("--codec");
  arguments.flag("--force,-f", options->force, "overwrite an existing file");
  arguments.flag("--no-progress", options->no_progress, "no progress bar on a terminal");
  arguments.footer(
      "\nExample: penstock encode hits.parquet -o hits.arrow --codec URL=fsst,Price=alp,Id=for");
  return [options] { return encode(*options); };
}

}  // namespace penstock::cli
