// Options of handles. All are text; numbers and bytes are converted.
#pragma once
#include "session/adbc/handles.hpp"

namespace penstock::adbc {

using OptionText = std::optional<std::string>;  // nothing: the option is taken back

Result<bool> read_boolean(std::string_view key, const OptionText& value);
Outcome unknown_option(std::string_view kind, std::string_view key);

// Copy a value out, if `length` says that there is room, and set `length`.
Outcome copy_text(const std::string& value, char* out, std::size_t* length);
Outcome copy_bytes(const std::string& value, std::uint8_t* out, std::size_t* length);
Outcome copy_real(const std::string& value, double* out);
Outcome copy_integer(const std::string& value, std::int64_t* out);

// Returns an option's value, which copy_...() above take; an unknown one is an error.
template <class Handle, class Copy>
AdbcStatusCode get_option(Handle* handle, const char* key, AdbcError* error, Copy&& copy) {
  return with_state(handle, error, [&](auto& state) -> Outcome {
    if (key == nullptr) return Outcome(status_invalid_argument, "the option's name is null");
    const OptionText value = state.option(key);
    if (!value)
      return Outcome(status_not_found, std::string(HandleTraits<Handle>::name) +
                                           " has no value of the option '" + key + "'");
    return copy(*value);
  });
}

template <class Handle>
AdbcStatusCode set_option(Handle* handle, const char* key, OptionText value, AdbcError* error) {
  return with_state(handle, error, [&](auto& state) -> Outcome {
    if (key == nullptr) return Outcome(status_invalid_argument, "the option's name is null");
    return state.set_option(key, value);
  });
}

template <class Handle> constexpr GetOptions<Handle> get_options() {
  return {[](Handle* handle, const char* key, char* out, std::size_t* length, AdbcError* error) {
            return get_option(handle, key, error, [&](const std::string& value) {
              return copy_text(value, out, length);
            });
          },
          [](Handle* handle, const char* key, std::uint8_t* out, std::size_t* length,
             AdbcError* error) {
            return get_option(handle, key, error, [&](const std::string& value) {
              return copy_bytes(value, out, length);
            });
          },
          [](Handle* handle, const char* key, double* out, AdbcError* error) {
            return get_option(handle, key, error,
                              [&](const std::string& value) { return copy_real(value, out); });
          },
          [](Handle* handle, const char* key, std::int64_t* out, AdbcError* error) {
            return get_option(handle, key, error,
                              [&](const std::string& value) { return copy_integer(value, out); });
          }};
}

template <class Handle>
AdbcStatusCode set_text_option(Handle* handle, const char* key, const char* value,
                               AdbcError* error) {
  return set_option(handle, key, value == nullptr ? OptionText() : OptionText(value), error);
}

template <class Handle> constexpr SetOptions<Handle> set_options() {
  return {[](Handle* handle, const char* key, const std::uint8_t* value, std::size_t length,
             AdbcError* error) {
            const auto* const text = reinterpret_cast<const char*>(value);
            return set_option(handle, key,
                              value == nullptr ? OptionText() : std::string(text, length), error);
          },
          [](Handle* handle, const char* key, double value, AdbcError* error) {
            return set_option(handle, key, std::to_string(value), error);
          },
          [](Handle* handle, const char* key, std::int64_t value, AdbcError* error) {
            return set_option(handle, key, std::to_string(value), error);
          }};
}

}  // namespace penstock::adbc
