#include "stream/formats.hpp"

#include <algorithm>

#include "stream/gzip/gzip_methods.hpp"
#include "stream/input/byte_reader.hpp"
#include "stream/input/skippable_frame.hpp"
#include "stream/lz4/lz4_methods.hpp"
#include "stream/snappy/snappy_methods.hpp"
#include "stream/zstd/zstd_methods.hpp"

namespace penstock::stream {
namespace {

using namespace std::string_view_literals;

// In the order of stream::Format.
constexpr FormatRow rows[] = {
    {.format = Format::gzip,
     .name = "gzip",
     .suffix = ".gz",
     .member_name = "member",
     .counted_part = "member",
     .is_begun_by = is_gzip,
     .has_next_member = has_next_gzip_member,
     .methods = gzip_methods,
     .compressor = &gzip_compressor},
    {.format = Format::zlib,
     .name = "zlib",
     .suffix = ".zz",
     .member_name = "stream",
     .counted_part = "stream",
     .is_begun_by = is_zlib,
     .has_next_member = has_next_zlib_stream,
     .methods = zlib_methods},
    {.format = Format::zstd,
     .name = "zstd",
     .suffix = ".zst",
     .member_name = "frame",
     .counted_part = "frame",
     .is_begun_by = is_zstd,
     .has_skippable_frames = true,
     .has_next_member = has_next_zstd_frame,
     .methods = zstd_methods,
     .compressor = &zstd_compressor},
    {.format = Format::lz4,
     .name = "lz4",
     .suffix = ".lz4",
     .member_name = "frame",
     .counted_part = "frame",
     .is_begun_by = is_lz4,
     .has_skippable_frames = true,
     .has_next_member = has_next_lz4_frame,
     .methods = lz4_methods,
     .compressor = &lz4_compressor},
    {.format = Format::snappy,
     .name = "snappy",
     .suffix = ".sz",
     .member_name = "stream",
     .counted_part = "chunk",
     .is_begun_by = is_snappy,
     .has_next_member = has_next_snappy_chunk,
     .methods = snappy_methods},
};

// Formats that users have and that are not decoded.
struct UnsupportedFormat {
  std::string_view magic, name;
};
constexpr UnsupportedFormat unsupported_formats[] = {
    {"\xfd\x37zXZ\0"sv, "xz"},
    {"BZh"sv, "bzip2"},
    {"PK\x03\x04"sv, "zip"},
    {"7z\xbc\xaf\x27\x1c"sv, "7z"},
    {"LZIP"sv, "lzip"},
    {"\x89LZO"sv, "lzop"},
    {"Rar!"sv, "rar"},
    {"\x1f\x9d"sv, "compress (.Z)"},
    {"\x1f\xa0"sv, "SCO compress"},
    {"\x1f\x1e"sv, "pack"},
};

// After longer skippable frames zstd is assumed, which alone writes them.
constexpr std::size_t max_inspected_bytes = 1 << 20;

std::uint32_t magic_at(std::span<const std::byte> bytes) { return ByteReader(bytes).u32(); }

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), reinterpret_cast<const char*>(bytes.data()));
}

// Returns the bytes after the skippable frames that begin the input; none where they are too long
// to inspect.
Result<std::span<const std::byte>> after_skippable_frames(Input& input,
                                                          std::span<const std::byte> bytes) {
  std::size_t offset = 0;
  while (bytes.size() >= offset + 8 && is_skippable_magic(magic_at(bytes.subspan(offset)))) {
    offset += std::size_t{8} + magic_at(bytes.subspan(offset + 4));
    if (offset > max_inspected_bytes) return std::span<const std::byte>();
    PENSTOCK_ASSIGN(bytes, input.peek(offset + 8));
    if (bytes.size() < offset) return std::span<const std::byte>();
  }
  return bytes.subspan(offset);
}

Status unknown_format(std::span<const std::byte> bytes) {
  for (const UnsupportedFormat& format : unsupported_formats)
    if (begins_with(bytes, format.magic))
      return {Code::unsupported, "unsupported format " + std::string(format.name) +
                                     "; gzip, zlib, zstd, lz4 and framed Snappy are supported"};
  return {Code::invalid, "unknown format: not gzip, zlib, zstd, lz4 or framed Snappy"};
}

}  // namespace

std::span<const FormatRow> format_rows() { return rows; }
const FormatRow& row_of(Format format) { return rows[static_cast<std::size_t>(format)]; }

std::string_view name_of(Format format) { return row_of(format).name; }
std::string_view suffix_of(Format format) { return row_of(format).suffix; }
std::string_view member_name_of(Format format) { return row_of(format).member_name; }
std::string_view counted_part_of(Format format) { return row_of(format).counted_part; }

std::optional<Format> format_named(std::string_view name) {
  for (const FormatRow& row : rows)
    if (row.name == name) return row.format;
  return std::nullopt;
}

std::vector<Format> formats() {
  std::vector<Format> all;
  for (const FormatRow& row : rows) all.push_back(row.format);
  return all;
}

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> all;
  for (const FormatRow& row : rows)
    for (const Method& method : row.methods())
      all.push_back({method.format, method.name, method.summary, method.is_for_devices()});
  return all;
}

Result<Format> detect_format(Input& input) {
  PENSTOCK_ASSIGN(const auto bytes, input.peek(16));
  if (bytes.empty()) return Status(Code::truncated, "unexpected end of file: the input is empty");
  const bool is_skippable = is_skippable_magic(magic_at(bytes));
  PENSTOCK_ASSIGN(const auto frame, after_skippable_frames(input, bytes));
  for (const FormatRow& row : rows)
    if (row.is_begun_by(row.has_skippable_frames ? frame : bytes)) return row.format;
  return is_skippable ? Result<Format>(Format::zstd) : unknown_format(bytes);
}

}  // namespace penstock::stream
