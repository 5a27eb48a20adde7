// penstock shell: statements as they are typed, or from a pipe, on a device that stays open.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/clock.hpp"
#include "cli/commands.hpp"
#include "cli/commands/query_command.hpp"
#include "cli/commands/shell_completion.hpp"
#include "device/device_list.hpp"
#include "terminal/line_editor.hpp"
#include "terminal/messages.hpp"
#include "terminal/signals.hpp"

namespace penstock::cli {
namespace {

// By default CUDA puts queues together, so that small downloads wait for the kernels of other
// chunks. Eight connections take 50 ms longer to open, and a third off Q1 from the page cache
// (docs/lab/parquet-pages.md). No thread reads the environment yet. The user's own value stays.
void open_with_many_connections() { ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "8", 0); }

constexpr std::string_view shell_help =
    "Statements end with a semicolon and may have several lines. Commands:\n"
    "  \\timing   print the time of each statement, or no longer\n"
    "  \\explain  print plans instead of answers, or answers again\n"
    "  \\cache    print what is kept of files; \\cache clear drops it\n"
    "  \\device   print the device\n"
    "  \\reset    drop the lines of a statement that has no semicolon yet\n"
    "  \\help     print this\n"
    "  \\q        end the shell, as the end of input does";

class Shell {
 public:
  explicit Shell(const QueryOptions& options)
      : options_(options),
        session_(Session::create(session_options_of(options))),
        lines_(LineEditor::create(state_file("history"),
                                  [this](const std::string& before, const std::string& word) {
                                    return completions(*session_, pending_ + before, word);
                                  })) {}

  // Returns the first error if nobody types the statements: a pipe's statements stop there.
  Status run() {
    if (is_interactive_) print_line("Statements end with ;  \\help lists commands.");
    while (!has_ended_) {
      const auto line = lines_->read(pending_.empty() ? "penstock> " : "      -> ");
      if (!line) break;
      PENSTOCK_TRY(shown(take(*line)));
    }
    if (is_interactive_ || pending_.empty() || has_ended_) return {};
    return take_rest();
  }

 private:
  Status take(const std::string& line) {
    lines_read_++;
    if (pending_.empty()) first_line_ = lines_read_;
    if (line.starts_with('\\') && (pending_.empty() || is_interactive_)) {
      lines_->keep(line);
      return command(line);
    }
    pending_ += line + "\n";
    return answer_ended();
  }

  // Answers the statements that have their semicolon, and keeps what follows them.
  Status answer_ended() {
    std::vector<StatementText> statements = split_statements(pending_);
    const bool has_rest = !statements.empty() && !statements.back().has_semicolon;
    if (statements.size() == (has_rest ? 1u : 0u)) {
      if (!has_rest) pending_.clear();
      return {};
    }
    StatementText rest;
    if (has_rest) {
      rest = std::move(statements.back());
      statements.pop_back();
    }
    lines_->keep(pending_.substr(0, pending_.size() - rest.text.size()));
    pending_ = rest.text;
    for (const StatementText& statement : statements) PENSTOCK_TRY(answer_one(statement));
    first_line_ += rest.line - 1;
    return {};
  }

  // The last statement of a pipe needs no semicolon.
  Status take_rest() {
    for (const StatementText& statement : split_statements(pending_))
      PENSTOCK_TRY(answer_one(statement));
    return {};
  }

  Status answer_one(const StatementText& statement) {
    if (is_interactive_) forget_interrupt();
    const double begin = now_seconds();
    const Status answered = answer(*session_, statement.text, options_);
    if (is_interactive_) forget_interrupt();
    if (is_timed_) print_line("time: " + seconds_text(now_seconds() - begin));
    return is_interactive_ ? answered
                           : answered.with("in the statement at line " +
                                           std::to_string(first_line_ + statement.line - 1));
  }

  Status shown(const Status& status) const {
    if (status.ok() || !is_interactive_) return status;
    print_outcome(status);
    return {};
  }

  Status command(const std::string& line) {
    const std::size_t end = std::min(line.find_last_not_of(" \t;") + 1, line.size());
    const std::string name = line.substr(0, end);
    if (name == "\\q") return has_ended_ = true, Status();
    if (name == "\\reset") return pending_.clear(), Status();
    if (name == "\\help") return print_line(shell_help), Status();
    if (name == "\\timing") return turn(is_timed_, "timing");
    if (name == "\\explain") return turn(options_.explain, "explain");
    if (name == "\\device") return print_device();
    if (name == "\\cache") return print_caches(false);
    if (name == "\\cache clear") return print_caches(true);
    return {Code::invalid, "no command '" + name + "'; \\help lists them"};
  }

  static Status turn(bool& is_on, std::string_view name) {
    is_on = !is_on;
    print_line(std::string(name) + (is_on ? " is on" : " is off"));
    return {};
  }

  Status print_device() {
    PENSTOCK_TRY(session_->device().status());
    PENSTOCK_ASSIGN(const std::vector<std::string> ids, device::devices_of_list(options_.device));
    for (const std::string& id : ids) {
      PENSTOCK_ASSIGN(const auto device, open_device(id));
      const Traits& traits = device->traits();
      print_line(traits.id + " " + traits.name + ", " + bytes_text(traits.global_bytes));
    }
    return {};
  }

  Status print_caches(bool clears) {
    PENSTOCK_TRY(session_->device().status());  // the limit comes from the device
    PENSTOCK_ASSIGN(const std::vector<DeviceCache*> caches, session_->caches());
    for (DeviceCache* const cache : caches) {
      if (clears) cache->clear();
      print_cache(cache->counters());
    }
    return {};
  }

  static void print_cache(const DeviceCache::Counters& counters) {
    print_line(bytes_text(counters.bytes) + " of " + bytes_text(counters.limit_bytes) + " in " +
               std::to_string(counters.entries) + " entries; " + std::to_string(counters.hits) +
               " hits, " + std::to_string(counters.misses) + " misses, " +
               std::to_string(counters.evictions) + " evictions");
  }

  QueryOptions options_;
  const std::shared_ptr<Session> session_;
  std::string pending_;  // lines of a statement without its semicolon
  const bool is_interactive_ = ::isatty(STDIN_FILENO) == 1;
  bool is_timed_ = false, has_ended_ = false;
  std::uint32_t lines_read_ = 0, first_line_ = 0;  // the latter: of pending_
  const std::unique_ptr<LineEditor> lines_;
};

}  // namespace

Action declare_shell(Arguments& arguments) {
  const auto options = std::make_shared<QueryOptions>();
  declare_run_options(arguments, *options);
  declare_cache_limit(arguments, *options);
  arguments.footer("\nExample: echo \"SELECT count(*) FROM 'hits.parquet';\" | penstock shell");
  return [options] {
    open_with_many_connections();
    return Shell(*options).run();
  };
}

}  // namespace penstock::cli
