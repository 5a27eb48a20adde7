#include "sql/bind/windowing.hpp"

#include <algorithm>

#include "plan/aggregates.hpp"

namespace penstock::sql {
namespace {

constexpr int window_depth_limit = 1100;

struct NamedFunction {
  std::string_view name;
  WindowFunction function;
};
// Functions that are no aggregates.
constexpr NamedFunction functions[] = {{"row_number", WindowFunction::row_number},
                                       {"rank", WindowFunction::rank},
                                       {"dense_rank", WindowFunction::dense_rank},
                                       {"first_value", WindowFunction::first_value},
                                       {"last_value", WindowFunction::last_value},
                                       {"lag", WindowFunction::lag},
                                       {"lead", WindowFunction::lead}};

bool is_literal(const Syntax& syntax) {
  return syntax.kind == SyntaxKind::number || syntax.kind == SyntaxKind::string ||
         syntax.kind == SyntaxKind::boolean || syntax.kind == SyntaxKind::null ||
         syntax.kind == SyntaxKind::interval || syntax.kind == SyntaxKind::star;
}

bool has_window(const Syntax& syntax) {
  return syntax.over || std::any_of(syntax.inputs.begin(), syntax.inputs.end(),
                                    [](const SyntaxPtr& i) { return has_window(*i); });
}

}  // namespace

std::optional<WindowFunction> window_function_named(std::string_view name) {
  if (const plan::AggregateRow* aggregate = plan::aggregate_named(name)) return aggregate->window;
  for (const NamedFunction& row : functions)
    if (row.name == name) return row.function;
  return std::nullopt;
}

std::vector<std::string_view> Windowing::function_names() {
  std::vector<std::string_view> names;
  for (const NamedFunction& row : functions) names.push_back(row.name);
  return names;
}

bool Windowing::contains_window(const std::vector<SelectItem>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const SelectItem& output) { return has_window(*output.value); });
}

Status Windowing::bind(const std::vector<SelectItem>& outputs) {
  Failures failures(names_.problems());
  for (std::size_t i = 0; i < outputs.size(); i++) {
    const VisibleAliases scope(names_, i);
    if (!failures.pass(collect(*outputs[i].value, 0))) break;
  }
  // A projection needs a column even where row_number() reads none.
  if (projections_.empty()) projections_.push_back({"row", rows_.literal(Scalar::of(true))});
  return failures.status();
}

// Returns the item that a name refers to where it is not a column, as ExpressionBinder finds it.
std::optional<std::size_t> Windowing::alias_of(const Syntax& column) const {
  const Result<std::optional<std::uint32_t>> index = names_.column(column);
  if (index.ok() && *index && (groups_ == nullptr || groups_->find("#" + std::to_string(**index))))
    return std::nullopt;
  return names_.alias(column);
}

// Tells whether an expression contains no window function, through its aliases too.
Result<bool> Windowing::stands_alone(const Syntax& syntax, int depth) {
  if (depth == window_depth_limit)
    return names_.error(syntax.offset, Code::capacity, "the expression nests too deep here");
  if (syntax.over) return false;
  PENSTOCK_ASSIGN(const std::string text, names_.canonical(syntax));
  if (const auto known = alone_.find(text); known != alone_.end()) return known->second;
  bool alone = true;
  if (syntax.kind == SyntaxKind::column) {
    if (const auto alias = alias_of(syntax)) {
      const VisibleAliases scope(names_, *alias);
      PENSTOCK_ASSIGN(alone, stands_alone(*names_.item(*alias), depth + 1));
    }
  }
  for (const SyntaxPtr& input : syntax.inputs) {
    PENSTOCK_ASSIGN(const bool input_alone, stands_alone(*input, depth + 1));
    alone = alone && input_alone;
  }
  alone_.emplace(text, alone);
  return alone;
}

Status Windowing::collect(const Syntax& syntax, int depth) {
  if (is_literal(syntax)) return {};
  PENSTOCK_ASSIGN(const bool alone, stands_alone(syntax, depth));
  PENSTOCK_ASSIGN(const std::string text, names_.canonical(syntax));
  if (columns_.find(text)) return {};
  if (syntax.over) return add_call(syntax, text);
  if (const auto alias = syntax.kind == SyntaxKind::column ? alias_of(syntax) : std::nullopt) {
    const VisibleAliases scope(names_, *alias);
    return collect(*names_.item(*alias), depth + 1);
  }
  if (alone) return column_for(syntax).status();
  return collect_parts(syntax, depth);
}

Status Windowing::collect_parts(const Syntax& syntax, int depth) {
  Failures failures(names_.problems());
  for (const SyntaxPtr& input : syntax.inputs)
    if (!failures.pass(collect(*input, depth + 1))) break;
  return failures.status();
}

// Returns the column of the projection that holds an expression. One that fails is a placeholder
// from then on.
Result<std::uint32_t> Windowing::column_for(const Syntax& syntax) {
  PENSTOCK_ASSIGN(std::string text, names_.canonical(syntax));
  if (const auto found = columns_.find(text)) {
    if (*found == GroupColumns::failed) return Problems::known();
    return *found;
  }
  const Result<NodeId> node = ExpressionBinder(names_, rows_, "OVER", groups_).value(syntax);
  if (!node.ok()) columns_.by_text.emplace(std::move(text), GroupColumns::failed);
  PENSTOCK_TRY(node);
  return add_projection(std::move(text), syntax, *node);
}

std::uint32_t Windowing::add_projection(std::string text, const Syntax& syntax, NodeId node) {
  const auto column = static_cast<std::uint32_t>(projections_.size());
  const auto [at, added] = columns_.by_text.emplace(std::move(text), column);
  if (added) projections_.push_back({display(syntax), node});
  return at->second;
}

Status Windowing::add_call(const Syntax& syntax, const std::string& text) {
  Status status = bind_call(syntax, text);
  if (!status.ok()) columns_.by_text.emplace(text, GroupColumns::failed);
  return status;
}

Status Windowing::bind_call(const Syntax& syntax, const std::string& text) {
  const std::optional<WindowFunction> function = window_function_named(syntax.name);
  if (!function) return refuse(syntax, syntax.name + " as a window function");
  if (syntax.distinct) return refuse(syntax, "DISTINCT in a window function");
  WindowCall call;
  call.function = *function;
  call.frame = syntax.over->frame;
  call.name = display(syntax);
  Failures failures(names_.problems());
  Result<Window> window = window_of(*syntax.over);
  failures.pass(window.status());
  failures.pass(bind_argument(syntax, call));
  PENSTOCK_TRY(failures.status());
  Pane& pane = pane_for(std::move(window).value());
  for (const Call& other : pane.calls)
    if (other.text == text) return {};
  pane.calls.push_back({text, std::move(call)});
  return {};
}

Status Windowing::bind_argument(const Syntax& syntax, WindowCall& call) {
  const auto wrong = [&](const std::string& message) {
    return names_.error(syntax.offset, Code::invalid, syntax.name + message);
  };
  const bool shifts = call.function == WindowFunction::lag || call.function == WindowFunction::lead;
  const bool counts_rows = call.function == WindowFunction::count && syntax.inputs.empty();
  const plan::AggregateRow* aggregate = plan::aggregate_named(syntax.name);
  const bool numbers = call.function <= WindowFunction::dense_rank;
  if (syntax.star && call.function != WindowFunction::count)
    return wrong("(*) means nothing; only count takes *");
  if (syntax.filter && !aggregate) return wrong(" takes no FILTER");
  if (numbers) return syntax.inputs.empty() ? Status() : wrong(" takes no arguments");
  if (!counts_rows && (syntax.inputs.empty() || syntax.inputs.size() > (shifts ? 3 : 1)))
    return wrong((shifts ? " takes 1 to 3 arguments, not " : " takes 1 argument, not ") +
                 std::to_string(syntax.inputs.size()));
  if (syntax.inputs.size() > 1) PENSTOCK_TRY(bind_distance(*syntax.inputs[1], call));
  if (counts_rows && !syntax.filter) return call.function = WindowFunction::count_rows, Status();
  if (!syntax.filter) {
    PENSTOCK_ASSIGN(call.column, column_for(*syntax.inputs[0]));
  } else {
    PENSTOCK_ASSIGN(call.column, filtered_column(syntax));
  }
  const Type type = rows_.type(projections_[call.column].root);
  if (syntax.inputs.size() == 3 && syntax.inputs[2]->kind != SyntaxKind::null)
    PENSTOCK_TRY(bind_default(*syntax.inputs[2], type, call));
  if (!aggregate) return {};
  if (plan::adds_values(aggregate->function)) PENSTOCK_TRY(names_.check_addends(syntax, type));
  if (!aggregate->result(type))
    return names_.error(syntax.offset, Code::invalid,
                        "window: cannot take " + syntax.name + " of " + name_of(type));
  return {};
}

// Binds f(x) FILTER (WHERE c) as f(CASE WHEN c THEN x END).
Result<std::uint32_t> Windowing::filtered_column(const Syntax& syntax) {
  NodeId argument = rows_.literal(Scalar::of(true));
  if (!syntax.inputs.empty()) {
    ExpressionBinder binder(names_, rows_, "the argument of " + syntax.name, groups_);
    PENSTOCK_ASSIGN(argument, binder.value(*syntax.inputs[0]));
  }
  PENSTOCK_ASSIGN(const NodeId condition,
                  ExpressionBinder(names_, rows_, "FILTER", groups_).predicate(*syntax.filter));
  Result<NodeId> kept =
      rows_.select(condition, argument, rows_.literal(Scalar::null_of(rows_.type(argument))));
  if (!kept.ok()) return names_.at(syntax, kept.status());
  Syntax without_window = syntax;  // equal arguments of several windows are one column
  without_window.over = nullptr;
  PENSTOCK_ASSIGN(const std::string text, names_.canonical(without_window));
  return add_projection("filtered " + text, without_window, *kept);
}

Status Windowing::bind_distance(const Syntax& syntax, WindowCall& call) const {
  const Result<Scalar> number = syntax.kind == SyntaxKind::number
                                    ? number_literal(syntax.name)
                                    : Result<Scalar>(Status(Code::invalid, ""));
  if (!number.ok() || !is_integer(number->type) || number->integer < 0)
    return refuse(syntax, std::string(call.function == WindowFunction::lag ? "lag" : "lead") +
                              "() by a distance that is not a constant number of rows");
  call.distance = static_cast<std::uint64_t>(number->integer);
  return {};
}

Status Windowing::bind_default(const Syntax& syntax, Type type, WindowCall& call) {
  PENSTOCK_ASSIGN(NodeId node, ExpressionBinder(names_, rows_, "OVER", groups_).value(syntax));
  if (!(rows_.type(node) == type)) {
    const Result<NodeId> cast = rows_.cast(node, type);
    if (!cast.ok()) return names_.at(syntax, cast.status());
    node = *cast;
  }
  PENSTOCK_ASSIGN(const std::string text, names_.canonical(syntax));
  call.otherwise = add_projection("default " + name_of(type) + text, syntax, node);
  return {};
}

Result<Window> Windowing::window_of(const WindowSyntax& over) {
  Window window;
  Failures failures(names_.problems());
  for (const SyntaxPtr& key : over.partition) {
    const Result<std::uint32_t> column = column_for(*key);
    if (!failures.pass(column.status())) break;
    if (column.ok()) window.partition.push_back(*column);
  }
  for (const OrderItem& item : over.order) {
    const Result<std::uint32_t> column = column_for(*item.value);
    if (!failures.pass(column.status())) break;
    if (column.ok()) window.order.push_back({*column, item.descending, item.nulls_first});
  }
  PENSTOCK_TRY(failures.status());
  return window;
}

// Returns the pane of a partition and order; its calls are one relation.
Windowing::Pane& Windowing::pane_for(Window window) {
  const auto is_same = [&](const Pane& pane) {
    const auto same_key = [](const SortKey& a, const SortKey& b) {
      return a.column == b.column && a.descending == b.descending && a.nulls_first == b.nulls_first;
    };
    return pane.window.partition == window.partition &&
           std::equal(pane.window.order.begin(), pane.window.order.end(), window.order.begin(),
                      window.order.end(), same_key);
  };
  const auto found = std::find_if(panes_.begin(), panes_.end(), is_same);
  if (found != panes_.end()) return *found;
  panes_.push_back({std::move(window), {}});
  return panes_.back();
}

Result<RelationId> Windowing::add_windows(RelationGraph& relations, RelationId rows) {
  for (Pane& pane : panes_) {
    auto column = static_cast<std::uint32_t>(relations.at(rows).schema.size());
    for (Call& call : pane.calls) {
      columns_.by_text.emplace(call.text, column++);
      pane.window.calls.push_back(std::move(call.call));
    }
    PENSTOCK_ASSIGN(rows, relations.window(rows, std::move(pane.window)));
  }
  return rows;
}

}  // namespace penstock::sql
