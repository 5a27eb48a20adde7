#include <algorithm>

#include "base/suggest_name.hpp"
#include "expr/nested_values.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

// "price", "prize"
std::string nearest(const Schema& schema, std::string_view name) {
  std::vector<std::string> known;
  for (const Field& field : schema) known.push_back(field.name);
  std::string text;
  for (const std::string& near : nearest_names(name, known))
    text += (text.empty() ? "\"" : ", \"") + near + "\"";
  return text;
}

// "; there are a, b": where no name is near.
std::string others(const Schema& schema) {
  constexpr std::size_t max_shown = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(schema.size(), max_shown); i++)
    text += (i == 0 ? "; there are " : ", ") + schema[i].name;
  return text + (schema.size() > max_shown ? ", ..." : "");
}

}  // namespace

Names::Names(const Lexed& lexed, Problems& problems, const Select& select, const Scope& scope,
             const Names* outer)
    : lexed_(lexed), problems_(problems), scope_(scope), outer_(outer) {
  static const StarChanges no_changes;
  for (std::size_t i = 0; i < select.items.size(); i++) {
    const SelectItem& item = select.items[i];
    const auto changes = select.star_changes.find(i);
    if (item.value->kind != SyntaxKind::star)
      items_.push_back(item);
    else
      expand(*item.value, changes == select.star_changes.end() ? no_changes : changes->second);
  }
  visible_aliases = items_.size();
}

// Expands '*' and 't.*'. For an unknown table one column of it is added, which column() refuses.
void Names::expand(const Syntax& star, const StarChanges& changes) {
  const std::size_t before = items_.size();
  StarExpansion expansion(star, changes);
  const auto add = [&](std::uint32_t index) {
    if (auto item = expansion.item_of(scope_.schema[index].name, index))
      items_.push_back(std::move(*item));
  };
  for (std::uint32_t i = 0; i < scope_.table_columns(); i++) {
    const ScopeTable& table = scope_.tables[scope_.table_of(i)];
    if (star.qualifier.empty() ? !scope_.is_merged(i) : table.is_called(star.qualifier)) add(i);
  }
  const bool is_unknown = !star.qualifier.empty() && !expansion.has_columns();
  if (items_.size() == before && is_unknown && scope_.table_columns() > 0) add(0);
  star_problems_.push_back(expansion.problem(items_.size() == before));
}

Status Names::check_stars() const {
  for (const StarProblem& problem : star_problems_)
    if (!problem.message.empty())
      return error(problem.offset, Code::invalid,
                   problem.message + (scope_.tables.empty() ? "; the statement has no FROM" : ""));
  return {};
}

Status Names::unknown_table(const Syntax& syntax) const {
  if (const auto field = find_field(scope_.schema, syntax.qualifier);
      field && expr::is_struct(scope_.schema[*field].type))
    return error(syntax.offset, Code::unsupported,
                 "a field of a struct by a dot is not supported; write struct_extract(" +
                     syntax.qualifier + ", '" + syntax.name + "')");
  std::string known;
  for (const ScopeTable& table : scope_.tables)
    known += (known.empty() ? "\"" : ", \"") + table.shown() + "\"";
  return error(
      syntax.offset, Code::invalid,
      "referenced table \"" + syntax.qualifier + "\" not found; candidate tables: " + known);
}

bool Names::has_table(std::string_view qualifier) const {
  return std::ranges::any_of(scope_.tables,
                             [&](const ScopeTable& table) { return table.is_called(qualifier); });
}

bool Names::is_outside(const Syntax& column) const {
  if (outer_ == nullptr || column.index) return false;
  if (!column.qualifier.empty() && has_table(column.qualifier)) return false;
  if (const auto own = column_among(column, {0, scope_.tables.size()}); !own.ok() || *own)
    return false;
  const auto found = outer_->column(column);
  return (found.ok() && *found) || outer_->is_outside(column);
}

Result<std::optional<std::uint32_t>> Names::column(const Syntax& syntax) const {
  if (!syntax.qualifier.empty() && !has_table(syntax.qualifier)) return unknown_table(syntax);
  if (syntax.index) return syntax.index;
  return column_among(syntax, {0, scope_.tables.size()});
}

Result<std::optional<std::uint32_t>> Names::column_among(const Syntax& syntax,
                                                         TableRange tables) const {
  std::optional<std::uint32_t> found;
  for (std::size_t i = tables.begin; i < tables.end; i++) {
    const ScopeTable& table = scope_.tables[i];
    if (!syntax.qualifier.empty() && !table.is_called(syntax.qualifier)) continue;
    const Schema columns(scope_.schema.begin() + table.first,
                         scope_.schema.begin() + table.first + table.count);
    const std::optional<std::uint32_t> here = find_field(columns, syntax.name);
    if (!here || (syntax.qualifier.empty() && scope_.is_merged(table.first + *here))) continue;
    if (found) {
      const std::string other = scope_.tables[scope_.table_of(*found)].shown();
      return error(syntax.offset, Code::invalid,
                   "ambiguous reference to column name \"" + syntax.name + "\" (use \"" + other +
                       "." + syntax.name + "\" or \"" + table.shown() + "." + syntax.name + "\")");
    }
    found = table.first + *here;
  }
  return found;
}

Result<std::uint32_t> Names::column_of_on(const Syntax& syntax, const FromTable& table) const {
  for (const TableRange range :
       {TableRange{table.join_first, table.join_last + 1}, TableRange{0, table.join_first}}) {
    PENSTOCK_ASSIGN(const std::optional<std::uint32_t> found, column_among(syntax, range));
    if (found) return *found;
  }
  PENSTOCK_ASSIGN(const std::optional<std::uint32_t> later, column(syntax));
  if (!later && alias(syntax))
    return error(syntax.offset, Code::invalid,
                 "ON cannot read '" + syntax.name + "', an alias of the SELECT list");
  if (!later) return unknown(syntax);
  return error(
      syntax.offset, Code::invalid,
      "ON reads '" + scope_.tables[scope_.table_of(*later)].shown() + "', which is joined later");
}

Result<SyntaxPtr> Names::with_columns_found(const SyntaxPtr& syntax, const FromTable& table) const {
  if (!syntax) return syntax;
  auto copy = std::make_shared<Syntax>(*syntax);
  if (syntax->kind == SyntaxKind::column && !syntax->index) {
    PENSTOCK_ASSIGN(copy->index, column_of_on(*syntax, table));
  }
  for (SyntaxPtr& input : copy->inputs) {
    PENSTOCK_ASSIGN(input, with_columns_found(input, table));
  }
  PENSTOCK_ASSIGN(copy->filter, with_columns_found(copy->filter, table));
  return SyntaxPtr(std::move(copy));
}

Result<SyntaxPtr> Names::on_of(const FromTable& table) const {
  return with_columns_found(table.on, table);
}

std::optional<std::size_t> Names::alias(const Syntax& syntax) const {
  if (!syntax.qualifier.empty() || syntax.index) return std::nullopt;
  for (std::size_t i = 0; i < visible_aliases; i++)
    if (!items_[i].alias.empty() && lower(items_[i].alias) == lower(syntax.name)) return i;
  return std::nullopt;
}

Status Names::unknown(const Syntax& syntax) const {
  const bool later = std::any_of(items_.begin(), items_.end(), [&](const SelectItem& i) {
    return lower(i.alias) == lower(syntax.name);
  });
  if (later && syntax.qualifier.empty())
    return error(syntax.offset, Code::invalid,
                 "column \"" + syntax.name +
                     "\" referenced that exists in the SELECT clause, but cannot be referenced "
                     "before it is defined");
  if (syntax.qualifier.empty() && has_table(syntax.name))
    return error(
        syntax.offset, Code::unsupported,
        "a whole row of \"" + syntax.name + "\" as a value is not supported; name its columns");
  const Token* token = lexed_.at(syntax.offset);
  const bool is_quoted =
      token != nullptr && token->kind == TokenKind::quoted && syntax.qualifier.empty();
  const Schema columns(scope_.schema.begin(), scope_.schema.begin() + scope_.table_columns());
  const std::string near = nearest(columns, syntax.name);
  if (scope_.tables.empty() && !items_.empty())
    return error(syntax.offset, Code::invalid,
                 "referenced column \"" + syntax.name +
                     "\" was not found because the FROM clause is missing");
  return error(
      syntax.offset, Code::invalid,
      "referenced column \"" + syntax.name + "\" not found in FROM clause" +
          (near.empty() ? others(columns) : "; candidate bindings: " + near) +
          (lower(syntax.name) == "filename" ? "; read_parquet('...', filename = true) has it"
                                            : "") +
          (is_quoted ? "; a string stands in single quotes, a name in double ones" : ""));
}

Result<std::optional<std::uint32_t>> Names::ordinal(const Syntax& term, const char* clause) const {
  if (term.kind != SyntaxKind::number || term.name.find_first_of(".eE") != std::string::npos)
    return std::optional<std::uint32_t>();
  const Result<Scalar> number = number_literal(term.name);
  const std::string count = std::to_string(items_.size());
  if (!number.ok() || number->integer < 1 || number->integer > static_cast<Int128>(items_.size()))
    return error(term.offset, Code::invalid,
                 std::string(clause) + " term out of range - should be between 1 and " + count);
  return std::optional(static_cast<std::uint32_t>(number->integer - 1));
}

std::string Names::output_name(const SelectItem& item) const {
  if (!item.alias.empty()) return item.alias;
  if (item.value->kind != SyntaxKind::column) return display(*item.value);
  if (const auto index = column(*item.value); index.ok() && *index)
    return scope_.schema[**index].name;
  return item.value->name;
}

Status Names::at(const Syntax& syntax, const Status& status) const {
  const bool has_position = status.message().find("\nLINE ") != std::string::npos;
  const bool is_known = status.message().empty();  // of a placeholder
  return status.ok() || has_position || is_known
             ? status
             : error(syntax.offset, status.code(), status.message());
}

Status Names::check_addends(const Syntax& call, Type type) const {
  if (call.name == "bool_and" || call.name == "bool_or")
    return type.kind == Kind::boolean
               ? Status()
               : error(call.offset, Code::invalid,
                       call.name + " takes booleans, not " + name_of(type) +
                           "; write a condition, as in " + call.name + "(a <> 0)");
  if (is_numeric(type) || (type.kind == Kind::boolean && call.name == "sum")) return {};
  if (call.name == "avg" && is_date_or_timestamp(type))
    return error(call.offset, Code::unsupported, not_supported("avg of " + name_of(type)));
  return error(call.offset, Code::invalid,
               "no function matches the given name and argument types '" + call.name + "(" +
                   name_of(type) + ")'; " + call.name + " takes numbers");
}

Result<std::string> Names::canonical(const Syntax& syntax) const {
  if (syntax.kind == SyntaxKind::column) {
    if (is_outside(syntax)) return "?" + lower(syntax.qualifier) + "." + lower(syntax.name);
    PENSTOCK_ASSIGN(const std::optional<std::uint32_t> index, column(syntax));
    if (index) return "#" + std::to_string(*index);
    return "?" + lower(syntax.name);
  }
  if (syntax.subquery) return "value" + std::to_string(syntax.offset);
  std::string text = std::to_string(static_cast<int>(syntax.kind)) + "'" + syntax.name + "'" +
                     syntax.qualifier + "'" + name_of(syntax.type) +
                     (syntax.star       ? "*("
                      : syntax.is_try   ? "try("
                      : syntax.distinct ? "distinct("
                                        : "(");
  for (const SyntaxPtr& input : syntax.inputs) {
    PENSTOCK_ASSIGN(const std::string inner, canonical(*input));
    text += inner + ",";
  }
  if (syntax.filter) {
    PENSTOCK_ASSIGN(const std::string inner, canonical(*syntax.filter));
    text += "|" + inner;
  }
  if (syntax.over) {
    text += "over" + syntax.over->frame_text;
    for (const SyntaxPtr& key : syntax.over->partition) {
      PENSTOCK_ASSIGN(const std::string inner, canonical(*key));
      text += "/" + inner;
    }
    for (const OrderItem& item : syntax.over->order) {
      PENSTOCK_ASSIGN(const std::string inner, canonical(*item.value));
      text += (item.descending ? "-" : "+") + std::string(item.nulls_first ? "^" : "") + inner;
    }
  }
  return text + ")";
}

}  // namespace penstock::sql
