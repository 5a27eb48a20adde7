#include "stream/select_method.hpp"

#include <unistd.h>

#include <algorithm>

#include "stream/device/device_batch.hpp"
#include "stream/format_detection.hpp"
#include "stream/input/error_location.hpp"
#include "stream/lz4/lz4_format.hpp"
#include "stream/zstd/zstd_format.hpp"

namespace penstock::stream {
namespace {

Status check_variant(const std::string& name, Format format) {
  if (name.empty()) return {};
  std::string known;
  for (const Method& method : methods()) {
    if (method.format == format && name == method.name) return {};
    if (method.format == format) known += (known.empty() ? "" : ", ") + std::string(method.name);
  }
  return {Code::invalid, "no way to decode " + std::string(name_of(format)) + " is called '" +
                             name + "'; there are " + known};
}

// What stands at the input's position, on a device that is not left.
Status not_on_devices(const Context& context, Format format) {
  std::string what;
  for (const Method& method : methods())
    if (method.is_for_devices() && method.format == format)
      what += "; " + std::string(method.summary);
  if (context.is_too_long_to_hold)
    what += "; and the pipe has more than is held for the ways that take all of a file at once";
  return {Code::unsupported, std::string(name_of(format)) + ", byte " +
                                 std::to_string(context.input.offset()) +
                                 ": what begins here is not decoded on devices" + what};
}

bool is_asked_for(const Method& method, const Context& context, Format format) {
  return method.format == format &&
         (context.options.variant.empty() || context.options.variant == method.name);
}

// Of the ways for devices, or of the host's; null where none does.
Result<const Method*> first_that_fits(Context& context, Format format, bool is_for_devices) {
  for (const Method& method : methods()) {
    if (!is_asked_for(method, context, format) || method.is_for_devices() != is_for_devices)
      continue;
    PENSTOCK_ASSIGN(const bool fits, method.fits(context));
    if (fits) return &method;
  }
  return nullptr;
}

// Whether a device's way, which has all of the file there at once, could be another's than a
// file's.
bool wants_all(const Context& context, Format format) {
  const auto is_such = [&](const Method& method) {
    return is_asked_for(method, context, format) &&
           (method.is_whole_streams || method.frame != nullptr);
  };
  return std::any_of(methods().begin(), methods().end(), is_such);
}

// Of a pipe: what the device could take in one piece, and a quarter of this machine's memory, since
// the buffer is copied where it grows.
std::uint64_t max_held_bytes(const Context& context) {
  const auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
  const auto page_bytes = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PAGESIZE), 0L));
  return std::min(context.device->device()->traits().max_allocation_bytes, pages * page_bytes / 4);
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
  const std::string byte = std::to_string(context.input.offset());
  if (context.options.variant.empty())
    return {Code::corrupt,
            "what stands at byte " + byte + " is not of the format that was asked for"};
  const std::string& variant = context.options.variant;
  return {Code::invalid, "the way to decode that was asked for, '" + variant +
                             "', does not fit what stands at byte " + byte};
}

Result<bool> hold_pipe(Context& context) {
  if (context.input.is_mapped() || context.is_too_long_to_hold) return context.input.is_mapped();
  PENSTOCK_ASSIGN(const bool is_held, context.input.hold_rest(max_held_bytes(context)));
  context.is_too_long_to_hold = !is_held;
  if (is_held) context.held_bytes = *context.input.size() - context.input.offset();
  return is_held;
}

Result<const Method*> choose_method(Context& context, Format format) {
  const DecompressOptions& options = context.options;
  if (options.device != nullptr) {
    PENSTOCK_ASSIGN(const Method* method, first_that_fits(context, format, true));
    if (method == nullptr && !context.input.is_mapped() && wants_all(context, format)) {
      PENSTOCK_ASSIGN(const bool is_held, hold_pipe(context));
      if (is_held) { PENSTOCK_ASSIGN(method, first_that_fits(context, format, true)); }
    }
    if (method != nullptr) return method;
  }
  if (options.device == nullptr || options.may_leave_device) {
    PENSTOCK_ASSIGN(const Method* const method, first_that_fits(context, format, false));
    if (method != nullptr) return method;
  }
  return options.device != nullptr && options.variant.empty() ? not_on_devices(context, format)
                                                              : unfit(context);
}

Result<bool> another_follows(Context& context, Format format) {
  PENSTOCK_ASSIGN(const auto rest, context.input.peek(2));
  if (rest.empty()) return false;
  const Place place{format, context.member_count, context.input.offset()};
  if (format == Format::zlib) return place.corrupt("something follows the stream");
  if (format == Format::zstd || format == Format::lz4)
    return another_frame_follows(context, format);
  if (format != Format::gzip || begins_member(rest)) return true;
  for (;;) {
    PENSTOCK_ASSIGN(const auto bytes, context.input.peek(1));
    if (bytes.empty()) return false;
    const auto end = std::find_if(bytes.begin(), bytes.end(),
                                  [](std::byte byte) { return byte != std::byte{0}; });
    context.input.skip(static_cast<std::size_t>(end - bytes.begin()));
    if (end != bytes.end())
      return place.at(context.input.offset()).corrupt("something that is no member follows it");
  }
}

}  // namespace penstock::stream
