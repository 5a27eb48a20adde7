#include <algorithm>

#include "base/ascii.hpp"
#include "base/suggest_name.hpp"
#include "session/statements/copy_table.hpp"

namespace penstock::session {
namespace {

Status wrong(const TableOption& option, std::string_view wanted) {
  return {Code::invalid, "the option " + option.name + " of COPY takes " + std::string(wanted)};
}

Result<bool> flag(const TableOption& option) {
  if (const auto* value = std::get_if<bool>(&option.value)) return *value;
  const auto* number = std::get_if<std::int64_t>(&option.value);
  if (number != nullptr && (*number == 0 || *number == 1)) return *number == 1;
  return wrong(option, "true or false");
}

Result<std::string> text(const TableOption& option) {
  if (const auto* value = std::get_if<std::string>(&option.value)) return *value;
  return wrong(option, "a text");
}

Status read_format(const TableOption& option, CopyOptions& options) {
  PENSTOCK_ASSIGN(const std::string name, text(option));
  static constexpr struct {
    std::string_view name;
    FileFormat format;
  } formats[] = {{"parquet", FileFormat::parquet},
                 {"csv", FileFormat::csv},
                 {"json", FileFormat::json},
                 {"arrow", FileFormat::arrow_ipc}};
  for (const auto& row : formats)
    if (row.name == lower(name)) return options.format = row.format, Status();
  return {Code::unsupported,
          "the format '" + name + "' is not written; parquet, csv, json and arrow are"};
}

Status read_header(const TableOption& option, CopyOptions& options) {
  PENSTOCK_ASSIGN(options.write.csv.has_header, flag(option));
  return {};
}
Status read_delimiter(const TableOption& option, CopyOptions& options) {
  PENSTOCK_ASSIGN(const std::string value, text(option));
  const std::string delimiter = value == "\\t" ? "\t" : value;
  if (delimiter.size() != 1) return wrong(option, "one character");
  options.write.csv.delimiter = delimiter[0];
  return {};
}
Status read_null(const TableOption& option, CopyOptions& options) {
  PENSTOCK_ASSIGN(options.write.csv.null_text, text(option));
  return {};
}
Status read_array(const TableOption& option, CopyOptions& options) {
  PENSTOCK_ASSIGN(const bool is_array, flag(option));
  options.write.json = is_array ? JsonLayout::array : JsonLayout::lines;
  return {};
}
Status read_compression(const TableOption& option, CopyOptions& options) {
  PENSTOCK_ASSIGN(const std::string name, text(option));
  options.write.compression = lower(name);
  return {};
}
Status read_row_group_size(const TableOption& option, CopyOptions& options) {
  const auto* rows = std::get_if<std::int64_t>(&option.value);
  if (rows == nullptr || *rows < 1) return wrong(option, "a number of rows");
  options.write.row_group_rows = static_cast<std::uint64_t>(*rows);
  return {};
}
Status read_partitions(const TableOption& option, CopyOptions& options) {
  if (const auto* one = std::get_if<std::string>(&option.value)) options.partition_by = {*one};
  if (const auto* list = std::get_if<OptionList>(&option.value)) options.partition_by = *list;
  return options.partition_by.empty() ? wrong(option, "columns: PARTITION_BY (year, month)")
                                      : Status();
}
Status read_overwrite_or_ignore(const TableOption& option, CopyOptions& options) {
  PENSTOCK_ASSIGN(options.overwrites_or_ignores, flag(option));
  return {};
}

// The options, and the format that alone has one; no format: every format has it.
struct OptionReader {
  std::string_view name;
  Status (*read)(const TableOption& option, CopyOptions& options);
  std::optional<FileFormat> format = {};
};
constexpr OptionReader readers[] = {
    {"format", read_format},
    {"partition_by", read_partitions},
    {"overwrite_or_ignore", read_overwrite_or_ignore},
    {"header", read_header, FileFormat::csv},
    {"delimiter", read_delimiter, FileFormat::csv},
    {"delim", read_delimiter, FileFormat::csv},
    {"sep", read_delimiter, FileFormat::csv},
    {"null", read_null, FileFormat::csv},
    {"nullstr", read_null, FileFormat::csv},
    {"array", read_array, FileFormat::json},
    {"compression", read_compression, FileFormat::parquet},
    {"row_group_size", read_row_group_size, FileFormat::parquet},
};

Status unknown(const TableOption& option) {
  std::vector<std::string> known;
  for (const OptionReader& reader : readers) known.emplace_back(reader.name);
  const std::string near = nearest_name(option.name, known);
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  return {Code::invalid,
          "COPY has no option " + option.name +
              (near.empty() ? "; the options are " + all : "; did you mean " + near + "?")};
}

}  // namespace

Result<CopyOptions> copy_options_of(const CopyTarget& target) {
  CopyOptions options;
  options.write.json = JsonLayout::lines;
  const std::optional<FileFormat> of_path = format_of_path(target.path);
  options.format = of_path.value_or(FileFormat::parquet);
  if (!of_path && std::ranges::count(target.options, "format", &TableOption::name) == 0)
    return Status(Code::invalid, "the ending of '" + target.path +
                                     "' names no format; write (FORMAT parquet), or csv, json or "
                                     "arrow");
  for (const TableOption& option : target.options) {
    const auto reader = std::ranges::find(readers, option.name, &OptionReader::name);
    if (reader == std::end(readers)) return unknown(option);
    PENSTOCK_TRY(reader->read(option, options));
  }
  for (const TableOption& option : target.options) {
    const auto reader = std::ranges::find(readers, option.name, &OptionReader::name);
    if (reader->format && *reader->format != options.format)
      return Status(Code::invalid, "the option " + option.name +
                                       " of COPY is of another format than that of '" +
                                       target.path + "'");
  }
  return options;
}

}  // namespace penstock::session
