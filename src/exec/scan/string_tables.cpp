#include "exec/scan/string_tables.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "base/parallel.hpp"
#include "fuse/program/derived_columns.hpp"
#include "fuse/program/string_ranks.hpp"

namespace penstock::plan {
namespace {

// Fewer strings are computed and numbered in each run: this was not tuned.
constexpr std::uint64_t min_numbered_strings = 1 << 16;

// Returns whether the first strings of a column are few that repeat.
bool has_few_values(const Column& strings) {
  const std::uint64_t looked_at = std::min(strings.row_count, min_numbered_strings);
  StringPool values;
  for (std::uint64_t row = 0; row < looked_at; row++)
    if (strings.is_valid(row)) values.code(strings.string(row));
  return values.size() <= looked_at / 8;
}

std::size_t result_bytes(Type type) { return type.kind == Kind::boolean ? 1 : width_bytes(type); }

template <class T>
std::vector<std::byte> spread_words(const StringTables::Table& table,
                                    std::span<const std::uint32_t> numbers) {
  std::vector<std::byte> values(numbers.size() * sizeof(T));
  const auto* const results = reinterpret_cast<const T*>(table.results().data());
  auto* const to = reinterpret_cast<T*>(values.data());
  in_parallel(numbers.size(), min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++) to[row] = results[numbers[row]];
  });
  return values;
}

std::vector<std::byte> spread_bits(const StringTables::Table& table,
                                   std::span<const std::uint32_t> numbers) {
  std::vector<std::byte> bits((numbers.size() + 7) / 8);
  const std::span<const std::byte> results = table.results();
  in_parallel(bits.size(), min_rows_per_thread / 8, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t byte = first; byte < last; byte++) {
      unsigned eight = 0;
      const std::uint64_t row = 8 * byte;
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(8, numbers.size() - row); i++)
        eight |= static_cast<unsigned>(results[numbers[row + i]]) << i;
      bits[byte] = static_cast<std::byte>(eight);
    }
  });
  return bits;
}

}  // namespace

void StringTables::add_column(std::uint32_t root) {
  for (const std::uint32_t column : program_.device_columns) {
    if (program_.root_of(column) != root) continue;
    if (column == root && has_own_codes(program_, root)) continue;
    const Type type = program_.source_schema[column].type;
    tables_.push_back({column, root, type, 0, std::vector<std::byte>(result_bytes(type))});
    if (strings_.are_kept()) tables_.back().kind = kind_of(column);
  }
}

// Codes of a run are of that run alone, and so are functions of the user's.
std::string StringTables::kind_of(std::uint32_t column) const {
  if (column < program_.first_derived()) return {};
  const std::string function = name_of_function(program_, column);
  if (function.empty()) return {};
  const DerivedColumn& derived = program_.derived[column - program_.first_derived()];
  std::string kind = "table" + function;
  if (is_rank(derived))
    kind += " " + std::to_string(strings_.order_of_column(derived.source).ranks.size());
  if (program_.source_schema[column].type.kind != Kind::string) return kind;
  if (!has_own_codes(program_, column)) return {};
  return kind + " " + std::to_string(strings_.of_column(column)->id());
}

std::optional<DeviceCache::Key> StringTables::key(const Table& table,
                                                  const std::string& kind) const {
  if (table.kind.empty()) return {};
  return strings_.key(kind + table.kind, table.root, table.count);
}

const StringTables::Table* StringTables::find(std::uint32_t column) const {
  const auto found = std::ranges::find(tables_, column, &Table::column);
  return found == tables_.end() ? nullptr : &*found;
}

// Tables of one root know the same strings.
Status StringTables::add_new() {
  std::map<std::uint32_t, std::uint64_t> known;
  for (const Table& table : tables_) known[table.root] = table.count;
  for (const auto& [root, count] : known) PENSTOCK_TRY(add_new(root, count));
  return {};
}

Status StringTables::add_new(std::uint32_t root, std::uint64_t known) {
  const auto strings = strings_.of_column(root);
  if (strings->count() == known) return {};
  if (known == 0 && take_kept(root, strings->count())) return {};
  Columns columns;
  columns[root] = known == 0 ? *strings->all() : strings->from(known);
  for (Table& table : tables_) {
    if (table.root != root) continue;
    PENSTOCK_ASSIGN(const bool is_added,
                    known == 0 ? add_by_numbers(table, columns) : Result<bool>(false));
    if (is_added) continue;
    PENSTOCK_TRY(compute(table.column, root, known, columns));
    PENSTOCK_TRY(append(table, columns[table.column]));
  }
  if (known == 0) keep(root);
  return {};
}

// Adds a column, and those that it is computed of.
Status StringTables::compute(std::uint32_t column, std::uint32_t root, std::uint64_t known,
                             Columns& columns) const {
  if (columns.contains(column)) return {};
  const DerivedColumn& derived = program_.derived[column - program_.first_derived()];
  if (is_rank(derived)) {
    columns[column] = ranks(root, known, columns[root].row_count);
    return {};
  }
  PENSTOCK_TRY(compute(derived.source, root, known, columns));
  PENSTOCK_ASSIGN(columns[column], derive(derived, columns[derived.source]));
  return {};
}

// A function of many strings with few results has codes of the run by way of numbers of its own
// results, which a session keeps. So a run looks at the results alone. Returns false where they
// are many, or nothing is kept.
Result<bool> StringTables::add_by_numbers(Table& table, Columns& columns) {
  const std::string function =
      table.column < program_.first_derived() ? "" : name_of_function(program_, table.column);
  const std::uint64_t count = columns[table.root].row_count;
  if (!strings_.are_kept() || function.empty() || table.type.kind != Kind::string ||
      has_own_codes(program_, table.column) || count < min_numbered_strings)
    return false;
  const auto strings = strings_.of_column(table.column);
  const DeviceCache::Key key =
      strings_.key("numbers" + function + " " + std::to_string(strings->id()), table.root, count);
  auto numbers = strings_.cache().find<std::vector<std::uint32_t>>(key);
  if (!numbers) {
    PENSTOCK_TRY(compute(table.column, table.root, 0, columns));
    if (!has_few_values(columns[table.column])) return false;
    std::vector<std::uint32_t> made;
    PENSTOCK_TRY(strings->number(columns[table.column], made));
    numbers = std::make_shared<const std::vector<std::uint32_t>>(std::move(made));
    strings_.cache().put(key, numbers, numbers->size() * 4 + strings->bytes());
  }
  std::vector<std::uint32_t> codes;
  PENSTOCK_TRY(strings_.pool().encode(*strings->all(), codes));
  codes.resize(std::max<std::size_t>(codes.size(), 1));  // NULL has number 0
  table.own.resize(count * 4);
  auto* const to = reinterpret_cast<std::uint32_t*>(table.own.data());
  in_parallel(count, min_rows_per_thread, [&](std::uint64_t i, std::uint64_t last) {
    for (; i < last; i++) to[i] = codes[(*numbers)[i]];
  });
  table.count = count;
  return true;
}

// Tables of one root know the same strings, so they are taken together.
bool StringTables::take_kept(std::uint32_t root, std::uint64_t count) {
  using Results = std::shared_ptr<const std::vector<std::byte>>;
  std::vector<std::pair<Table*, Results>> found;
  for (Table& table : tables_) {
    if (table.root != root) continue;
    if (table.kind.empty()) return false;
    auto kept =
        strings_.cache().find<std::vector<std::byte>>(strings_.key(table.kind, root, count));
    if (!kept) return false;
    found.emplace_back(&table, std::move(kept));
  }
  for (auto& [table, kept] : found) {
    table->kept = std::move(kept);
    table->count = count;
  }
  return true;
}

// Few strings are computed sooner than they are looked up.
void StringTables::keep(std::uint32_t root) {
  constexpr std::uint64_t min_kept_strings = 1 << 10;
  for (Table& table : tables_) {
    if (table.root != root || table.count < min_kept_strings || table.kind.empty()) continue;
    table.kept = std::make_shared<const std::vector<std::byte>>(std::exchange(table.own, {}));
    strings_.cache().put(strings_.key(table.kind, root, table.count), table.kept,
                         table.kept->size() + bytes_of_results(table));
  }
}

// Strings that only the table's codes name are counted with it.
std::uint64_t StringTables::bytes_of_results(const Table& table) const {
  return table.type.kind == Kind::string ? strings_.of_column(table.column)->bytes() : 0;
}

// Strings that came after the order was made are of no row: a statement's constants.
Column StringTables::ranks(std::uint32_t root, std::uint64_t known, std::uint64_t count) const {
  const std::vector<std::uint32_t>& all = strings_.order_of_column(root).ranks;
  std::vector<std::uint32_t> some(count, StringOrder::no_rank);
  for (std::uint64_t i = known; i < std::min<std::uint64_t>(known + count, all.size()); i++)
    some[i - known] = all[i];
  return Column::from(std::move(some));
}

// The first strings replace the result of a row without a value.
Status StringTables::append(Table& to, const Column& results) {
  const std::size_t width = result_bytes(to.type), count = results.row_count;
  if (to.count == 0) to.own.clear();
  if (const auto kept = std::exchange(to.kept, nullptr)) to.own = *kept;
  const std::size_t place = to.own.size();
  to.own.resize(place + count * width);
  std::byte* const values = to.own.data() + place;
  to.count += count;
  if (to.type.kind == Kind::boolean) {
    for (std::size_t i = 0; i < count; i++) values[i] = static_cast<std::byte>(results.boolean(i));
  } else if (to.type.kind == Kind::string) {
    std::vector<std::uint32_t> codes;
    PENSTOCK_TRY(has_own_codes(program_, to.column)
                     ? strings_.of_column(to.column)->number(results, codes)
                     : strings_.pool().encode(results, codes));
    std::memcpy(values, codes.data(), count * width);
  } else {
    std::memcpy(values, results.values.data, count * width);
  }
  return {};
}

std::vector<std::byte> spread(const StringTables::Table& table,
                              std::span<const std::uint32_t> numbers) {
  if (table.type.kind == Kind::boolean) return spread_bits(table, numbers);
  switch (width_bytes(table.type)) {
    case 1: return spread_words<std::uint8_t>(table, numbers);
    case 2: return spread_words<std::uint16_t>(table, numbers);
    case 4: return spread_words<std::uint32_t>(table, numbers);
    case 8: return spread_words<std::uint64_t>(table, numbers);
    default: return spread_words<std::array<std::uint64_t, 2>>(table, numbers);
  }
}

}  // namespace penstock::plan
