// gzip's members (RFC 1952) and zlib's streams (RFC 1950), without the Deflate inside.
#pragma once
#include "stream/input/error_location.hpp"
#include "stream/input/input.hpp"

namespace penstock::stream {

constexpr std::size_t gzip_trailer_bytes = 8;  // CRC-32 and the length modulo 2^32
// Longer ones would have to be held in memory, and no program writes them.
constexpr std::size_t max_gzip_header_bytes = 1 << 20;

struct GzipHeader {
  std::size_t header_bytes = 0;
  // Of the whole member, where a subfield of FEXTRA says it: bgzip's "BC", mgzip's "MZ", pgzip's
  // "IG".
  std::optional<std::uint64_t> member_bytes = {};
  std::string name = {};
};

// The header at the beginning of `bytes`, which `place` names. Code::truncated where it is longer
// than they are.
Result<GzipHeader> parse_gzip_header(std::span<const std::byte> bytes, const Place& place);
// The trailer at the beginning of `bytes`, which `place` names, against what was found.
Status check_gzip_trailer(std::span<const std::byte> bytes, std::uint32_t checksum,
                          std::uint64_t output_bytes, const Place& place);
// Whether a member begins at the input's position.
Result<bool> begins_gzip_member(Input& input);
// The header at the input's position.
Result<GzipHeader> peek_gzip_header(Input& input, std::uint64_t member);
// The same of the member that a way in order takes next, which is counted. Nothing where none
// stands here, or one behind the way's first that another way takes in threads (gzip_members.cpp).
struct Context;
Result<std::optional<GzipHeader>> next_streamed_header(Context& context, bool is_first);

struct ZlibHeader {
  std::size_t header_bytes = 0;
  std::optional<std::uint32_t> dictionary_checksum =
      {};  // Adler-32 of the dictionary that it needs
};
Result<ZlibHeader> parse_zlib_header(std::span<const std::byte> bytes, const Place& place);
// Whether the stream at the input's position names a dictionary.
Result<bool> zlib_needs_dictionary(Input& input);
// The four bytes behind the Deflate stream, against the Adler-32 that was found.
Status check_zlib_trailer(std::span<const std::byte> bytes, std::uint32_t found,
                          const Place& place);

}  // namespace penstock::stream
