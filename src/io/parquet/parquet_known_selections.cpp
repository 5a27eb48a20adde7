#include "io/parquet/parquet_known_selections.hpp"

#include <algorithm>

namespace penstock::io {
namespace {

constexpr std::size_t max_key_bytes = std::size_t{64} << 10;

void add_number(std::string& key, std::uint64_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Constants have the type of their column, so that it need not be in the key. None is NULL, though
// those that are strings have bits that say so.
bool add_constants(std::string& key, const Column& constants) {
  if (constants.dictionary || constants.encoded || constants.device_values) return false;
  add_number(key, constants.row_count);
  const Kind kind = constants.type.kind;
  for (std::uint64_t i = 0; i < constants.row_count; i++) {
    if (kind == Kind::string) {
      add_number(key, constants.string(i).size());
      key += constants.string(i);
    } else if (kind == Kind::boolean) {
      key += constants.boolean(i) ? '1' : '0';
    } else {
      const std::size_t width = width_bytes(constants.type);
      key.append(reinterpret_cast<const char*>(constants.values.data) + i * width, width);
    }
  }
  return true;
}

bool add_condition(std::string& key, const RowCondition& condition) {
  key += static_cast<char>(condition.test);
  key += condition.keeps_nulls ? '1' : '0';
  add_number(key, condition.column);
  add_number(key, condition.conditions.size());
  return add_constants(key, condition.constants) &&
         std::ranges::all_of(condition.conditions,
                             [&](const RowCondition& part) { return add_condition(key, part); });
}

}  // namespace

std::optional<std::string> KnownSelections::key_of(const RowCondition& condition) {
  std::string key;
  return add_condition(key, condition) ? std::optional(std::move(key)) : std::nullopt;
}

std::optional<RowSelection> KnownSelections::find(const std::string& key) {
  std::shared_ptr<const RowSelection> rows;  // copied after the lock: shares ask at once
  {
    const std::lock_guard lock(mutex_);
    const auto* const known = selections_.find(key);
    if (!known) return {};
    rows = *known;
  }
  return *rows;
}

void KnownSelections::keep(const std::string& key, const RowSelection& rows) {
  if (key.size() > max_key_bytes) return;
  const std::uint64_t bytes = key.size() + rows.ranges.size() * sizeof(RowRange);
  auto kept = std::make_shared<const RowSelection>(rows);
  const std::lock_guard lock(mutex_);
  static_cast<void>(selections_.put(key, std::move(kept), bytes));
}

}  // namespace penstock::io
