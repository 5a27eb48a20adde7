#include "io/json/json_columns.hpp"

#include <deque>

#include "io/json/json_values.hpp"

namespace penstock::io {
namespace {

constexpr std::size_t shown_bytes = 60;

std::string shown(std::string_view value) {
  if (value.size() <= shown_bytes) return std::string(value);
  return std::string(value.substr(0, shown_bytes)) + "...";
}

class JsonBlockReader {
 public:
  JsonBlockReader(JsonBlock& block, const JsonTable& table, std::span<const std::uint32_t> asked)
      : block_(block),
        table_(table),
        last_row_(table.columns.size()),
        place_(table.columns.size()) {
    for (const std::uint32_t column : asked) {
      if (place_[column] == 0) {
        columns_.emplace_back(table.columns[column].type);
        place_[column] = columns_.size();
      }
      asked_.push_back(place_[column] - 1);
      names_.push_back(table.columns[column].name);
    }
  }

  Result<Table> read() {
    while (const auto record = block_.next()) {
      row_count_++;
      record_ = *record;
      PENSTOCK_TRY(read_record());
      for (JsonColumn& column : columns_)
        if (column.row_count() < row_count_) column.add_null();
    }
    Table table;
    table.names = std::move(names_);
    table.row_count = row_count_;
    std::vector<Column> columns;
    for (JsonColumn& column : columns_) columns.push_back(column.take());
    for (const std::size_t place : asked_) table.columns.push_back(columns[place]);
    return table;
  }

 private:
  // Damage of a line is one NULL row where errors are ignored, also if the line begins well.
  Status read_record() {
    JsonTokens tokens(record_.text);
    const bool is_checked_first = table_.ignores_damage;
    JsonValue value;
    if (is_checked_first || !table_.are_records || !tokens.is_at('{')) {
      if (!tokens.read_value(value) || !tokens.is_at_end()) return malformed(tokens.fault());
      if (!table_.are_records) return add(0, value);
      if (value.kind != JsonKind::object) return not_an_object(value);
      tokens = JsonTokens(record_.text);
      tokens.is_at('{');
    }
    tokens.enter();
    std::size_t expected = 0;
    for (JsonValue key; tokens.next_member(key, value);)
      PENSTOCK_TRY(read_member(key, value, expected));
    if (tokens.fault().reason != nullptr || !tokens.is_at_end()) return malformed(tokens.fault());
    return {};
  }

  // Records mostly have their members in one order.
  Status read_member(const JsonValue& key, const JsonValue& value, std::size_t& expected) {
    std::string_view name = key.text;
    if (key.has_escapes) {
      name_.clear();
      append_decoded(key, name_);
      name = name_;
    }
    if (expected >= table_.keys.size() || table_.keys[expected] != name) {
      const auto found = table_.column_of.find(name);
      if (found == table_.column_of.end()) return unknown_key(name);
      expected = found->second;
    }
    const std::size_t column = expected++;
    if (std::exchange(last_row_[column], row_count_) == row_count_) return repeated_key(name);
    return add(column, value);
  }

  Status add(std::size_t column, const JsonValue& value) {
    if (place_.at(column) == 0) return {};
    if (columns_[place_[column] - 1].add(value) || table_.ignores_errors) return {};
    return misfit(table_.columns[column], value);
  }

  Status malformed(const JsonFault& fault) const {
    return table_.ignores_damage ? Status() : malformed_json(block_.place_of(record_), fault);
  }

  Status not_an_object(const JsonValue& value) const {
    if (value.kind == JsonKind::null || table_.ignores_errors) return {};
    return {Code::corrupt, "in " + block_.place_of(record_) + " is no object, as records are: " +
                               shown(value.text) + "; records = false reads values of any kind"};
  }

  Status unknown_key(std::string_view name) const {
    if (table_.are_given || table_.ignores_errors) return {};
    return {Code::corrupt, "in " + block_.place_of(record_) +
                               " is a key that no record of the "
                               "sample has: '" +
                               shown(name) +
                               "'; sample_size = -1 looks at all records, columns = {...} names "
                               "those to read"};
  }

  Status repeated_key(std::string_view name) const {
    if (table_.ignores_errors) return {};
    return {Code::corrupt, "in " + block_.place_of(record_) + " the key '" + shown(name) +
                               "' occurs twice; ignore_errors = true takes the first"};
  }

  Status misfit(const JsonStructure::Column& column, const JsonValue& value) const {
    const std::string text =
        value.kind == JsonKind::string ? '"' + shown(value.text) + '"' : shown(value.text);
    const std::string type = column.type.reading == JsonType::Reading::null
                                 ? "of no known type, as the sample has only NULLs"
                                 : column.type.name;
    const std::string advice = table_.are_given
                                   ? "; columns = {'" + column.name + "': 'VARCHAR'} reads it"
                                   : "; sample_size = -1 looks at all records, columns = {'" +
                                         column.name + "': 'VARCHAR', ...} gives the types";
    return {Code::corrupt, "in " + block_.place_of(record_) + " is " + text + ", and the column '" +
                               column.name + "' is " + type + advice};
  }

  JsonBlock& block_;
  const JsonTable& table_;
  std::deque<JsonColumn> columns_;  // a deque: they refer to their types
  std::vector<std::size_t> asked_;  // of columns_
  std::vector<std::string> names_;
  std::vector<std::uint64_t> last_row_;  // that had a member of this column
  std::vector<std::size_t> place_;       // of a column in columns_, from 1; 0: it is not asked for
  std::uint64_t row_count_ = 0;
  JsonRecord record_;
  std::string name_;
};

}  // namespace

Status malformed_json(const std::string& place, const JsonFault& fault) {
  return {Code::corrupt, "malformed JSON in " + place + ", byte " +
                             std::to_string(fault.offset + 1) + ": " + fault.reason};
}

Result<Table> read_json_block(JsonBlock& block, const JsonTable& table,
                              std::span<const std::uint32_t> asked) {
  return JsonBlockReader(block, table, asked).read();
}

}  // namespace penstock::io
