#include "codec/zstd/format/frame_header.hpp"

#include <string>

#include "codec/zstd/format/zstd_bits.hpp"

namespace penstock::zstd {
namespace {

constexpr std::uint32_t fixed_bytes = 5;  // magic number and descriptor
constexpr unsigned largest_window_log = 31;

// The bits of the frame header descriptor.
struct Descriptor {
  explicit Descriptor(Byte byte) : value(byte) {}
  bool is_single_segment() const { return (value >> 5 & 1) != 0; }
  bool is_reserved() const { return (value >> 3 & 1) != 0; }
  bool has_checksum() const { return (value >> 2 & 1) != 0; }
  std::uint32_t window_bytes() const { return is_single_segment() ? 0 : 1; }
  std::uint32_t dictionary_id_bytes() const { return (value & 3) == 3 ? 4 : value & 3; }
  std::uint32_t content_size_bytes() const {
    return value >> 6 == 0 ? is_single_segment() : 1u << (value >> 6);
  }
  Byte value;
};

std::uint64_t window_of(Byte descriptor) {
  const std::uint64_t base = std::uint64_t{1} << (10 + (descriptor >> 3));
  return base + base / 8 * (descriptor & 7);
}

Status cut_short(std::size_t bytes) {
  return {Code::truncated,
          "Zstandard frame: it ends within its header, at byte " + std::to_string(bytes)};
}

}  // namespace

Result<FrameHeader> read_frame_header(std::span<const std::byte> input) {
  const Byte* at = reinterpret_cast<const Byte*>(input.data());
  if (input.size() < fixed_bytes) return cut_short(input.size());
  if (load_le(at, 4) != frame_magic)
    return Status(Code::corrupt, "no Zstandard frame: it does not begin with 28 b5 2f fd");
  const Descriptor descriptor(at[4]);
  if (descriptor.is_reserved())
    return Status(Code::unsupported,
                  "Zstandard frame: the reserved bit of its descriptor (byte 4) is set");
  FrameHeader header;
  header.is_single_segment = descriptor.is_single_segment();
  header.has_checksum = descriptor.has_checksum();
  header.header_bytes = fixed_bytes + descriptor.window_bytes() + descriptor.dictionary_id_bytes() +
                        descriptor.content_size_bytes();
  if (input.size() < header.header_bytes) return cut_short(input.size());
  at += fixed_bytes;
  if (!header.is_single_segment) header.window_bytes = window_of(*at++);
  header.dictionary_id = static_cast<std::uint32_t>(load_le(at, descriptor.dictionary_id_bytes()));
  at += descriptor.dictionary_id_bytes();
  if (const std::uint32_t bytes = descriptor.content_size_bytes(); bytes != 0)
    header.content_bytes = load_le(at, bytes) + (bytes == 2 ? 256 : 0);
  if (header.is_single_segment)
    header.window_bytes = *header.content_bytes;
  else if (header.window_bytes >= std::uint64_t{2} << largest_window_log)
    return Status(Code::unsupported, "Zstandard frame: its window of " +
                                         std::to_string(header.window_bytes) + " bytes, at byte " +
                                         std::to_string(fixed_bytes) +
                                         ", is larger than the format's decoders take");
  return header;
}

}  // namespace penstock::zstd
