// Aggregates of DuckDB's plans that groups do not keep in one number, and reductions.
#pragma once
#include <optional>
#include <string_view>

#include "penstock/steps.hpp"
#include "relation/statistics/statistics.hpp"
#include "sql/duckdb/plan_json.hpp"

namespace penstock::sql {

struct NamedStatistic {
  std::string_view name;
  relation::Statistic function = relation::Statistic::quantile;
  std::size_t arguments = 1;
  bool descending = false;   // first: the greatest of the second argument
  bool keeps_nulls = false;  // first
};
// Returns null where a name is no statistic.
const NamedStatistic* statistic_named(std::string_view name);

// Returns the share that a quantile's call states; nullopt of several.
std::optional<relation::Share> share_of(const Tree& call);

// Returns the reduction of an aggregate's name for a type: bit_and, product...; null where there is
// none.
std::shared_ptr<const CustomReduction> reduction_named(std::string_view name, Type type);
bool is_reduction(std::string_view name);
// Returns whether repeated values change nothing.
bool ignores_repeated(std::string_view name);

}  // namespace penstock::sql
