#include "sql/duckdb/plan_expression.hpp"

#include <algorithm>

#include "sql/duckdb/plan_casts.hpp"
#include "sql/parse/suggestions.hpp"

namespace penstock::sql {
namespace {

struct NamedOperation {
  std::string_view type, name;
};
constexpr NamedOperation comparisons[] = {{"COMPARE_EQUAL", "="},
                                          {"COMPARE_NOTEQUAL", "!="},
                                          {"COMPARE_LESSTHAN", "<"},
                                          {"COMPARE_GREATERTHAN", ">"},
                                          {"COMPARE_LESSTHANOREQUALTO", "<="},
                                          {"COMPARE_GREATERTHANOREQUALTO", ">="},
                                          {"COMPARE_DISTINCT_FROM", "is distinct from"},
                                          {"COMPARE_NOT_DISTINCT_FROM", "is not distinct from"}};
constexpr NamedOperation operations[] = {{"CONJUNCTION_AND", "and"},
                                         {"CONJUNCTION_OR", "or"},
                                         {"OPERATOR_NOT", "not"},
                                         {"OPERATOR_IS_NULL", "is null"},
                                         {"OPERATOR_IS_NOT_NULL", "is not null"},
                                         {"COMPARE_IN", "in"}};
constexpr int depth_limit = 600;

class Reader {
 public:
  Reader(const std::vector<PlanColumn>& columns, Problems& problems, int depth = 0)
      : columns_(columns), problems_(problems), depth_(depth) {}

  SyntaxPtr read(const Tree& expression) {
    if (depth_ == depth_limit) return refused(expression, "an expression that nests too deep");
    depth_++;
    SyntaxPtr syntax = dispatch(expression);
    depth_--;
    return syntax;
  }

 private:
  SyntaxPtr dispatch(const Tree& expression) {
    if (const auto column = column_meant(expression, columns_))
      return column_of(expression, *column);
    const std::string_view kind = expression["expression_class"].text();
    if (kind == "BOUND_CONSTANT") return constant(expression);
    if (is_cast(expression)) return cast(expression);
    if (kind == "BOUND_CASE") return case_of(expression);
    const std::string_view type = expression["type"].text();
    if (const std::string_view name = comparison_operator(type); !name.empty())
      return operation(expression, std::string(name));
    if (type == "COMPARE_BETWEEN") return between(expression);
    if (type == "COMPARE_NOT_IN") return negated(expression, operation(expression, "in"));
    if (type == "OPERATOR_COALESCE") return function(expression, "coalesce");
    for (const NamedOperation& row : operations)
      if (row.type == type) return operation(expression, std::string(row.name));
    if (kind == "BOUND_FUNCTION") return call(expression);
    return refused(expression, "the expression " + lower(type.empty() ? kind : type));
  }

  std::shared_ptr<Syntax> make(const Tree& expression, SyntaxKind kind, std::string name) {
    auto syntax = std::make_shared<Syntax>();
    syntax->kind = kind;
    syntax->offset = place_of(expression);
    syntax->name = std::move(name);
    return syntax;
  }

  SyntaxPtr refused(const Tree& expression, const std::string& what) {
    static_cast<void>(problems_.refuse(place_of(expression), not_supported(what)));
    return make(expression, SyntaxKind::refused, "");
  }

  SyntaxPtr column_of(const Tree& expression, const PlanColumn& column) {
    const auto place = column.place();
    if (!place) {
      static_cast<void>(problems_.refuse(place_of(expression), column.unread().message()));
      return make(expression, SyntaxKind::refused, "");
    }
    auto syntax = make(expression, SyntaxKind::column, std::string(expression["alias"].text()));
    syntax->index = *place;
    return syntax;
  }

  // An interval has no type of its own here: the binder adds it to a date.
  SyntaxPtr constant(const Tree& expression) {
    const Tree value = expression["value"];
    const std::string_view id = value["type"]["id"].text();
    if (id == "NULL" || id == "SQLNULL") return make(expression, SyntaxKind::null, "NULL");
    if (id == "INTERVAL" && !value["is_null"].boolean())
      return interval(expression, value["value"]);
    const std::optional<Scalar> scalar = value_of_json(value);
    if (!scalar) return refused(expression, "a constant of " + type_name(value["type"]));
    if (scalar->is_null) {
      auto null = make(expression, SyntaxKind::null, "NULL");
      null->stated = scalar->type;
      return null;
    }
    if (is_text(scalar->type)) return make(expression, SyntaxKind::string, scalar->text);
    auto syntax = make(expression, SyntaxKind::value, "");
    syntax->scalar = *scalar;
    return syntax;
  }

  SyntaxPtr interval(const Tree& expression, const Tree& value) {
    const std::int64_t months = value["months"].integer(), days = value["days"].integer(),
                       micros = value["micros"].integer();
    const auto part = [](std::int64_t count, const char* unit) {
      return count != 0 ? std::to_string(count) + unit : std::string();
    };
    const std::string text =
        part(months, " month ") + part(days, " day ") + part(micros, " microsecond ");
    return make(expression, SyntaxKind::interval, text.empty() ? "0 day" : text);
  }

  SyntaxPtr cast(const Tree& expression) {
    const std::optional<Type> type = stated_type(expression);
    if (const std::string refusal = refused_cast(expression); !refusal.empty())
      return refused(expression, refusal);
    if (!type) return refused(expression, "a cast to " + type_name(expression["return_type"]));
    auto syntax = make(expression, SyntaxKind::cast, name_of(*type));
    syntax->type = *type;
    syntax->is_try = is_try_cast(expression);
    add_inputs(expression, *syntax);
    if (syntax->inputs.size() != 1) return refused(expression, "a cast of no value");
    const auto length = length_to_check(expression);
    return length ? of_length(expression, *length, syntax) : syntax;
  }

  // CASE WHEN x IS NULL OR len(x) = 3 THEN x ELSE error() END
  SyntaxPtr of_length(const Tree& expression, std::int64_t length,
                      const std::shared_ptr<Syntax>& list) {
    auto number = make(expression, SyntaxKind::value, "");
    number->scalar = Scalar::of(length);
    auto count = make(expression, SyntaxKind::function, "len");
    count->inputs = {list};
    auto otherwise = make(expression, SyntaxKind::null, "NULL");
    otherwise->stated = list->type;
    if (!list->is_try) {
      otherwise->kind = SyntaxKind::function;
      otherwise->name = "error";
      otherwise->inputs = {make(expression, SyntaxKind::string,
                                "a list is not of the length " + std::to_string(length))};
    }
    auto chosen = make(expression, SyntaxKind::case_of, "");
    chosen->inputs = {operation_syntax("or", {operation_syntax("is null", {list}),
                                              operation_syntax("=", {count, number})}),
                      list, otherwise};
    chosen->stated = list->type;
    return chosen;
  }

  // The tests come in pairs of a condition and its value.
  SyntaxPtr case_of(const Tree& expression) {
    auto syntax = make(expression, SyntaxKind::case_of, "");
    const Tree checks = expression["case_checks"];
    for (std::size_t i = 0; i < checks.size(); i++) {
      syntax->inputs.push_back(read(checks.at(i)["when_expr"]));
      syntax->inputs.push_back(read(checks.at(i)["then_expr"]));
    }
    syntax->inputs.push_back(read(expression["else_expr"]));
    syntax->stated = stated_type(expression);
    for (std::size_t i = 1; i < syntax->inputs.size(); i += 2)
      syntax->inputs[i] = with_type_of_fault(syntax->inputs[i], syntax->stated);
    return syntax;
  }

  // error() has the type of the value that it stands for.
  SyntaxPtr with_type_of_fault(const SyntaxPtr& syntax, const std::optional<Type>& type) {
    const Syntax* fault = syntax.get();
    while (fault->kind == SyntaxKind::cast) fault = fault->inputs[0].get();
    if (fault->kind != SyntaxKind::function || fault->name != "error") return syntax;
    auto typed = std::make_shared<Syntax>(*fault);
    typed->stated = type;
    return typed;
  }

  SyntaxPtr between(const Tree& expression) {
    const auto is_open = [&](const char* field) {
      for (const Tree& at : {expression, expression["function_data"]})
        if (at[field] && !at[field].boolean()) return true;
      return false;
    };
    const std::vector<Tree> inputs = inputs_of(expression);
    const bool is_above = is_open("lower_inclusive"), is_below = is_open("upper_inclusive");
    if (inputs.size() != 3) return refused(expression, "BETWEEN without two bounds");
    if (!is_above && !is_below) return operation(expression, "between");
    const SyntaxPtr value = read(inputs[0]);
    auto low = make(expression, SyntaxKind::operation, is_above ? ">" : ">=");
    low->inputs = {value, read(inputs[1])};
    auto high = make(expression, SyntaxKind::operation, is_below ? "<" : "<=");
    high->inputs = {value, read(inputs[2])};
    auto both = make(expression, SyntaxKind::operation, "and");
    both->inputs = {low, high};
    return both;
  }

  SyntaxPtr negated(const Tree& expression, SyntaxPtr input) {
    auto syntax = make(expression, SyntaxKind::operation, "not");
    syntax->inputs = {std::move(input)};
    return syntax;
  }

  static bool takes(std::string_view name, std::size_t count) {
    if (name == "and" || name == "or") return count >= 1;
    if (name == "not" || name == "is null" || name == "is not null") return count == 1;
    if (name == "in") return count >= 2;
    return count == (name == "between" ? 3 : 2);
  }

  SyntaxPtr operation(const Tree& expression, std::string name) {
    const std::size_t count = inputs_of(expression).size();
    if (!takes(name, count))
      return refused(expression, "'" + name + "' of " + std::to_string(count) + " values");
    auto syntax = make(expression, SyntaxKind::operation, std::move(name));
    add_inputs(expression, *syntax);
    return syntax;
  }

  SyntaxPtr function(const Tree& expression, std::string name) {
    auto syntax = make(expression, SyntaxKind::function, std::move(name));
    add_inputs(expression, *syntax);
    syntax->stated = stated_type(expression);
    return syntax;
  }

  SyntaxPtr call(const Tree& expression) {
    std::string name(function_name(expression));
    const bool is_word =
        !name.empty() && (std::isalnum(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_');
    if (is_word && name == "regexp_extract") return extraction(expression);
    if (is_word && name == "array_slice") return slice(expression);
    if (const std::string_view kind = lambda_function(name); !kind.empty())
      return lambda_call(expression, std::string(kind));
    if (const SyntaxPtr combined = of_list(expression, name)) return combined;
    if (is_word) return function(expression, lower(name));
    const std::size_t count = inputs_of(expression).size();
    if (count < 1 || count > 2)
      return refused(expression, "'" + name + "' of " + std::to_string(count) + " values");
    if (name == "-" && count == 1) name = "neg";
    auto syntax = make(expression, SyntaxKind::operation, std::move(name));
    add_inputs(expression, *syntax);
    syntax->stated = stated_type(expression);
    return syntax;
  }

  // The functions that take lambdas, by one name each.
  static std::string_view lambda_function(std::string_view name) {
    static constexpr NamedOperation rows[] = {{"list_transform", "list_transform"},
                                              {"list_apply", "list_transform"},
                                              {"array_transform", "list_transform"},
                                              {"array_apply", "list_transform"},
                                              {"apply", "list_transform"},
                                              {"list_filter", "list_filter"},
                                              {"array_filter", "list_filter"},
                                              {"filter", "list_filter"},
                                              {"list_reduce", "list_reduce"},
                                              {"array_reduce", "list_reduce"},
                                              {"reduce", "list_reduce"}};
    const auto found = std::ranges::find(rows, name, &NamedOperation::type);
    return found == std::end(rows) ? std::string_view() : found->name;
  }

  // The lambda's columns are its parameters, then what it captures: the inputs behind it.
  SyntaxPtr lambda_call(const Tree& expression, std::string name) {
    if (expression["function_data"]["has_initial"].boolean()) name += "_from";
    auto syntax = make(expression, SyntaxKind::function, std::move(name));
    for (const Tree& input : inputs_of(expression)) {
      if (input["type"].text() != "LAMBDA") {
        syntax->inputs.push_back(read(input));
        continue;
      }
      const auto parameters = static_cast<std::uint32_t>(input["parameter_count"].integer());
      std::vector<PlanColumn> columns(parameters + inputs_of(expression).size());
      for (std::uint32_t i = 0; i < columns.size(); i++) columns[i].column = i;
      auto lambda = make(input, SyntaxKind::function, "lambda");
      lambda->index = parameters;
      lambda->inputs.push_back(Reader(columns, problems_, depth_).read(input["lambda_expr"]));
      syntax->inputs.push_back(std::move(lambda));
    }
    syntax->stated = stated_type(expression);
    return syntax;
  }

  // text[2:]: DuckDB writes an empty list for an end that is left out.
  SyntaxPtr slice(const Tree& expression) {
    auto syntax = make(expression, SyntaxKind::function, "array_slice");
    const std::vector<Tree> inputs = inputs_of(expression);
    for (std::size_t i = 0; i < inputs.size(); i++) {
      if (i == 0 || inputs[i]["value"]["type"]["id"].text() != "LIST") {
        syntax->inputs.push_back(read(inputs[i]));
        continue;
      }
      auto end = make(expression, SyntaxKind::value, "");
      const std::int64_t begin = inputs.size() == 4 ? INT64_MIN : 1;  // with a step
      end->scalar = Scalar::of(i == 1 ? begin : INT64_MAX);
      syntax->inputs.push_back(std::move(end));
    }
    syntax->stated = stated_type(expression);
    return syntax;
  }

  struct Combined {
    std::string_view outer, inner, name;
  };
  // A call that reads a list of a call that makes one is a function of texts.
  SyntaxPtr of_list(const Tree& expression, std::string_view name) {
    static constexpr Combined rows[] = {{"array_extract", "string_split", "split_element"},
                                        {"array_extract", "str_split", "split_element"},
                                        {"array_extract", "split", "split_element"},
                                        {"list_element", "string_split", "split_element"},
                                        {"list_element", "str_split", "split_element"},
                                        {"list_extract", "string_split", "split_element"},
                                        {"list_extract", "str_split", "split_element"},
                                        {"len", "string_split", "split_count"},
                                        {"len", "str_split", "split_count"},
                                        {"length", "string_split", "split_count"},
                                        {"array_length", "string_split", "split_count"}};
    const std::vector<Tree> inputs = inputs_of(expression);
    if (inputs.empty()) return nullptr;
    const std::string_view inner = function_name(inputs[0]);
    for (const Combined& row : rows) {
      if (row.outer != name || row.inner != inner) continue;
      auto syntax = make(expression, SyntaxKind::function, std::string(row.name));
      add_inputs(inputs[0], *syntax);
      for (std::size_t i = 1; i < inputs.size(); i++) syntax->inputs.push_back(read(inputs[i]));
      syntax->stated = stated_type(expression);
      return syntax;
    }
    return nullptr;
  }

  // DuckDB writes a replacement of the whole text so, with an option k: a text without a match is
  // kept.
  SyntaxPtr extraction(const Tree& expression) {
    SyntaxPtr call = function(expression, "regexp_extract");
    const bool has_options = call->inputs.size() == 4;
    const std::size_t keeps = has_options ? call->inputs[3]->name.find('k') : std::string::npos;
    if (keeps == std::string::npos) return call;
    auto extract = std::make_shared<Syntax>(*call);
    auto options = std::make_shared<Syntax>(*call->inputs[3]);
    options->name.erase(keeps, 1);
    extract->inputs[3] = options;
    if (options->name.empty()) extract->inputs.pop_back();
    auto matches = make(expression, SyntaxKind::function, "regexp_matches");
    matches->inputs = {call->inputs[0], call->inputs[1]};
    if (!options->name.empty()) matches->inputs.push_back(options);
    auto chosen = make(expression, SyntaxKind::case_of, "");
    chosen->inputs = {matches, extract, call->inputs[0]};
    return chosen;
  }

  // list_aggregate() with string_agg has no separator among its inputs in plans of DuckDB 1.5.
  void add_inputs(const Tree& expression, Syntax& syntax) {
    for (const Tree& input : inputs_of(expression)) syntax.inputs.push_back(read(input));
    const Tree aggregate = expression["function_data"]["bind_data"]["aggr_expr"];
    const Tree separator = aggregate["function_data"]["separator"];
    if (separator && syntax.inputs.size() == 2)
      syntax.inputs.push_back(make(expression, SyntaxKind::string, std::string(separator.text())));
  }

  const std::vector<PlanColumn>& columns_;
  Problems& problems_;
  int depth_;
};

}  // namespace

SyntaxPtr operation_syntax(std::string name, std::vector<SyntaxPtr> inputs) {
  auto syntax = std::make_shared<Syntax>();
  syntax->kind = SyntaxKind::operation;
  syntax->name = std::move(name);
  syntax->offset = inputs[0]->offset;
  syntax->inputs = std::move(inputs);
  return syntax;
}

std::string_view comparison_operator(std::string_view type) {
  const auto found = std::ranges::find(comparisons, type, &NamedOperation::type);
  return found == std::end(comparisons) ? std::string_view() : found->name;
}

SyntaxPtr read_plan_expression(const Tree& expression, const std::vector<PlanColumn>& columns,
                               Problems& problems) {
  return Reader(columns, problems).read(expression);
}

}  // namespace penstock::sql
