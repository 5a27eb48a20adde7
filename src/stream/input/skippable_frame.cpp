#include "stream/input/skippable_frame.hpp"

#include <algorithm>

#include "stream/input/byte_reader.hpp"

namespace penstock::stream {

Result<bool> skip_skippable_frame(Input& input, std::span<const std::byte> bytes,
                                  const ErrorLocation& location) {
  ByteReader reader(bytes);
  const std::uint32_t magic = reader.u32(), content_bytes = reader.u32();
  if (bytes.size() < 4 || !is_skippable_magic(magic)) return false;
  if (reader.ended_early()) return location.at(location.offset + bytes.size()).unexpected_end();
  // In parts, since it may be more than a buffer should hold.
  for (std::uint64_t left = std::uint64_t{8} + content_bytes; left > 0;) {
    PENSTOCK_ASSIGN(const auto seen, input.peek(1));
    if (seen.empty()) return location.at(input.offset()).unexpected_end();
    const std::size_t part = std::min<std::uint64_t>(left, seen.size());
    input.skip(part);
    left -= part;
  }
  return true;
}

}  // namespace penstock::stream
