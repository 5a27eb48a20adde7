#include "bench/bench_tpch_tables.hpp"

#include <cstdlib>

#include "bench/bench_process.hpp"
#include "bench/bench_table.hpp"

namespace penstock::bench {
namespace fs = std::filesystem;
namespace {

std::string check_scale(const std::string& text) {
  char* end = nullptr;
  const double scale = std::strtod(text.c_str(), &end);
  return *end == '\0' && scale > 0 && scale <= 100'000 ? "" : "'" + text + "' is no scale factor";
}

// Makes the tables where no earlier run has, under another name first.
Status make_tables(const TpchTables& tables, const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "lineitem.parquet", error)) return {};
  const fs::path making = folder.string() + ".making";
  show_progress("scale " + tables.scale, "making tables");
  PENSTOCK_TRY(output_of_program({tables.generator, "parquet", "-s", tables.scale, "--output-dir",
                                  making.string()})
                   .status()
                   .with("--data FOLDER has tables that are there; "
                         "scripts/python_environment.sh run installs .venv/bin/tpchgen-cli, "
                         "which --generator names from another folder"));
  fs::rename(making, folder, error);
  if (error) return {Code::io, "cannot make " + folder.string() + ": " + error.message()};
  return {};
}

}  // namespace

// As scripts/setup.sh installs it, where that was run in this folder.
std::string default_generator() {
  const char* const installed = ".venv/bin/tpchgen-cli";
  std::error_code error;
  return fs::exists(installed, error) ? installed : "tpchgen-cli";
}

void declare_tables(terminal::Arguments& arguments, TpchTables& tables) {
  arguments.value(
      "--scale", "N", tables.scale,
      "scale factor of tables to make, in penstock-tpch-N of the temporary folder (/tmp)",
      check_scale);
  arguments.value("--data", "FOLDER", tables.data,
                  "a folder with the tables as NAME.parquet, in place of --scale");
  arguments.value("--generator", "PROGRAM", tables.generator,
                  "tpchgen-cli, which makes tables; they stay there for later runs");
}

Result<fs::path> find_tables(const TpchTables& tables) {
  if (!tables.data.empty()) return fs::absolute(tables.data);
  const fs::path folder = fs::temp_directory_path() / ("penstock-tpch-" + tables.scale);
  PENSTOCK_TRY(make_tables(tables, folder));
  return folder;
}

}  // namespace penstock::bench
