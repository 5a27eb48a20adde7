#include "io/files/joined_schema.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "io/files/cast_column.hpp"
#include "io/files/hive_paths.hpp"

namespace penstock::io {
namespace {

std::string names_of(const Schema& schema) {
  std::string names;
  for (const Field& field : schema) names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

// Numbers and text of different files become text. DuckDB's sniffer joins no other types of text
// files than integers with reals.
std::optional<Type> met_found_type(Type a, Type b) {
  if (a == b) return a;
  const auto is_number = [](Type type) { return is_integer(type) || is_float(type); };
  return is_number(a) && is_number(b) ? met_type(a, b) : std::optional(Type{Kind::string});
}

// Dates and times of JSON are strings, and keep their texts.
std::optional<Type> met_json_type(Type a, Type b) {
  const auto is_text = [](Type type) {
    return type.kind == Kind::string || type.kind == Kind::date32 || type.kind == Kind::timestamp;
  };
  if (a == b) return a;
  if (is_text(a) && is_text(b)) return Type{Kind::string};
  return is_text(a) || is_text(b) || a.kind == Kind::boolean || b.kind == Kind::boolean
             ? std::nullopt
             : met_type(a, b);
}

std::optional<Type> met(Type a, Type b, FileTypes types) {
  switch (types) {
    case FileTypes::declared: return met_type(a, b);
    case FileTypes::found: return met_found_type(a, b);
    case FileTypes::found_in_json: return met_json_type(a, b);
  }
  return std::nullopt;
}

class Joining {
 public:
  Joining(std::vector<FilePart> parts, const FilesOptions& options, FileTypes types)
      : joined_{{}, std::move(parts)},
        options_(options),
        types_(types),
        unites_(options.union_by_name || types == FileTypes::found_in_json) {}

  Result<JoinedFiles> join() {
    joined_.schema = parts()[0].source->schema();
    if (unites_) PENSTOCK_TRY(add_columns_of_all());
    for (FilePart& part : parts()) PENSTOCK_TRY(find_columns(part));
    for (std::size_t column = 0; column < joined_.schema.size(); column++) meet(column);
    PENSTOCK_TRY(add_filename());
    PENSTOCK_TRY(add_keys());
    return std::move(joined_);
  }

 private:
  std::vector<FilePart>& parts() { return joined_.parts; }

  Status add_columns_of_all() {
    for (const FilePart& part : parts())
      for (const Field& field : part.source->schema()) {
        const auto known = find_field(joined_.schema, field.name);
        if (!known) joined_.schema.push_back(field);
        // Fields of JSON keep their case.
        if (known && types_ == FileTypes::found_in_json &&
            joined_.schema[*known].name != field.name)
          return {Code::unsupported, "'" + joined_.schema[*known].name + "' and '" + field.name +
                                         "' of '" + part.path + "' differ in case alone"};
      }
    return {};
  }

  Status find_columns(FilePart& part) {
    const Schema& own = part.source->schema();
    for (const Field& field : joined_.schema) {
      part.stored.push_back(find_field(own, field.name));
      if (!part.stored.back() && !unites_)
        return {Code::invalid, "'" + part.path + "' has no column '" + field.name + "', which '" +
                                   parts()[0].path + "' has; it has " + names_of(own) +
                                   ". Write union_by_name = true to have NULL there"};
    }
    return {};
  }

  // Sets what the files' columns have in common. The encoding is left out: it may differ by file.
  void meet(std::size_t column) {
    Field& field = joined_.schema[column];
    const bool meets = unites_ || types_ == FileTypes::found;
    bool is_known = false;
    for (const bool has_rows : {true, false})
      for (const FilePart& part : parts()) {
        if (!part.stored[column] || part.has_rows != has_rows) continue;
        const Field& own = part.source->schema()[*part.stored[column]];
        if (!is_known) take(field, own);
        if (is_known && has_rows && field.unsupported.empty()) add(field, own, meets);
        is_known = true;
      }
    for (const FilePart& part : parts()) field.nullable = field.nullable || !part.stored[column];
    if (parts().size() > 1) field.is_encoded = false;
  }
  static void take(Field& field, const Field& own) {
    std::string name = std::move(field.name);
    field = own;
    field.name = std::move(name);
  }
  void add(Field& field, const Field& own, bool meets) const {
    field.nullable = field.nullable || own.nullable;
    field.is_plain = field.is_plain || own.is_plain;
    if (!own.unsupported.empty()) {
      field.unsupported = own.unsupported;
    } else if (meets) {
      const std::optional<Type> type = met(field.type, own.type, types_);
      if (type)
        field.type = *type;
      else
        field.unsupported = name_of(field.type) + " in one file and " + name_of(own.type) +
                            " in another one, which have no common type";
    }
  }

  // Appends a column of one value for each file, or puts it in the place of a stored one.
  void set_constants(const std::string& name, Type type, std::vector<Scalar> values) {
    const auto known = find_field(joined_.schema, name);
    const std::size_t column = known.value_or(joined_.schema.size());
    if (!known) joined_.schema.push_back({name, type});
    Field& field = joined_.schema[column];
    field = {field.name, type};
    for (std::size_t i = 0; i < parts().size(); i++) {
      parts()[i].stored.resize(joined_.schema.size());
      parts()[i].stored[column].reset();
      field.nullable = field.nullable || values[i].is_null;
      if (!values[i].is_null)
        parts()[i].constants.emplace_back(static_cast<std::uint32_t>(column), std::move(values[i]));
    }
  }

  Status add_filename() {
    const std::string& name = options_.filename_column;
    if (name.empty()) return {};
    if (find_field(joined_.schema, name))
      return {Code::invalid, "filename adds the column '" + name +
                                 "', and the files have such a column; write filename = 'name' "
                                 "with another name"};
    std::vector<Scalar> paths;
    for (const FilePart& part : parts()) paths.push_back(Scalar::of(part.path));
    set_constants(name, {Kind::string}, std::move(paths));
    return {};
  }

  Status add_keys() {
    if (options_.hive_partitioning == false) return {};
    std::vector<std::vector<HiveKey>> keys;
    for (const FilePart& part : parts()) keys.push_back(hive_keys_of(part.path));
    for (std::size_t i = 1; i < keys.size(); i++) {
      if (std::ranges::equal(keys[0], keys[i], {}, &HiveKey::first, &HiveKey::first)) continue;
      if (!options_.hive_partitioning) return {};
      return {Code::invalid, "the folders of '" + parts()[i].path +
                                 "' have other keys than those "
                                 "of '" +
                                 parts()[0].path + "'"};
    }
    for (const auto& [name, type] : options_.hive_types)
      if (std::ranges::find(keys[0], name, &HiveKey::first) == keys[0].end())
        return {Code::invalid, "hive_types names '" + name + "', which is no key of the paths"};
    for (std::size_t key = 0; key < keys[0].size(); key++) PENSTOCK_TRY(add_key(keys, key));
    return {};
  }
  Status add_key(const std::vector<std::vector<HiveKey>>& keys, std::size_t key) {
    std::vector<std::string_view> texts;
    for (const auto& of_file : keys) texts.push_back(of_file[key].second);
    const std::string& name = keys[0][key].first;
    const auto given =
        std::ranges::find(options_.hive_types, name, &std::pair<std::string, Type>::first);
    const Type type = given != options_.hive_types.end() ? given->second
                      : options_.hive_types_autocast     ? hive_type_of(texts)
                                                         : Type{Kind::string};
    std::vector<Scalar> values;
    for (std::size_t i = 0; i < parts().size(); i++) {
      auto value = hive_value_of(keys[i][key], type);
      if (!value.ok()) return value.with("of '" + parts()[i].path + "'");
      values.push_back(std::move(*value));
    }
    set_constants(name, type, std::move(values));
    return {};
  }

  JoinedFiles joined_;
  const FilesOptions& options_;
  const FileTypes types_;
  const bool unites_;  // columns of all files
};

}  // namespace

Scalar constant_of(const FilePart& part, std::uint32_t column, Type type) {
  for (const auto& [of, value] : part.constants)
    if (of == column) return value;
  return Scalar::null_of(type);
}

Result<JoinedFiles> join_files(std::vector<FilePart> parts, const FilesOptions& options,
                               FileTypes types) {
  return Joining(std::move(parts), options, types).join();
}

}  // namespace penstock::io
