#include "stream/gzip/gzip_methods.hpp"

#include <algorithm>

#include "stream/gzip/gzip_decoders.hpp"
#include "stream/gzip/gzip_format.hpp"

namespace penstock::stream {
namespace {

constexpr Method gzip_rows[] = {
    {.format = Format::gzip,
     .name = "gzip-members-device",
     .summary = "on a device: members that name their size (bgzip, mgzip, pgzip)",
     .fits = fits_sized_members_on_device,
     .decoder = DeviceChunks{make_sized_member_chunks}},
    {.format = Format::gzip,
     .name = "gzip-streams-device",
     .summary = "on a device: other members of files, many warps inside of each",
     .fits = fits_members_on_device,
     .decoder = DeviceStreams{}},
    {.format = Format::gzip,
     .name = "gzip-members",
     .summary = "members that name their size (bgzip, mgzip, pgzip), in threads",
     .fits = fits_sized_members,
     .decoder = HostDecoder{make_sized_members}},
    {.format = Format::gzip,
     .name = "gzip-whole",
     .summary = "members of files below 1 MiB, one after another",
     .fits = fits_whole_members,
     .decoder = HostDecoder{make_whole_members}},
    {.format = Format::gzip,
     .name = "gzip-parallel",
     .summary = "members one after another, several threads inside of each",
     .fits = fits_parallel_members,
     .decoder = HostDecoder{make_parallel_members}},
    {.format = Format::gzip,
     .name = "gzip-stream",
     .summary = "members in order, also of a pipe, by zlib",
     .fits = fits_always,
     .decoder = HostDecoder{make_member_stream}},
};

constexpr Method zlib_rows[] = {
    {.format = Format::zlib,
     .name = "zlib-stream-device",
     .summary = "on a device: a stream of a file, many warps inside of it",
     .fits = fits_zlib_on_device,
     .decoder = DeviceStreams{}},
    {.format = Format::zlib,
     .name = "zlib-whole",
     .summary = "a file below 1 MiB",
     .fits = fits_whole_zlib,
     .decoder = HostDecoder{make_whole_zlib}},
    {.format = Format::zlib,
     .name = "zlib-parallel",
     .summary = "a stream, several threads inside of it",
     .fits = fits_parallel_zlib,
     .decoder = HostDecoder{make_parallel_zlib}},
    {.format = Format::zlib,
     .name = "zlib-stream",
     .summary = "a stream in order, also of a pipe, by zlib",
     .fits = fits_always,
     .decoder = HostDecoder{make_zlib_stream}},
};

}  // namespace

std::span<const Method> gzip_methods() { return gzip_rows; }
std::span<const Method> zlib_methods() { return zlib_rows; }

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

// Checks for Deflate, a window that it may have, and the check of both bytes (RFC 1950, 2.2).
bool is_zlib(std::span<const std::byte> bytes) {
  if (bytes.size() < 2) return false;
  const auto first = std::to_integer<unsigned>(bytes[0]),
             second = std::to_integer<unsigned>(bytes[1]);
  return (first & 15) == 8 && first >> 4 <= 7 && (first * 256 + second) % 31 == 0;
}

Result<bool> has_next_gzip_member(Context& context) {
  PENSTOCK_ASSIGN(const auto rest, context.input.peek(2));
  if (rest.empty()) return false;
  const bool is_cut_magic = rest.size() == 1 && rest[0] == std::byte{0x1f};
  if (is_gzip(rest) || is_cut_magic) return true;
  for (bool is_padding = true;;) {
    PENSTOCK_ASSIGN(const auto bytes, context.input.peek(1));
    if (bytes.empty()) return false;
    const auto end = is_padding ? std::find_if(bytes.begin(), bytes.end(),
                                               [](std::byte byte) { return byte != std::byte{0}; })
                                : bytes.begin();
    is_padding = end == bytes.end();
    context.report.ignored_bytes += static_cast<std::uint64_t>(bytes.end() - end);
    context.input.skip(bytes.size());
    PENSTOCK_TRY(context.report_progress(context.input.offset()));
  }
}

Result<bool> has_next_zlib_stream(Context& context) {
  PENSTOCK_ASSIGN(const auto rest, context.input.peek(1));
  if (rest.empty()) return false;
  return ErrorLocation{Format::zlib, context.report.member_count, context.input.offset()}.corrupt(
      "trailing garbage after the stream");
}

}  // namespace penstock::stream
