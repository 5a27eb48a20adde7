// Binds a Select to relations: tables, joined -> filter -> (project | aggregate) -> filter (HAVING)
// -> project -> sort -> limit -> project.
//
// Relations that would change nothing are left out: `SELECT *` has no projection, and neither has a
// grouping with its keys and then its aggregates as the SELECT list. ORDER BY of an expression that
// the SELECT list lacks adds a column, which the last projection drops.
#include "sql/bind/bind_own.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/exception_boundary.hpp"
#include "column/unsupported.hpp"
#include "expr/string_functions.hpp"
#include "plan/schema_source.hpp"
#include "sql/bind/grouping.hpp"
#include "sql/bind/join_tables.hpp"
#include "sql/bind/row_limits.hpp"
#include "sql/bind/windowing.hpp"

namespace penstock::sql {
namespace {

struct Key {
  std::uint32_t column = 0;
  const OrderItem* item = nullptr;
};

class SelectBinder {
 public:
  // `joined.where` holds the conditions still to apply to `joined.rows`.
  SelectBinder(BindContext& context, const Select& select, const Scope& scope,
               const JoinedTables& joined, const Names* outer)
      : select_(select),
        context_(context),
        relations_(context.relations),
        where_(joined.where),
        table_(plan::schema_source(scope.schema)),
        names_(context.lexed, context.problems, select, scope, outer),
        joined_(context, names_, joined.rows),
        rows_(scope.schema),
        failures_(context.problems) {
    failures_.pass(joined.failure);
  }

  Result<RelationId> bind() {
    PENSTOCK_TRY(names_.check_stars());
    failures_.pass(bind_where());
    bind_order();
    const bool grouped = !select_.group_by.empty() || !select_.grouping_sets.empty() ||
                         select_.groups_by_all || select_.having ||
                         std::any_of(outputs_.begin(), outputs_.end(), [](const SelectItem& o) {
                           return contains_aggregate(*o.value);
                         });
    failures_.pass(grouped ? bind_groups() : add_outputs(rows_, nullptr));
    if (failures_.status().ok() && select_.qualify) failures_.pass(keep_qualified());
    if (failures_.status().ok() && select_.distinct) failures_.pass(keep_distinct());
    if (failures_.status().ok() && !distinct_on_.empty()) failures_.pass(keep_first_of_each());
    return finish();
  }

 private:
  std::size_t item_count() const { return names_.items().size(); }
  const Schema& schema() const { return relations_.at(last_).schema; }
  // Makes the relation the last one; an error gets the position of the syntax behind it.
  Status take(const Syntax& syntax, const Result<RelationId>& relation) {
    if (!relation.ok()) return names_.at(syntax, relation.status());
    last_ = *relation;
    return {};
  }

  Status bind_where() {
    if (!where_) return {};
    PENSTOCK_ASSIGN(const NodeId predicate,
                    ExpressionBinder(names_, rows_, "WHERE").predicate(*where_));
    std::optional<NodeId> of_kernels, of_rows;
    PENSTOCK_TRY(divide(predicate, of_kernels, of_rows));
    for (const auto& part : {of_kernels, of_rows}) {
      if (!part) continue;
      PENSTOCK_ASSIGN(last_, joined_.with_values(*rows_.graph(), std::array{*part}));
      PENSTOCK_TRY(take(*where_, relations_.filter(last_, rows_.graph(), *part)));
      joined_.replace(last_);
    }
    return {};
  }

  // Divides the conditions that AND joins: the interpreter computes some of them row by row.
  Status divide(NodeId condition, std::optional<NodeId>& of_kernels,
                std::optional<NodeId>& of_rows) {
    const bool is_of_rows = expr::needs_string_rows(*rows_.graph(), std::array{condition});
    const Node node = rows_.graph()->at(condition);
    if (is_of_rows && node.op == Op::and_) {
      for (const NodeId input : node.inputs) PENSTOCK_TRY(divide(input, of_kernels, of_rows));
      return {};
    }
    std::optional<NodeId>& all = is_of_rows ? of_rows : of_kernels;
    if (all) { PENSTOCK_ASSIGN(condition, rows_.binary(Op::and_, *all, condition)); }
    all = condition;
    return {};
  }

  // Sets outputs_ to the SELECT items, followed by expressions that only ORDER BY asks for.
  void bind_order() {
    outputs_ = names_.items();
    std::unordered_map<std::string, std::uint32_t> seen;
    for (std::uint32_t i = 0; i < outputs_.size(); i++) {
      const Result<std::string> text = names_.canonical(*outputs_[i].value);
      failures_.pass(text.status());
      if (text.ok()) seen.emplace(*text, i);
    }
    if (select_.qualify) {
      qualify_ = static_cast<std::uint32_t>(outputs_.size());
      outputs_.push_back({select_.qualify, ""});
    }
    for (const SyntaxPtr& key : select_.distinct_on) {
      const auto column = order_column(*key, seen);
      if (!failures_.pass(column.status())) return;
      if (column.ok() && *column) distinct_on_.push_back(**column);
    }
    if (select_.orders_by_all) {
      for (std::uint32_t i = 0; i < item_count(); i++) keys_.push_back({i, &select_.order_by[0]});
      return;
    }
    for (const OrderItem& item : select_.order_by) {
      const auto column = order_column(*item.value, seen);
      if (!failures_.pass(column.status())) return;
      if (column.ok() && *column) keys_.push_back({**column, &item});
    }
  }

  Result<std::optional<std::uint32_t>> order_column(
      const Syntax& term, std::unordered_map<std::string, std::uint32_t>& seen) {
    PENSTOCK_ASSIGN(const std::optional<std::uint32_t> rank, names_.ordinal(term, "ORDER BY"));
    if (rank) return rank;
    if (term.kind == SyntaxKind::number || term.kind == SyntaxKind::string ||
        term.kind == SyntaxKind::null || term.kind == SyntaxKind::boolean)
      return names_.error(term.offset, Code::invalid, "ORDER BY a constant has no effect");
    if (term.kind == SyntaxKind::column)
      if (const auto alias = names_.alias(term))
        return std::optional(static_cast<std::uint32_t>(*alias));
    PENSTOCK_ASSIGN(const std::string text, names_.canonical(term));
    const auto [found, added] = seen.emplace(text, static_cast<std::uint32_t>(outputs_.size()));
    if (added) outputs_.push_back({std::make_shared<const Syntax>(term), ""});
    if (added && select_.distinct)
      return names_.error(term.offset, Code::unsupported,
                          "ORDER BY of what SELECT DISTINCT does not list is not supported");
    return std::optional(found->second);
  }

  Result<NodeId> bind_output(std::size_t i, Builder& builder,
                             const ExpressionBinder::Groups* groups) {
    const VisibleAliases scope(names_, i);  // ORDER BY sees them all
    return ExpressionBinder(names_, builder, i < item_count() ? "SELECT" : "ORDER BY", groups)
        .value(*outputs_[i].value);
  }

  Result<std::vector<Projection>> project(Builder& builder,
                                          const ExpressionBinder::Groups* groups) {
    std::vector<Projection> projections;
    Failures failures(names_.problems());
    for (std::size_t i = 0; i < outputs_.size(); i++) {
      const Result<NodeId> node = bind_output(i, builder, groups);
      if (!failures.pass(node.status())) break;
      if (node.ok()) projections.push_back({names_.output_name(outputs_[i]), *node});
    }
    PENSTOCK_TRY(failures.status());
    return projections;
  }

  // Adds a projection unless it would yield the columns as they are.
  Status project_to(const Builder& builder, std::vector<Projection> projections) {
    const Schema& schema = this->schema();
    bool same = projections.size() == schema.size();
    for (std::uint32_t i = 0; same && i < schema.size(); i++) {
      const Node& node = builder.graph()->at(projections[i].root);
      same = node.op == Op::column && node.payload == i && projections[i].name == schema[i].name;
    }
    if (same) return {};
    return take(*outputs_[0].value,
                relations_.project(last_, builder.graph(), std::move(projections)));
  }

  // Adds the values that the projections read to rows of FROM; groups have them already.
  Status add_values(const Builder& rows, const std::vector<Projection>& projections,
                    const ExpressionBinder::Groups* groups) {
    if (groups != nullptr) return {};
    std::vector<NodeId> roots;
    for (const Projection& projection : projections) roots.push_back(projection.root);
    return take(*outputs_[0].value, joined_.with_values(*rows.graph(), roots));
  }

  // Adds the items over rows or groups, and the windows that they call.
  Status add_outputs(Builder& rows, const ExpressionBinder::Groups* groups) {
    if (!Windowing::contains_window(outputs_)) {
      PENSTOCK_ASSIGN(std::vector<Projection> projections, project(rows, groups));
      PENSTOCK_TRY(add_values(rows, projections, groups));
      return project_to(rows, std::move(projections));
    }
    Windowing windowing(names_, rows, groups);
    failures_.pass(windowing.bind(outputs_));
    PENSTOCK_TRY(add_values(rows, windowing.projections(), groups));
    PENSTOCK_TRY(project_to(rows, windowing.projections()));
    PENSTOCK_ASSIGN(last_, windowing.add_windows(relations_, last_));
    Builder columns(schema());
    PENSTOCK_ASSIGN(std::vector<Projection> projections, project(columns, &windowing.columns()));
    return project_to(columns, std::move(projections));
  }

  Status bind_groups() {
    Grouping grouping(select_, names_, rows_, table_);
    const Status bound = grouping.bind(outputs_);
    failures_.pass(bound);
    if (bound.ok() || grouping.has_columns()) {
      PENSTOCK_ASSIGN(last_, grouping.add(relations_, joined_, outputs_));
    } else {
      last_ = relations_.scan(plan::schema_source({}));
    }
    GroupColumns columns = grouping.columns();
    PENSTOCK_TRY(add_values_of_groups(columns));
    Builder groups(schema());
    if (select_.having) failures_.pass(bind_having(groups, columns));
    return add_outputs(groups, &columns);
  }

  // Adds the values that HAVING, items and ORDER BY read beside groups. Keys and the arguments of
  // aggregates have had theirs.
  Status add_values_of_groups(GroupColumns& columns) {
    if (names_.scope().values.empty()) return {};
    if (select_.having) PENSTOCK_TRY(add_values_of(*select_.having, columns));
    for (const SelectItem& output : outputs_) PENSTOCK_TRY(add_values_of(*output.value, columns));
    return {};
  }

  Status add_values_of(const Syntax& syntax, GroupColumns& columns) {
    const Result<std::string> text = names_.canonical(syntax);
    if (!text.ok() || columns.find(*text)) return {};
    for (const SyntaxPtr& part : parts_of(syntax)) PENSTOCK_TRY(add_values_of(*part, columns));
    if (!syntax.subquery) return {};
    const auto found = names_.scope().values.find(syntax.subquery.get());
    if (found == names_.scope().values.end() || !found->second.join) return {};
    PENSTOCK_ASSIGN(columns.by_text[*text], join_value_of_groups(found->second, columns));
    return {};
  }

  // Joins a value to the groups, by what it compares of them.
  Result<std::uint32_t> join_value_of_groups(const SubqueryValue& value,
                                             const GroupColumns& columns) {
    RowsBinder binder(context_, names_);
    Rows groups{last_, {}};
    std::vector<std::uint32_t> outer;
    for (const SyntaxPtr& expression : value.join->outer()) {
      Builder builder(context_.schema(groups.relation));
      PENSTOCK_ASSIGN(const NodeId node,
                      ExpressionBinder(names_, builder, "SELECT", &columns).value(*expression));
      PENSTOCK_ASSIGN(outer.emplace_back(), binder.add_column(groups, builder, node));
    }
    PENSTOCK_ASSIGN(const std::uint32_t column, binder.join_value(groups, value, outer));
    last_ = groups.relation;
    return column;
  }

  Status bind_having(Builder& groups, const ExpressionBinder::Groups& columns) {
    PENSTOCK_ASSIGN(
        const NodeId predicate,
        ExpressionBinder(names_, groups, "HAVING", &columns).predicate(*select_.having));
    return take(*select_.having, relations_.filter(last_, groups.graph(), predicate));
  }

  Status keep_distinct() {
    const Result<RelationId> kept = distinct_in_order(relations_, last_);
    if (!kept.ok())
      return names_.error(select_.distinct_offset, kept.status().code(), kept.status().message());
    last_ = *kept;
    return {};
  }

  std::vector<SortKey> sort_keys() const {
    std::vector<SortKey> keys;
    for (const Key& key : keys_)
      keys.push_back({key.column, key.item->descending, key.item->nulls_first});
    return keys;
  }

  Status keep_qualified() {
    Builder rows(schema());
    PENSTOCK_ASSIGN(const NodeId condition, rows.cast(rows.column(qualify_), {Kind::boolean}));
    return take(*select_.qualify, relations_.filter(last_, rows.graph(), condition));
  }

  Status keep_first_of_each() {
    return take(*select_.distinct_on[0],
                first_of_each(relations_, last_, distinct_on_, sort_keys()));
  }

  // Refuses items of types that are not read. The scan does so otherwise, but none follows here.
  void refuse_unread_items() const {
    if (names_.lexed().form.kind == StatementKind::describe) return;
    for (const SelectItem& item : names_.items()) {
      if (item.value->kind != SyntaxKind::column) continue;
      const auto column = names_.column(*item.value);
      if (!column.ok() || !*column) continue;
      static_cast<void>(names_.at(*item.value, column::check_supported(names_.schema()[**column])));
    }
  }

  Result<RelationId> finish() {
    if (!keys_.empty() && failures_.status().ok()) {
      failures_.pass(take(*select_.order_by[0].value, relations_.sort(last_, sort_keys())));
    }
    const Result<RelationId> limited = with_limit(context_, select_, last_);
    failures_.pass(limited.status());
    if (limited.ok()) last_ = *limited;
    if (!failures_.status().ok()) refuse_unread_items();
    PENSTOCK_TRY(failures_.status());
    if (outputs_.size() == item_count()) return last_;
    Builder rows(schema());
    std::vector<Projection> kept;
    for (std::uint32_t i = 0; i < item_count(); i++)
      kept.push_back({rows.schema()[i].name, rows.column(i)});
    PENSTOCK_TRY(project_to(rows, std::move(kept)));
    return last_;
  }

  const Select& select_;
  BindContext& context_;
  RelationGraph& relations_;
  RelationId last_ = 0;
  const SyntaxPtr where_;
  const std::shared_ptr<TableSource> table_;  // of the rows' names and types
  Names names_;
  ScopeRows joined_;  // the rows of FROM
  Builder rows_;      // over the rows of FROM
  std::vector<SelectItem> outputs_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> distinct_on_;  // of outputs_
  std::uint32_t qualify_ = 0;               // of outputs_, if there is QUALIFY
  Failures failures_;
};

}  // namespace

Result<RelationId> bind_over(BindContext& context, const Select& select, const Scope& scope,
                             const Surroundings& around) {
  const JoinedTables joined = join_tables(context, select, scope, around, true);
  return SelectBinder(context, select, scope, joined, around.names).bind();
}

Result<RelationId> bind_select(BindContext& context, const Select& select,
                               const Surroundings& around) {
  if (select.is_refused) return Problems::known();
  const CommonTables tables = bind_common_tables(context, select, around);
  const Surroundings own{&tables, around.names};
  if (select.set) return bind_set(context, *select.set, own);
  if (!select.values.empty()) return bind_lists(context, select);
  PENSTOCK_ASSIGN(Scope scope, open_scope(context, select, own));
  const Names names(context.lexed, context.problems, select, scope, around.names);
  PENSTOCK_TRY(bind_values(context, select, &tables, names, scope));
  return bind_over(context, select, scope, own);
}

namespace {

Result<StepId> read_and_bind(const Lexed& lexed, Problems& problems, Plan& plan,
                             const TableOpener& open, const UserFunctions* users,
                             bool& prefers_duckdb) {
  PENSTOCK_ASSIGN(const Select select, read_select(lexed, problems, known_functions(), users));
  RelationGraph relations;
  BindContext context{lexed, problems, relations, open, select.tables_named};
  const Result<RelationId> rows = bind_select(context, select, {});
  problems.pass(rows.status());
  prefers_duckdb = context.prefers_duckdb;
  if (problems.status().ok())
    return rows.ok() ? lower(relations, *rows, plan) : Result<StepId>(rows.status());
  const Problems::RefusalsAlone quiet(problems);
  for (const auto& part : select.parts) {
    RelationGraph alone;
    BindContext of_part{lexed, problems, alone, open, select.tables_named};
    static_cast<void>(bind_select(of_part, *part, {}));
  }
  return rows.status();
}

}  // namespace

Result<OwnSql> bind_own(std::string_view statement, Plan& plan, const TableOpener& open,
                        const UserFunctions* users) {
  return catch_exceptions([&]() -> Result<OwnSql> {
    PENSTOCK_ASSIGN(const Lexed lexed, lex(statement));
    Problems problems(lexed.statement);
    bool prefers_duckdb = false;
    const Result<StepId> rows = read_and_bind(lexed, problems, plan, open, users, prefers_duckdb);
    problems.pass(rows.status());
    PENSTOCK_TRY(problems.status());
    PENSTOCK_TRY(rows);
    return OwnSql{{lexed.form.kind, *rows, lexed.form.target}, prefers_duckdb};
  });
}

}  // namespace penstock::sql
