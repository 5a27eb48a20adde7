// From a Select to steps: source -> filter -> (map | reduce | group_by) -> filter (HAVING) -> map -> order_by -> limit -> map.
//
// A step is left out where it would change nothing: `SELECT *` has no map, and a grouping whose SELECT list is its keys and
// then its aggregates is its own result. ORDER BY over what the SELECT list lacks adds columns that the last map drops.
#include "penstock/sql.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "base/guard.hpp"
#include "sql/expression_binder.hpp"

namespace penstock::sql {
namespace {

struct Key { std::uint32_t column = 0; const OrderItem* item = nullptr; };

class SelectBinder {
 public:
  SelectBinder(const Lexed& lexed, const Select& select, Plan& plan, StepId source)
      : select_(select), plan_(plan), step_(source), schema_(plan.step(source).schema), names_(lexed, select, schema_), rows_(schema_) {}

  Result<StepId> bind() {
    PENSTOCK_TRY(bind_where());
    PENSTOCK_TRY(bind_order());
    const bool grouped = !select_.group_by.empty() || select_.having ||
                         std::any_of(outputs_.begin(), outputs_.end(), [](const SelectItem& o) { return contains_aggregate(*o.value); });
    if (grouped) {
      PENSTOCK_TRY(bind_groups());
    } else {
      PENSTOCK_TRY(bind_rows());
    }
    if (select_.distinct) PENSTOCK_TRY(keep_distinct());
    return finish();
  }

 private:
  std::size_t item_count() const { return names_.items().size(); }
  bool has_hidden() const { return outputs_.size() > item_count(); }
  Status at(const Syntax& syntax, const Status& status) const {
    if (status.message().find("\nLINE ") != std::string::npos) return status;
    return names_.error(syntax.offset, status.code(), status.message());
  }

  Status bind_where() {
    if (!select_.where) return {};
    PENSTOCK_ASSIGN(const NodeId predicate, ExpressionBinder(names_, rows_, "WHERE").predicate(*select_.where));
    Result<StepId> step = plan_.filter(step_, rows_.graph(), predicate);
    if (!step.ok()) return at(*select_.where, step.status());
    step_ = *step;
    return {};
  }

  // The rank of an item that an ORDER BY or GROUP BY term names by number; nullopt: the term is not a number.
  Result<std::optional<std::uint32_t>> ordinal(const Syntax& term, const char* clause) const {
    if (term.form != Form::number || term.name.find_first_of(".eE") != std::string::npos) return std::optional<std::uint32_t>();
    const Result<Scalar> number = number_literal(term.name);
    if (!number.ok() || number->integer < 1 || number->integer > static_cast<Int128>(item_count()))
      return names_.error(term.offset, Code::invalid, std::string(clause) + " " + term.name + " is not between 1 and " + std::to_string(item_count()) +
                                                          ", the number of SELECT items");
    return std::optional(static_cast<std::uint32_t>(number->integer - 1));
  }

  // outputs_ becomes the SELECT items, and behind them what only ORDER BY asks for.
  Status bind_order() {
    outputs_ = names_.items();
    std::unordered_map<std::string, std::uint32_t> seen;
    for (std::uint32_t i = 0; i < outputs_.size(); i++) {
      PENSTOCK_ASSIGN(const std::string text, names_.canonical(*outputs_[i].value));
      seen.emplace(text, i);
    }
    for (const OrderItem& item : select_.order_by) {
      PENSTOCK_ASSIGN(const std::optional<std::uint32_t> column, order_column(*item.value, seen));
      if (column) keys_.push_back({*column, &item});
    }
    return {};
  }

  Result<std::optional<std::uint32_t>> order_column(const Syntax& term, std::unordered_map<std::string, std::uint32_t>& seen) {
    PENSTOCK_ASSIGN(const std::optional<std::uint32_t> rank, ordinal(term, "ORDER BY"));
    if (rank) return rank;
    if (term.form == Form::number || term.form == Form::text || term.form == Form::null || term.form == Form::boolean)
      return names_.error(term.offset, Code::invalid, "ORDER BY a constant has no effect");
    if (term.form == Form::column)
      if (const auto alias = names_.alias(term)) return std::optional(static_cast<std::uint32_t>(*alias));
    PENSTOCK_ASSIGN(const std::string text, names_.canonical(term));
    const auto [found, added] = seen.emplace(text, static_cast<std::uint32_t>(outputs_.size()));
    if (added) outputs_.push_back({std::make_shared<const Syntax>(term), ""});
    if (added && select_.distinct)
      return names_.error(term.offset, Code::unsupported, "ORDER BY of what SELECT DISTINCT does not list is not supported");
    return std::optional(found->second);
  }

  std::string name_of_output(std::size_t i) const {
    const SelectItem& item = outputs_[i];
    if (!item.alias.empty()) return item.alias;
    if (item.value->form == Form::column)
      if (const auto index = names_.column(*item.value); index.ok() && *index) return schema_[**index].name;
    return item.value->form == Form::column ? item.value->name : display(*item.value);
  }

  Result<NodeId> bind_output(std::size_t i, Builder& builder, const ExpressionBinder::Groups* groups) {
    names_.visible_aliases = std::min(i, item_count());     // ORDER BY sees them all
    Result<NodeId> node = ExpressionBinder(names_, builder, i < item_count() ? "SELECT" : "ORDER BY", groups).value(*outputs_[i].value);
    names_.visible_aliases = item_count();
    return node;
  }

  Result<std::vector<Projection>> project(Builder& builder, const ExpressionBinder::Groups* groups) {
    std::vector<Projection> projections;
    for (std::size_t i = 0; i < outputs_.size(); i++) {
      PENSTOCK_ASSIGN(const NodeId node, bind_output(i, builder, groups));
      projections.push_back({name_of_output(i), node});
    }
    return projections;
  }

  // Adds a map unless it would yield the step's columns as they are.
  Status add_map(const Builder& builder, std::vector<Projection> projections) {
    const Schema& schema = plan_.step(step_).schema;
    bool same = projections.size() == schema.size();
    for (std::uint32_t i = 0; same && i < schema.size(); i++) {
      const Node& node = builder.graph()->at(projections[i].root);
      same = node.op == Op::column && node.payload == i && projections[i].name == schema[i].name;
    }
    if (same) return {};
    Result<StepId> step = plan_.map(step_, builder.graph(), std::move(projections));
    if (!step.ok()) return at(*outputs_[0].value, step.status());
    step_ = *step;
    return {};
  }

  Status bind_rows() {
    PENSTOCK_ASSIGN(std::vector<Projection> projections, project(rows_, nullptr));
    return add_map(rows_, std::move(projections));
  }

  Status bind_groups() {
    PENSTOCK_TRY(bind_keys());
    for (std::size_t i = 0; i < outputs_.size(); i++) {
      names_.visible_aliases = std::min(i, item_count());
      const Status status = collect(*outputs_[i].value, 0);
      names_.visible_aliases = item_count();
      PENSTOCK_TRY(status);
    }
    if (select_.having) PENSTOCK_TRY(collect(*select_.having, 0));
    PENSTOCK_TRY(add_grouping());
    Builder groups(plan_.step(step_).schema);
    if (select_.having) {
      PENSTOCK_ASSIGN(const NodeId predicate, ExpressionBinder(names_, groups, "HAVING", &columns_).predicate(*select_.having));
      Result<StepId> step = plan_.filter(step_, groups.graph(), predicate);
      if (!step.ok()) return at(*select_.having, step.status());
      step_ = *step;
    }
    PENSTOCK_ASSIGN(std::vector<Projection> projections, project(groups, &columns_));
    return add_map(groups, std::move(projections));
  }

  Status bind_keys() {
    for (const SyntaxPointer& term : select_.group_by) {
      PENSTOCK_ASSIGN(const std::optional<std::uint32_t> rank, ordinal(*term, "GROUP BY"));
      SyntaxPointer key = rank ? names_.item(*rank) : term;
      if (rank) names_.visible_aliases = *rank;
      PENSTOCK_ASSIGN(const std::optional<std::uint32_t> column, key->form == Form::column ? names_.column(*key) : std::optional<std::uint32_t>());
      if (key->form == Form::column && !column)
        if (const auto alias = names_.alias(*key)) {
          key = names_.item(*alias);
          names_.visible_aliases = *alias;
        }
      PENSTOCK_ASSIGN(const std::string text, names_.canonical(*key));
      Result<NodeId> node = ExpressionBinder(names_, rows_, "GROUP BY").value(*key);
      names_.visible_aliases = item_count();
      if (!node.ok()) return node.status();
      if (columns_.emplace(text, static_cast<std::uint32_t>(group_keys_.size())).second) group_keys_.push_back({display(*key), *node});
    }
    return {};
  }

  // Adds the aggregates of an expression that is computed over groups.
  Status collect(const Syntax& syntax, int depth) {
    constexpr int depth_limit = 600;
    if (depth == depth_limit) return names_.error(syntax.offset, Code::capacity, "the expression nests too deep here");
    PENSTOCK_ASSIGN(const std::string text, names_.canonical(syntax));
    if (columns_.contains(text) || !collected_.insert(text).second) return {};   // each once: aliases can double without end
    if (is_aggregate(syntax)) return add_aggregate(syntax, text);
    if (syntax.form == Form::column) return collect_alias(syntax, depth);
    for (const SyntaxPointer& input : syntax.inputs) PENSTOCK_TRY(collect(*input, depth + 1));
    return {};
  }

  Status collect_alias(const Syntax& column, int depth) {
    const std::optional<std::size_t> alias = names_.alias(column);
    if (!alias) return {};                         // binding it says what is wrong
    const std::size_t visible = std::exchange(names_.visible_aliases, *alias);
    const Status status = collect(*names_.item(*alias), depth + 1);
    names_.visible_aliases = visible;
    return status;
  }

  Status add_aggregate(const Syntax& syntax, const std::string& text) {
    AggregateCall call;
    call.name = display(syntax);
    const bool rows = syntax.name == "count" && syntax.inputs.empty();
    if (syntax.star && syntax.name != "count") return names_.error(syntax.offset, Code::invalid, syntax.name + "(*) means nothing; only count takes *");
    if (!rows && syntax.inputs.size() != 1)
      return names_.error(syntax.offset, Code::invalid, syntax.name + " takes 1 argument, not " + std::to_string(syntax.inputs.size()));
    static constexpr struct { std::string_view name; Aggregate function; } functions[] = {
        {"count", Aggregate::count}, {"sum", Aggregate::sum}, {"avg", Aggregate::average}, {"mean", Aggregate::average},
        {"min", Aggregate::minimum}, {"max", Aggregate::maximum}};
    for (const auto& row : functions)
      if (row.name == syntax.name) call.function = row.function;
    if (rows) call.function = syntax.filter ? Aggregate::count : Aggregate::count_rows;
    ExpressionBinder binder(names_, rows_, "the argument of " + syntax.name);
    if (!rows) {
      PENSTOCK_ASSIGN(call.argument, binder.value(*syntax.inputs[0]));
    }
    if (syntax.filter) PENSTOCK_TRY(add_filter(syntax, rows, call));
    PENSTOCK_TRY(check_aggregate(syntax, call));
    columns_.emplace(text, static_cast<std::uint32_t>(group_keys_.size() + aggregates_.size()));
    aggregates_.push_back(std::move(call));
    filtered_.push_back(syntax.filter != nullptr);
    return {};
  }

  // f(x) FILTER (WHERE c) is f(CASE WHEN c THEN x END).
  Status add_filter(const Syntax& syntax, bool rows, AggregateCall& call) {
    PENSTOCK_ASSIGN(const NodeId condition, ExpressionBinder(names_, rows_, "FILTER").predicate(*syntax.filter));
    const NodeId argument = rows ? rows_.literal(Scalar::of(true)) : call.argument;
    Result<NodeId> kept = rows_.select(condition, argument, rows_.literal(Scalar::null_of(rows_.type(argument))));
    if (!kept.ok()) return at(syntax, kept.status());
    call.argument = *kept;
    return {};
  }

  // What the plan would refuse, asked of a plan of its own so that the error points at the aggregate.
  Status check_aggregate(const Syntax& syntax, const AggregateCall& call) const {
    Plan trial;
    const StepId rows = trial.source(plan_.step(source()).source);
    const Result<StepId> step = trial.reduce(rows, rows_.graph(), {call});
    return step.ok() ? Status() : at(syntax, step.status());
  }
  StepId source() const {
    StepId id = step_;
    while (plan_.step(id).kind != StepKind::source) id = plan_.step(id).inputs[0];
    return id;
  }

  Status add_grouping() {
    if (group_keys_.empty() && aggregates_.empty()) {   // HAVING stands alone; a column in it is the better complaint
      Builder no_columns{Schema()};
      PENSTOCK_TRY(ExpressionBinder(names_, no_columns, "HAVING", &columns_).predicate(*select_.having));
      return names_.error(select_.having->offset, Code::invalid, "HAVING needs GROUP BY or an aggregate");
    }
    name_grouping();
    choose_averages();
    Result<StepId> step = group_keys_.empty() ? plan_.reduce(step_, rows_.graph(), aggregates_)
                                              : plan_.group_by(step_, rows_.graph(), group_keys_, aggregates_);
    if (!step.ok()) return at(group_keys_.empty() ? *outputs_[0].value : *select_.group_by[0], step.status());
    step_ = *step;
    return {};
  }

  // DuckDB divides the rounded sum by the count where it has both anyhow, and without GROUP BY; the last digit tells. It has
  // the count where count(x) stands beside avg(x), and avg takes x without a cast.
  void choose_averages() {
    for (std::size_t i = 0; i < aggregates_.size(); i++) {
      AggregateCall& average = aggregates_[i];
      if (average.function != Aggregate::average || filtered_[i]) continue;
      average.of_rounded_sum = group_keys_.empty();
      for (std::size_t k = 0; k < aggregates_.size(); k++) {
        const bool has_parts = aggregates_[k].function == Aggregate::sum ||
                               (aggregates_[k].function == Aggregate::count && averages_without_cast(rows_.type(average.argument)));
        average.of_rounded_sum |= has_parts && !filtered_[k] && aggregates_[k].argument == average.argument;
      }
    }
  }
  static bool averages_without_cast(Type type) {
    return type.kind == Kind::int16 || type.kind == Kind::int32 || type.kind == Kind::int64 || type.kind == Kind::decimal;
  }

  // Keys and aggregates take the names of the outputs they are, so that add_map() finds nothing left to do.
  void name_grouping() {
    for (std::size_t i = outputs_.size(); i-- > 0;) {
      const Result<std::string> text = names_.canonical(*outputs_[i].value);
      const auto found = text.ok() ? columns_.find(*text) : columns_.end();
      if (found == columns_.end()) continue;
      const std::size_t keys = group_keys_.size();
      (found->second < keys ? group_keys_[found->second].name : aggregates_[found->second - keys].name) = name_of_output(i);
    }
  }

  Status keep_distinct() {
    Builder rows(plan_.step(step_).schema);
    std::vector<Projection> keys;
    for (std::uint32_t i = 0; i < rows.schema().size(); i++) keys.push_back({rows.schema()[i].name, rows.column(i)});
    Result<StepId> step = plan_.group_by(step_, rows.graph(), std::move(keys), {});
    if (!step.ok()) return names_.error(select_.distinct_offset, step.status().code(), step.status().message());
    step_ = *step;
    return {};
  }

  Result<StepId> finish() {
    if (!keys_.empty()) {
      std::vector<SortKey> keys;
      for (const Key& key : keys_) keys.push_back({key.column, key.item->descending, key.item->nulls_first});
      Result<StepId> step = plan_.order_by(step_, std::move(keys));
      if (!step.ok()) return at(*select_.order_by[0].value, step.status());
      step_ = *step;
    }
    PENSTOCK_TRY(add_limit());
    if (!has_hidden()) return step_;
    Builder rows(plan_.step(step_).schema);
    std::vector<Projection> kept;
    for (std::uint32_t i = 0; i < item_count(); i++) kept.push_back({rows.schema()[i].name, rows.column(i)});
    PENSTOCK_TRY(add_map(rows, std::move(kept)));
    return step_;
  }

  // A count of rows: a constant, not below 0; NULL and ALL are no limit.
  Result<std::optional<std::uint64_t>> row_count(const SyntaxPointer& syntax, const char* clause) {
    if (!syntax) return std::optional<std::uint64_t>();
    static const Schema no_columns;
    const Select no_select;
    Names no_names(names_.lexed(), no_select, no_columns);
    Builder builder(no_columns);
    PENSTOCK_ASSIGN(const NodeId node, ExpressionBinder(no_names, builder, clause).value(*syntax));
    const Evaluated result = evaluate(*builder.graph(), std::array{node}, {})[0];
    const std::string name(clause);
    if (result.fault != Code::ok) return names_.error(syntax->offset, Code::invalid, name + " cannot be computed");
    if (result.value.is_null) return std::optional<std::uint64_t>();
    if (!is_integer(result.value.type)) return names_.error(syntax->offset, Code::invalid, name + " takes an integer, not " + name_of(result.value.type));
    if (result.value.integer < 0) return names_.error(syntax->offset, Code::invalid, name + " cannot be negative");
    return std::optional(static_cast<std::uint64_t>(result.value.integer));
  }

  Status add_limit() {
    PENSTOCK_ASSIGN(const std::optional<std::uint64_t> count, row_count(select_.limit, "LIMIT"));
    PENSTOCK_ASSIGN(const std::optional<std::uint64_t> skipped, row_count(select_.offset, "OFFSET"));
    if (!count && skipped.value_or(0) == 0) return {};
    PENSTOCK_ASSIGN(step_, plan_.limit(step_, count.value_or(std::numeric_limits<std::uint64_t>::max()), skipped.value_or(0)));
    return {};
  }

  const Select& select_;
  Plan& plan_;
  StepId step_;
  const Schema schema_;                          // of the table
  Names names_;
  Builder rows_;                                 // over the table's rows
  std::vector<SelectItem> outputs_;
  std::vector<Key> keys_;
  ExpressionBinder::Groups columns_;             // of the grouping: its keys, then its aggregates
  std::unordered_set<std::string> collected_;    // canonical texts that collect() has seen
  std::vector<Projection> group_keys_;
  std::vector<AggregateCall> aggregates_;
  std::vector<bool> filtered_;                   // of aggregates_: whether a FILTER stands behind
};

Result<StepId> open_source(const Lexed& lexed, const Select& select, Plan& plan, const TableOpener& open) {
  Result<std::shared_ptr<TableSource>> table = open(select.table);
  if (!table.ok()) {
    std::string message = table.status().message();
    if (!select.table_quoted) message += "; if a file is meant, write FROM '" + select.table + ".parquet'";
    Status status = error_at(lexed.statement, select.table_offset, table.status().code(), std::move(message));
    for (const std::string& context : table.status().context()) status = status.with(context);   // which file it was
    return status;
  }
  return plan.source(std::move(table).value());
}

}  // namespace
}  // namespace penstock::sql

namespace penstock {

Result<StepId> bind_sql(std::string_view statement, Plan& plan, const TableOpener& open) {
  return guard([&]() -> Result<StepId> {
    PENSTOCK_ASSIGN(const sql::Lexed lexed, sql::lex(statement));
    PENSTOCK_ASSIGN(const sql::Select select, sql::read_select(lexed));
    PENSTOCK_ASSIGN(const StepId source, sql::open_source(lexed, select, plan, open));
    return sql::SelectBinder(lexed, select, plan, source).bind();
  });
}

}  // namespace penstock
