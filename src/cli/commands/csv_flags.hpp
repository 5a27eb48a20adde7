// The options of the program that say how its CSV files are written.
#pragma once
#include <string>
#include <vector>

#include "penstock/table_reference.hpp"
#include "terminal/arguments.hpp"

namespace penstock::cli {

struct CsvFlags {
  std::string delimiter, quote, escape, date_format, sample_rows;
  std::vector<std::string> null_texts, types;  // the latter: "column=TYPE"
  bool has_header = false, has_no_header = false, ignores_errors = false;
};
void declare_csv_flags(terminal::Arguments& arguments, CsvFlags& flags);
// Returns them as options of read_csv().
std::vector<TableOption> csv_options_of(const CsvFlags& flags);

}  // namespace penstock::cli
