// Tables of Substrait's plans: named ones, files, and values.
#include <algorithm>

#include "sql/bind/scope.hpp"
#include "sql/parse/suggestions.hpp"
#include "sql/substrait/substrait_reader.hpp"

namespace penstock::sql {
namespace {

std::vector<std::string> texts_of(const Tree& list) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.size(); i++) texts.emplace_back(list.at(i).text());
  return texts;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ".") + name;
  return text;
}

std::string path_of(const Tree& item) {
  for (const char* const field : {"uriFile", "uriPath", "uriPathGlob", "uriFolder"})
    if (std::string path(item[field].text()); !path.empty())
      return path.starts_with("file://") ? path.substr(7) : path;
  return "";
}

std::vector<SubstraitColumn> columns_of(const Tree& types, bool is_datafusion) {
  std::vector<SubstraitColumn> columns;
  for (std::uint32_t i = 0; i < types.size(); i++)
    columns.push_back({i, type_of_substrait(types.at(i), is_datafusion)});
  return columns;
}

}  // namespace

Result<SubstraitRows> SubstraitReader::scan(const Tree& body) {
  if (body["virtualTable"]) return virtual_table(body);
  if (const Tree names = body["namedTable"]["names"]) {
    const std::vector<std::string> parts = texts_of(names);
    TableReference whole(joined_names(parts));
    // The producer's catalog and schema may stand before the name.
    if (parts.size() > 1 && !open_(whole).ok()) whole = TableReference(parts.back());
    return table(body, whole);
  }
  if (!body["localFiles"]) return refuse("a table that is neither named, nor files, nor values");
  const auto files = files_of(body["localFiles"]["items"]);
  if (!files) return refuse("a part of a file as a table");
  return table(body, *files);
}

// Nothing where the plan reads a part of a file.
std::optional<TableReference> SubstraitReader::files_of(const Tree& items) {
  TableReference reference;
  for (std::size_t i = 0; i < items.size(); i++) {
    const Tree item = items.at(i);
    if (number_of(item["start"]) != 0 || number_of(item["length"]) != 0) return std::nullopt;
    reference.paths.push_back(path_of(item));
    for (const char* const format : {"parquet", "arrow"})
      if (item[format]) reference.format = format;
  }
  return reference;
}

Result<SubstraitRows> SubstraitReader::table(const Tree& body, const TableReference& reference) {
  PENSTOCK_ASSIGN(const auto source, open_(reference));
  if (!source) return Status(Code::invalid, "there is no table " + reference.text());
  const std::vector<std::string> names = texts_of(body["baseSchema"]["names"]);
  SubstraitRows rows{relations_.scan(source),
                     columns_of(body["baseSchema"]["struct"]["types"], plan_.is_datafusion)};
  if (names.size() != rows.columns.size()) return refuse("a table with columns of structs");
  for (std::size_t i = 0; i < names.size(); i++) {
    const auto found = find_field(source->schema(), names[i]);
    if (!found)
      return Status(Code::invalid, reference.text() + " has no column \"" + names[i] + "\"");
    rows.columns[i].place = *found;
  }
  PENSTOCK_ASSIGN(rows, filtered(std::move(rows), body["filter"]));
  PENSTOCK_ASSIGN(rows, projected(std::move(rows), body["projection"]));
  return cast_to_stated(std::move(rows));
}

Result<SubstraitRows> SubstraitReader::projected(SubstraitRows rows, const Tree& projection) {
  if (!projection) return rows;
  const Tree items = projection["select"]["structItems"];
  std::vector<SubstraitColumn> kept;
  for (std::size_t i = 0; i < items.size(); i++) {
    const auto field = static_cast<std::uint64_t>(number_of(items.at(i)["field"]));
    if (items.at(i)["child"]) return refuse("a part of a nested value");
    if (field >= rows.columns.size())
      return Status(Code::invalid, "the plan reads column " + std::to_string(field) +
                                       " of a table with " + std::to_string(rows.columns.size()));
    kept.push_back(rows.columns[field]);
  }
  rows.columns = std::move(kept);
  return rows;
}

// A file may have other types than the plan's table. Decimals may have fewer digits.
Result<SubstraitRows> SubstraitReader::cast_to_stated(SubstraitRows rows) {
  ComputedColumns computed(*this, rows.relation);
  Builder& builder = computed.builder();
  for (SubstraitColumn& column : rows.columns) {
    const Field& field = builder.schema()[column.place];
    const bool is_decimal = column.type && column.type->kind == Kind::decimal &&
                            field.type.kind == Kind::decimal &&
                            field.type.scale == column.type->scale;
    if (!column.type || is_decimal || field.type == *column.type || !field.unsupported.empty())
      continue;
    PENSTOCK_ASSIGN(const NodeId node,
                    cast_or_keep(builder, builder.column(column.place), *column.type));
    column.place = computed.add(node);
  }
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  return rows;
}

// Older plans have literals in place of expressions.
Result<std::vector<Scalar>> SubstraitReader::virtual_row(const Tree& row, bool has_literals,
                                                         const std::vector<Type>& types) {
  Builder builder{Schema()};
  std::vector<NodeId> roots;
  if (row["fields"].size() != types.size())
    return Status(Code::invalid, "the plan has a row of values of another width than its table");
  for (std::size_t i = 0; i < types.size(); i++) {
    const Tree field = row["fields"].at(i);
    const auto literal = literal_of(field, plan_.is_datafusion);
    if (has_literals && !literal) return refuse("this literal of Substrait's plan");
    PENSTOCK_ASSIGN(
        const NodeId node,
        node_of(builder, has_literals ? *literal : syntax_of(builder, field, {}), "VALUES"));
    PENSTOCK_ASSIGN(roots.emplace_back(), cast_or_keep(builder, node, types[i]));
  }
  return constants(builder, roots);
}

Result<SubstraitRows> SubstraitReader::virtual_table(const Tree& body) {
  const Tree table = body["virtualTable"];
  const bool has_literals = table["values"].size() > 0;
  SubstraitRows rows{0, columns_of(body["baseSchema"]["struct"]["types"], plan_.is_datafusion)};
  std::vector<Type> types;
  for (const SubstraitColumn& column : rows.columns)
    types.push_back(column.type.value_or(Type{Kind::boolean}));
  const Tree lists = has_literals ? table["values"] : table["expressions"];
  std::vector<std::vector<Scalar>> columns(types.size());
  for (std::size_t row = 0; row < lists.size(); row++) {
    PENSTOCK_ASSIGN(const std::vector<Scalar> found,
                    virtual_row(lists.at(row), has_literals, types));
    for (std::size_t i = 0; i < found.size(); i++) columns[i].push_back(found[i]);
  }
  // Rows without columns are those of a table with one that nothing reads.
  if (types.empty()) {
    types.emplace_back(Type{Kind::boolean});
    columns.emplace_back(lists.size(), Scalar::of(true));
  }
  rows.relation = values(types, columns, lists.size());
  PENSTOCK_ASSIGN(rows, filtered(std::move(rows), body["filter"]));
  return projected(std::move(rows), body["projection"]);
}

}  // namespace penstock::sql
