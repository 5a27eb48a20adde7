// The options of `query`, and running it, for `query` and `profile`.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "penstock/plan.hpp"
#include "terminal/arguments.hpp"

namespace penstock::cli {
using namespace terminal;

struct QueryOptions {
  std::string statement, device, format, output, variant, pages = "auto";
  std::uint64_t batch_rows = 0, memory_limit_mib = 0;
  bool validate = false, explain = false, verbose = false, fast_math = false, no_progress = false,
       stats = false;
};

std::shared_ptr<QueryOptions> declare_query_options(Arguments& arguments);
enum class Recorded { nothing, profile, profile_and_stalls };
// Runs the statement and writes its rows. A recorded run writes them to --output only.
Result<RunReport> run_query(const QueryOptions& options, Recorded recorded = Recorded::nothing);

}  // namespace penstock::cli
