// penstock query as several processes, which mpirun or a scheduler started.
#include "cli/commands/query_command.hpp"
#include "penstock/io.hpp"
#include "penstock/sql.hpp"
#include "terminal/messages.hpp"
#include "terminal/signals.hpp"

namespace penstock::cli {
namespace {

Status check_for_ranks(const QueryOptions& options) {
  const char* const what = !options.file.empty() ? "--file" : options.explain ? "--explain" : "";
  return *what == '\0' ? Status()
                       : Status(Code::unsupported, std::string(what) +
                                                       " takes one process, not several; "
                                                       "PENSTOCK_MPI=off runs each alone");
}

// The other ranks print nothing, and their output file is rank 0's.
class QueryOfRank {
 public:
  QueryOfRank(Communicator& communicator, const QueryOptions& options)
      : communicator_(communicator),
        options_(options),
        is_first_(communicator.rank() == 0),
        bar_(is_first_ && !options.no_progress) {}

  Status run() {
    RunOptions run_options = run_options_of(options_, bar_);
    if (!is_first_) run_options.on_source = nullptr;
    auto outcome =
        run_on_ranks(communicator_, [this](Plan& plan) { return bind(plan); }, run_options);
    bar_.erase();
    PENSTOCK_TRY(outcome.status());
    if (!*outcome) return {};
    if (interrupted()) return {Code::cancelled, "interrupted"};
    PENSTOCK_TRY(print_rows((*outcome)->table, options_, file_.get()));
    if (options_.verbose) print_line("ranks: " + communicator_.describe());
    print_report((*outcome)->report, options_);
    return {};
  }

 private:
  // A failure here on one rank ends all ranks.
  Result<StepId> bind(Plan& plan) {
    PENSTOCK_TRY(check_for_ranks(options_));
    if (is_first_ && !options_.output.empty()) {
      PENSTOCK_ASSIGN(file_, OutputFile::create(options_.output));
    }
    return bind_sql(options_.statement, plan, opener_of(options_));
  }

  Communicator& communicator_;
  const QueryOptions& options_;
  const bool is_first_;
  ProgressBar bar_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace

Status query_on_ranks(Communicator& communicator, const QueryOptions& options) {
  const Status status = QueryOfRank(communicator, options).run();
  if (communicator.is_in_step()) return communicator.rank() == 0 ? status : Status();
  print_line("rank " + std::to_string(communicator.rank()) + ": " + status.text());
  communicator.abort(1);
  return status;
}

}  // namespace penstock::cli
