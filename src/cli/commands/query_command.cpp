// penstock query: a SELECT statement in, its rows out; everything that is not a row goes to stderr.
#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>

#include "base/file.hpp"
#include "cli/background_device.hpp"
#include "cli/commands.hpp"
#include "cli/commands/query_command.hpp"
#include "cli/report/run_summary.hpp"
#include "device/device_list.hpp"
#include "io/files/file_paths.hpp"
#include "penstock/io.hpp"
#include "penstock/run.hpp"
#include "penstock/sql.hpp"
#include "session/csv_defaults.hpp"
#include "sql/parse/lexer.hpp"
#include "sql/parse/session_command.hpp"
#include "terminal/bandwidth_record.hpp"
#include "terminal/format.hpp"
#include "terminal/messages.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/signals.hpp"

namespace penstock::cli {

namespace {

std::string check_output_path(const std::string& path) {
  if (format_of_path(path)) return "";
  return "'" + path + "' does not end in one of .csv .json .parquet .arrow";
}

// Tells whether rows are EXPLAIN's, which a terminal gets as text.
bool is_plan(const Table& table) {
  return table.row_count == 1 &&
         table.names == std::vector<std::string>{"explain_key", "explain_value"};
}

Status print_table(const Table& table, const std::string& format) {
  if (table.columns.empty()) return {};  // of a statement that defines a name
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  if (format == "csv") return format_csv(table, standard_output());
  if (format == "json") return format_json(table, standard_output());
  if (is_plan(table)) return standard_output()(terminal_text(table.columns[1].string(0)));
  // A terminal gets as many rows and characters as a person reads, as in DuckDB's shell. A pipe
  // gets everything.
  return format_table(table, terminal ? TableStyle{40, 60} : TableStyle{}, standard_output());
}

// A failed measurement does not fail a query that has its answer.
std::optional<MeasuredBandwidth> copy_bandwidth_of_device(const std::string& id) {
  const auto device = open_device(id);
  return device.ok() ? copy_bandwidth_for_query(**device) : std::nullopt;
}

// The first of several devices, or ranks, stands for all.
std::string first_device_of(const std::string& selector) {
  const auto listed = device::devices_of_list(selector);
  return listed.ok() ? listed->front() : selector;
}

Status explain_in(Session& session, const std::string& statement, const QueryOptions& options) {
  ProgressBar bar(false);
  PENSTOCK_ASSIGN(const std::string text,
                  session.explain({statement}, run_options_of(options, bar)));
  return standard_output()(terminal_text(text));
}

Result<std::string> text_of_file(const std::string& path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    return text;
  }
  const File file(path, O_RDONLY);
  if (!file) return Status(Code::io, "cannot read '" + path + "': " + std::strerror(errno));
  for (std::size_t got = text_chunk_bytes; got == text_chunk_bytes;) {
    const std::size_t before = text.size();
    text.resize(before + text_chunk_bytes);
    got = file.read_up_to(text.data() + before, text_chunk_bytes);
    text.resize(before + got);
  }
  return text;
}

// A session of one statement, which keeps nothing of files unless that is asked for. The process
// ends with it: its files' metadata took 26 ms to free at TPC-H scale 100.
Session& session_until_exit(const QueryOptions& options) {
  static auto& sessions = *new std::vector<std::shared_ptr<Session>>;
  open_in_background(options.device);
  SessionOptions of_one = session_options_of(options);
  if (!of_one.cache_limit_bytes) of_one.cache_limit_bytes = 0;
  return *sessions.emplace_back(Session::create(of_one));
}

// Binds the statement once more, to see its tables: a session keeps its plans to itself, and its
// files open.
Status check_tables(Session& session, const std::string& statement, const QueryOptions& options) {
  PENSTOCK_ASSIGN(const auto command, sql::read_command(statement));
  if (command) return {};  // it reads no file by itself
  Plan plan;
  const TableOpener open = opener_for(
      options, [&session](const TableReference& table) { return session.open_table(table); });
  const auto open_named = [&](const TableReference& table) {
    for (const std::string& named : options.tables)
      if (const std::size_t end = named.find('='); named.substr(0, end) == table.text())
        return open(named.substr(end + 1));
    return open(table);
  };
  return bind_statement(statement, plan, open_named, {planner_of(options.planner)}).status();
}

// Answers the statements of a file, one after another, until the first error.
Status query_file(const QueryOptions& options) {
  PENSTOCK_ASSIGN(const std::string text, text_of_file(options.file));
  const std::vector<StatementText> statements = split_statements(text);
  const std::string name =
      options.file == "-" ? std::string("standard input") : "'" + options.file + "'";
  if (statements.empty()) return {Code::invalid, "there is no statement in " + name};
  if (statements.size() > 1 && !options.output.empty())
    return {Code::invalid, "--output takes the rows of one statement; " + name + " has " +
                               std::to_string(statements.size())};
  const auto session = Session::create(session_options_of(options));
  for (const StatementText& statement : statements)
    PENSTOCK_TRY(
        answer(*session, statement.text, options)
            .with("in the statement at line " + std::to_string(statement.line) + " of " + name));
  return {};
}

// A view that is all of one file is that file under another name.
Status name_tables(Session& session, const std::vector<std::string>& tables) {
  for (const std::string& table : tables) {
    const std::size_t end = table.find('=');
    const std::string statement = "CREATE VIEW " + sql::in_quotes(table.substr(0, end), '"') +
                                  " AS SELECT * FROM " +
                                  sql::in_quotes(table.substr(end + 1), '\'');
    PENSTOCK_TRY(session.sql(statement).status().with("for --table " + table));
  }
  return {};
}

Status query_plan(const QueryOptions& options) {
  PENSTOCK_ASSIGN(const std::string plan, text_of_file(options.plan));
  if (!is_plan_text(plan))
    return {Code::invalid, "'" + options.plan + "' is not a plan of DuckDB or Substrait"};
  Session& session = session_until_exit(options);
  PENSTOCK_TRY(name_tables(session, options.tables));
  return answer(session, plan, options);
}

Status query(const QueryOptions& options) {
  PENSTOCK_ASSIGN(const auto communicator, open_communicator());
  if (communicator) return query_on_ranks(*communicator, options);
  if (!options.file.empty()) return query_file(options);
  if (!options.plan.empty()) return query_plan(options);
  return answer(session_until_exit(options), options.statement, options);
}

// Answers a statement of a session, and writes its rows.
Result<RunReport> rows_of(Session& session, const std::string& statement,
                          const QueryOptions& options, Recorded recorded) {
  if (!options.output.empty()) PENSTOCK_TRY(check_tables(session, statement, options));
  std::unique_ptr<OutputFile> file;
  if (!options.output.empty()) { PENSTOCK_ASSIGN(file, OutputFile::create(options.output)); }
  ProgressBar bar(!options.no_progress);
  RunOptions run_options = run_options_of(options, bar);
  run_options.profile = recorded != Recorded::nothing;
  run_options.stalls = recorded == Recorded::profile_and_stalls;
  auto outcome = session.sql(statement, run_options);
  bar.erase();
  PENSTOCK_TRY(outcome.status());
  if (interrupted()) return Status(Code::cancelled, "interrupted");
  if (file || recorded == Recorded::nothing)
    PENSTOCK_TRY(print_rows(outcome->table, options, file.get()));
  return std::move(outcome->report);
}

}  // namespace

void print_report(const RunReport& report, const QueryOptions& options) {
  if (report.total_seconds == 0 && report.notes.empty()) return;  // a definition ran nothing
  if (options.validate) print_line("validated: every step's rows equal the host reference");
  if (options.verbose || options.stats) print_line(statistics_text(report));
  if (report.skipped.rows_skipped > 0 || report.skipped.files_skipped > 0)
    print_line("skipped: " + text_of(report.skipped));
  for (const std::string& note : report.notes) print_line("note: " + note);
  std::optional<MeasuredBandwidth> copy;
  if (!report.shares.empty()) print_line(shares_text(report));
  if (has_kernel_rate(report))
    copy = copy_bandwidth_of_device(report.shares.empty() ? report.device_id
                                                          : first_device_of(options.device));
  print_line(summary_line(report, copy));
}

PageDecoding page_decoding_of(std::string_view pages) {
  return pages == "device" ? PageDecoding::device
         : pages == "host" ? PageDecoding::host
                           : PageDecoding::automatic;
}

RunOptions run_options_of(const QueryOptions& options, ProgressBar& bar) {
  RunOptions run_options;
  run_options.device = options.device;
  run_options.on_device_failure =
      options.on_device_failure == "continue" ? OnDeviceFailure::go_on : OnDeviceFailure::stop;
  run_options.fast_math = options.fast_math;
  run_options.variant = options.variant;
  run_options.page_decoding = page_decoding_of(options.pages);
  run_options.direct_reads = options.gds == "on"    ? DirectReads::on
                             : options.gds == "off" ? DirectReads::off
                                                    : DirectReads::automatic;
  run_options.validate = options.validate;
  run_options.batch_rows = options.batch_rows;
  run_options.memory_limit_bytes = options.memory_limit_mib << 20;
  run_options.progress = [&bar](const Progress& progress) {
    bar.show(progress);
    return !interrupted();
  };
  if (options.verbose)
    run_options.on_source = [&bar](std::string_view text) {
      bar.erase();
      print_line(text);
    };
  return run_options;
}

TableOpener opener_for(const QueryOptions& options, TableOpener open) {
  if (options.output.empty()) return open;
  return [&options, open = std::move(open)](
             const TableReference& table) -> Result<std::shared_ptr<TableSource>> {
    const auto files = io::files_of(table.paths);  // open() returns the same error
    for (const std::string& file : files.ok() ? *files : std::vector<std::string>())
      PENSTOCK_TRY(check_output_is_not_input(options.output, file));
    return open(table);
  };
}

Status print_rows(const Table& table, const QueryOptions& options, OutputFile* file) {
  if (!file) return print_table(table, options.format);
  const auto write = [&](std::string_view bytes) { return file->write(bytes); };
  PENSTOCK_TRY(
      write_table(table, write, *format_of_path(options.output)).with("writing " + options.output));
  return file->commit();
}

Status answer(Session& session, const std::string& statement, const QueryOptions& options) {
  if (options.explain) return explain_in(session, statement, options);
  PENSTOCK_ASSIGN(const RunReport report, rows_of(session, statement, options, Recorded::nothing));
  print_report(report, options);
  return {};
}

TableOpener opener_of(const QueryOptions& options) {
  return opener_for(options, [defaults = csv_options_of(options.csv)](const TableReference& table) {
    return open_table(session::with_csv_defaults(table, defaults));
  });
}

Planner planner_of(std::string_view planner) {
  return planner == "own"      ? Planner::own
         : planner == "duckdb" ? Planner::duckdb
                               : Planner::automatic;
}

SessionOptions session_options_of(const QueryOptions& options) {
  SessionOptions session;
  session.csv_options = csv_options_of(options.csv);
  session.device = options.device;
  session.planner = planner_of(options.planner);
  if (!options.cache_limit_mib.empty())
    session.cache_limit_bytes = std::stoull(options.cache_limit_mib) << 20;
  return session;
}

Result<RunReport> record_query(const QueryOptions& options, Recorded recorded) {
  return rows_of(session_until_exit(options), options.statement, options, recorded);
}

void declare_run_options(Arguments& arguments, QueryOptions& options) {
  arguments.device(options.device,
                   "cuda:0, opencl:1, cuda, opencl, gpu or cpu; by default the first device; or "
                   "several, which share the rows: cuda:0,1 or cuda:0,opencl:1 or cuda:*",
                   "--device,-d");
  arguments.choice("--on-device-failure", {"stop", "continue"}, options.on_device_failure,
                   "of several devices, where one fails: end with its error, or let the others "
                   "take over its rows");
  arguments.choice(
      "--planner", {"auto", "own", "duckdb"}, options.planner,
      "who plans a statement; auto: our own binder where it supports it, else DuckDB's "
      "planner, and the report says so");
  arguments.choice("--format", {"table", "csv", "json"}, options.format, "how rows are printed");
  arguments.flag("--verbose,-v", options.verbose, "print generated kernels and compile times");
  arguments.flag("--stats", options.stats, "print the time and bytes of every kernel");
  arguments.flag("--validate", options.validate,
                 "compare every step with the host reference, which computes some 100,000 rows per "
                 "second, and fail at the first difference");
  arguments.flag("--fast-math", options.fast_math,
                 "let the device's compiler reorder and approximate float arithmetic");
  arguments.choice(
      "--pages", {"auto", "device", "host"}, options.pages,
      "who decodes a Parquet file's pages; auto: kernels of a GPU where they can, else "
      "the host");
  arguments.choice("--gds", {"auto", "on", "off"}, options.gds,
                   "whether a GPU reads a Parquet file's pages itself (GPUDirect Storage by "
                   "cuFile); auto: if the driver can and the page cache has few of them");
  arguments.value("--variant", "NAME", options.variant, "use this kernel variant");
  arguments.value("--batch-rows", "N", options.batch_rows,
                  "rows per chunk; by default chosen for the device", 1);
  arguments.value(
      "--memory-limit", "MIB", options.memory_limit_mib,
      "device memory for chunks; a sort or a window may use half of it; by default a part "
      "of the device's memory",
      1, std::uint64_t{1} << 24);
  arguments.flag("--no-progress", options.no_progress, "no progress bar on a terminal");
  declare_csv_flags(arguments, options.csv);
}

void declare_cache_limit(Arguments& arguments, QueryOptions& options) {
  arguments.value("--cache-limit", "MIB", options.cache_limit_mib,
                  "what is kept of files between statements; 0 keeps nothing; by default a quarter "
                  "of the device's memory",
                  [](const std::string& value) {
                    const bool is_number =
                        !value.empty() && value.size() <= 8 &&
                        value.find_first_not_of("0123456789") == std::string::npos;
                    return is_number ? "" : "'" + value + "' is no number of MiB up to 99999999";
                  });
}

static void declare_result_options(Arguments& arguments, QueryOptions& options) {
  arguments.value("--output,-o", "FILE", options.output,
                  "write the rows to a .csv, .json, .parquet or .arrow file", check_output_path);
  arguments.flag(
      "--explain", options.explain,
      "print the steps, the tree of operators and the kernels, compile these, but read no row");
  arguments.footer(
      "\nExample: penstock query \"SELECT sum(price) FROM 'hits.parquet' WHERE quantity > 3\" "
      "--format csv");
}

std::shared_ptr<QueryOptions> declare_query_options(Arguments& arguments) {
  auto options = std::make_shared<QueryOptions>();
  arguments.positional("STATEMENT", options->statement, "SELECT ... FROM 'file.parquet' WHERE ...");
  declare_run_options(arguments, *options);
  declare_result_options(arguments, *options);
  return options;
}

Action declare_query(Arguments& arguments) {
  const auto options = std::make_shared<QueryOptions>();
  arguments.positional("STATEMENT", options->statement, "SELECT ... FROM 'file.parquet' WHERE ...",
                       false);
  arguments.value("--file,-f", "FILE", options->file,
                  "answer the statements of a file, which ; separates, on a device that opens "
                  "once; - is standard input");
  arguments.value("--plan", "FILE", options->plan,
                  "answer a plan instead of a statement: JSON of DuckDB's "
                  "json_serialize_plan(), or Substrait");
  arguments.values("--table", "NAME=FILE", options->tables,
                   "a table that the plan names; as often as needed", [](const std::string& value) {
                     const std::size_t end = value.find('=');
                     const bool is_pair = end != value.npos && end > 0 && end + 1 < value.size();
                     return is_pair ? std::string() : "'" + value + "' is not NAME=FILE";
                   });
  declare_run_options(arguments, *options);
  declare_cache_limit(arguments, *options);
  declare_result_options(arguments, *options);
  arguments.check([options]() -> std::string {
    const int given = !options->file.empty() + !options->plan.empty() + !options->statement.empty();
    if (given == 0) return "STATEMENT is required, or --file, or --plan";
    if (options->csv.has_header && options->csv.has_no_header)
      return "--header and --no-header: leave one of the two out";
    if (given > 1) return "a statement, --file and --plan: give one of them";
    if (!options->tables.empty() && options->plan.empty()) return "--table goes with --plan";
    return "";
  });
  return [options] { return query(*options); };
}

}  // namespace penstock::cli
