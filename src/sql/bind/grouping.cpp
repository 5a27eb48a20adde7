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
  finish_columns();
  return failures.status();
}

// GROUPING() of keys stands behind all aggregates. GROUP BY () alone counts the rows.
void Grouping::finish_columns() {
  if (!has_columns() && !select_.grouping_sets.empty()) {
    aggregates_.push_back({Aggregate::count_rows, 0, "count", {}});
    filtered_.push_back(false);
  }
  auto column = static_cast<std::uint32_t>(keys_.size() + aggregates_.size());
  for (const std::string& text : grouping_texts_) columns_.by_text.emplace(text, column++);
}

Status Grouping::bind_term(const SyntaxPtr& term) {
  PENSTOCK_ASSIGN(const std::optional<std::uint32_t> rank, names_.ordinal(*term, "GROUP BY"));
  const Result<std::uint32_t> key =
      bind_key(rank ? names_.item(*rank) : term, rank ? *rank : names_.items().size());
  keys_of_terms_.push_back(key.ok() ? *key : GroupColumns::failed);
  return key.status();
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
      if (!failures.pass(bind_key(item, i).status())) break;
    }
  }
  PENSTOCK_TRY(failures.status());
  const bool has_aggregate = std::ranges::any_of(
      names_.items(), [](const SelectItem& item) { return contains_aggregate(*item.value); });
  return keys_.empty() && !has_aggregate ? bind_key(names_.item(0), 0).status() : Status();
}

Result<std::uint32_t> Grouping::bind_key(SyntaxPtr key, std::size_t visible_aliases) {
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

Result<std::uint32_t> Grouping::add_key(const Syntax& key) {
  PENSTOCK_ASSIGN(const std::string text, names_.canonical(key));
  const Result<NodeId> node = ExpressionBinder(names_, rows_, "GROUP BY").value(key);
  const auto column = static_cast<std::uint32_t>(keys_.size());
  const auto [found, is_new] =
      columns_.by_text.emplace(text, node.ok() ? column : GroupColumns::failed);
  PENSTOCK_TRY(node);
  if (is_new) keys_.push_back({display(key), *node});
  return found->second;
}

// Adds the aggregates of an expression that is computed over groups.
Status Grouping::collect(const Syntax& syntax, int depth) {
  constexpr int group_depth_limit = 1100;
  if (depth == group_depth_limit)
    return names_.error(syntax.offset, Code::capacity, "the expression nests too deep here");
  PENSTOCK_ASSIGN(const std::string text, names_.canonical(syntax));
  if (columns_.find(text) || !collected_.insert(text).second)
    return {};  // each once: aliases can double the number of visits
  if (is_aggregate(syntax)) return add_aggregate(syntax, text);
  if (syntax.kind == SyntaxKind::grouping) {
    Status status = add_grouping(syntax, text);
    if (!status.ok()) columns_.by_text.emplace(text, GroupColumns::failed);
    return status;
  }
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

Status Grouping::add_grouping(const Syntax& syntax, const std::string& text) {
  constexpr std::size_t max_keys = 63;  // the bits of a BIGINT
  if (syntax.inputs.empty() || syntax.inputs.size() > max_keys)
    return names_.error(syntax.offset, Code::invalid, "GROUPING() takes 1 to 63 keys of GROUP BY");
  std::vector<std::uint32_t> keys;
  for (const SyntaxPtr& input : syntax.inputs) {
    PENSTOCK_ASSIGN(keys.emplace_back(), key_meant(*input));
  }
  groupings_.push_back(std::move(keys));
  grouping_texts_.push_back(text);
  return {};
}

// Returns the key that an expression of GROUPING() is.
Result<std::uint32_t> Grouping::key_meant(const Syntax& syntax) const {
  PENSTOCK_ASSIGN(std::string text, names_.canonical(syntax));
  if (const auto alias = columns_.find(text) ? std::nullopt : names_.alias(syntax)) {
    PENSTOCK_ASSIGN(text, names_.canonical(*names_.item(*alias)));
  }
  const auto found = columns_.find(text);
  if (found == GroupColumns::failed || (!found && columns_.lacks_keys)) return Problems::known();
  if (found && *found < keys_.size()) return *found;
  return names_.error(syntax.offset, Code::invalid,
                      "GROUPING() takes keys of GROUP BY, and " + display(syntax) + " is none");
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
  call.custom = syntax.user_reduction;
  call.function = call.custom                 ? Aggregate::custom
                  : of_rows && !syntax.filter ? Aggregate::count_rows
                                              : plan::aggregate_named(syntax.name)->function;
  if (!of_rows) {
    ExpressionBinder binder(names_, rows_, "the argument of " + syntax.name);
    const Result<NodeId> argument =
        call.custom ? binder.user_argument(*syntax.inputs[0], call.custom->type, call.custom->name)
                    : binder.value(*syntax.inputs[0]);
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
  const bool takes_count = syntax.name == "min" || syntax.name == "max";
  if (takes_count && syntax.inputs.size() == 2)
    return names_.error(syntax.offset, Code::unsupported,
                        "the aggregate " + syntax.name +
                            " of 2 values is not supported; ORDER BY "
                            "and LIMIT give the first values");
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
  const bool is_condition =
      call.function == Aggregate::bool_and || call.function == Aggregate::bool_or;
  if (plan::adds_values(call.function) || is_condition)
    PENSTOCK_TRY(names_.check_addends(syntax, rows_.type(call.argument)));
  Plan trial;
  const StepId rows = trial.source(table_);
  return names_.at(syntax, trial.reduce(rows, rows_.graph(), {call}).status());
}

Result<RelationId> Grouping::add(RelationGraph& relations, ScopeRows& rows,
                                 const std::vector<SelectItem>& outputs) {
  if (!has_columns()) return refuse_having_alone();
  take_names(outputs);
  choose_averages();
  PENSTOCK_ASSIGN(RelationId input, rows.with_values(*rows_.graph(), nodes()));
  RelationAggregate aggregate;
  aggregate.graph = rows_.graph();
  PENSTOCK_ASSIGN(input, add_values(relations, input, aggregate.graph));
  aggregate.keys = keys_;
  aggregate.aggregates = aggregates_;
  aggregate.groupings = groupings_;
  aggregate.sets = sets();
  constexpr std::size_t max_columns_of_sets = std::size_t{1} << 20;
  if (aggregate.sets.size() * (keys_.size() + aggregates_.size()) > max_columns_of_sets)
    return names_.error(select_.group_by.empty() ? 0 : select_.group_by[0]->offset, Code::capacity,
                        "the sets of GROUP BY have more than " +
                            std::to_string(max_columns_of_sets) + " columns in all");
  aggregate.is_sorted = aggregate.sets.empty();
  const bool is_plain = aggregate.is_sorted && groupings_.empty();
  Result<RelationId> groups = is_plain ? group_by_keys(relations, input, aggregate)
                                       : relations.aggregate(input, std::move(aggregate));
  if (!groups.ok())
    return names_.at(select_.group_by.empty() ? *outputs[0].value : *select_.group_by[0],
                     groups.status());
  return groups;
}

// Returns the keys of each set; none where one set has all keys.
std::vector<std::vector<std::uint32_t>> Grouping::sets() const {
  std::vector<std::vector<std::uint32_t>> sets;
  for (const std::vector<std::uint32_t>& terms : select_.grouping_sets) {
    std::vector<bool> has(keys_.size(), false);
    for (const std::uint32_t term : terms)
      if (term < keys_of_terms_.size() && keys_of_terms_[term] < has.size())
        has[keys_of_terms_[term]] = true;
    std::vector<std::uint32_t>& set = sets.emplace_back();
    for (std::uint32_t key = 0; key < keys_.size(); key++)
      if (has[key]) set.push_back(key);
  }
  if (sets.size() == 1 && sets[0].size() == keys_.size()) sets.clear();
  return sets;
}

std::vector<NodeId> Grouping::nodes() {
  std::vector<NodeId> nodes;
  for (const NodeId* const root : roots()) nodes.push_back(*root);
  return nodes;
}

std::vector<NodeId*> Grouping::roots() {
  std::vector<NodeId*> roots;
  for (Projection& key : keys_) roots.push_back(&key.root);
  for (AggregateCall& call : aggregates_)
    if (plan::takes_argument(call.function)) roots.push_back(&call.argument);
  return roots;
}

// Keys and arguments that the interpreter computes become columns before the groups. `graph`
// becomes that of these columns.
Result<RelationId> Grouping::add_values(RelationGraph& relations, RelationId input,
                                        std::shared_ptr<const Graph>& graph) {
  const std::vector<NodeId*> roots = this->roots();
  const std::vector<NodeId> nodes = this->nodes();
  if (!expr::needs_string_rows(*rows_.graph(), nodes)) return input;
  std::vector<Projection> values;
  for (std::size_t i = 0; i < nodes.size(); i++)
    values.push_back({"value" + std::to_string(i + 1), nodes[i]});
  PENSTOCK_ASSIGN(const RelationId rows,
                  relations.project(input, rows_.graph(), std::move(values)));
  Builder columns(relations.at(rows).schema);
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
    const std::size_t keys = keys_.size();
    if (!found || *found >= keys + aggregates_.size()) continue;
    (*found < keys ? keys_[*found].name : aggregates_[*found - keys].name) =
        names_.output_name(outputs[i]);
  }
}

}  // namespace penstock::sql
