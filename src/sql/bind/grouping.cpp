#include "sql/bind/grouping.hpp"

#include <algorithm>

#include "expr/string_functions.hpp"
#include "plan/aggregates.hpp"
#include "sql/bind/dependent_keys.hpp"

namespace penstock::sql {
namespace {

bool reads_column(const Syntax& syntax) {
  const std::vector<SyntaxPtr> parts = parts_of(syntax);
  return syntax.kind == SyntaxKind::column ||
         std::ranges::any_of(parts, [](const SyntaxPtr& part) { return reads_column(*part); });
}

// Tells whether an item with an aggregate reads a column outside of aggregates, too.
bool mixes_aggregates(const Syntax& syntax) {
  if (is_aggregate(syntax)) return false;
  const std::vector<SyntaxPtr> parts = parts_of(syntax);
  return syntax.kind == SyntaxKind::column ||
         std::ranges::any_of(parts, [](const SyntaxPtr& part) { return mixes_aggregates(*part); });
}

bool averages_without_cast(Type type) {
  return type.kind == Kind::int16 || type.kind == Kind::int32 || type.kind == Kind::int64 ||
         type.kind == Kind::decimal;
}

}  // namespace

Status Grouping::bind(const std::vector<SelectItem>& outputs) {
  Failures failures(names_.problems());
  for (const SyntaxPtr& term : select_.group_by)
    if (!failures.pass(bind_term(term))) break;
  if (select_.groups_by_all) failures.pass(bind_all());
  columns_.lacks_keys = !failures.status().ok();
  for (std::size_t i = 0; i < outputs.size(); i++) {
    const VisibleAliases scope(names_, i);
    if (!failures.pass(collect(*outputs[i].value, 0))) break;
  }
  if (select_.having) failures.pass(collect(*select_.having, 0));
  return failures.status();
}

Status Grouping::bind_term(const SyntaxPtr& term) {
  PENSTOCK_ASSIGN(const std::optional<std::uint32_t> rank, names_.ordinal(*term, "GROUP BY"));
  return bind_key(rank ? names_.item(*rank) : term, rank ? *rank : names_.items().size());
}

// Makes each item without an aggregate a key. Constants are one only where nothing else is.
Status Grouping::bind_all() {
  Failures failures(names_.problems());
  for (std::size_t i = 0; i < names_.items().size(); i++) {
    const SyntaxPtr& item = names_.item(i);
    if (contains_aggregate(*item)) {
      if (mixes_aggregates(*item))
        return names_.error(item->offset, Code::invalid,
                            "GROUP BY ALL cannot mix aggregates with other columns in one item; "
                            "list the keys: GROUP BY 1, 2");
    } else if (reads_column(*item)) {
      if (!failures.pass(bind_key(item, i))) break;
    }
  }
  PENSTOCK_TRY(failures.status());
  const bool has_aggregate = std::ranges::any_of(
      names_.items(), [](const SelectItem& item) { return contains_aggregate(*item.value); });
  return keys_.empty() && !has_aggregate ? bind_key(names_.item(0), 0) : Status();
}

Status Grouping::bind_key(SyntaxPtr key, std::size_t visible_aliases) {
  const VisibleAliases scope(names_, visible_aliases);
  if (key->kind == SyntaxKind::column) {
    PENSTOCK_ASSIGN(const std::optional<std::uint32_t> column, names_.column(*key));
    if (const auto alias = column ? std::nullopt : names_.alias(*key)) {
      key = names_.item(*alias);
      names_.visible_aliases = *alias;
    }
  }
  return add_key(*key);
}

Status Grouping::add_key(const Syntax& key) {
  PENSTOCK_ASSIGN(const std::string text, names_.canonical(key));
  const Result<NodeId> node = ExpressionBinder(names_, rows_, "GROUP BY").value(key);
  const auto column = static_cast<std::uint32_t>(keys_.size());
  const bool is_new =
      columns_.by_text.emplace(text, node.ok() ? column : GroupColumns::failed).second;
  if (node.ok() && is_new) keys_.push_back({display(key), *node});
  return node.status();
}

// Adds the aggregates of an expression that is computed over groups.
Status Grouping::collect(const Syntax& syntax, int depth) {
  constexpr int group_depth_limit = 600;
  if (depth == group_depth_limit)
    return names_.error(syntax.offset, Code::capacity, "the expression nests too deep here");
  PENSTOCK_ASSIGN(const std::string text, names_.canonical(syntax));
  if (columns_.find(text) || !collected_.insert(text).second)
    return {};  // each once: aliases can double the number of visits
  if (is_aggregate(syntax)) return add_aggregate(syntax, text);
  if (syntax.kind == SyntaxKind::column) return collect_alias(syntax, depth);
  return collect_parts(syntax, depth);
}

Status Grouping::collect_parts(const Syntax& syntax, int depth) {
  Failures failures(names_.problems());
  for (const SyntaxPtr& part : parts_of(syntax))
    if (!failures.pass(collect(*part, depth + 1))) break;
  if (syntax.kind == SyntaxKind::refused) failures.pass(Problems::known());
  return failures.status();
}

Status Grouping::collect_alias(const Syntax& column, int depth) {
  const std::optional<std::size_t> alias = names_.alias(column);
  if (!alias) return {};  // binding it reports the error
  const VisibleAliases scope(names_, *alias);
  return collect(*names_.item(*alias), depth + 1);
}

Status Grouping::add_aggregate(const Syntax& syntax, const std::string& text) {
  Result<AggregateCall> call = bind_aggregate(syntax);
  const auto column = static_cast<std::uint32_t>(keys_.size() + aggregates_.size());
  columns_.by_text.emplace(text, call.ok() ? column : GroupColumns::failed);
  PENSTOCK_TRY(call);
  aggregates_.push_back(std::move(call).value());
  filtered_.push_back(syntax.filter != nullptr);
  return {};
}

// Binds what an aggregate that is refused reads.
Status Grouping::bind_refused(const Syntax& syntax) {
  Failures failures(names_.problems());
  for (const SyntaxPtr& input : syntax.inputs)
    failures.pass(
        ExpressionBinder(names_, rows_, "the argument of " + syntax.name).value(*input).status());
  return Problems::known();
}

Result<AggregateCall> Grouping::bind_aggregate(const Syntax& syntax) {
  if (syntax.kind == SyntaxKind::refused) return bind_refused(syntax);
  const bool of_rows = syntax.name == "count" && syntax.inputs.empty();
  PENSTOCK_TRY(check_arguments(syntax, of_rows));
  AggregateCall call;
  call.name = display(syntax);
  call.function = of_rows && !syntax.filter ? Aggregate::count_rows
                                            : plan::aggregate_named(syntax.name)->function;
  if (!of_rows) {
    const Result<NodeId> argument =
        ExpressionBinder(names_, rows_, "the argument of " + syntax.name).value(*syntax.inputs[0]);
    if (!argument.ok() && syntax.filter)
      names_.problems().pass(
          ExpressionBinder(names_, rows_, "FILTER").predicate(*syntax.filter).status());
    PENSTOCK_TRY(argument);
    call.argument = *argument;
  }
  call.distinct = syntax.distinct;
  if (syntax.filter) PENSTOCK_TRY(add_filter(syntax, of_rows, call));
  PENSTOCK_TRY(check_aggregate(syntax, call));
  return call;
}

Status Grouping::check_arguments(const Syntax& syntax, bool of_rows) const {
  const auto wrong = [&](const std::string& message) {
    return names_.error(syntax.offset, Code::invalid, syntax.name + message);
  };
  if (syntax.star && syntax.name != "count") return wrong("(*) means nothing; only count takes *");
  if (!of_rows && syntax.inputs.size() != 1)
    return wrong(" takes 1 argument, not " + std::to_string(syntax.inputs.size()));
  return {};
}

// Binds f(x) FILTER (WHERE c) as f(CASE WHEN c THEN x END).
Status Grouping::add_filter(const Syntax& syntax, bool of_rows, AggregateCall& call) {
  PENSTOCK_ASSIGN(const NodeId condition,
                  ExpressionBinder(names_, rows_, "FILTER").predicate(*syntax.filter));
  const NodeId argument = of_rows ? rows_.literal(Scalar::of(true)) : call.argument;
  Result<NodeId> kept =
      rows_.select(condition, argument, rows_.literal(Scalar::null_of(rows_.type(argument))));
  if (!kept.ok()) return names_.at(syntax, kept.status());
  call.argument = *kept;
  return {};
}

// Checks the aggregate in a plan of its own, so that an error points at the aggregate.
Status Grouping::check_aggregate(const Syntax& syntax, const AggregateCall& call) const {
  if (plan::adds_values(call.function))
    PENSTOCK_TRY(names_.check_addends(syntax, rows_.type(call.argument)));
  Plan trial;
  const StepId rows = trial.source(table_);
  return names_.at(syntax, trial.reduce(rows, rows_.graph(), {call}).status());
}

Result<StepId> Grouping::add_step(Plan& plan, StepId input,
                                  const std::vector<SelectItem>& outputs) {
  if (!has_columns()) return refuse_having_alone();
  take_names(outputs);
  choose_averages();
  std::shared_ptr<const Graph> graph = rows_.graph();
  PENSTOCK_ASSIGN(input, add_values(plan, input, graph));
  Result<StepId> step = keys_.empty() ? plan.reduce(input, graph, aggregates_)
                                      : group_by_keys(plan, input, graph, keys_, aggregates_);
  if (!step.ok())
    return names_.at(select_.group_by.empty() ? *outputs[0].value : *select_.group_by[0],
                     step.status());
  return step;
}

std::vector<NodeId*> Grouping::roots() {
  std::vector<NodeId*> roots;
  for (Projection& key : keys_) roots.push_back(&key.root);
  for (AggregateCall& call : aggregates_)
    if (plan::takes_argument(call.function)) roots.push_back(&call.argument);
  return roots;
}

// Keys and arguments that the interpreter computes become columns of a step before the groups.
// `graph` becomes that of these columns.
Result<StepId> Grouping::add_values(Plan& plan, StepId input, std::shared_ptr<const Graph>& graph) {
  const std::vector<NodeId*> roots = this->roots();
  std::vector<NodeId> nodes;
  for (const NodeId* const root : roots) nodes.push_back(*root);
  if (!expr::needs_string_rows(*rows_.graph(), nodes)) return input;
  std::vector<Projection> values;
  for (std::size_t i = 0; i < nodes.size(); i++)
    values.push_back({"value" + std::to_string(i + 1), nodes[i]});
  PENSTOCK_ASSIGN(const StepId rows, plan.map(input, rows_.graph(), std::move(values)));
  Builder columns(plan.step(rows).schema);
  for (std::uint32_t i = 0; i < roots.size(); i++) *roots[i] = columns.column(i);
  graph = columns.graph();
  return rows;
}

// Binds HAVING first: an error about a column in it says more.
Status Grouping::refuse_having_alone() {
  Builder no_columns{Schema()};
  PENSTOCK_TRY(
      ExpressionBinder(names_, no_columns, "HAVING", &columns_).predicate(*select_.having));
  return names_.error(select_.having->offset, Code::invalid,
                      "HAVING needs GROUP BY or an aggregate");
}

// Chooses the average's last digit as DuckDB does. It divides the rounded sum by the count where it
// has both anyhow, and without GROUP BY. It has the count where count(x) stands beside avg(x) and
// avg takes x without a cast.
void Grouping::choose_averages() {
  for (std::size_t i = 0; i < aggregates_.size(); i++) {
    AggregateCall& average = aggregates_[i];
    if (average.function != Aggregate::average || average.distinct || filtered_[i]) continue;
    average.of_rounded_sum = keys_.empty();
    for (std::size_t k = 0; k < aggregates_.size(); k++) {
      const bool has_parts = aggregates_[k].function == Aggregate::sum ||
                             (aggregates_[k].function == Aggregate::count &&
                              averages_without_cast(rows_.type(average.argument)));
      average.of_rounded_sum |= has_parts && !aggregates_[k].distinct && !filtered_[k] &&
                                aggregates_[k].argument == average.argument;
    }
  }
}

// Gives keys and aggregates the names of the outputs they become, so that no map is needed.
void Grouping::take_names(const std::vector<SelectItem>& outputs) {
  for (std::size_t i = outputs.size(); i-- > 0;) {
    const Result<std::string> text = names_.canonical(*outputs[i].value);
    const auto found = text.ok() ? columns_.find(*text) : std::nullopt;
    if (!found || *found == GroupColumns::failed) continue;
    const std::size_t keys = keys_.size();
    (*found < keys ? keys_[*found].name : aggregates_[*found - keys].name) =
        names_.output_name(outputs[i]);
  }
}

}  // namespace penstock::sql
