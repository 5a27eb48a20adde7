#include <algorithm>

#include "base/nearest.hpp"
#include "sql/expression_binder.hpp"

namespace penstock::sql {
namespace {

// "data/lineitem.parquet" -> "lineitem", as DuckDB names a file's table.
std::string stem(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  std::string_view file = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return std::string(file.substr(0, file.find('.', 1)));
}

// "'price', 'prize'"
std::string nearest(const Schema& schema, std::string_view name) {
  std::vector<std::string> known;
  for (const Field& field : schema) known.push_back(field.name);
  std::string text;
  for (const std::string& near : nearest_names(name, known)) text += (text.empty() ? "'" : ", '") + near + "'";
  return text;
}

}  // namespace

Names::Names(const Lexed& lexed, const Select& select, const Schema& schema) : lexed_(lexed), select_(select), schema_(schema) {
  for (const SelectItem& item : select.items) {
    if (item.value->form != Form::star) {
      items_.push_back(item);
      continue;
    }
    for (std::uint32_t i = 0; i < schema.size(); i++) {
      auto column = std::make_shared<Syntax>(*item.value);
      column->form = Form::column;
      column->name = schema[i].name;
      column->index = i;
      items_.push_back({std::move(column), ""});
    }
  }
  visible_aliases = items_.size();
}

Result<std::optional<std::uint32_t>> Names::column(const Syntax& syntax) const {
  if (!syntax.qualifier.empty()) {
    const std::string asked = lower(syntax.qualifier);
    const bool known = select_.table_alias.empty() ? asked == lower(select_.table) || asked == lower(stem(select_.table))
                                                   : asked == lower(select_.table_alias);
    if (!known)
      return error(syntax.offset, Code::invalid, "no table '" + syntax.qualifier + "'; the table is '" +
                   (select_.table_alias.empty() ? stem(select_.table) : select_.table_alias) + "'");
  }
  if (syntax.index) return syntax.index;
  return find_field(schema_, syntax.name);
}

std::optional<std::size_t> Names::alias(const Syntax& syntax) const {
  if (!syntax.qualifier.empty() || syntax.index) return std::nullopt;
  for (std::size_t i = 0; i < visible_aliases; i++)
    if (!items_[i].alias.empty() && lower(items_[i].alias) == lower(syntax.name)) return i;
  return std::nullopt;
}

Status Names::unknown(const Syntax& syntax) const {
  const bool later = std::any_of(items_.begin(), items_.end(), [&](const SelectItem& i) { return lower(i.alias) == lower(syntax.name); });
  if (later && syntax.qualifier.empty())
    return error(syntax.offset, Code::invalid, "'" + syntax.name + "' is used before it is defined in the SELECT list");
  const Token* token = lexed_.at(syntax.offset);
  const bool is_quoted = token != nullptr && token->kind == TokenKind::quoted && syntax.qualifier.empty();
  const std::string near = nearest(schema_, syntax.name);
  return error(syntax.offset, Code::invalid,
               "no column '" + syntax.name + "'" + (near.empty() ? "" : "; the nearest: " + near) +
                   (is_quoted ? "; a text stands in single quotes, a name in double ones" : ""));
}

Result<std::optional<std::uint32_t>> Names::ordinal(const Syntax& term, const char* clause) const {
  if (term.form != Form::number || term.name.find_first_of(".eE") != std::string::npos) return std::optional<std::uint32_t>();
  const Result<Scalar> number = number_literal(term.name);
  const std::string count = std::to_string(items_.size());
  if (!number.ok() || number->integer < 1 || number->integer > static_cast<Int128>(items_.size()))
    return error(term.offset, Code::invalid,
                 std::string(clause) + " " + term.name + " is not between 1 and " + count + ", the number of SELECT items");
  return std::optional(static_cast<std::uint32_t>(number->integer - 1));
}

std::string Names::output_name(const SelectItem& item) const {
  if (!item.alias.empty()) return item.alias;
  if (item.value->form != Form::column) return display(*item.value);
  if (const auto index = column(*item.value); index.ok() && *index) return schema_[**index].name;
  return item.value->name;
}

Status Names::at(const Syntax& syntax, const Status& status) const {
  const bool has_place = status.message().find("\nLINE ") != std::string::npos;
  return status.ok() || has_place ? status : error(syntax.offset, status.code(), status.message());
}

Result<std::string> Names::canonical(const Syntax& syntax) const {
  if (syntax.form == Form::column) {
    PENSTOCK_ASSIGN(const std::optional<std::uint32_t> index, column(syntax));
    if (index) return "#" + std::to_string(*index);
    return "?" + lower(syntax.name);
  }
  std::string text = std::to_string(static_cast<int>(syntax.form)) + "'" + syntax.name + "'" + syntax.qualifier + "'" +
                     name_of(syntax.type) + (syntax.star ? "*(" : syntax.distinct ? "distinct(" : "(");
  for (const SyntaxPointer& input : syntax.inputs) {
    PENSTOCK_ASSIGN(const std::string inner, canonical(*input));
    text += inner + ",";
  }
  if (syntax.filter) {
    PENSTOCK_ASSIGN(const std::string inner, canonical(*syntax.filter));
    text += "|" + inner;
  }
  if (syntax.over) {
    text += "over" + syntax.over->frame_text;
    for (const SyntaxPointer& key : syntax.over->partition) {
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
