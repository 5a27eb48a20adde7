// The loop over ways: whatever stands at the input's position is given to the first that fits,
// until the input ends.
#include <algorithm>

#include "base/exception_boundary.hpp"
#include "stream/device/device_batch.hpp"
#include "stream/device/device_stages.hpp"
#include "stream/select_method.hpp"

namespace penstock::stream {
namespace {

class Decompression {
 public:
  Decompression(Input& input, const Sink& sink, const DecompressOptions& options)
      : sink_(sink), context_{input, options, thread_count(options.threads)} {
    if (options.device != nullptr) context_.device = std::make_shared<DeviceRun>(options.device);
    context_.on_decoded = [this](std::uint64_t bytes_in) { return tell(bytes_in); };
  }

  Result<Report> run() {
    report_.threads = context_.threads;
    PENSTOCK_ASSIGN(report_.format, format_of(context_));
    for (bool goes_on = true; goes_on;) {
      PENSTOCK_TRY(run_method());
      PENSTOCK_ASSIGN(goes_on, another_follows(context_, report_.format));
    }
    report_.bytes_in = context_.input.offset();
    report_.member_count = context_.member_count;
    report_.unchecked_member_count = context_.unchecked_member_count;
    report_.first_name = context_.first_name;
    report_.held_bytes = context_.held_bytes;
    if (context_.device != nullptr) report_.device = context_.device->report();
    return std::move(report_);
  }

 private:
  Status run_method() {
    const std::uint64_t begin = context_.input.offset();
    PENSTOCK_ASSIGN(const Method* const method, choose_method(context_, report_.format));
    if (std::find(report_.variants.begin(), report_.variants.end(), method->name) ==
        report_.variants.end())
      report_.variants.push_back(method->name);
    context_.remaining_output_bytes = context_.options.max_output_bytes - report_.bytes_out;
    PENSTOCK_ASSIGN(const auto decoder, make_decoder(*method));
    for (;;) {
      PENSTOCK_ASSIGN(const auto bytes, decoder->next());
      if (bytes.empty()) break;
      PENSTOCK_TRY(deliver(
          bytes, context_.input.offset() + decoder->bytes_begun() - decoder->bytes_ahead()));
    }
    const bool hands_over = context_.unfit_offset == begin;
    return hands_over || context_.input.offset() > begin ? Status() : unfit(context_);
  }

  Result<std::unique_ptr<Decoder>> make_decoder(const Method& method) {
    if (method.units == nullptr) return method.make(context_);
    const std::uint64_t piece_bytes = device_piece_bytes(*context_.device->device());
    return make_on_device(method.units(context_, piece_bytes), context_);
  }

  Status deliver(std::span<const std::byte> bytes, std::uint64_t bytes_in) {
    if (bytes.size() > context_.options.max_output_bytes - report_.bytes_out)
      return {Code::capacity, "it becomes more than the limit of " +
                                  std::to_string(context_.options.max_output_bytes) + " bytes"};
    PENSTOCK_TRY(sink_(bytes));
    report_.bytes_out += bytes.size();
    return tell(bytes_in);
  }

  Status tell(std::uint64_t bytes_in) {
    const Progress progress{bytes_in, report_.bytes_out, context_.input.size()};
    if (context_.options.progress && !context_.options.progress(progress))
      return {Code::cancelled, "cancelled"};
    return {};
  }

  const Sink& sink_;
  Context context_;
  Report report_;
};

}  // namespace

Result<Report> decompress(const Source& source, const Sink& sink,
                          const DecompressOptions& options) {
  return guard([&]() -> Result<Report> {
    PENSTOCK_ASSIGN(const auto input, Input::open(source));
    return Decompression(*input, sink, options).run();
  });
}

Result<std::vector<std::byte>> decompress(std::span<const std::byte> compressed,
                                          const DecompressOptions& options) {
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
