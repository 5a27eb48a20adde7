#include "stream/select_method.hpp"

#include <algorithm>

#include "base/machine_memory.hpp"
#include "stream/device/device_session.hpp"
#include "stream/input/error_location.hpp"

namespace penstock::stream {
namespace {

std::span<const Method> methods_of(const Context& context) {
  return row_of(context.report.format).methods();
}

Status check_method_name(const Context& context) {
  const std::string& name = context.options.method;
  if (name.empty()) return {};
  std::string known;
  for (const Method& method : methods_of(context)) {
    if (name == method.name) return {};
    known += (known.empty() ? "" : ", ") + std::string(method.name);
  }
  return {Code::invalid, "unknown method '" + name + "' for " +
                             std::string(name_of(context.report.format)) + "; known are " + known};
}

Status unsupported_on_devices(const Context& context) {
  std::string supported;
  for (const Method& method : methods_of(context))
    if (method.is_for_devices()) supported += "; " + std::string(method.summary);
  if (!context.options.dictionary.empty()) supported += "; without a dictionary";
  if (context.input.exceeds_buffer_limit())
    supported += "; the input is too long for methods that need all of it in memory";
  const ErrorLocation location{context.report.format, context.next_member(),
                               context.input.offset()};
  return location.error(Code::unsupported,
                        "not decoded on " + context.session->device()->traits().id + supported);
}

bool is_candidate(const Method& method, const Context& context) {
  return context.options.method.empty() || context.options.method == method.name;
}

// Returns the first method for devices, or for the host, that fits; null if none does.
Result<const Method*> first_that_fits(Context& context, bool is_for_devices,
                                      const Method* rejected) {
  for (const Method& method : methods_of(context)) {
    if (&method == rejected || !is_candidate(method, context) ||
        method.is_for_devices() != is_for_devices)
      continue;
    PENSTOCK_ASSIGN(const bool fits, method.fits(context));
    if (fits) return &method;
  }
  return nullptr;
}

bool may_need_whole_input(const Context& context) {
  const auto all = methods_of(context);
  return std::any_of(all.begin(), all.end(), [&](const Method& method) {
    return is_candidate(method, context) && method.needs_whole_input();
  });
}

// The host's methods are tried without a device, or if falling back is allowed. If no device method
// fits, and some of them need the whole input, the input is read to its end first.
Result<const Method*> select_method(Context& context, const Method* rejected) {
  const DecompressOptions& options = context.options;
  if (options.device != nullptr) {
    PENSTOCK_ASSIGN(const Method* method, first_that_fits(context, true, rejected));
    if (method == nullptr && !context.input.is_in_memory() && may_need_whole_input(context)) {
      PENSTOCK_ASSIGN(const bool is_buffered, buffer_input(context));
      if (is_buffered) { PENSTOCK_ASSIGN(method, first_that_fits(context, true, rejected)); }
    }
    if (method != nullptr) return method;
  }
  if (options.device == nullptr || options.fallback) {
    PENSTOCK_ASSIGN(const Method* const method, first_that_fits(context, false, rejected));
    if (method != nullptr) return method;
  }
  return options.device != nullptr && options.method.empty() ? unsupported_on_devices(context)
                                                             : method_mismatch(context);
}

// The most that the device can allocate at once, but at most half of this machine's memory. For a
// pipe a quarter, since growing copies the buffer.
std::uint64_t max_buffered_bytes(const Context& context) {
  return std::min(context.session->device()->traits().max_allocation_bytes,
                  machine_memory_bytes() / (context.input.size() ? 2 : 4));
}

Result<Format> identify_format(Context& context) {
  if (!context.options.format) return detect_format(context.input);
  PENSTOCK_ASSIGN(const auto bytes, context.input.peek(1));
  if (bytes.empty()) return Status(Code::truncated, "unexpected end of file: the input is empty");
  return *context.options.format;
}

void note_method(Report& report, const Method& method) {
  if (std::find(report.methods.begin(), report.methods.end(), method.name) == report.methods.end())
    report.methods.push_back(method.name);
}

}  // namespace

Status for_each_member(Context& context,
                       const std::function<Result<bool>(const Method& method)>& decode) {
  PENSTOCK_ASSIGN(context.report.format, identify_format(context));
  PENSTOCK_TRY(check_method_name(context));
  const FormatRow& row = row_of(context.report.format);
  const Method* rejected = nullptr;
  bool has_member = true;
  if (row.has_skippable_frames) { PENSTOCK_ASSIGN(has_member, row.has_next_member(context)); }
  while (has_member) {
    const std::uint64_t begin = context.input.offset();
    PENSTOCK_ASSIGN(const Method* const method, select_method(context, rejected));
    note_method(context.report, *method);
    PENSTOCK_ASSIGN(const bool is_decoded, decode(*method));
    rejected = is_decoded ? nullptr : method;
    if (!is_decoded) continue;
    if (context.input.offset() == begin) return method_mismatch(context);
    PENSTOCK_ASSIGN(has_member, row.has_next_member(context));
  }
  context.report.bytes_in = context.input.offset();
  return {};
}

Result<bool> buffer_input(Context& context) {
  if (context.input.is_in_memory()) return true;
  if (context.input.exceeds_buffer_limit()) return false;
  const bool is_pipe = !context.input.size();
  PENSTOCK_ASSIGN(const bool is_buffered, context.input.buffer_rest(max_buffered_bytes(context)));
  if (is_buffered && is_pipe)
    context.report.buffered_bytes = *context.input.size() - context.input.offset();
  return is_buffered;
}

Status method_mismatch(const Context& context) {
  const std::string byte = std::to_string(context.input.offset());
  if (context.options.method.empty())
    return {Code::corrupt, "not in " + std::string(name_of(context.report.format)) +
                               " format (byte " + byte + ")"};
  return {Code::invalid,
          "method '" + context.options.method + "' does not fit the data at byte " + byte};
}

}  // namespace penstock::stream
