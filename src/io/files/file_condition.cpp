#include "io/files/file_condition.hpp"

#include "io/parquet/parquet_bounds.hpp"

namespace penstock::io {
namespace {

Bounds bounds_of(const Scalar& value) {
  Bounds bounds;
  bounds.row_count = 1;
  bounds.null_count = value.is_null ? 1 : 0;
  if (!value.is_null)
    bounds.lowest = bounds.highest = ordered_value(column_of(value.type, std::span(&value, 1)), 0);
  return bounds;
}

class Translation {
 public:
  Translation(const FilePart& part, const Schema& schema) : part_(part), schema_(schema) {}

  std::optional<RowCondition> of(const RowCondition& needed) const {
    if (needed.test == RowTest::all_of) return all_of(needed);
    if (needed.test == RowTest::any_of) return any_of(needed);
    return comparison(needed);
  }

 private:
  std::optional<RowCondition> all_of(const RowCondition& needed) const {
    RowCondition own;
    for (const RowCondition& condition : needed.conditions) {
      std::optional<RowCondition> part = of(condition);
      if (!part) return std::nullopt;
      if (!holds_always(*part)) own.conditions.push_back(std::move(*part));
    }
    return own;
  }

  std::optional<RowCondition> any_of(const RowCondition& needed) const {
    RowCondition own;
    own.test = RowTest::any_of;
    for (const RowCondition& condition : needed.conditions) {
      std::optional<RowCondition> part = of(condition);
      if (part && holds_always(*part)) return RowCondition();
      if (part) own.conditions.push_back(std::move(*part));
    }
    return own.conditions.empty() ? std::nullopt : std::optional(std::move(own));
  }

  // Nothing is known of a cast column: a cast may change the order of values.
  std::optional<RowCondition> comparison(const RowCondition& needed) const {
    const Type type = schema_[needed.column].type;
    const auto& stored = part_.stored[needed.column];
    if (!stored) {
      const bool may = may_hold(needed, bounds_of(constant_of(part_, needed.column, type)));
      return may ? std::optional(RowCondition()) : std::nullopt;
    }
    if (part_.source->schema()[*stored].type != type) return RowCondition();
    RowCondition own = needed;
    own.column = *stored;
    return own;
  }

  const FilePart& part_;
  const Schema& schema_;
};

}  // namespace

bool holds_always(const RowCondition& condition) {
  return condition.test == RowTest::all_of && condition.conditions.empty();
}

std::optional<RowCondition> condition_of_file(const FilePart& part, const Schema& schema,
                                              const RowCondition& needed) {
  return Translation(part, schema).of(needed);
}

}  // namespace penstock::io
