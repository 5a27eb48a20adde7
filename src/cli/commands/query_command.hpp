// The options of `query`, and running it, for `query`, `profile` and `shell`.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "penstock/session.hpp"
#include "terminal/arguments.hpp"

namespace penstock::cli {
using namespace terminal;

struct QueryOptions {
  std::string statement, file, device, format = "table", output, variant, pages = "auto",
                                       gds = "auto", on_device_failure = "stop";
  std::uint64_t batch_rows = 0, memory_limit_mib = 0;
  std::string cache_limit_mib;  // "": the default of a session
  bool validate = false, explain = false, verbose = false, fast_math = false, no_progress = false,
       stats = false;
};

std::shared_ptr<QueryOptions> declare_query_options(Arguments& arguments);
void declare_run_options(Arguments& arguments, QueryOptions& options);  // not the statement
void declare_cache_limit(Arguments& arguments, QueryOptions& options);
SessionOptions session_options_of(const QueryOptions& options);
// Answers a statement of a session and prints its rows and its report; with options.explain, its
// plan.
Status answer(Session& session, const std::string& statement, const QueryOptions& options);
enum class Recorded { nothing, profile, profile_and_stalls };
// Runs the statement and writes its rows. A recorded run writes them to --output only.
Result<RunReport> run_query(const QueryOptions& options, Recorded recorded = Recorded::nothing);

}  // namespace penstock::cli
