// Joins the bounds that several files record for a column.
#pragma once
#include "io/files/joined_schema.hpp"
#include "penstock/skipping.hpp"

namespace penstock::io {

// Collects the bounds of parts of a column's rows. An unknown part makes the whole unknown.
class JoinedBounds {
 public:
  explicit JoinedBounds(Type type) : type_(type) {}
  // Adds a part with a value that is not NULL. Bounds are columns of one row; nullopt: unknown.
  void add_values(const std::optional<Column>& lowest, const std::optional<Column>& highest);
  void add_constant(const Scalar& value, std::uint64_t row_count);

  ColumnStatistics statistics() const { return {lowest_, highest_, has_no_values_}; }
  // nullopt if there is no value, or if a part is unknown.
  std::optional<ValueBounds> bounds() const;

 private:
  void take(std::optional<Column>& extreme, const std::optional<Column>& of_part, int sign);

  const Type type_;
  std::optional<Column> lowest_, highest_;
  bool is_unknown_ = false, has_no_values_ = true;
};

}  // namespace penstock::io
