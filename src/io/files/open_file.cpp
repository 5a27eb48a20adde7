#include "io/files/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/ascii.hpp"
#include "base/file.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/common/sources.hpp"
#include "io/files/file_paths.hpp"
#include "io/files/files_near.hpp"
#include "io/text/text_encoding.hpp"
#include "io/text/text_input.hpp"

namespace penstock::io {
namespace {

using namespace std::string_view_literals;

using Open = Result<std::shared_ptr<TableSource>> (*)(const FileToOpen& file);

Result<std::shared_ptr<TableSource>> open_parquet_file(const FileToOpen& file) {
  return open_parquet(file.path, file.stays_open);
}
Result<std::shared_ptr<TableSource>> open_arrow_file(const FileToOpen& file) {
  return open_ipc_file(file.path);
}
Result<std::shared_ptr<TableSource>> open_arrow_stream(const FileToOpen& file) {
  return open_ipc_stream(file.path);
}

// A file format, known by its first bytes, and by its last bytes if it has a signature there. Rows
// without `open` are formats that are recognised and not read.
struct Format {
  std::string_view begins, name, asked = {};  // `asked`: what TableReference calls it
  Open open = nullptr;
  std::string_view ends = {};
  bool is_compressed = false;  // a text may be in it
};
constexpr Format formats[] = {
    {"PAR1"sv, "Parquet", "parquet", open_parquet_file, "PAR1"sv},
    {"ARROW1"sv, "Arrow IPC file", "arrow", open_arrow_file, "ARROW1"sv},
    {"\xff\xff\xff\xff"sv, "Arrow IPC stream", "arrow", open_arrow_stream},
    {"PARE"sv, "encrypted Parquet"},
    {"FEA1"sv, "Feather version 1"},
    {"ORC"sv, "ORC"},
    {"Obj\x01"sv, "Avro"},
    {.begins = "\x1f\x8b"sv, .name = "gzip", .is_compressed = true},
    {.begins = "\x28\xb5\x2f\xfd"sv, .name = "zstd", .is_compressed = true},
    {.begins = "\x04\x22\x4d\x18"sv, .name = "LZ4", .is_compressed = true},
    {"PK\x03\x04"sv, "zip (Excel's .xlsx is one)"},
    {"SQLite format 3"sv, "SQLite"},
    {"<?xml"sv, "XML"},
    {"<!DOCTYPE"sv, "HTML"},
    {"<html"sv, "HTML"},
};

const Format* format_of(std::string_view first_bytes) {
  for (const Format& format : formats)
    if (first_bytes.starts_with(format.begins)) return &format;
  return nullptr;
}

// An extension of this list promises a binary format. A cut-off file with such a name is no text,
// however short it is.
bool is_named_binary(const std::string& path) {
  const std::string extension = lower(std::filesystem::path(path).extension().string());
  return extension == ".parquet" || extension == ".arrow" || extension == ".feather" ||
         extension == ".ipc";
}

// Text formats that are not CSV, by the file's extension in lower case.
struct ExtensionFormat {
  std::string_view extension, name;
};
constexpr ExtensionFormat other_formats[] = {
    {".json", "JSON"}, {".jsonl", "JSON lines"}, {".ndjson", "JSON lines"}, {".xml", "XML"},
    {".html", "HTML"}, {".yaml", "YAML"},        {".sql", "SQL"},
};

Status not_read(std::string_view format) {
  return {Code::unsupported,
          "files of the format " + std::string(format) +
              " are not read; Parquet, Arrow IPC (file and stream), CSV and JSON are"};
}

// Returns the format of a text that is not CSV, or "". A header may begin with "[", as SQL Server
// quotes names, but hardly with "{".
std::string_view other_format(const std::string& path, std::string_view text) {
  const std::string extension = lower(std::filesystem::path(path).extension().string());
  for (const ExtensionFormat& other : other_formats)
    if (other.extension == extension) return other.name;
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const bool is_array = text.starts_with('[');
  if (is_array)
    text.remove_prefix(1),
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with('{') ? "JSON" : "";
}

struct Ends {
  std::string first, last;
};

// Reads the first and last bytes of a regular file.
Result<Ends> ends_of(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    const std::size_t scheme = path.find("://");
    if (scheme != path.npos)
      return Status(Code::unsupported, "files are read of this machine alone, and not by " +
                                           path.substr(0, scheme + 3) + "; download it first");
    const int error = errno;
    return Status(Code::io, std::strerror(error) + (error == ENOENT ? files_near(path) : ""));
  }
  if (!S_ISREG(status.st_mode)) return Ends();  // a pipe, from which only texts are read
  const File file(path, O_RDONLY);
  if (!file) return Status(Code::io, std::strerror(errno));
  Ends ends{std::string(4096, '\0'), std::string(16, '\0')};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  ends.first.resize(file.read_at(ends.first.data(), ends.first.size(), 0));
  ends.last.resize(file.read_at(ends.last.data(), ends.last.size(),
                                size - std::min<std::uint64_t>(size, ends.last.size())));
  if (ends.first.empty() && errno != 0) return Status(Code::io, std::strerror(errno));
  if (ends.first.empty()) return Status(Code::truncated, "the file is empty");
  return ends;
}

bool is_empty(const Status& status) {
  return status.code() == Code::truncated && status.message() == "the file is empty";
}

bool is_csv(const FileToOpen& file) {
  const std::string extension = lower(std::filesystem::path(file.path).extension().string());
  return file.format == "csv" ||
         (file.format.empty() && (extension == ".csv" || extension == ".tsv"));
}

Result<OpenedFile> open_empty_csv(const FileToOpen& file) {
  PENSTOCK_ASSIGN(auto source, open_csv(file.path, file.options));
  return OpenedFile{std::move(source), "CSV", FileTypes::found};
}

// A text is read as CSV or JSON; where neither is asked for, by its first bytes.
Result<OpenedFile> open_text_file(const FileToOpen& file) {
  std::string_view other = file.format == "json" ? "JSON"sv : ""sv;
  if (file.format.empty()) {
    PENSTOCK_ASSIGN(const std::string text, text_start(file.path, 4096));
    if (text.empty()) return Status(Code::truncated, "the file is empty");
    if (const Format* const format = format_of(text))
      return Status(Code::unsupported, "it is a compressed file of the format " +
                                           std::string(format->name) + "; penstock decompress '" +
                                           file.path + "' first");
    PENSTOCK_TRY(check_not_wide(text));
    if (text.find('\0') != std::string::npos)
      return text.starts_with(
                 "\xFD"
                 "7zXZ")
                 ? Status(Code::unsupported, "it is a file of xz; unpack it by xz -d first")
                 : Status(
                       Code::corrupt,
                       "it begins like no Parquet or Arrow IPC file, and is not text, as CSV is");
    other = other_format(file.path, text);
  }
  if (other.starts_with("JSON")) {
    PENSTOCK_ASSIGN(auto source, open_json(file.path, file.options));
    return OpenedFile{std::move(source), "JSON", FileTypes::found_in_json};
  }
  if (!other.empty()) return not_read(other);
  PENSTOCK_ASSIGN(auto source, open_csv(file.path, file.options));
  return OpenedFile{std::move(source), "CSV", FileTypes::found};
}

Status check_options(const FileToOpen& file, const Format& format) {
  if (file.options.empty()) return {};
  return {Code::invalid, "the option " + file.options[0].name + " is none of " +
                             std::string(format.name) +
                             ", which has filename, hive_partitioning, hive_types, "
                             "hive_types_autocast and union_by_name"};
}

Result<OpenedFile> open_any(const FileToOpen& file) {
  if (file.path == "-") return open_text_file(file);
  const Result<Ends> found = ends_of(file.path);
  if (is_empty(found.status()) && file.may_be_empty && is_csv(file)) return open_empty_csv(file);
  PENSTOCK_ASSIGN(const Ends ends, found);
  const Format* const format = format_of(ends.first);
  const bool is_text_asked = file.format == "csv" || file.format == "json";
  if (!is_text_asked && format == nullptr && is_named_binary(file.path) && !ends.first.empty())
    return Status(Code::corrupt,
                  "it does not begin as a file of its name's format; if it is text, write "
                  "read_csv('" +
                      file.path + "') or read_json(...)");
  if (is_text_asked || format == nullptr || format->is_compressed) {
    if (is_text_asked || file.format.empty()) return open_text_file(file);
    return Status(Code::corrupt, "it does not begin as a file of the format " + file.format);
  }
  if (format->open == nullptr) return not_read(format->name);
  if (!file.format.empty() && file.format != format->asked)
    return Status(Code::corrupt,
                  "it is of the format " + std::string(format->name) + ", not " + file.format);
  if (!ends.last.ends_with(format->ends))
    return Status(Code::truncated, "its format's end is missing (" + std::string(format->name) +
                                       "): it may be cut short");
  PENSTOCK_TRY(check_options(file, *format));
  PENSTOCK_ASSIGN(auto source, format->open(file));
  return OpenedFile{std::move(source), format->name};
}

}  // namespace

Result<OpenedFile> open_file(const FileToOpen& file) {
  auto opened = catch_arrow_exceptions([&] { return open_any(file); });
  if (!opened.ok()) return opened.with("while opening '" + file.path + "'");
  return opened;
}

}  // namespace penstock::io
