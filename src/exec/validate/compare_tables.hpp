// Compares a device's rows with the reference's.
#pragma once
#include <optional>
#include <span>

#include "penstock/plan.hpp"

namespace penstock::plan {

// The tolerance of a column: how far two values may differ. Without any they are equal; NaN is
// equal to NaN, and -0.0 to 0.0.
struct Tolerance {
  // Values that devices compute to some units in the last place (sin, exp, power..., UDFs of
  // floats): 1e-9 of the value, FLOAT 1e-4. Numbers that are not floats may also differ by one
  // unit.
  bool is_approximate = false;
  // Sums and averages of floats, which the device adds in its own order: the sum of the absolute
  // values in the reference's rows. They may differ by 1e-9 of it.
  std::optional<Column> magnitude;
};

struct Difference {
  std::uint64_t row = 0;
  std::size_t column = 0;
};  // in the reference

// Returns the first of the reference's rows that differs from the device's rows from `first` on.
// The end of either is not a difference.
std::optional<Difference> first_difference(const Table& device, std::uint64_t first,
                                           const Table& reference,
                                           std::span<const Tolerance> tolerances);

// Returns the tolerances of a step's columns that are computed approximately, from its input's
// tolerances. Magnitudes are not set.
std::vector<Tolerance> tolerances_after(const Step& step, std::span<const Tolerance> input);

std::string cell_text(const Table& table, std::size_t column, std::uint64_t row);
// Returns "a = 3, b = NULL, c = 'x'" of the first columns.
std::string row_text(const Table& table, std::uint64_t row, std::size_t column_count);

}  // namespace penstock::plan
