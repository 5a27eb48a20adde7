// Options of read_json(). Nothing that they give is looked for in the file.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/csv/csv_time_format.hpp"
#include "io/csv/csv_types.hpp"
#include "penstock/table_reference.hpp"

namespace penstock::io {

enum class JsonFormat : unsigned char {
  automatic,
  newline_delimited,  // a value a line
  array,              // the members of one array
  unstructured,       // values one after another
};

struct JsonOptions {
  JsonFormat format = JsonFormat::automatic;
  std::optional<bool> are_records;                       // whether members are columns
  std::vector<std::pair<std::string, CsvType>> columns;  // all of them; none: by the sample
  std::optional<CsvTimeFormat> date_format, timestamp_format;
  std::optional<std::uint64_t> sample_records = 20'480;  // nullopt: all
  std::uint64_t max_record_bytes = 16 << 20;
  std::optional<std::uint64_t> max_depth;  // of types; nullopt: any
  bool ignores_errors = false;
};

// Refuses an unknown option, and a value that does not fit.
Result<JsonOptions> json_options(std::span<const TableOption> options);

}  // namespace penstock::io
