// What `query` takes and does, for it and for the commands that run one.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "penstock/plan.hpp"
#include "terminal/arguments.hpp"

namespace penstock::cli {

struct QueryOptions {
  std::string statement, device, format, output, variant;
  std::uint64_t batch_rows = 0, memory_limit_mib = 0;
  bool validate = false, explain = false, verbose = false, fast_math = false, no_progress = false,
       stats = false;
};

std::shared_ptr<QueryOptions> declare_query_options(Arguments& arguments);
enum class Recorded { nothing, profile, profile_and_stalls };
// Runs the statement and writes its rows; of a recorded run they go to a file or nowhere.
Result<RunReport> run_query(const QueryOptions& options, Recorded recorded = Recorded::nothing);

}  // namespace penstock::cli
