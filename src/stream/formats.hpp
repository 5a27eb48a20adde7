// The list of formats. A new format adds a folder, a row here, and its name to stream::Format.
#pragma once
#include "stream/pipeline/compressor.hpp"
#include "stream/pipeline/method.hpp"

namespace penstock::stream {

struct FormatRow {
  Format format;
  std::string_view name, suffix;
  std::string_view member_name;   // what reports count: "member", "frame"
  std::string_view counted_part;  // what errors count, which for snappy is "chunk"
  // Whether a file that begins with these bytes is of this format.
  bool (*is_begun_by)(std::span<const std::byte> bytes);
  // Whether skippable frames may stand before a frame.
  bool has_skippable_frames = false;
  // Skips what may stand between members. Returns whether another member follows.
  Result<bool> (*has_next_member)(Context& context);
  std::span<const Method> (*methods)();
  const Compressor* compressor = nullptr;  // null: the format is not written
};
std::span<const FormatRow> format_rows();
const FormatRow& row_of(Format format);

// Skips the skippable frames at the input's position and returns the format of what follows. The
// error names other formats that are known.
Result<Format> detect_format(Input& input);

}  // namespace penstock::stream
