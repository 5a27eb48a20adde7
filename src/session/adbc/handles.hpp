// The states behind a caller's handles. A handle's private data is a shared pointer: a statement
// keeps its connection's database, whichever is released first.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "session/adbc/outcome.hpp"

namespace penstock::adbc {

class Database;
class Connection;
class Statement;

template <class Handle> struct HandleTraits;
template <> struct HandleTraits<AdbcDatabase> {
  using State = Database;
  static constexpr const char* name = "database";
};
template <> struct HandleTraits<AdbcConnection> {
  using State = Connection;
  static constexpr const char* name = "connection";
};
template <> struct HandleTraits<AdbcStatement> {
  using State = Statement;
  static constexpr const char* name = "statement";
};
template <class Handle> using StateOf = typename HandleTraits<Handle>::State;

template <class Handle> Outcome make_state(Handle* handle, std::shared_ptr<StateOf<Handle>> state) {
  const std::string name = HandleTraits<Handle>::name;
  if (handle == nullptr) return Outcome(status_invalid_state, "the " + name + "'s handle is null");
  if (handle->private_data != nullptr)
    return Outcome(status_invalid_state, "the " + name + " exists already; release it first");
  handle->private_data = new std::shared_ptr<StateOf<Handle>>(std::move(state));
  return {};
}

template <class Handle> Outcome check_handle(const Handle* handle) {
  if (handle != nullptr && handle->private_data != nullptr) return {};
  return Outcome(status_invalid_state, std::string("there is no ") + HandleTraits<Handle>::name +
                                           " in the handle: it was not made, or it was released");
}

template <class Handle> std::shared_ptr<StateOf<Handle>> state_in(const Handle* handle) {
  return *static_cast<std::shared_ptr<StateOf<Handle>>*>(handle->private_data);
}

template <class Handle> Outcome release_state(Handle* handle) {
  PENSTOCK_TRY(check_handle(handle));
  delete static_cast<std::shared_ptr<StateOf<Handle>>*>(handle->private_data);
  handle->private_data = nullptr;
  return {};
}

// Runs work on what a handle refers to.
template <class Handle, class Work>
AdbcStatusCode with_state(Handle* handle, AdbcError* error, Work&& work) {
  return enter(error, [&]() -> Outcome {
    PENSTOCK_TRY(check_handle(handle));
    const auto state = state_in(handle);
    return work(*state);
  });
}

}  // namespace penstock::adbc
