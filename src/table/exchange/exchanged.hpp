// The outcome of a step that several shares took together (collective.hpp), and its rows.
// PENSTOCK_TRY and PENSTOCK_ASSIGN leave a function with any other outcome than rows.
#pragma once
#include <optional>
#include <utility>
#include <variant>

#include "penstock/status.hpp"

namespace penstock::plan {

enum class Outcome : unsigned char { rows, refused, error };

class [[nodiscard]] Agreement {
 public:
  Agreement() = default;  // all have agreed
  Agreement(Status error)
      : outcome_(error.ok() ? Outcome::rows : Outcome::error), error_(std::move(error)) {}
  static Agreement refused() { return Agreement(Outcome::refused); }

  bool ok() const { return outcome_ == Outcome::rows; }
  Outcome outcome() const { return outcome_; }
  const Status& error() const { return error_; }
  // Returns whether all have agreed, or the error.
  Result<bool> result() const {
    return outcome_ == Outcome::error ? Result<bool>(error_) : Result<bool>(ok());
  }

 private:
  explicit Agreement(Outcome outcome) : outcome_(outcome) {}

  Outcome outcome_ = Outcome::rows;
  Status error_;
};

template <class Rows> class [[nodiscard]] Exchanged {
 public:
  Exchanged(Rows rows) : state_(std::in_place_index<0>, std::move(rows)) {}
  Exchanged(Agreement ended) : state_(std::in_place_index<1>, std::move(ended)) {}
  Exchanged(Status error) : Exchanged(Agreement(std::move(error))) {}

  bool ok() const { return state_.index() == 0; }
  Agreement agreement() const { return ok() ? Agreement() : std::get<1>(state_); }
  Outcome outcome() const { return agreement().outcome(); }
  Rows&& value() && { return std::get<0>(std::move(state_)); }
  // Returns the rows, nothing after a refusal, or the error.
  Result<std::optional<Rows>> result() && {
    if (ok()) return std::optional<Rows>(std::move(*this).value());
    if (outcome() == Outcome::refused) return std::optional<Rows>();
    return agreement().error();
  }

 private:
  std::variant<Rows, Agreement> state_;
};

}  // namespace penstock::plan

namespace penstock {

inline plan::Agreement status_of(plan::Agreement ended) { return ended; }
template <class Rows> plan::Agreement status_of(const plan::Exchanged<Rows>& ended) {
  return ended.agreement();
}

}  // namespace penstock
