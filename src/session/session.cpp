#include "penstock/session.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/cancellation.hpp"
#include "base/exception_boundary.hpp"
#include "exec/kernel/kept_programs.hpp"
#include "session/bound_statements.hpp"
#include "session/csv_defaults.hpp"
#include "session/functions/session_functions.hpp"
#include "session/open_tables.hpp"
#include "session/session_names.hpp"
#include "session/session_statement.hpp"
#include "session/statements/answer_command.hpp"
#include "session/statements/answer_statement.hpp"
#include "session/statements/catalog.hpp"
#include "session/statements/change_rows.hpp"
#include "session/statements/copy_table.hpp"

namespace penstock {
namespace {

class SessionOfFiles final : public Session {
 public:
  explicit SessionOfFiles(const SessionOptions& options)
      : selector_(options.device),
        csv_options_(options.csv_options),
        settings_(options.planner),
        device_(SessionDevice::open(options.device, options.cache_limit_bytes)) {}

  Result<QueryResult> sql(std::string_view statement, const RunOptions& options) override {
    SessionStatement alone;
    alone.text = statement;
    return sql(alone, options);
  }
  Result<QueryResult> sql(const SessionStatement& statement, const RunOptions& options) override {
    const CancellationScope scope(goes_on(options));  // of binding, too
    return catch_exceptions([&] { return answer(statement, options); });
  }
  // Views and macros are defined, and settings set, so that later statements can be explained.
  Result<std::string> explain(const SessionStatement& statement,
                              const RunOptions& options) override {
    PENSTOCK_ASSIGN(std::string text, session::text_of(statement));
    PENSTOCK_ASSIGN(const auto definition, sql::read_definition(text));
    if (definition && definition->kind == sql::DefinitionKind::table)
      return Status(Code::unsupported,
                    "CREATE TABLE reads rows, and explaining reads none: make '" +
                        definition->name + "' a view");
    if (definition) {
      PENSTOCK_TRY(define(*definition, statement, options));
      return std::string();
    }
    PENSTOCK_ASSIGN(const auto command, sql::read_command(text));
    if (command && is_of_settings(*command)) {
      PENSTOCK_TRY(answer(*command, statement, options));
      return std::string();
    }
    if (command) { PENSTOCK_ASSIGN(text, session::explained_query(text)); }
    PENSTOCK_ASSIGN(const session::BoundStatement bound, bind(text, statement));
    return penstock::explain(*bound.plan, bound.sql.rows, in_session(options));
  }
  Result<std::string> source(const SessionStatement& statement, Target target) override {
    PENSTOCK_ASSIGN(const std::string text, session::text_of(statement));
    PENSTOCK_ASSIGN(const session::BoundStatement bound, bind(text, statement));
    return penstock::source(*bound.plan, bound.sql.rows, target);
  }
  Result<Schema> schema_of(std::string_view statement) override {
    PENSTOCK_ASSIGN(const auto definition, sql::read_definition(statement));
    const Status no_select(Code::unsupported,
                           "a statement other than SELECT has no columns before it runs");
    PENSTOCK_ASSIGN(const auto command, sql::read_command(statement));
    if (definition || command) return no_select;
    PENSTOCK_ASSIGN(const session::BoundStatement bound, bind(statement));
    if (bound.sql.kind != StatementKind::select) return no_select;
    return bound.plan->step(bound.sql.rows).schema;
  }
  Status define_table(const std::string& name, std::shared_ptr<TableSource> rows,
                      bool replaces) override {
    if (name.empty() || !rows || !rows->can_be_scanned_again())
      return Status(Code::invalid, "a table has a name, and rows that can be read again");
    return catch_exceptions([&]() -> Status {
      sql::Definition definition;
      definition.kind = sql::DefinitionKind::table;
      definition.name = name;
      definition.replaces = replaces;
      PENSTOCK_TRY(names_.define(definition, std::move(rows)));
      statements_.forget_all();
      return {};
    });
  }
  Status append_table(const std::string& name, const TableSource& rows) override {
    return catch_exceptions([&]() -> Status {
      PENSTOCK_TRY(session::append_rows(names_, name, rows));
      statements_.forget_all();
      return {};
    });
  }
  Status define(CustomFunction function) override { return define_function(std::move(function)); }
  Status define(CustomReduction reduction) override {
    return define_function(std::move(reduction));
  }
  std::vector<SessionTable> tables() override { return names_.tables(); }
  std::shared_ptr<TableSource> find_table(std::string_view name) override {
    const auto meaning = names_.find(std::string(name));
    return meaning ? meaning->table : nullptr;
  }
  Result<QueryResult> run(const Plan& plan, StepId result, const RunOptions& options) override {
    return penstock::run(plan, result, in_session(options));
  }
  Result<std::shared_ptr<TableSource>> open_table(const TableReference& table) override {
    return catch_exceptions(
        [&] { return tables_.open(session::with_csv_defaults(table, csv_options_), *device_); });
  }
  Result<std::shared_ptr<Device>> device() override { return device_->device(); }
  DeviceCache& cache() override { return device_->cache(); }
  Result<std::vector<DeviceCache*>> caches() override {
    return catch_exceptions([&] { return caches_of(*device_); });
  }

 private:
  static std::function<bool()> goes_on(const RunOptions& options) {
    if (!options.progress) return {};
    return [&options] { return options.progress({}); };
  }
  Result<QueryResult> answer(const SessionStatement& statement, const RunOptions& options) {
    PENSTOCK_ASSIGN(const std::string text, session::text_of(statement));
    PENSTOCK_ASSIGN(const auto definition, sql::read_definition(text));
    if (definition) return define(*definition, statement, options);
    PENSTOCK_ASSIGN(const auto command, sql::read_command(text));
    if (command) return answer(*command, statement, options);
    PENSTOCK_ASSIGN(const session::BoundStatement bound, bind(text, statement));
    return answer(bound, options);
  }
  Result<QueryResult> answer(const session::BoundStatement& bound, const RunOptions& options) {
    if (bound.sql.kind == StatementKind::copy) {
      std::vector<TableReference> tables;
      for (const auto& table : bound.tables) tables.push_back(table.first);
      PENSTOCK_TRY(session::check_target(bound.sql.target.path, tables));
    }
    RunOptions with_kept = options;
    // A profile has the times of all that a run does.
    if (!options.profile && !options.stalls) with_kept.kept_programs = bound.kept_programs;
    auto answered = session::answer_statement(
        *bound.plan, bound.sql,
        [&](const Plan& plan, StepId step) { return run(plan, step, with_kept); });
    if (answered.ok() && !bound.sql.planned_by.empty())
      answered->report.notes.insert(answered->report.notes.begin(), bound.sql.planned_by);
    return answered;
  }
  static bool is_of_settings(const sql::Command& command) {
    return command.kind == sql::CommandKind::set || command.kind == sql::CommandKind::reset;
  }
  Result<QueryResult> answer(const sql::Command& command, const SessionStatement& statement,
                             const RunOptions& options) {
    auto answered = catch_exceptions([&] {
      return session::answer_command(*this, names_, settings_, command, statement, options);
    });
    const bool changes = is_of_settings(command) || command.kind == sql::CommandKind::insert ||
                         command.kind == sql::CommandKind::remove ||
                         command.kind == sql::CommandKind::update;
    if (changes) statements_.forget_all();  // a change that failed may have begun
    return answered;
  }
  template <class T> Status define_function(T function) {
    return catch_exceptions(
        [&] { return functions_.define(std::move(function), [&] { return device_->device(); }); });
  }
  // Yields the number of rows of a table; nothing for other definitions.
  Result<QueryResult> define(const sql::Definition& definition, const SessionStatement& statement,
                             const RunOptions& options) {
    QueryResult result;
    if (definition.only_missing && names_.is_defined(definition.name)) return result;
    std::shared_ptr<TableSource> rows;
    if (definition.kind == sql::DefinitionKind::table) {
      RunOptions on_host = options;
      on_host.results_on_device = false;  // later statements may read the rows there
      SessionStatement query = statement;
      query.text = definition.query;  // with its parameters' values
      query.parameters = nullptr;
      PENSTOCK_ASSIGN(result, sql(query, on_host));
      const auto count = static_cast<std::int64_t>(result.table.row_count);
      rows = table_source(std::move(result.table), definition.name);
      result.table = Table();
      if (!definition.has_columns)
        result.table = Table::of({{"Count", Column::from(std::vector<std::int64_t>{count})}});
    }
    PENSTOCK_TRY(names_.define(definition, std::move(rows)));
    statements_.forget_all();
    return result;
  }
  // Returns the table of a name that a statement has defined, or none. `opened` gets the file that
  // a view is.
  Result<std::shared_ptr<TableSource>> defined_table(const TableReference& table,
                                                     session::BoundStatement::Tables& opened,
                                                     int depth = 0) {
    const bool is_name = table.paths.size() == 1 && table.format.empty() && table.options.empty();
    const auto meaning = is_name ? names_.find(table.paths[0]) : std::nullopt;
    if (!meaning) return std::shared_ptr<TableSource>();
    if (meaning->table) return meaning->table;
    constexpr int depth_limit = 100;
    if (depth == depth_limit)
      return Status(Code::invalid, "the view \"" + table.paths[0] + "\" reads itself");
    if (!meaning->only_table.empty() && lower(meaning->only_table) != lower(table.paths[0])) {
      const TableReference only(meaning->only_table);
      PENSTOCK_ASSIGN(auto named, defined_table(only, opened, depth + 1));
      if (named) return named;
      PENSTOCK_ASSIGN(auto source, open_table(only));
      opened.emplace_back(only, source);
      return source;
    }
    return Status(Code::unsupported,
                  "the view \"" + table.paths[0] +
                      "\" needs DuckDB's planner: without it a view is SELECT * FROM one table");
  }
  Result<session::BoundStatement> bind(std::string_view statement) {
    return catch_exceptions([&] { return bound(statement); });
  }
  Result<session::BoundStatement> bind(std::string_view text, const SessionStatement& statement) {
    if (session::is_text_alone(statement)) return bind(text);
    return catch_exceptions([&] {
      return bind_anew(text, statement.tables, statement.planner.value_or(settings_.planner()));
    });
  }
  Result<session::BoundStatement> bound(std::string_view statement) {
    // Asked before a plan is looked up: one over rows that are replaced meanwhile is not kept.
    const std::uint64_t generation = statements_.generation();
    if (auto known = statements_.find(statement); known && is_current(*known)) {
      if (auto without = known->plan->with_repeats_found()) {
        known->plan = std::make_shared<const Plan>(*std::move(without));
        known->kept_programs = std::make_shared<plan::KeptPrograms>();
        statements_.keep(statement, *known, generation);
      }
      return *known;
    }
    PENSTOCK_ASSIGN(session::BoundStatement bound, bind_anew(statement, {}, settings_.planner()));
    statements_.keep(statement, bound, generation);
    return bound;
  }
  Result<session::BoundStatement> bind_anew(std::string_view statement,
                                            const SessionStatement::Tables& named,
                                            Planner planner) {
    session::BoundStatement bound;
    bound.functions = functions_.all();
    const auto plan = std::make_shared<Plan>();
    const auto open = [&](const TableReference& table) -> Result<std::shared_ptr<TableSource>> {
      if (const auto known = named.find(table.text()); known != named.end()) return known->second;
      PENSTOCK_ASSIGN(auto defined, defined_table(table, bound.tables));
      if (defined) return defined;
      PENSTOCK_ASSIGN(auto listed, session::information_table(*this, table));
      if (listed) {
        bound.tables.emplace_back(table, listed);
        return listed;
      }
      PENSTOCK_ASSIGN(auto source, open_table(table));
      bound.tables.emplace_back(table, source);
      return source;
    };
    PENSTOCK_ASSIGN(bound.sql, bind_statement(statement, *plan, open,
                                              {planner, names_.definitions(), bound.functions}));
    bound.plan = plan;
    bound.kept_programs = std::make_shared<plan::KeptPrograms>();
    return bound;
  }
  // A file that cannot be opened now is opened by binding, which says where the statement names it.
  bool is_current(const session::BoundStatement& bound) {
    if (bound.functions != functions_.all()) return false;
    return std::ranges::all_of(bound.tables, [&](const auto& table) {
      const auto now = open_table(table.first);
      return now.ok() && *now == table.second;
    });
  }
  RunOptions in_session(RunOptions options) const {
    options.session = device_;
    options.device = selector_;  // by which a run guesses what is being opened
    settings_.apply(options);
    return options;
  }

  const std::string selector_;
  const std::vector<TableOption> csv_options_;
  session::Settings settings_;
  const std::shared_ptr<SessionDevice> device_;
  session::OpenTables tables_;
  session::SessionNames names_;
  session::SessionFunctions functions_;
  session::BoundStatements statements_;
};

}  // namespace

std::shared_ptr<Session> Session::create(const SessionOptions& options) {
  return std::make_shared<SessionOfFiles>(options);
}

}  // namespace penstock
