#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/arrow_errors.hpp"
#include "io/sources.hpp"
#include "penstock/io.hpp"

namespace penstock {
namespace {

using Open = Result<std::shared_ptr<TableSource>> (*)(const std::string& path);
using namespace std::string_view_literals;

// What a file begins with. Rows without `open` are formats that are known and not read.
struct Format { std::string_view begins, name; Open open = nullptr; };
constexpr Format formats[] = {
    {"PAR1"sv, "Parquet", io::open_parquet},
    {"ARROW1"sv, "Arrow IPC file", io::open_ipc_file},
    {"\xff\xff\xff\xff"sv, "Arrow IPC stream", io::open_ipc_stream},
    {"PARE"sv, "encrypted Parquet"},
    {"FEA1"sv, "Feather version 1"},
    {"ORC"sv, "ORC"},
    {"Obj\x01"sv, "Avro"},
    {"\x1f\x8b"sv, "gzip"},
    {"\x28\xb5\x2f\xfd"sv, "zstd"},
    {"\x04\x22\x4d\x18"sv, "LZ4"},
    {"PK\x03\x04"sv, "zip"},
};

// The beginning of a regular file.
Result<std::string> beginning(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return Status(Code::io, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return Status(Code::unsupported, "it is a directory; a table is one file");
  if (!S_ISREG(status.st_mode)) return Status(Code::unsupported, "it is not a regular file");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Status(Code::io, std::strerror(errno));
  std::string bytes(4096, '\0');
  const ssize_t count = ::read(file, bytes.data(), bytes.size());
  const int error = errno;
  ::close(file);
  if (count < 0) return Status(Code::io, std::strerror(error));
  if (count == 0) return Status(Code::truncated, "the file is empty");
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

Result<std::shared_ptr<TableSource>> open(const std::string& path) {
  const auto bytes = beginning(path);
  if (!bytes.ok()) {
    if (bytes.status().code() == Code::io && path.find_first_of("*?[") != std::string::npos)
      return Status(Code::unsupported, "no file has this name, and patterns of names are not read; a table is one file");
    return bytes.status();
  }
  for (const Format& format : formats) {
    if (!std::string_view(*bytes).starts_with(format.begins)) continue;
    if (format.open == nullptr) return Status(Code::unsupported, "files of the format " + std::string(format.name) + " are not read");
    return format.open(path);
  }
  if (bytes->find('\0') != std::string::npos)
    return Status(Code::corrupt, "it begins like no Parquet or Arrow IPC file, and is not text, as CSV is");
  return io::open_csv(path);
}

}  // namespace

Result<std::shared_ptr<TableSource>> open_table(const std::string& path) {
  auto source = io::guard([&] { return open(path); });
  if (!source.ok()) return source.with("while opening '" + path + "'");
  return source;
}

Status io::check_columns(const Schema& schema, std::span<const std::uint32_t> columns, const std::string& path) {
  for (const std::uint32_t column : columns) {
    if (column >= schema.size()) return {Code::invalid, "'" + path + "' has no column " + std::to_string(column)};
    if (!schema[column].unsupported.empty())
      return {Code::unsupported, "column '" + schema[column].name + "' of '" + path + "' has the type " + schema[column].unsupported};
  }
  return {};
}

}  // namespace penstock
