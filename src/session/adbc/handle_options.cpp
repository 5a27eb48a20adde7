#include "session/adbc/handle_options.hpp"

#include <charconv>
#include <cstring>

namespace penstock::adbc {
namespace {

template <class Number> Outcome copy_number(const std::string& value, Number* out) {
  if (out == nullptr) return Outcome(status_invalid_argument, "there is no place for the value");
  const auto read = std::from_chars(value.data(), value.data() + value.size(), *out);
  if (read.ec == std::errc() && read.ptr == value.data() + value.size()) return {};
  return Outcome(status_not_found, "the option's value '" + value + "' is not such a number");
}

Outcome copy_out(const char* value, std::size_t size, void* out, std::size_t* length) {
  if (length == nullptr || (out == nullptr && *length > 0))
    return Outcome(status_invalid_argument, "there is no place for the value");
  if (size <= *length && size > 0) std::memcpy(out, value, size);
  *length = size;
  return {};
}

}  // namespace

Result<bool> read_boolean(std::string_view key, const OptionText& value) {
  if (value == "true") return true;
  if (value == "false") return false;
  return Status(Code::invalid, "the option '" + std::string(key) + "' is true or false, not '" +
                                   value.value_or("") + "'");
}

Outcome unknown_option(std::string_view kind, std::string_view key) {
  return Outcome(status_not_implemented, "a " + std::string(kind) + " has no option '" +
                                             std::string(key) + "' that can be set so");
}

Outcome copy_text(const std::string& value, char* out, std::size_t* length) {
  return copy_out(value.c_str(), value.size() + 1, out, length);
}
Outcome copy_bytes(const std::string& value, std::uint8_t* out, std::size_t* length) {
  return copy_out(value.data(), value.size(), out, length);
}
Outcome copy_real(const std::string& value, double* out) { return copy_number(value, out); }
Outcome copy_integer(const std::string& value, std::int64_t* out) {
  return copy_number(value, out);
}

}  // namespace penstock::adbc
