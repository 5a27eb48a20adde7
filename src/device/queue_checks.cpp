#include "device/queue_checks.hpp"

namespace penstock::device {

Status check_range(std::string_view call, const Buffer& buffer, std::uint64_t bytes,
                   std::uint64_t offset) {
  if (offset <= buffer.bytes() && bytes <= buffer.bytes() - offset) return {};
  return Status(Code::invalid, std::string(call) + " of " + std::to_string(bytes) + " bytes at " +
                                   std::to_string(offset) + " passes the end of a buffer of " +
                                   std::to_string(buffer.bytes()) + " bytes");
}

Status check_copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) {
  PENSTOCK_TRY(check_range("copy", to, bytes, 0));
  PENSTOCK_TRY(check_range("copy", from, bytes, 0));
  if (&to == &from) return Status(Code::invalid, "copy of a buffer onto itself");
  return {};
}

Status check_fill(const Buffer& to, std::uint64_t bytes) {
  PENSTOCK_TRY(check_range("fill", to, bytes, 0));
  if (bytes % 4 != 0)
    return Status(Code::invalid,
                  "fill of " + std::to_string(bytes) + " bytes: not a multiple of 4");
  return {};
}

Status check_argument_count(std::string_view kernel, std::size_t wanted, std::size_t given) {
  if (wanted == given) return {};
  return Status(Code::invalid, "kernel '" + std::string(kernel) + "' takes " +
                                   std::to_string(wanted) + " arguments, not " +
                                   std::to_string(given));
}

Status with_argument(const Status& status, std::size_t index, std::string_view kernel) {
  return status.with("argument " + std::to_string(index) + " of kernel '" + std::string(kernel) +
                     "'");
}

}  // namespace penstock::device
