// The files of TPC-H's tables that benches of statements run over.
#pragma once
#include <filesystem>
#include <string>

#include "penstock/status.hpp"
#include "terminal/arguments.hpp"

namespace penstock::bench {

std::string default_generator();

struct TpchTables {
  std::string data;  // a folder with NAME.parquet; "": tables are made
  std::string scale = "1", generator = default_generator();
};
// Declares --scale, --data and --generator.
void declare_tables(terminal::Arguments& arguments, TpchTables& tables);

// Returns the folder of the tables, after making those that no earlier run has made.
Result<std::filesystem::path> find_tables(const TpchTables& tables);

}  // namespace penstock::bench
