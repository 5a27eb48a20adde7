// Errors as values.
//
// Everything that can fail returns a Status or a Result<T>. A Status is one pointer: null means ok,
// otherwise a code, a message and the context lines added on the way up. The library never prints,
// throws or aborts on bad input.
//
//     Result<Table> load(std::string_view path) {
//       PENSTOCK_ASSIGN(auto file, open(path));              // returns the Status if open failed
//       PENSTOCK_TRY(file.check().with("while opening " + std::string(path)));
//       return file.table();
//     }
#pragma once
#include <cassert>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace penstock {

enum class Code : unsigned char {
  ok,
  invalid,      // the caller's input is wrong: a type error, an unknown column, a bad option
  unsupported,  // valid, but not something Penstock does; the message names it
  corrupt,      // untrusted bytes contradict their format
  truncated,    // untrusted bytes end too early
  overflow,     // a value left its type's range while a query ran
  capacity,     // a stated limit was reached
  no_memory,
  no_device,
  compile,  // a kernel did not compile; the message holds the compiler's log
  device_lost,
  io,
  cancelled,
  internal,
};
std::string_view name_of(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  Status(Code code, std::string message);

  bool ok() const { return body_ == nullptr; }
  Code code() const;
  const std::string& message() const;               // empty when ok
  const std::vector<std::string>& context() const;  // innermost first
  // Adds a line that says what was being done; does nothing to an ok Status.
  Status with(std::string context) const;
  // "invalid: no column 'prize' (while binding the WHERE clause)"
  std::string text() const;

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
};

template <class T> class [[nodiscard]] Result {
 public:
  using Value = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {
    assert(!std::get<1>(state_).ok() && "a Result needs a value or an error");
  }
  template <class U>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::decay_t<U>, T> &&
             !std::is_same_v<std::decay_t<U>, Status> && !std::is_same_v<std::decay_t<U>, Result>)
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool ok() const { return state_.index() == 0; }
  Status status() const { return ok() ? Status() : std::get<1>(state_); }
  Status with(std::string context) const { return status().with(std::move(context)); }

  T& value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    assert(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Status> state_;
};

// Leaves the function with the error of a Status or Result expression.
#define PENSTOCK_TRY(...)                                              \
  do {                                                                 \
    if (auto penstock_status_ = (__VA_ARGS__); !penstock_status_.ok()) \
      return ::penstock::status_of(std::move(penstock_status_));       \
  } while (false)
// PENSTOCK_ASSIGN(auto x, f()): declares or assigns the value of f(), or leaves the function with
// its error. It is several statements, so that it can declare x: an `if` or a loop around it needs
// braces.
#define PENSTOCK_ASSIGN(declaration, ...) \
  PENSTOCK_ASSIGN_AT_(PENSTOCK_PASTE_(penstock_result_, __LINE__), declaration, __VA_ARGS__)
#define PENSTOCK_ASSIGN_AT_(name, declaration, ...)              \
  auto name = (__VA_ARGS__);                                     \
  if (!name.ok()) return ::penstock::status_of(std::move(name)); \
  declaration = std::move(name).value()
#define PENSTOCK_PASTE_(a, b) PENSTOCK_PASTE2_(a, b)
#define PENSTOCK_PASTE2_(a, b) a##b

inline Status status_of(Status status) { return status; }
template <class T> Status status_of(const Result<T>& result) { return result.status(); }

}  // namespace penstock
