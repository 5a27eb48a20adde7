#include "stream/gzip/gzip_format.hpp"

#include <libdeflate.h>

#include <algorithm>

#include "stream/input/byte_reader.hpp"

namespace penstock::stream {
namespace {

enum Flag : unsigned {
  has_header_checksum = 2,
  has_extra = 4,
  has_name = 8,
  has_comment = 16,
  reserved = 0xe0
};

constexpr unsigned identifier(char first, char second) {
  return static_cast<unsigned>(static_cast<unsigned char>(first)) |
         static_cast<unsigned>(static_cast<unsigned char>(second)) << 8;
}

// The sizes that subfields of FEXTRA name.
struct Sizes {
  std::uint64_t member_bytes = 0, body_bytes = 0;
  bool is_of_bgzip = false;
};

// Reads subfields: two letters, a length of two bytes, and as many bytes. Anything else ends the
// search and is no error, since RFC 1952 leaves the field to its writers.
Sizes sizes_in_extra(std::span<const std::byte> extra) {
  Sizes sizes;
  for (ByteReader reader(extra); reader.remaining() >= 4;) {
    const unsigned name = reader.u16();
    const std::size_t byte_count = reader.u16();
    ByteReader field(reader.bytes(byte_count));
    if (reader.ended_early()) break;
    if (name == identifier('B', 'C') && byte_count == 2) {
      sizes.member_bytes = std::uint64_t{field.u16()} + 1;
      sizes.is_of_bgzip = true;
    }
    if (name == identifier('I', 'G') && byte_count == 4) sizes.member_bytes = field.u32();
    if (name == identifier('M', 'Z') && byte_count == 4) sizes.body_bytes = field.u32();
  }
  return sizes;
}

std::string string_until_zero(ByteReader& reader, std::span<const std::byte> all) {
  const auto rest = all.subspan(reader.position());
  const auto end = std::find(rest.begin(), rest.end(), std::byte{0});
  const auto string = reader.bytes(static_cast<std::size_t>(end - rest.begin()));
  reader.u8();
  return {reinterpret_cast<const char*>(string.data()), string.size()};
}

void set_member_bytes(GzipHeader& header, const Sizes& sizes) {
  header.is_of_bgzip = sizes.is_of_bgzip;
  if (sizes.member_bytes > 0)
    header.member_bytes = sizes.member_bytes;
  else if (sizes.body_bytes > 0)
    header.member_bytes = header.header_bytes + sizes.body_bytes + gzip_trailer_bytes;
}

}  // namespace

Result<GzipHeader> parse_gzip_header(std::span<const std::byte> bytes,
                                     const ErrorLocation& location) {
  ByteReader reader(bytes);
  const unsigned magic = reader.u16(), method = reader.u8(), flags = reader.u8();
  reader.bytes(6);  // time, hints, operating system
  if (!bytes.empty() && (bytes[0] != std::byte{0x1f} || (bytes.size() > 1 && magic != 0x8b1f)))
    return location.corrupt("not in gzip format");
  if (bytes.size() > 2 && method != 8)
    return location.at(location.offset + 2)
        .corrupt("unknown compression method " + std::to_string(method));
  if (bytes.size() > 3 && (flags & reserved))
    return location.at(location.offset + 3).corrupt("unknown header flags set");
  GzipHeader header;
  Sizes sizes;
  if (flags & has_extra) sizes = sizes_in_extra(reader.bytes(reader.u16()));
  if (flags & has_name) header.name = string_until_zero(reader, bytes);
  if (flags & has_comment) string_until_zero(reader, bytes);
  if (flags & has_header_checksum) {
    const std::size_t field = reader.position();
    const std::uint32_t stored = reader.u16();
    if (reader.ended_early()) return location.unexpected_end();
    const std::uint32_t computed = libdeflate_crc32(0, bytes.data(), field) & 0xffff;
    if (computed != stored)
      return location.at(location.offset + field).wrong_checksum("header CRC", computed, stored);
  }
  if (reader.ended_early()) return location.at(location.offset + bytes.size()).unexpected_end();
  header.header_bytes = reader.position();
  set_member_bytes(header, sizes);
  return header;
}

Result<GzipHeader> peek_gzip_header(Input& input, std::uint64_t member) {
  const ErrorLocation location{Format::gzip, member, input.offset()};
  for (std::size_t wanted = 512;; wanted *= 2) {
    PENSTOCK_ASSIGN(auto bytes, input.peek(wanted));
    const bool is_all = bytes.size() < wanted;
    bytes = bytes.first(std::min(bytes.size(), max_gzip_header_bytes));
    auto header = parse_gzip_header(bytes, location);
    if (header.ok() || header.status().code() != Code::truncated || is_all) return header;
    if (bytes.size() >= max_gzip_header_bytes)
      return location.error(Code::unsupported, "header is larger than 1 MiB");
  }
}

Result<ZlibHeader> parse_zlib_header(std::span<const std::byte> bytes,
                                     const ErrorLocation& location) {
  ByteReader reader(bytes);
  const unsigned first = reader.u8(), second = reader.u8();
  if (reader.ended_early()) return location.at(location.offset + bytes.size()).unexpected_end();
  if ((first * 256 + second) % 31 != 0) return location.corrupt("incorrect header check");
  if ((first & 15) != 8)
    return location.corrupt("unknown compression method " + std::to_string(first & 15));
  if (first >> 4 > 7) return location.corrupt("invalid window size");
  ZlibHeader header;
  if (second & 32) {  // big-endian, unlike gzip's numbers
    std::uint32_t checksum = 0;
    for (int i = 0; i < 4; i++) checksum = checksum << 8 | reader.u8();
    header.dictionary_checksum = checksum;
  }
  if (reader.ended_early()) return location.at(location.offset + bytes.size()).unexpected_end();
  header.header_bytes = reader.position();
  return header;
}

Status check_gzip_trailer(std::span<const std::byte> bytes, std::uint32_t checksum,
                          std::uint64_t output_bytes, const ErrorLocation& location) {
  if (bytes.size() < gzip_trailer_bytes)
    return location.at(location.offset + bytes.size()).unexpected_end();
  ByteReader reader(bytes);
  const std::uint32_t stored_checksum = reader.u32(), stored_length = reader.u32();
  if (checksum != stored_checksum)
    return location.wrong_checksum("CRC-32", checksum, stored_checksum);
  if (static_cast<std::uint32_t>(output_bytes) == stored_length) return {};
  return location.at(location.offset + 4)
      .corrupt("incorrect length: stored " + std::to_string(stored_length) +
               " (modulo 2^32), decompressed " + std::to_string(output_bytes));
}

void count_gzip_member(Report& report, const GzipHeader& header) {
  if (++report.member_count == 1) report.first_name = header.name;
  report.lacks_bgzip_end = header.is_of_bgzip && header.member_bytes != bgzip_end_bytes;
}

Result<bool> begins_gzip_member(Input& input) {
  PENSTOCK_ASSIGN(const auto bytes, input.peek(2));
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

Result<bool> zlib_needs_dictionary(Input& input) {
  PENSTOCK_ASSIGN(const auto bytes, input.peek(2));
  constexpr std::byte has_dictionary{32};
  return bytes.size() >= 2 && (bytes[1] & has_dictionary) != std::byte{0};
}

Status check_zlib_trailer(std::span<const std::byte> bytes, std::uint32_t computed,
                          const ErrorLocation& location) {
  if (bytes.size() < 4) return location.at(location.offset + bytes.size()).unexpected_end();
  std::uint32_t stored = 0;  // big-endian
  for (int i = 0; i < 4; i++) stored = stored << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return computed == stored ? Status() : location.wrong_checksum("Adler-32", computed, stored);
}

}  // namespace penstock::stream
