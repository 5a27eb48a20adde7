#include "stream/formats.hpp"

#include <algorithm>

#include "stream/gzip/gzip_methods.hpp"
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

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), reinterpret_cast<const char*>(bytes.data()));
}

// Skips the skippable frames that begin the input, however long they are. Returns whether there was
// one.
Result<bool> skip_skippable_frames(Input& input) {
  for (bool has_skipped = false;; has_skipped = true) {
    PENSTOCK_ASSIGN(const auto bytes, input.peek(8));
    const ErrorLocation location{Format::zstd, 1, input.offset()};
    PENSTOCK_ASSIGN(const bool was_skipped, skip_skippable_frame(input, bytes, location));
    if (!was_skipped) return has_skipped;
  }
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
  PENSTOCK_ASSIGN(const bool has_skipped, skip_skippable_frames(input));
  PENSTOCK_ASSIGN(const auto bytes, input.peek(16));
  if (bytes.empty() && !has_skipped)
    return Status(Code::truncated, "unexpected end of file: the input is empty");
  for (const FormatRow& row : rows)
    if ((row.has_skippable_frames || !has_skipped) && row.is_begun_by(bytes)) return row.format;
  return has_skipped ? Result<Format>(Format::zstd) : unknown_format(bytes);
}

}  // namespace penstock::stream
