#include "io/files/joined_bounds.hpp"

#include "io/parquet/parquet_bounds.hpp"

namespace penstock::io {

void JoinedBounds::add_values(const std::optional<Column>& lowest,
                              const std::optional<Column>& highest) {
  has_no_values_ = false;
  if (is_unknown_) return;
  is_unknown_ = !lowest || !highest || lowest->type != type_ || highest->type != type_;
  if (!is_unknown_) take(lowest_, lowest, -1);
  if (!is_unknown_) take(highest_, highest, 1);
  if (is_unknown_) lowest_.reset(), highest_.reset();
}

// Takes the value of a part where it lies beyond those that were taken before.
void JoinedBounds::take(std::optional<Column>& extreme, const std::optional<Column>& of_part,
                        int sign) {
  if (!extreme) {
    extreme = of_part;
    return;
  }
  const auto known = ordered_value(*extreme, 0), other = ordered_value(*of_part, 0);
  if (!known || !other)
    is_unknown_ = true;
  else if (sign < 0 ? *other < *known : *other > *known)
    extreme = of_part;
}

void JoinedBounds::add_constant(const Scalar& value, std::uint64_t row_count) {
  if (value.is_null || row_count == 0) return;
  const Column column = column_of(value.type, std::span(&value, 1));
  add_values(column, column);
}

std::optional<ValueBounds> JoinedBounds::bounds() const {
  if (!lowest_ || !highest_) return std::nullopt;
  return ValueBounds{*lowest_, *highest_};
}

}  // namespace penstock::io
