#include "exec/groups/first_groups.hpp"

#include <optional>

#include "fuse/program/accumulators.hpp"
#include "table/kernels/first_rows_limits.h"

namespace penstock::plan {

// The place of a column of groups in their words, and its order.
struct GroupColumn {
  std::uint32_t word = 0, null_word = 0, null_bit = FIRST_NEVER_NULL, kind = FIRST_OF_U64;
};

namespace {

// Averages from the device differ from the host's by less than this many units in the last place:
// both convert a sum of 128 bits and divide.
constexpr std::uint64_t average_margin = 64;

std::uint32_t kind_of_values(Type type) {
  if (type.kind == Kind::float32) return FIRST_OF_F32;
  if (type.kind == Kind::float64) return FIRST_OF_F64;
  if (expr::is_wide(type)) return FIRST_OF_I128;
  return expr::is_sign_extended(type) ? FIRST_OF_I64 : FIRST_OF_U64;
}

GroupColumn place_of_key(const TileProgram& program, std::uint32_t key) {
  return {key, program.key_count + key / 64, key % 64, kind_of_values(program.schema[key].type)};
}

std::optional<GroupColumn> key_column(const TileProgram& program, std::uint32_t column) {
  const Type type = program.schema[column].type;
  if (type.kind == Kind::string || width_bytes(type) > 8) return {};
  return place_of_key(program, column);
}

std::optional<std::uint32_t> kind_of_result(const AggregateResult& result, const Accumulator& a) {
  const bool is_real = is_rounded_sum(a);
  switch (row_of(result.function).finish) {
    case Finish::counts: return FIRST_OF_U64;
    case Finish::sum:
      if (is_real && result.type.kind != Kind::float64) return {};  // rounding makes values equal
      return is_real ? FIRST_OF_F64 : FIRST_OF_I128;
    case Finish::average: return is_real ? FIRST_OF_AVERAGE_F64 : FIRST_OF_AVERAGE_I128;
    case Finish::value: break;
  }
  return is_extreme(a) ? std::optional(kind_of_values(a.type)) : std::nullopt;
}

// An accumulator has two words after the words of the keys.
std::optional<GroupColumn> result_column(const TileProgram& program, std::uint32_t i) {
  const AggregateResult& result = program.results[i];
  const auto kind = kind_of_result(result, program.accumulators[result.accumulator]);
  if (!kind) return {};
  return GroupColumn{
      program.key_words() + 2 * result.accumulator, program.key_words() + 2 * result.count,
      counts_values(result.function) ? FIRST_NEVER_NULL : FIRST_NULL_WITHOUT_COUNT, *kind};
}

// Returns nothing for columns that the device does not order.
std::optional<GroupColumn> group_column(const TileProgram& program, const Traits& traits,
                                        std::uint32_t column) {
  const std::optional<GroupColumn> found = column < program.key_count
                                               ? key_column(program, column)
                                               : result_column(program, column - program.key_count);
  const bool needs_f64 = found && found->kind >= FIRST_OF_AVERAGE_I128;
  return needs_f64 && !traits.has_f64 ? std::nullopt : found;
}

}  // namespace

std::unique_ptr<FirstGroups> FirstGroups::begin(const MergePlace& place, const TileProgram& program,
                                                const TopK* first) {
  if (!first || first->count == 0 || first->count == ~std::uint64_t{0}) return nullptr;
  if (!first->keys.empty() && !group_column(program, place.device->traits(), first->keys[0].column))
    return nullptr;
  std::unique_ptr<FirstGroups> groups(new FirstGroups(place, program, *first));
  groups->rows_ = FirstRows::begin(place.device, place.memory_limit_bytes);
  return groups;
}

// Divides groups by a key of the order. Returns false if the device does not order it.
Result<bool> FirstGroups::divide(const GroupsOnDevice& groups, const SortKey& key) {
  const auto column = group_column(program_, place_.device->traits(), key.column);
  if (!column) return false;
  PENSTOCK_TRY(divide(groups, key, *column));
  return true;
}

Status FirstGroups::divide(const GroupsOnDevice& groups, const SortKey& key,
                           const GroupColumn& column) {
  const std::uint32_t order =
      (key.descending ? FIRST_DESCENDING : 0u) | (key.nulls_first ? FIRST_NULLS_FIRST : 0u);
  PENSTOCK_TRY(rows_->launch(
      "first_group_words", groups.count,
      {Argument::of(*groups.words), Argument::of(rows_->words()), Argument::value(groups.count),
       Argument::value(groups.stride), Argument::value(column.word),
       Argument::value(column.null_word), Argument::value(column.null_bit),
       Argument::value(column.kind), Argument::value(order)}));
  return rows_->divide(column.kind >= FIRST_OF_AVERAGE_I128 ? average_margin : 0);
}

// Divides groups that are equal in the order, any of which may come first: by keys that are
// numbers, and at last by codes of strings.
Status FirstGroups::divide_tied(const GroupsOnDevice& groups) {
  for (const bool are_strings : {false, true})
    for (std::uint32_t key = 0; key < program_.key_count && !rows_->is_enough(); key++)
      if ((program_.schema[key].type.kind == Kind::string) == are_strings)
        PENSTOCK_TRY(divide(groups, {key, false, false}, place_of_key(program_, key)));
  return {};
}

Result<GroupsOnDevice> FirstGroups::select(const GroupsOnDevice& groups) {
  const bool are_few =
      place_.location != MergeLocation::device && groups.count < min_selected_groups;
  if (are_few || first_.count >= groups.count / 4) return groups;
  PENSTOCK_ASSIGN(const bool fits, rows_->open(*place_.queue, groups.count, first_.count));
  if (!fits) return groups;
  bool is_divided = true;
  for (const SortKey& key : first_.keys) {
    PENSTOCK_ASSIGN(is_divided, divide(groups, key));
    if (!is_divided || rows_->is_enough()) break;
  }
  if (is_divided) PENSTOCK_TRY(divide_tied(groups));
  if (rows_->kept() > groups.count / 2) return groups;
  PENSTOCK_ASSIGN(auto kept, rows_->collect(*groups.words, groups.stride));
  if (!kept.first) return groups;
  return GroupsOnDevice{std::move(kept.first), kept.second, groups.stride};
}

void FirstGroups::add_to(RunReport& report) const { rows_->add_to(report, "first_groups"); }

}  // namespace penstock::plan
