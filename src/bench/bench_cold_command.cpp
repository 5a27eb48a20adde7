// penstock bench cold: the first answer of a statement, by a process that starts with an empty
// cache, and the second, by another process that finds what the first has left.
//
// Whole processes are timed, from their start to their end. Both must answer alike. Files are in
// the page cache.
#include <cctype>
#include <fstream>
#include <sstream>

#include "base/clock.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_process.hpp"
#include "bench/bench_table.hpp"
#include "bench/bench_tpch_statements.hpp"
#include "bench/bench_tpch_tables.hpp"
#include "bench/temporary_folder.hpp"

namespace penstock::bench {
namespace {

namespace fs = std::filesystem;

struct ColdOptions : BenchOptions {
  TpchTables tables;
  std::string statements, table;
};

struct ColdStatement {
  std::string name, text;
};

bool is_part_of_word(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Replaces a table's name, where it is a word, by a file's. `table`: "hits=hits.parquet".
std::string with_file(std::string text, const std::string& table) {
  const std::size_t equals = table.find('=');
  if (equals == std::string::npos) return text;
  const std::string name = table.substr(0, equals), file = "'" + table.substr(equals + 1) + "'";
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    const std::size_t end = at + name.size();
    const bool is_word = (at == 0 || !is_part_of_word(text[at - 1])) &&
                         (end == text.size() || !is_part_of_word(text[end]));
    if (is_word) text.replace(at, name.size(), file);
    at += is_word ? file.size() : name.size();
  }
  return text;
}

// Statements end with a semicolon; one in a text in quotes ends nothing.
std::vector<std::string> split_statements(const std::string& script) {
  std::vector<std::string> statements(1);
  bool in_quotes = false;
  for (const char c : script) {
    in_quotes ^= c == '\'';
    if (c == ';' && !in_quotes)
      statements.emplace_back();
    else
      statements.back() += c;
  }
  std::erase_if(statements, [](const std::string& statement) {
    return statement.find_first_not_of(" \t\r\n") == std::string::npos;
  });
  return statements;
}

Result<std::vector<ColdStatement>> statements_of(const ColdOptions& options) {
  std::vector<ColdStatement> statements;
  if (options.statements.empty()) {
    for (const TpchStatement& each : tpch_statements())
      statements.push_back({each.name, each.text});
    return statements;
  }
  std::ifstream file(options.statements, std::ios::binary);
  if (!file) return Status(Code::io, "cannot read " + options.statements);
  std::ostringstream script;
  script << file.rdbuf();
  for (const std::string& text : split_statements(script.str()))
    statements.push_back(
        {"statement " + std::to_string(statements.size() + 1), with_file(text, options.table)});
  return statements;
}

struct TimedAnswer {
  std::string text;
  double seconds = 0;
};

class ColdBench {
 public:
  ColdBench(const ColdOptions& options, fs::path folder, std::string device)
      : options_(options), folder_(std::move(folder)), device_(std::move(device)) {}

  Result<Figures> measure() {
    PENSTOCK_ASSIGN(const std::vector<ColdStatement> statements, statements_of(options_));
    Figures figures;
    for (const ColdStatement& statement : statements) {
      if (!is_selected(options_, statement.name)) continue;
      const Status measured = add_figures(statement, figures);
      if (measured.code() == Code::internal) return measured;
      if (!measured.ok()) show_progress(statement.name + " is not answered", measured.message());
    }
    return figures;
  }

 private:
  // Runs one process on a statement, with caches in a folder.
  Result<TimedAnswer> answer(const ColdStatement& statement, const fs::path& caches) const {
    const double start = now_seconds();
    TimedAnswer answered;
    PENSTOCK_ASSIGN(
        answered.text,
        output_of_program(
            {"env", "-C", folder_.string(), "PENSTOCK_CACHE_DIR=" + (caches / "penstock").string(),
             "POCL_CACHE_DIR=" + (caches / "pocl").string(),
             "CUDA_CACHE_PATH=" + (caches / "cuda").string(), own_program(), "query",
             statement.text, "--format", "csv", "--no-progress", "--device", device_}));
    answered.seconds = now_seconds() - start;
    return answered;
  }

  Status add_figures(const ColdStatement& statement, Figures& figures) const {
    show_progress(statement.name, "timing penstock");
    std::vector<double> first, second;
    for (std::uint64_t i = 0; i < options_.repeats; i++) {
      const TemporaryFolder caches("cold");
      PENSTOCK_TRY(caches.status());
      PENSTOCK_ASSIGN(const TimedAnswer cold, answer(statement, caches.path()));
      PENSTOCK_ASSIGN(const TimedAnswer warm, answer(statement, caches.path()));
      if (cold.text != warm.text)
        return {Code::internal, statement.name + ": the second answer differs from the first"};
      first.push_back(cold.seconds), second.push_back(warm.seconds);
      if (i == 0) PENSTOCK_TRY(write_outputs(statement, cold.text));
    }
    figures.push_back(figure_of(statement.name + ", first", "penstock", 0, std::move(first)));
    figures.push_back(figure_of(statement.name + ", second", "penstock", 0, std::move(second)));
    return {};
  }

  Status write_outputs(const ColdStatement& statement, const std::string& text) const {
    if (options_.outputs_folder.empty()) return {};
    const fs::path to = options_.outputs_folder;
    PENSTOCK_TRY(write_text(to / (statement.name + ".sql"), statement.text));
    return write_text(to / (statement.name + ".csv"), text);
  }

  const ColdOptions& options_;
  const fs::path folder_;
  const std::string device_;
};

Status bench_cold(const ColdOptions& options) {
  PENSTOCK_ASSIGN(const fs::path folder, find_tables(options.tables));
  return run_bench(options, "statements a run",
                   [&](const std::shared_ptr<Device>& device, const BenchOptions&) {
                     return ColdBench(options, folder, device->traits().id).measure();
                   });
}

}  // namespace

Action declare_bench_cold(Arguments& arguments) {
  auto options = std::make_shared<ColdOptions>();
  options->repeats = 3, options->rows = 1;
  declare_bench_options(arguments, *options, {nullptr, 0, {}});
  declare_tables(arguments, options->tables);
  arguments.value(
      "--statements", "FILE", options->statements,
      "statements, each ended by a semicolon, over files of --data; by default those of "
      "`penstock bench tpch`");
  arguments.value("--table", "NAME=FILE", options->table,
                  "the file that a table's name stands for in --statements");
  arguments.value("--write-outputs", "FOLDER", options->outputs_folder,
                  "write statements and answers into this folder, for baselines");
  return [options] { return bench_cold(*options); };
}

}  // namespace penstock::bench
