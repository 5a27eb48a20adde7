// Answers statements in one process, so that thousands of cases do not each start one.
//
//     query_driver [--device ID] < statements > answers
//
// A line of input is a statement, or an option for those that follow: ".device ID", ".variant
// NAME", ".planner NAME", ".batch_rows N", ".memory_limit N", ".pages device", ".gds on", ".joins
// device", ".validate 1", ".cache MIB" of a new session. A statement's answer is one line, an
// object of either
//
//     {"columns": [{"name": "n", "type": "DECIMAL(15,2)", "values": [150, null]}],
//         "device": "opencl:0", "skipped": {"rows": 0, ...}, "kernels": 1, "read_directly": 0}
//     {"error": "overflow", "message": "..."}
//
// Nothing is lost: dates, timestamps, decimals and HUGEINT are the integers they are stored as, of
// up to 128 bits; floats are the shortest text that reads back to the same value. NaN and
// infinities are written as Python's json module reads them. Times, BLOBs, UUIDs, intervals, lists,
// structs and maps are their texts.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "penstock/expression.hpp"
#include "penstock/io.hpp"
#include "penstock/run.hpp"
#include "penstock/session_device.hpp"
#include "penstock/sql.hpp"
#include "session/statements/answer_statement.hpp"

// For a build with the address sanitizer. The first call into LLVM gives its thread another signal
// stack; where that is a thread that ends, the sanitizer would give back what is not its own and
// end the process.
extern "C" const char* __asan_default_options() { return "use_sigaltstack=0"; }

namespace {

using namespace penstock;

void append_text(std::string& json, std::string_view text) {
  json += '"';
  for (const char c : text) {
    std::array<char, 8> escape{};
    if (c == '"' || c == '\\')
      (json += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 &&
             std::snprintf(escape.data(), escape.size(), "\\u%04x", c) > 0)
      json += escape.data();
    else
      json += c;
  }
  json += '"';
}

template <class T> void append_number(std::string& json, T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value)) {
      json += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
      return;
    }
  std::array<char, 48> digits;
  const std::string_view text(
      digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  json += text;
  if (std::is_floating_point_v<T> && text.find_first_of(".e") == std::string_view::npos)
    json += ".0";
}

void append_int128(std::string& json, Int128 value) {
  auto magnitude = static_cast<unsigned __int128>(value);
  if (value < 0) {
    json += '-';
    magnitude = -magnitude;
  }
  std::string digits;
  do digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(magnitude % 10)));
  while ((magnitude /= 10) != 0);
  json += digits;
}

template <class T> T value_at(const Column& column, std::uint64_t row) {
  T value;
  std::memcpy(&value, column.values.data + row * sizeof(T), sizeof(T));
  return value;
}

void append_value(std::string& json, const Column& column, std::uint64_t row) {
  if (column.type.logical != LogicalType::none)
    return append_text(json, text_of(scalar_at(column, row)));
  switch (column.type.kind) {
    case Kind::boolean: json += column.boolean(row) ? "true" : "false"; return;
    case Kind::int8: return append_number(json, value_at<std::int8_t>(column, row));
    case Kind::int16: return append_number(json, value_at<std::int16_t>(column, row));
    case Kind::int32:
    case Kind::date32: return append_number(json, value_at<std::int32_t>(column, row));
    case Kind::int64:
    case Kind::timestamp: return append_number(json, value_at<std::int64_t>(column, row));
    case Kind::uint8: return append_number(json, value_at<std::uint8_t>(column, row));
    case Kind::uint16: return append_number(json, value_at<std::uint16_t>(column, row));
    case Kind::uint32: return append_number(json, value_at<std::uint32_t>(column, row));
    case Kind::uint64: return append_number(json, value_at<std::uint64_t>(column, row));
    case Kind::float32:
      return append_number(json, static_cast<double>(value_at<float>(column, row)));
    case Kind::float64: return append_number(json, value_at<double>(column, row));
    case Kind::decimal:
      if (column.type.precision <= 18)
        return append_number(json, value_at<std::int64_t>(column, row));
      [[fallthrough]];
    case Kind::int128: return append_int128(json, value_at<Int128>(column, row));
    case Kind::string: return append_text(json, column.string(row));
  }
}

std::string answer_text(const QueryResult& outcome) {
  std::string json = "{\"columns\": [";
  const Table& table = outcome.table;
  for (std::size_t c = 0; c < table.columns.size(); c++) {
    json += c == 0 ? "{\"name\": " : ", {\"name\": ";
    append_text(json, table.names[c]);
    json += ", \"type\": ";
    append_text(json, name_of(table.columns[c].type));
    json += ", \"values\": [";
    for (std::uint64_t row = 0; row < table.row_count; row++) {
      if (row != 0) json += ", ";
      if (table.columns[c].is_valid(row))
        append_value(json, table.columns[c], row);
      else
        json += "null";
    }
    json += "]}";
  }
  json += "], \"device\": ";
  append_text(json, outcome.report.device_id);
  const SkipCounts& skipped = outcome.report.skipped;
  json += ", \"skipped\": {\"statistics\": " + std::to_string(skipped.groups_by_statistics) +
          ", \"page_index\": " + std::to_string(skipped.groups_by_page_index) +
          ", \"bloom_filters\": " + std::to_string(skipped.groups_by_bloom_filter) +
          ", \"pages\": " + std::to_string(skipped.pages_skipped) +
          ", \"rows\": " + std::to_string(skipped.rows_skipped) +
          "}, \"kernels\": " + std::to_string(outcome.report.kernels.size()) +
          ", \"read_directly\": " + std::to_string(outcome.report.bytes_read_directly);
  return json + "}";
}

std::string error_text(const Status& status) {
  std::string json = "{\"error\": ";
  append_text(json, name_of(status.code()));
  json += ", \"message\": ";
  append_text(json, status.text());
  return json + "}";
}

struct Options : RunOptions {
  Planner planner = Planner::own;
};

Result<QueryResult> answer(const std::string& statement, const Options& options) {
  Plan plan;
  PENSTOCK_ASSIGN(const BoundSql bound,
                  bind_statement(statement, plan, open_table, {.planner = options.planner}));
  return session::answer_statement(plan, bound, [&](const Plan& of_statement, StepId step) {
    return run(of_statement, step, options);
  });
}

bool set_option(const std::string& line, Options& options) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string name = line.substr(1, space - 1),
                    value = space < line.size() ? line.substr(space + 1) : "";
  if (name == "device")
    options.device = value;
  else if (name == "variant")
    options.variant = value;
  else if (name == "planner")
    options.planner = value == "duckdb" ? Planner::duckdb
                      : value == "auto" ? Planner::automatic
                                        : Planner::own;
  else if (name == "batch_rows")
    options.batch_rows = std::strtoull(value.c_str(), nullptr, 10);
  else if (name == "memory_limit")
    options.memory_limit_bytes = std::strtoull(value.c_str(), nullptr, 10);
  else if (name == "pages")
    options.page_decoding = value == "device" ? PageDecoding::device
                            : value == "host" ? PageDecoding::host
                                              : PageDecoding::automatic;
  else if (name == "gds")
    options.direct_reads = value == "on"    ? DirectReads::on
                           : value == "off" ? DirectReads::off
                                            : DirectReads::automatic;
  else if (name == "rows")
    options.intermediate_rows = value == "device" ? IntermediateRows::device
                                : value == "host" ? IntermediateRows::host
                                                  : IntermediateRows::automatic;
  else if (name == "cache")
    options.session =
        SessionDevice::open(options.device, std::strtoull(value.c_str(), nullptr, 10) << 20);
  else if (name == "validate")
    options.validate = value == "1";
  else
    return false;
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (count == 3 && std::string_view(arguments[1]) == "--device")
    options.device = arguments[2];
  else if (count != 1) {
    std::fputs("usage: query_driver [--device ID] < statements\n", stderr);
    return 2;
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.starts_with('.')) {
      if (set_option(line, options)) continue;
      std::fprintf(stderr, "no such option: %s\n", line.c_str());
      return 2;
    }
    const Result<QueryResult> outcome = answer(line, options);
    const std::string text =
        (outcome.ok() ? answer_text(*outcome) : error_text(outcome.status())) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}
