#include "stream/way_choice.hpp"

#include <algorithm>

#include "stream/formats.hpp"
#include "stream/lz4_format.hpp"
#include "stream/place.hpp"
#include "stream/zstd_format.hpp"

namespace penstock::stream {
namespace {

Status check_variant(const std::string& name, Format format) {
  if (name.empty()) return {};
  std::string known;
  for (const Way& way : ways()) {
    if (way.format == format && name == way.name) return {};
    if (way.format == format) known += (known.empty() ? "" : ", ") + std::string(way.name);
  }
  return {Code::invalid, "no way to decode " + std::string(name_of(format)) + " is called '" + name + "'; there are " + known};
}

// What stands at the input's position, on a device that is not left.
Status not_on_devices(const Context& context, Format format) {
  std::string what;
  for (const Way& way : ways())
    if (way.is_for_devices() && way.format == format) what += "; " + std::string(way.summary);
  return {Code::unsupported, std::string(name_of(format)) + ", byte " + std::to_string(context.input.offset()) +
                                 ": what begins here is not decoded on devices" + what};
}

bool begins_member(std::span<const std::byte> bytes) {
  return bytes[0] == std::byte{0x1f} && (bytes.size() == 1 || bytes[1] == std::byte{0x8b});
}

Result<bool> another_frame_follows(Context& context, Format format) {
  if (format == Format::lz4) {
    PENSTOCK_ASSIGN(const auto header, next_lz4_frame(context.input, context.member_count + 1));
    return header.has_value();
  }
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(context.input, context.member_count + 1));
  return header.has_value();
}

}  // namespace

Result<Format> format_of(Context& context) {
  const auto format = [&]() -> Result<Format> {
    if (!context.options.format) return detect_format(context.input);
    PENSTOCK_ASSIGN(const auto bytes, context.input.peek(1));
    if (bytes.empty()) return Status(Code::truncated, "it is empty, which no compressed file is");
    return *context.options.format;
  };
  PENSTOCK_ASSIGN(const Format found, format());
  PENSTOCK_TRY(check_variant(context.options.variant, found));
  return found;
}

Status unfit(const Context& context) {
  return {Code::invalid, "the way to decode that was asked for, '" + context.options.variant + "', does not fit what stands at byte " +
                             std::to_string(context.input.offset())};
}

Result<const Way*> choose_way(Context& context, Format format) {
  const DecompressOptions& options = context.options;
  for (const Way& way : ways()) {
    if (way.format != format || (!options.variant.empty() && options.variant != way.name)) continue;
    if (way.is_for_devices() ? options.device == nullptr : options.device != nullptr && !options.may_leave_device) continue;
    PENSTOCK_ASSIGN(const bool fits, way.fits(context));
    if (fits) return &way;
  }
  return options.device != nullptr && options.variant.empty() ? not_on_devices(context, format) : unfit(context);
}

Result<bool> another_follows(Context& context, Format format) {
  PENSTOCK_ASSIGN(const auto rest, context.input.peek(2));
  if (rest.empty()) return false;
  const Place place{format, context.member_count, context.input.offset()};
  if (format == Format::zlib) return place.corrupt("something follows the stream");
  if (format == Format::zstd || format == Format::lz4) return another_frame_follows(context, format);
  if (format != Format::gzip || begins_member(rest)) return true;
  for (;;) {
    PENSTOCK_ASSIGN(const auto bytes, context.input.peek(1));
    if (bytes.empty()) return false;
    const auto end = std::find_if(bytes.begin(), bytes.end(), [](std::byte byte) { return byte != std::byte{0}; });
    context.input.skip(static_cast<std::size_t>(end - bytes.begin()));
    if (end != bytes.end()) return place.at(context.input.offset()).corrupt("something that is no member follows it");
  }
}

}  // namespace penstock::stream
