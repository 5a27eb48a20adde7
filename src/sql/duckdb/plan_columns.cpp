#include "sql/duckdb/plan_columns.hpp"

#include <charconv>

namespace penstock::sql {
namespace {

std::optional<std::uint32_t> marked_column(std::string_view mark) {
  std::uint32_t column = 0;
  if (mark.size() < 3 || !mark.starts_with('p') || !mark.ends_with(':')) return std::nullopt;
  const char* const end = mark.data() + mark.size() - 1;
  const auto [stop, error] = std::from_chars(mark.data() + 1, end, column);
  return error == std::errc() && stop == end ? std::optional(column) : std::nullopt;
}

constexpr int depth_of_pattern = 4;  // a cast of a concatenation with a cast of the row number

// A stand-in has no cast to the type of a text. Another cast is the statement's.
bool is_own_cast(const Tree& expression, const PlanColumn& marked) {
  const Field& field = (*marked.table)[marked.column];
  return is_try_cast(expression) && field.unsupported.empty() && !is_text(field.type) &&
         stated_type(expression) == field.type;
}

std::optional<PlanColumn> meant(const Tree& expression, const std::vector<PlanColumn>& columns,
                                int depth) {
  if (expression["expression_class"].text() == "BOUND_REF") {
    const auto index = static_cast<std::uint64_t>(expression["index"].integer());
    return index < columns.size() ? std::optional(columns[index]) : std::nullopt;
  }
  if (expression["expression_class"].text() == "BOUND_COLUMN_REF") {
    const std::int64_t table = expression["binding"]["table_index"].integer(),
                       column = expression["binding"]["column_index"].integer();
    for (const PlanColumn& known : columns)
      if (known.table_index == table && known.column_index == column) return known;
    return std::nullopt;
  }
  if (depth == depth_of_pattern) return std::nullopt;
  const std::vector<Tree> inputs = inputs_of(expression);
  if (is_cast(expression) && inputs.size() == 1) {
    std::optional<PlanColumn> input = meant(inputs[0], columns, depth + 1);
    if (!input) return std::nullopt;
    if (input->kind == PlanColumn::Kind::row_number) {
      input->kind = PlanColumn::Kind::row_text;
      return input;
    }
    if (input->kind != PlanColumn::Kind::marked || !is_own_cast(expression, *input))
      return std::nullopt;
    return PlanColumn{.column = input->first + input->column};
  }
  if (function_name(expression) != "concat" || inputs.size() != 2) return std::nullopt;
  const auto mark = marked_column(inputs[0]["value"]["value"].text());
  std::optional<PlanColumn> number = mark ? meant(inputs[1], columns, depth + 1) : std::nullopt;
  if (!number || number->kind == PlanColumn::Kind::value ||
      number->kind == PlanColumn::Kind::marked || *mark >= number->table->size())
    return std::nullopt;
  number->kind = PlanColumn::Kind::marked;
  number->column = *mark;
  return number;
}

}  // namespace

Status PlanColumn::unread() const {
  if (kind != Kind::marked)
    return Status(Code::unsupported, "the number of a row is not supported");
  const Field& field = (*table)[column];
  return Status(Code::unsupported,
                "column '" + field.name + "' cannot be read: it is " +
                    (field.unsupported.empty() ? name_of(field.type) : field.unsupported));
}

void name_columns(const Tree& plan, std::vector<PlanColumn>& columns) {
  const std::string_view type = plan["type"].text();
  const auto name = [&](std::size_t first, std::size_t count, const Tree& table) {
    for (std::size_t i = 0; i < count && first + i < columns.size(); i++) {
      columns[first + i].table_index = table.integer();
      columns[first + i].column_index = static_cast<std::int64_t>(i);
    }
  };
  const std::size_t width = columns.size(), computed = plan["expressions"].size();
  if (type == "LOGICAL_PROJECTION" || type == "LOGICAL_CTE_REF" || type == "LOGICAL_DELIM_GET")
    return name(0, width, plan["table_index"]);
  if (type == "LOGICAL_AGGREGATE_AND_GROUP_BY") {
    const std::size_t groups = plan["groups"].size();
    name(0, groups, plan["group_index"]);
    return name(groups, computed, plan["aggregate_index"]);
  }
  const bool adds_columns = type == "LOGICAL_UNNEST" || type == "LOGICAL_WINDOW";
  if (adds_columns && computed <= width)
    name(width - computed, computed,
         plan[type == "LOGICAL_UNNEST" ? "unnest_index" : "window_index"]);
}

std::string stand_in_mark(std::uint32_t column) { return "p" + std::to_string(column) + ":"; }

std::optional<PlanColumn> column_meant(const Tree& expression,
                                       const std::vector<PlanColumn>& columns) {
  return meant(expression, columns, 0);
}

}  // namespace penstock::sql
