// The values of a node for a batch of rows.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/expression.hpp"

namespace penstock::expr {

enum class LaneState : std::uint8_t { present, null, fault };

// One of the three holds the values, by the type.
struct Lane {
  Type type;
  std::vector<Int128> integers;
  std::vector<double> reals;
  std::vector<std::string_view> texts;
  std::deque<std::string> owned;  // texts that are not a column's
  std::string joined;             // texts that a loop put together, one after the other
  std::vector<LaneState> states;

  void begin(Type of, std::size_t count);
  Scalar scalar(std::size_t row) const;
  void load(std::size_t row, Scalar& into) const;  // the same, in memory that `into` may have
  void set(std::size_t row, Scalar value);
  void copy(std::size_t row, const Lane& from) {
    states[row] = from.states[row];
    if (!integers.empty())
      integers[row] = from.integers[row];
    else if (!reals.empty())
      reals[row] = from.reals[row];
    else
      texts[row] = from.texts[row];
  }
};

// Fills a lane with rows of a column from `first` on.
void load_lane(const Column& column, std::uint64_t first, Lane& lane);

}  // namespace penstock::expr
