#include "stream/format_detection.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "stream/input/byte_reader.hpp"
#include "stream/input/skippable_frame.hpp"

namespace penstock::stream {
namespace {

using namespace std::string_view_literals;

struct FormatRow {
  Format format;
  std::string_view name, suffix;
};
constexpr std::array<FormatRow, 5> format_rows = {{{Format::gzip, "gzip", ".gz"},
                                                   {Format::zlib, "zlib", ".zz"},
                                                   {Format::zstd, "zstd", ".zst"},
                                                   {Format::lz4, "lz4", ".lz4"},
                                                   {Format::snappy, "snappy", ".sz"}}};

// Formats that people have, and that are not decoded.
struct OtherFormat {
  std::string_view begins, name;
};
constexpr OtherFormat other_formats[] = {
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

constexpr std::size_t max_seen_skippable_bytes =
    1 << 20;  // behind longer ones, zstd is assumed: it alone writes them

std::uint32_t magic_at(std::span<const std::byte> bytes) { return ByteReader(bytes).u32(); }

bool begins_with(std::span<const std::byte> bytes, std::string_view word) {
  return bytes.size() >= word.size() &&
         std::equal(word.begin(), word.end(), reinterpret_cast<const char*>(bytes.data()));
}

// A zlib header: Deflate, a window that it may have, and the check of both bytes.
bool is_zlib(std::span<const std::byte> bytes) {
  if (bytes.size() < 2) return false;
  const auto first = std::to_integer<unsigned>(bytes[0]),
             second = std::to_integer<unsigned>(bytes[1]);
  return (first & 15) == 8 && first >> 4 <= 7 && (first * 256 + second) % 31 == 0;
}

Result<std::span<const std::byte>> behind_skippable(Input& input,
                                                    std::span<const std::byte> bytes) {
  std::size_t at = 0;
  while (bytes.size() >= at + 8 && is_skippable_magic(magic_at(bytes.subspan(at)))) {
    at += std::size_t{8} + magic_at(bytes.subspan(at + 4));
    if (at > max_seen_skippable_bytes) return std::span<const std::byte>();
    PENSTOCK_ASSIGN(bytes, input.peek(at + 8));
    if (bytes.size() < at) return std::span<const std::byte>();
  }
  return bytes.subspan(at);
}

Status not_decoded(std::span<const std::byte> bytes) {
  for (const OtherFormat& other : other_formats)
    if (begins_with(bytes, other.begins))
      return {Code::unsupported,
              "it is " + std::string(other.name) +
                  ", which is not decoded; gzip, zlib, zstd, lz4 and framed snappy are"};
  return {Code::invalid, "it begins as none of gzip, zlib, zstd, lz4 and framed snappy do"};
}

}  // namespace

std::string_view name_of(Format format) {
  return format_rows[static_cast<std::size_t>(format)].name;
}
std::string_view suffix_of(Format format) {
  return format_rows[static_cast<std::size_t>(format)].suffix;
}

std::optional<Format> format_named(std::string_view name) {
  for (const FormatRow& row : format_rows)
    if (row.name == name) return row.format;
  return std::nullopt;
}

Result<Format> detect_format(Input& input) {
  PENSTOCK_ASSIGN(const auto bytes, input.peek(16));
  if (bytes.empty()) return Status(Code::truncated, "it is empty, which no compressed file is");
  if (begins_with(bytes, "\x1f\x8b")) return Format::gzip;
  if (begins_with(bytes, "\xff\x06\0\0sNaPpY"sv)) return Format::snappy;
  PENSTOCK_ASSIGN(const auto frame, behind_skippable(input, bytes));
  const std::uint32_t magic = magic_at(frame);
  if (magic == lz4_magic || magic == lz4_legacy_magic) return Format::lz4;
  if (magic == zstd_magic || is_skippable_magic(magic_at(bytes))) return Format::zstd;
  if (is_zlib(bytes)) return Format::zlib;
  return not_decoded(bytes);
}

}  // namespace penstock::stream
