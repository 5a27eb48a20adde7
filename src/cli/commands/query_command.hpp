// The options of `query`, and running it, for `query`, `profile` and `shell`.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/csv_flags.hpp"
#include "penstock/ranks.hpp"
#include "penstock/session.hpp"
#include "penstock/sql.hpp"
#include "terminal/arguments.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress_bar.hpp"

namespace penstock::cli {
using namespace terminal;

struct QueryOptions {
  std::string statement, file, device, format = "table", output, variant, pages = "auto",
                                       gds = "auto", planner = "auto", on_device_failure = "stop";
  std::uint64_t batch_rows = 0, memory_limit_mib = 0;
  std::string plan;                 // a file
  std::vector<std::string> tables;  // that the plan names: "lineitem=lineitem.parquet"
  std::string cache_limit_mib;      // "": the default of a session
  CsvFlags csv;
  bool validate = false, explain = false, verbose = false, fast_math = false, no_progress = false,
       stats = false;
};

std::shared_ptr<QueryOptions> declare_query_options(Arguments& arguments);
void declare_run_options(Arguments& arguments, QueryOptions& options);  // not the statement
void declare_cache_limit(Arguments& arguments, QueryOptions& options);
Planner planner_of(std::string_view planner);  // auto, own or duckdb
SessionOptions session_options_of(const QueryOptions& options);
TableOpener opener_of(const QueryOptions& options);  // of a rank, which has no session
// Answers a statement of a session and prints its rows and its report; with options.explain, its
// plan.
Status answer(Session& session, const std::string& statement, const QueryOptions& options);
PageDecoding page_decoding_of(std::string_view pages);  // auto, device or host
RunOptions run_options_of(const QueryOptions& options, ProgressBar& bar);
// Opens tables by `open`, but refuses one that the rows are to be written over. The options outlive
// the result.
TableOpener opener_for(const QueryOptions& options, TableOpener open);
// `file`: null where rows are printed.
Status print_rows(const Table& table, const QueryOptions& options, OutputFile* file);
void print_report(const RunReport& report, const QueryOptions& options);
// Answers the statement by all processes that were started together. Rank 0 alone prints, also
// errors.
Status query_on_ranks(Communicator& communicator, const QueryOptions& options);
enum class Recorded { nothing, profile, profile_and_stalls };
// Runs the statement in a session of its own. A recorded run writes its rows to --output only.
Result<RunReport> record_query(const QueryOptions& options, Recorded recorded);

}  // namespace penstock::cli
