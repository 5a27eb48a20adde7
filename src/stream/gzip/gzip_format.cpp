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

struct Sizes {
  std::uint64_t member_bytes = 0, body_bytes = 0;
};  // what a subfield says, if it does

// Subfields: two letters, a length of two bytes, and as many bytes. What is none of these ends the
// search, and is no error (RFC 1952 leaves the field to its writers).
Sizes sizes_in_extra(std::span<const std::byte> extra) {
  Sizes sizes;
  for (ByteReader reader(extra); reader.left() >= 4;) {
    const unsigned name = reader.u16();
    const std::size_t byte_count = reader.u16();
    ByteReader field(reader.bytes(byte_count));
    if (reader.ended_early()) break;
    if (name == identifier('B', 'C') && byte_count == 2)
      sizes.member_bytes = std::uint64_t{field.u16()} + 1;
    if (name == identifier('I', 'G') && byte_count == 4) sizes.member_bytes = field.u32();
    if (name == identifier('M', 'Z') && byte_count == 4) sizes.body_bytes = field.u32();
  }
  return sizes;
}

std::string output_until_zero(ByteReader& reader, std::span<const std::byte> all) {
  const auto rest = all.subspan(reader.at());
  const auto end = std::find(rest.begin(), rest.end(), std::byte{0});
  const auto text = reader.bytes(static_cast<std::size_t>(end - rest.begin()));
  reader.u8();
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

void set_member_bytes(GzipHeader& header, const Sizes& sizes) {
  if (sizes.member_bytes > 0)
    header.member_bytes = sizes.member_bytes;
  else if (sizes.body_bytes > 0)
    header.member_bytes = header.header_bytes + sizes.body_bytes + gzip_trailer_bytes;
}

}  // namespace

Result<GzipHeader> parse_gzip_header(std::span<const std::byte> bytes, const Place& place) {
  ByteReader reader(bytes);
  const unsigned magic = reader.u16(), method = reader.u8(), flags = reader.u8();
  reader.bytes(6);  // time, hints, operating system
  if (!bytes.empty() && (bytes[0] != std::byte{0x1f} || (bytes.size() > 1 && magic != 0x8b1f)))
    return place.corrupt("no member begins here");
  if (bytes.size() > 2 && method != 8)
    return place.at(place.offset + 2)
        .corrupt("compression method " + std::to_string(method) + " is not Deflate");
  if (bytes.size() > 3 && (flags & reserved))
    return place.at(place.offset + 3).corrupt("reserved bits of the flags are set");
  GzipHeader header;
  Sizes sizes;
  if (flags & has_extra) sizes = sizes_in_extra(reader.bytes(reader.u16()));
  if (flags & has_name) header.name = output_until_zero(reader, bytes);
  if (flags & has_comment) output_until_zero(reader, bytes);
  if (flags & has_header_checksum) {
    const std::size_t at = reader.at();
    const std::uint32_t said = reader.u16();
    if (reader.ended_early()) return place.ended();
    const std::uint32_t found = libdeflate_crc32(0, bytes.data(), at) & 0xffff;
    if (found != said)
      return place.at(place.offset + at).wrong_checksum("CRC-16 of the header", found, said);
  }
  if (reader.ended_early()) return place.at(place.offset + bytes.size()).ended();
  header.header_bytes = reader.at();
  set_member_bytes(header, sizes);
  return header;
}

Result<GzipHeader> peek_gzip_header(Input& input, std::uint64_t member) {
  const Place place{Format::gzip, member, input.offset()};
  for (std::size_t wanted = 512;; wanted *= 2) {
    PENSTOCK_ASSIGN(auto bytes, input.peek(wanted));
    const bool is_all = bytes.size() < wanted;
    bytes = bytes.first(std::min(bytes.size(), max_gzip_header_bytes));
    auto header = parse_gzip_header(bytes, place);
    if (header.ok() || header.status().code() != Code::truncated || is_all) return header;
    if (bytes.size() >= max_gzip_header_bytes)
      return place.error(Code::unsupported, "a header of more than 1 MiB");
  }
}

Result<ZlibHeader> parse_zlib_header(std::span<const std::byte> bytes, const Place& place) {
  ByteReader reader(bytes);
  const unsigned first = reader.u8(), second = reader.u8();
  if (reader.ended_early()) return place.at(place.offset + bytes.size()).ended();
  if ((first * 256 + second) % 31 != 0)
    return place.corrupt("the check of the header's two bytes fails");
  if ((first & 15) != 8)
    return place.corrupt("compression method " + std::to_string(first & 15) + " is not Deflate");
  if (first >> 4 > 7) return place.corrupt("a window of more than 32 KiB");
  ZlibHeader header;
  if (second & 32) {  // this number alone has its highest byte first
    std::uint32_t checksum = 0;
    for (int i = 0; i < 4; i++) checksum = checksum << 8 | reader.u8();
    header.dictionary_checksum = checksum;
  }
  if (reader.ended_early()) return place.at(place.offset + bytes.size()).ended();
  header.header_bytes = reader.at();
  return header;
}

Status check_gzip_trailer(std::span<const std::byte> bytes, std::uint32_t checksum,
                          std::uint64_t output_bytes, const Place& place) {
  if (bytes.size() < gzip_trailer_bytes) return place.at(place.offset + bytes.size()).ended();
  ByteReader reader(bytes);
  const std::uint32_t said_checksum = reader.u32(), said_bytes = reader.u32();
  if (checksum != said_checksum)
    return place.wrong_checksum("CRC-32 of the content", checksum, said_checksum);
  if (static_cast<std::uint32_t>(output_bytes) == said_bytes) return {};
  return place.at(place.offset + 4)
      .corrupt("the content has " + std::to_string(output_bytes) + " bytes, and " +
               std::to_string(said_bytes) + " modulo 2^32 is what is said");
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

Status check_zlib_trailer(std::span<const std::byte> bytes, std::uint32_t found,
                          const Place& place) {
  if (bytes.size() < 4) return place.at(place.offset + bytes.size()).ended();
  std::uint32_t said = 0;  // the highest byte first
  for (int i = 0; i < 4; i++) said = said << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return found == said ? Status() : place.wrong_checksum("Adler-32 of the content", found, said);
}

}  // namespace penstock::stream
