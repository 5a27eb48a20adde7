// Parses and verifies the headers and trailers of gzip members (RFC 1952) and zlib streams
// (RFC 1950).
#pragma once
#include "stream/input/error_location.hpp"
#include "stream/input/input.hpp"

namespace penstock::stream {

struct Context;

constexpr std::size_t gzip_trailer_bytes = 8;  // CRC-32 and the length modulo 2^32
// Longer headers would have to be kept in memory, and no program writes them.
constexpr std::size_t max_gzip_header_bytes = 1 << 20;

struct GzipHeader {
  std::size_t header_bytes = 0;
  // The bytes of the whole member, if a subfield of FEXTRA names them: "BC" of bgzip, "MZ" of
  // mgzip, "IG" of pgzip.
  std::optional<std::uint64_t> member_bytes = {};
  bool is_of_bgzip = false;  // whether "BC" names it
  std::string name = {};
};
// The empty member that bgzip ends a file with. No other member with its field is as short.
constexpr std::uint64_t bgzip_end_bytes = 28;

// Parses the header at the beginning of `bytes`. Code::truncated if the header does not end in
// `bytes`.
Result<GzipHeader> parse_gzip_header(std::span<const std::byte> bytes,
                                     const ErrorLocation& location);
// Verifies the trailer at the beginning of `bytes`.
Status check_gzip_trailer(std::span<const std::byte> bytes, std::uint32_t checksum,
                          std::uint64_t output_bytes, const ErrorLocation& location);
// Returns whether a member begins at the input's position.
Result<bool> begins_gzip_member(Input& input);
// Parses the header at the input's position.
Result<GzipHeader> peek_gzip_header(Input& input, std::uint64_t member);
// Counts a member that is decoded next, and notes in the report what its header says.
void count_gzip_member(Report& report, const GzipHeader& header);
// Parses the header of the member that a sequential method decodes next, and counts the member.
// Returns nothing if none stands at the input's position. Nor for one after the method's first
// that names its size, which another method decodes in threads (gzip_members.cpp).
Result<std::optional<GzipHeader>> next_streamed_header(Context& context, bool is_first);

struct ZlibHeader {
  std::size_t header_bytes = 0;
  // Adler-32 of the dictionary that the stream needs.
  std::optional<std::uint32_t> dictionary_checksum = {};
};
Result<ZlibHeader> parse_zlib_header(std::span<const std::byte> bytes,
                                     const ErrorLocation& location);
// Returns whether the stream at the input's position names a dictionary.
Result<bool> zlib_needs_dictionary(Input& input);
// Verifies the four bytes after the Deflate stream.
Status check_zlib_trailer(std::span<const std::byte> bytes, std::uint32_t computed,
                          const ErrorLocation& location);

}  // namespace penstock::stream
