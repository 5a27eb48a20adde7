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
  syntax->kind =
      scalar && scalar->type.kind == Kind::string ? SyntaxKind::string : SyntaxKind::value;
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

constexpr std::int64_t max_series = 100'000'000;

}  // namespace

Result<PlanRows> PlanReader::scan(const Tree& plan) {
  const Tree parameters = plan["parameters"];
  if (function_name(plan) == "range" && parameters.size() == 2) {
    const std::int64_t first = parameters.at(0)["value"].integer();
    const auto table = static_cast<std::uint64_t>(first / stand_in_rows - 1);
    if (first >= stand_in_rows && first == first_row_of(table) && table < tables_.size())
      return stand_in(plan, table);
  }
  const bool has_end = function_name(plan) == "generate_series";
  if (function_name(plan) == "range" || has_end) return series(plan, has_end);
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

// range(first, end, step), and generate_series(): its end is a value too.
Result<PlanRows> PlanReader::series(const Tree& plan, bool has_end) {
  const Tree parameters = plan["parameters"];
  std::vector<Int128> numbers;
  for (std::size_t i = 0; i < parameters.size(); i++) {
    const auto value = value_of_json(parameters.at(i));
    if (!value || value->is_null || !is_integer(value->type))
      return refuse(plan, std::string(function_name(plan)) + " of anything but whole numbers");
    if (value->integer > INT64_MAX || value->integer < INT64_MIN)
      return refuse(plan, "a series of such large numbers");
    numbers.push_back(value->integer);
  }
  if (numbers.size() == 1) numbers.insert(numbers.begin(), 0);
  if (numbers.size() == 2) numbers.push_back(1);
  if (numbers.size() != 3 || numbers[2] == 0 || plan["table_filters"]["filters"].size() > 0)
    return refuse(plan, "this form of the table function " + std::string(function_name(plan)));
  const Int128 step = numbers[2], towards = step > 0 ? 1 : -1;
  const Int128 distance = (numbers[1] - numbers[0]) * towards + (has_end ? 1 : 0);
  const Int128 count = distance > 0 ? (distance + step * towards - 1) / (step * towards) : 0;
  if (count > max_series) return refuse(plan, "a series of more than 100,000,000 numbers");
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); i++)
    values[i] = static_cast<std::int64_t>(numbers[0] + Int128(i) * step);
  Table table;
  table.row_count = values.size();
  table.names = {std::string(function_name(plan))};
  table.columns = {Column::from(std::move(values))};
  PlanRows rows{relations_.scan(table_source(std::move(table), "series")), {}};
  const std::size_t width = std::max<std::size_t>(plan["column_indexes"].size(), 1);
  rows.columns.assign(width, {PlanColumn::Kind::value, 0});
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
  std::optional<NodeId> predicate;
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
    PENSTOCK_ASSIGN(NodeId node, bind(builder, *condition, "WHERE"));
    if (predicate) { PENSTOCK_ASSIGN(node, builder.binary(Op::and_, *predicate, node)); }
    predicate = node;
  }
  if (!predicate) return rows;
  PENSTOCK_ASSIGN(rows.relation, relations_.filter(rows.relation, builder.graph(), *predicate));
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
  Table table;
  PlanRows rows;
  for (std::size_t i = 0; i < plan["return_types"].size(); i++) {
    const std::optional<Type> type = type_of_json(plan["return_types"].at(i));
    table.names.push_back("column" + std::to_string(i));
    table.columns.push_back(column_of(type.value_or(Type{Kind::boolean}), {}));
    rows.columns.push_back({PlanColumn::Kind::value, static_cast<std::uint32_t>(i)});
  }
  rows.relation = relations_.scan(table_source(std::move(table), "no rows"));
  return rows;
}

// Rows of constant expressions.
Result<PlanRows> PlanReader::values(const Tree& plan) {
  const Tree lists = plan["expressions"], types = plan["expr_types"];
  std::vector<std::vector<Scalar>> columns(types.size());
  for (std::size_t row = 0; row < lists.size(); row++) {
    Builder builder{Schema()};
    std::vector<NodeId> roots;
    for (std::size_t i = 0; i < types.size(); i++) {
      PENSTOCK_ASSIGN(NodeId node, value(builder, lists.at(row).at(i), {}, "VALUES"));
      if (const std::optional<Type> type = type_of_json(types.at(i))) {
        PENSTOCK_ASSIGN(node, builder.cast(node, *type));
      }
      roots.push_back(node);
    }
    const std::vector<Evaluated> found = evaluate(*builder.graph(), roots, {});
    for (std::size_t i = 0; i < found.size(); i++) {
      if (found[i].fault != Code::ok)
        return fault_status(*builder.graph(), found[i].fault_node, found[i].fault, {});
      columns[i].push_back(found[i].value);
    }
  }
  Table table;
  table.row_count = lists.size();
  PlanRows rows;
  for (std::size_t i = 0; i < columns.size(); i++) {
    const Type type = type_of_json(types.at(i)).value_or(Type{Kind::boolean});
    table.names.push_back("column" + std::to_string(i));
    table.columns.push_back(column_of(type, columns[i]));
    rows.columns.push_back({PlanColumn::Kind::value, static_cast<std::uint32_t>(i)});
  }
  rows.relation = relations_.scan(table_source(std::move(table), "values"));
  return rows;
}

}  // namespace penstock::sql
