// The loop over ways: whatever stands at the input's position is given to the first that fits, until the input ends.
#include <algorithm>

#include "base/guard.hpp"
#include "stream/device_batch.hpp"
#include "stream/formats.hpp"
#include "stream/lz4_format.hpp"
#include "stream/place.hpp"
#include "stream/ways.hpp"
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

Status unfit(const Context& context) {
  return {Code::invalid, "the way to decode that was asked for, '" + context.options.variant + "', does not fit what stands at byte " +
                             std::to_string(context.input.offset())};
}

// What stands at the input's position, on a device that is not left.
Status not_on_devices(const Context& context, Format format) {
  std::string what;
  for (const Way& way : ways())
    if (way.is_for_devices && way.format == format) what += "; " + std::string(way.summary);
  return {Code::unsupported, std::string(name_of(format)) + ", byte " + std::to_string(context.input.offset()) +
                                 ": what begins here is not decoded on devices" + what};
}

// The host's ways are asked where there is no device, or where it may be left.
Result<const Way*> choose_way(Context& context, Format format) {
  const DecompressOptions& options = context.options;
  for (const Way& way : ways()) {
    if (way.format != format || (!options.variant.empty() && options.variant != way.name)) continue;
    if (way.is_for_devices ? options.device == nullptr : options.device != nullptr && !options.may_leave_device) continue;
    PENSTOCK_ASSIGN(const bool fits, way.fits(context));
    if (fits) return &way;
  }
  return options.device != nullptr && options.variant.empty() ? not_on_devices(context, format) : unfit(context);
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

// Behind a member: whether another follows. gzip ignores zeros there, since tapes have blocks; anything else is an error.
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

class Decompression {
 public:
  Decompression(Input& input, const Sink& sink, const DecompressOptions& options)
      : sink_(sink), context_{input, options, thread_count(options.threads)} {
    if (options.device != nullptr) context_.device = std::make_shared<DeviceRun>(options.device);
  }

  Result<Report> run() {
    report_.threads = context_.threads;
    PENSTOCK_ASSIGN(report_.format, format());
    PENSTOCK_TRY(check_variant(context_.options.variant, report_.format));
    for (bool goes_on = true; goes_on;) {
      PENSTOCK_TRY(run_way());
      PENSTOCK_ASSIGN(goes_on, another_follows(context_, report_.format));
    }
    report_.bytes_in = context_.input.offset();
    report_.member_count = context_.member_count;
    report_.unchecked_member_count = context_.unchecked_member_count;
    report_.first_name = context_.first_name;
    if (context_.device != nullptr) report_.device = context_.device->report();
    return std::move(report_);
  }

 private:
  Result<Format> format() {
    if (!context_.options.format) return detect_format(context_.input);
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(1));
    if (bytes.empty()) return Status(Code::truncated, "it is empty, which no compressed file is");
    return *context_.options.format;
  }

  Status run_way() {
    const std::uint64_t begin = context_.input.offset();
    PENSTOCK_ASSIGN(const Way* const way, choose_way(context_, report_.format));
    if (std::find(report_.variants.begin(), report_.variants.end(), way->name) == report_.variants.end())
      report_.variants.push_back(way->name);
    context_.most_output_bytes = context_.options.max_output_bytes - report_.bytes_out;
    PENSTOCK_ASSIGN(const auto decoder, way->make(context_));
    for (;;) {
      PENSTOCK_ASSIGN(const auto bytes, decoder->next());
      if (bytes.empty()) break;
      PENSTOCK_TRY(deliver(bytes, context_.input.offset() + decoder->bytes_begun()));
    }
    const bool hands_over = context_.unfit_offset == begin;
    return hands_over || context_.input.offset() > begin ? Status() : unfit(context_);
  }

  Status deliver(std::span<const std::byte> bytes, std::uint64_t bytes_in) {
    if (bytes.size() > context_.options.max_output_bytes - report_.bytes_out)
      return {Code::capacity, "it becomes more than the limit of " + std::to_string(context_.options.max_output_bytes) + " bytes"};
    PENSTOCK_TRY(sink_(bytes));
    report_.bytes_out += bytes.size();
    const Progress progress{bytes_in, report_.bytes_out, context_.input.size()};
    if (context_.options.progress && !context_.options.progress(progress)) return {Code::cancelled, "cancelled"};
    return {};
  }

  const Sink& sink_;
  Context context_;
  Report report_;
};

}  // namespace

Result<Report> decompress(const Source& source, const Sink& sink, const DecompressOptions& options) {
  return guard([&]() -> Result<Report> {
    PENSTOCK_ASSIGN(const auto input, Input::open(source));
    return Decompression(*input, sink, options).run();
  });
}

Result<std::vector<std::byte>> decompress(std::span<const std::byte> compressed, const DecompressOptions& options) {
  return guard([&]() -> Result<std::vector<std::byte>> {
    std::vector<std::byte> all;
    const auto append = [&](std::span<const std::byte> bytes) {
      all.insert(all.end(), bytes.begin(), bytes.end());
      return Status();
    };
    PENSTOCK_TRY(decompress(Source::memory(compressed), append, options).status());
    return all;
  });
}

}  // namespace penstock::stream
