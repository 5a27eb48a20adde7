// A group-by of integer keys, the entries that kernels leave of its rows, and a map's groups.
#pragma once
#include <map>
#include <optional>
#include <random>

#include "exec/aggregate/group_table.hpp"

namespace penstock::plan {

using Words = std::vector<std::uint64_t>;

// A group-by of keys of these types, with a sum of an int64.
struct GroupsOf {
  explicit GroupsOf(const std::vector<Type>& types) {
    Schema schema;
    for (std::size_t i = 0; i < types.size(); i++)
      schema.push_back({"k" + std::to_string(i), types[i], true});
    schema.push_back({"x", {Kind::int64}, false});
    Table rows;
    for (const Field& field : schema) {
      rows.names.push_back(field.name);
      rows.columns.push_back(
          column_of(field.type, std::vector<Scalar>{Scalar::null_of(field.type)}));
    }
    rows.columns.back() = Column::from(std::vector<std::int64_t>{1});
    rows.row_count = 1;
    source = plan.source(table_source(std::move(rows)));
    Builder b(plan.step(source).schema);
    std::vector<Projection> keys;
    for (std::uint32_t i = 0; i < types.size(); i++) keys.push_back({schema[i].name, b.column(i)});
    const auto x = b.column(static_cast<std::uint32_t>(types.size()));
    grouped = *plan.group_by(source, b.graph(), keys, {{Aggregate::sum, x, "sum", nullptr}});
    program = *fuse(plan, source, grouped);
  }
  // The entry of one row of value 1, as a kernel leaves it.
  Words entry(const std::vector<std::optional<std::int64_t>>& key) const {
    Words words(program.key_words() + program.accumulator_words());
    for (std::size_t i = 0; i < key.size(); i++) {
      if (key[i]) words[i] = static_cast<std::uint64_t>(*key[i]);
      if (!key[i]) words[key.size()] |= std::uint64_t{1} << i;
    }
    for (const Accumulator& a : program.accumulators) words[program.key_words() + a.word] = 1;
    return words;
  }

  Plan plan;
  StepId source = 0, grouped = 0;
  TileProgram program;
  StringPool pool;
  const ProgramStrings strings{pool};
};

using Key = std::vector<std::optional<std::int64_t>>;

// NULLs last.
struct KeyOrder {
  bool operator()(const Key& a, const Key& b) const {
    for (std::size_t i = 0; i < a.size(); i++) {
      if (a[i] == b[i]) continue;
      if (!a[i] || !b[i]) return a[i].has_value();
      return *a[i] < *b[i];
    }
    return false;
  }
};

inline Key key_of(const Table& table, std::uint64_t row, std::size_t keys) {
  Key key;
  for (std::size_t i = 0; i < keys; i++) {
    const Scalar value = scalar_at(table.columns[i], row);
    key.push_back(value.is_null ? std::nullopt
                                : std::optional(static_cast<std::int64_t>(value.integer)));
  }
  return key;
}

inline std::vector<Key> random_keys(std::size_t count,
                                    std::vector<std::pair<std::int64_t, std::int64_t>> of,
                                    bool has_nulls, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Key> keys(count);
  for (Key& key : keys)
    for (const auto& [low, high] : of) {
      const auto value = std::uniform_int_distribution<std::int64_t>(low, high)(random);
      key.push_back(has_nulls && random() % 5 == 0 ? std::nullopt : std::optional(value));
    }
  return keys;
}

}  // namespace penstock::plan
