// Scans of stand-ins, of tables that a plan names, and of values.
#include <algorithm>

#include "column/unsupported.hpp"
#include "sql/bind/scope.hpp"
#include "sql/duckdb/plan_expression.hpp"
#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {
namespace {

SyntaxPtr constant_of(const Tree& value) {
  auto syntax = std::make_shared<Syntax>();
  const std::optional<Scalar> scalar = value_of_json(value);
  syntax->kind = scalar && is_text(scalar->type) ? SyntaxKind::string : SyntaxKind::value;
  syntax->scalar = scalar.value_or(Scalar::null_of({Kind::boolean}));
  syntax->name = syntax->scalar.text;
  return syntax;
}

// A file's name, or a list of them.
std::vector<std::string> paths_of(const Tree& parameter) {
  const Tree value = parameter["value"];
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < value["children"].size(); i++)
    paths.emplace_back(value["children"].at(i)["value"].text());
  if (paths.empty()) paths.emplace_back(value.text());
  return paths;
}

}  // namespace

Result<PlanRows> PlanReader::scan(const Tree& plan) {
  const Tree parameters = plan["parameters"];
  if (function_name(plan) == "range" && parameters.size() == 2) {
    const std::int64_t first = parameters.at(0)["value"].integer();
    const auto table = static_cast<std::uint64_t>(first / stand_in_rows - 1);
    if (first >= stand_in_rows && first == first_row_of(table) && table < tables_.size())
      return stand_in(plan, table);
  }
  return named_table(plan);
}

Result<PlanRows> PlanReader::stand_in(const Tree& plan, std::size_t table) {
  PlanRows rows{relations_.scan(tables_[table]), {}};
  PlanColumn number;
  number.kind = PlanColumn::Kind::row_number;
  number.table = &tables_[table]->schema();
  const Tree chosen = plan["projection_ids"];
  rows.columns.assign(
      std::max<std::size_t>(chosen.size() > 0 ? chosen.size() : plan["column_indexes"].size(), 1),
      number);
  return rows;
}

// A table of DuckDB's own, or files of a table function. The opener knows them by name.
Result<PlanRows> PlanReader::named_table(const Tree& plan) {
  const std::string name(function_name(plan));
  TableReference reference;
  if (name == "seq_scan") {
    reference = std::string(plan["function_data"]["table"].text());
  } else if (name == "parquet_scan" || name == "read_parquet") {
    reference.paths = paths_of(plan["parameters"].at(0));
    reference.format = "parquet";
  } else if (name == "range" || name == "generate_series") {
    return series_rows(plan, name != "range");
  } else if (name == "unnest") {
    return unnest_call(plan);
  } else {
    return refuse(plan, "the table function " + name + " of DuckDB's plan");
  }
  PENSTOCK_ASSIGN(const auto source, open_(reference));
  if (!source) return Status(Code::invalid, "there is no table " + reference.text());
  PlanRows rows{relations_.scan(source), {}};
  const Tree names = plan["names"], columns = plan["column_indexes"];
  for (std::size_t i = 0; i < columns.size(); i++) {
    const auto index = static_cast<std::uint64_t>(columns.at(i)["index"].integer());
    if (index >= names.size()) {  // a column that only counts rows
      rows.columns.push_back({PlanColumn::Kind::value, 0});
      continue;
    }
    const std::string_view column = names.at(index).text();
    const auto found = find_field(source->schema(), column);
    if (!found)
      return Status(Code::invalid,
                    reference.text() + " has no column \"" + std::string(column) + "\"");
    rows.columns.push_back({PlanColumn::Kind::value, *found});
  }
  PENSTOCK_ASSIGN(rows, filtered_scan(std::move(rows), plan));
  rows.columns = picked(rows.columns, plan["projection_ids"]);
  return rows;
}

Result<PlanRows> PlanReader::filtered_scan(PlanRows rows, const Tree& plan) {
  const Tree filters = plan["table_filters"]["filters"];
  const bool by_place = plan["table_filters_by_projection"].boolean();
  Builder builder(schema(rows.relation));
  std::vector<NodeId> conditions;
  for (std::size_t i = 0; i < filters.size(); i++) {
    const std::int64_t key = filters.at(i)["key"].integer();
    std::optional<std::uint32_t> place;
    for (std::size_t c = 0; c < rows.columns.size(); c++) {
      const std::int64_t number =
          by_place ? static_cast<std::int64_t>(c) : plan["column_indexes"].at(c)["index"].integer();
      if (number == key) place = rows.columns[c].place();
    }
    if (!place) return Status(Code::invalid, "the plan filters a column that it does not read");
    auto column = std::make_shared<Syntax>();
    column->kind = SyntaxKind::column;
    column->index = *place;
    const auto condition = scan_filter(filters.at(i)["value"], column);
    if (!condition) continue;
    PENSTOCK_ASSIGN(conditions.emplace_back(), bind(builder, *condition, "WHERE"));
  }
  PENSTOCK_ASSIGN(rows.relation, RelationWriter::filtered(rows.relation, builder, conditions));
  return rows;
}

// Returns nothing for a filter that may be left out.
std::optional<Syntax> PlanReader::scan_filter(const Tree& filter, const SyntaxPtr& column) {
  std::string_view type = filter["filter_type"].text();
  if (type.starts_with("LEGACY_")) type.remove_prefix(7);
  if (type == "OPTIONAL_FILTER" || type == "DYNAMIC_FILTER" || type == "BLOOM_FILTER") return {};
  if (type == "CONSTANT_COMPARISON")
    return *operation_syntax(std::string(comparison_operator(filter["comparison_type"].text())),
                             {column, constant_of(filter["constant"])});
  if (type == "IS_NULL") return *operation_syntax("is null", {column});
  if (type == "IS_NOT_NULL") return *operation_syntax("is not null", {column});
  if (type == "IN_FILTER") {
    std::vector<SyntaxPtr> inputs{column};
    for (std::size_t i = 0; i < filter["values"].size(); i++)
      inputs.push_back(constant_of(filter["values"].at(i)));
    return *operation_syntax("in", std::move(inputs));
  }
  if (type == "CONJUNCTION_AND" || type == "CONJUNCTION_OR") {
    std::vector<SyntaxPtr> parts;
    for (std::size_t i = 0; i < filter["child_filters"].size(); i++)
      if (auto part = scan_filter(filter["child_filters"].at(i), column))
        parts.push_back(std::make_shared<Syntax>(std::move(*part)));
    if (parts.empty()) return {};
    if (parts.size() == 1) return *parts[0];
    return *operation_syntax(type == "CONJUNCTION_AND" ? "and" : "or", std::move(parts));
  }
  static_cast<void>(refuse(filter, "the filter " + lower(type) + " of DuckDB's plan"));
  return {};
}

Result<PlanRows> PlanReader::one_row() { return PlanRows{relations_.scan(one_row_source()), {}}; }

Result<PlanRows> PlanReader::no_rows(const Tree& plan) {
  std::vector<Type> types;
  PlanRows rows;
  for (std::size_t i = 0; i < plan["return_types"].size(); i++) {
    types.push_back(type_of_json(plan["return_types"].at(i)).value_or(Type{Kind::boolean}));
    rows.columns.push_back({PlanColumn::Kind::value, static_cast<std::uint32_t>(i)});
  }
  rows.relation = RelationWriter::values(types, std::vector<std::vector<Scalar>>(types.size()), 0);
  return rows;
}

// Rows of constant expressions.
Result<PlanRows> PlanReader::values(const Tree& plan) {
  const Tree lists = plan["expressions"];
  std::vector<Type> types;
  PlanRows rows;
  for (std::size_t i = 0; i < plan["expr_types"].size(); i++) {
    types.push_back(type_of_json(plan["expr_types"].at(i)).value_or(Type{Kind::boolean}));
    rows.columns.push_back({PlanColumn::Kind::value, static_cast<std::uint32_t>(i)});
  }
  std::vector<std::vector<Scalar>> columns(types.size());
  for (std::size_t row = 0; row < lists.size(); row++) {
    Builder builder{Schema()};
    std::vector<NodeId> roots;
    for (std::size_t i = 0; i < types.size(); i++) {
      PENSTOCK_ASSIGN(const NodeId node, value(builder, lists.at(row).at(i), {}, "VALUES"));
      PENSTOCK_ASSIGN(roots.emplace_back(), cast_or_keep(builder, node, types[i]));
    }
    PENSTOCK_ASSIGN(const std::vector<Scalar> found, constants(builder, roots));
    for (std::size_t i = 0; i < found.size(); i++) columns[i].push_back(found[i]);
  }
  rows.relation = RelationWriter::values(types, columns, lists.size());
  return rows;
}

}  // namespace penstock::sql
