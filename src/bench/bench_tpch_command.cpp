// penstock bench tpch: statements over TPC-H's tables as Parquet files in the page cache, by a new
// process each, by a process that runs, and by one that keeps pages and columns in the device's
// memory.
//
// The three answer alike before they are timed. Baselines compare their answers with ours in a run
// of their own, before anything is timed, and are timed last.
#include <cctype>
#include <filesystem>

#include "base/clock.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_process.hpp"
#include "bench/bench_table.hpp"
#include "bench/bench_tpch_statements.hpp"
#include "bench/bench_tpch_tables.hpp"
#include "codec/pages/paged_table.hpp"
#include "penstock/session.hpp"
#include "terminal/format.hpp"

namespace penstock::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* mode_names[] = {"process", "running", "resident"};
constexpr const char* tables[] = {"customer", "lineitem", "nation", "orders",
                                  "part",     "partsupp", "region", "supplier"};

struct TpchOptions : BenchOptions {
  TpchTables tables;
};

std::string case_name(const TpchStatement& statement, const char* mode) {
  return std::string(statement.name) + ", " + mode;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const TpchStatement& statement : tpch_statements())
    for (const char* const mode : mode_names) names.push_back(case_name(statement, mode));
  return names;
}

bool is_any_selected(const BenchOptions& options, const TpchStatement& statement) {
  for (const char* const mode : mode_names)
    if (is_selected(options, case_name(statement, mode))) return true;
  return false;
}

// Returns the statement with the tables' paths.
std::string text_of(const TpchStatement& statement, const fs::path& folder) {
  std::string text = statement.text, quoted;
  for (const char c : folder.string()) quoted += c == '\'' ? "''" : std::string(1, c);
  for (const char* const table : tables) {
    const std::string name = "'" + std::string(table) + ".parquet'";
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += name.size())
      text.replace(at, 1, "'" + quoted + "/");
  }
  return text;
}

bool names_column(std::string_view text, std::string_view column) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() &&
           (text[at] == '_' || std::isalnum(static_cast<unsigned char>(text[at])) != 0);
  };
  for (std::size_t at = 0; (at = text.find(column, at)) != std::string_view::npos; at++)
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + column.size())) return true;
  return false;
}

// Stored bytes of the columns that a statement names.
Result<double> bytes_named(Session& session, const TpchStatement& statement,
                           const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const char* const table : tables) {
    const std::string file = std::string(table) + ".parquet";
    if (std::string_view(statement.text).find("'" + file + "'") == std::string_view::npos) continue;
    PENSTOCK_ASSIGN(const auto source, session.open_table((folder / file).string()));
    const auto paged = source->pages();
    for (std::uint32_t column = 0; paged && column < source->schema().size(); column++)
      if (names_column(statement.text, source->schema()[column].name))
        for (const pages::StoredChunk& chunk : paged->chunks(column)) bytes += chunk.stored_bytes;
  }
  return static_cast<double>(bytes);
}

Result<std::string> csv_of(const Table& table) {
  std::string text;
  PENSTOCK_TRY(format_csv(table, [&](std::string_view part) -> Status {
    text += part;
    return {};
  }));
  return text;
}

class TpchBench {
 public:
  TpchBench(const TpchOptions& options, fs::path folder, std::string device)
      : options_(options),
        folder_(std::move(folder)),
        device_(std::move(device)),
        running_(Session::create({.device = device_, .cache_limit_bytes = 0})),
        resident_(Session::create({.device = device_})) {}

  Result<Figures> measure() {
    PENSTOCK_TRY(verify());
    Figures figures;
    for (const TpchStatement& statement : tpch_statements())
      for (const char* const mode : mode_names) {
        const std::string work = case_name(statement, mode);
        if (!is_selected(options_, work)) continue;
        PENSTOCK_ASSIGN(const double bytes, bytes_named(*running_, statement, folder_));
        PENSTOCK_ASSIGN(Figure figure, time_runs(work, "penstock", bytes, options_.repeats, [&] {
                          return run_seconds(mode, text_of(statement, folder_));
                        }));
        figures.push_back(std::move(figure));
      }
    return figures;
  }

 private:
  Result<std::string> answer(std::string_view mode, const std::string& statement) {
    if (mode == "process")
      return output_of_program({own_program(), "query", statement, "--format", "csv",
                                "--no-progress", "--device", device_});
    Session& session = mode == "running" ? *running_ : *resident_;
    PENSTOCK_ASSIGN(const QueryResult result, session.sql(statement));
    return csv_of(result.table);
  }

  Result<double> run_seconds(std::string_view mode, const std::string& statement) {
    const double start = now_seconds();
    PENSTOCK_TRY(answer(mode, statement).status());
    return now_seconds() - start;
  }

  // Compares the modes' answers, and lets baselines compare theirs.
  Status verify() {
    for (const TpchStatement& statement : tpch_statements()) {
      if (!is_any_selected(options_, statement)) continue;
      show_progress(statement.name, "checking");
      PENSTOCK_TRY(verify_statement(statement).with(statement.name));
    }
    for (const std::string& peer : split_at(options_.peers, ',')) {
      show_progress("answers", "compared by " + peer);
      if (std::system((peer + " check >&2").c_str()) != 0)
        return {Code::internal, "the peer '" + peer +
                                    "' has other answers, or failed; its "
                                    "message is above"};
    }
    return {};
  }

  Status verify_statement(const TpchStatement& statement) {
    const std::string text = text_of(statement, folder_);
    std::string first;
    for (const char* const mode : mode_names) {
      PENSTOCK_ASSIGN(const std::string found, answer(mode, text));
      if (mode == mode_names[0]) first = found;
      if (found != first)
        return {Code::internal, "the answer of '" + std::string(mode) + "' differs from that of '" +
                                    mode_names[0] + "'"};
    }
    if (options_.outputs_folder.empty()) return {};
    const fs::path to = options_.outputs_folder;
    PENSTOCK_TRY(write_text(to / (std::string(statement.name) + ".sql"), text));
    return write_text(to / (std::string(statement.name) + ".csv"), first);
  }

  const TpchOptions& options_;
  const fs::path folder_;
  const std::string device_;
  const std::shared_ptr<Session> running_, resident_;
};

// Makes the folder, and removes what an earlier run left of other statements.
Status clear_outputs(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return {Code::io, "cannot make " + folder.string() + ": " + error.message()};
  for (const TpchStatement& statement : tpch_statements())
    for (const char* const ending : {".sql", ".csv"})
      fs::remove(folder / (statement.name + std::string(ending)), error);
  return {};
}

Status bench_tpch(TpchOptions& options) {
  PENSTOCK_ASSIGN(const fs::path folder, find_tables(options.tables));
  PENSTOCK_ASSIGN(const auto lineitem, open_table((folder / "lineitem.parquet").string()));
  options.rows = lineitem->row_count().value_or(0);
  if (!options.outputs_folder.empty()) PENSTOCK_TRY(clear_outputs(options.outputs_folder));
  return run_bench(options, "rows of lineitem",
                   [&](const std::shared_ptr<Device>& device, const BenchOptions&) {
                     return TpchBench(options, folder, device->traits().id).measure();
                   });
}

}  // namespace

Action declare_bench_tpch(Arguments& arguments) {
  auto options = std::make_shared<TpchOptions>();
  options->repeats = 5;
  declare_bench_options(arguments, *options, {nullptr, 0, case_names()});
  declare_tables(arguments, options->tables);
  arguments.value("--write-outputs", "FOLDER", options->outputs_folder,
                  "write statements and answers here, for baselines");
  return [options] { return bench_tpch(*options); };
}

}  // namespace penstock::bench
