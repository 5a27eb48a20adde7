// Sessions: statements over files and Arrow streams.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <map>

#include "column/arrow_stream_export.hpp"
#include "column/held_batches.hpp"
#include "session_handle.hpp"
#include "sql/parse/parameters.hpp"

namespace penstock::python {
namespace {

Planner planner_named(const std::string& name) {
  if (name == "own") return Planner::own;
  if (name == "duckdb") return Planner::duckdb;
  if (name == "auto") return Planner::automatic;
  throw StatusError{Status(Code::invalid, "no planner '" + name + "': auto, own, duckdb")};
}

nb::dict report_of(const RunReport& report) {
  std::uint64_t compiled = 0, launches = 0, bytes_moved = 0;
  double kernel_seconds = 0;
  for (const KernelReport& kernel : report.kernels) {
    compiled += kernel.build.cache == CacheResult::compiled;
    launches += kernel.launches;
    bytes_moved += kernel.bytes_moved;
    kernel_seconds += kernel.device_seconds;
  }
  nb::dict made;
  made["device"] = report.device_id;
  made["device_name"] = report.device_name;
  made["rows_read"] = report.rows_read;
  made["rows_out"] = report.rows_out;
  made["bytes_uploaded"] = report.bytes_uploaded;
  made["bytes_downloaded"] = report.bytes_downloaded;
  made["bytes_moved"] = bytes_moved;
  made["columns_from_cache"] = report.columns_from_cache;
  made["kernels_compiled"] = compiled;
  made["kernel_launches"] = launches;
  made["kernel_seconds"] = kernel_seconds;
  made["seconds"] = report.total_seconds;
  made["notes"] = nb::cast(report.notes);
  return made;
}

HeldTable hold(nb::handle capsule, const std::string& name) {
  ArrowArrayStream stream = take_stream(capsule);
  const nb::gil_scoped_release released;
  const auto imported = value_of(import_stream(&stream, name));
  return {value_of(column::hold_batches(*imported))};
}

// Returns the one row of values, a column each; None is a column without rows.
Table parameters_of(const nb::list& values, const std::vector<std::string>& names) {
  Table row;
  row.row_count = 1;
  for (std::size_t i = 0; i < values.size(); i++) {
    row.names.push_back(names[i]);
    if (values[i].is_none()) {
      row.columns.emplace_back();
      continue;
    }
    row.columns.push_back(value_in(values[i]));
  }
  return row;
}

// Returns the parameters as a statement has them: "?", "$1", "$name". A plan has none.
std::vector<std::string> written_parameters(const std::string& statement) {
  std::vector<std::string> written;
  if (is_plan_text(statement)) return written;
  for (const sql::Parameter& parameter : value_of(sql::parameters_of(statement)))
    written.push_back(statement.substr(parameter.offset, parameter.length));
  return written;
}

// A statement that Python asks, and what keeps its parts alive.
struct Asked {
  std::string text;
  std::optional<Table> parameters;
  SessionStatement statement;
  std::vector<std::pair<std::string, HeldTable>> on_device;  // alone

  // Returns the statement over tables that have their values on the host, too.
  Result<SessionStatement> with_host_values() const {
    SessionStatement made = statement;
    for (const auto& [name, held] : on_device) {
      PENSTOCK_ASSIGN(made.tables[name], held.with_host_values());
    }
    return made;
  }

  Asked(std::string text_, const nb::dict& tables, nb::object values,
        const std::vector<std::string>& names, const std::string& planner)
      : text(std::move(text_)) {
    statement.text = text;
    for (auto [name, table] : tables) {
      const auto& held = nb::cast<HeldTable&>(table);
      statement.tables[nb::cast<std::string>(name)] = held.source;
      if (held.with_host_values) on_device.emplace_back(nb::cast<std::string>(name), held);
    }
    // A text with parameters says so where none are given. Plans have none.
    if (!values.is_none())
      parameters = parameters_of(nb::cast<nb::list>(values), names);
    else if (!is_plan_text(text))
      parameters = parameters_of(nb::list(), {});
    if (parameters) statement.parameters = &*parameters;
    if (!planner.empty()) statement.planner = planner_named(planner);
  }
  Asked(const Asked&) = delete;
};

// Work that another thread may cancel.
class Cancellation {
 public:
  void cancel() { is_cancelled_ = true; }
  bool is_cancelled() const { return is_cancelled_; }

 private:
  std::atomic<bool> is_cancelled_ = false;
};

// Runs a statement, which Ctrl-C and `cancellation` end.
QueryResult run_asked(const SessionHandle& handle, const Asked& asked, Cancellation& cancellation,
                      RunOptions options) {
  SignalCheck signals;
  options.progress = [&](const Progress&) {
    return !cancellation.is_cancelled() && signals.keep_on();
  };
  std::optional<Result<QueryResult>> result;
  {
    const nb::gil_scoped_release released;
    result = handle.session->sql(asked.statement, options);
    // Hosts' parts of a plan do not read a device's memory.
    if (result->status().code() == Code::unsupported && !asked.on_device.empty())
      result = handle.session->sql(value_of(asked.with_host_values()), options);
  }
  check_work(result->status());
  return std::move(*result).value();
}

nb::object stream_of(const Table& table) {
  ArrowArrayStream rows = {};
  {
    const nb::gil_scoped_release released;
    check(column::export_stream(table, &rows));
  }
  return stream_capsule(rows);
}

// Returns a stream of the rows, and the report.
nb::tuple query(const SessionHandle& handle, const std::string& text, const nb::dict& tables,
                nb::object values, const std::vector<std::string>& names,
                const std::string& planner, Cancellation& cancellation, bool profile) {
  const Asked asked(text, tables, std::move(values), names, planner);
  RunOptions options;
  options.profile = profile;
  const QueryResult result = run_asked(handle, asked, cancellation, options);
  nb::dict report = report_of(result.report);
  if (result.report.profile) report["profile"] = chrome_trace(*result.report.profile);
  return nb::make_tuple(stream_of(result.table), report);
}

// Returns the device, and options of a run whose columns stay there.
std::pair<std::shared_ptr<Device>, RunOptions> on_device(const SessionHandle& handle) {
  const nb::gil_scoped_release released;
  auto device = value_of(handle.session->device());
  RunOptions options;
  options.results_on_device = has_addresses(*device);
  if (options.results_on_device) options.intermediate_rows = IntermediateRows::device;
  return {std::move(device), options};
}

// Returns a list of (name, column), and the report. A column is an array in device memory with
// __dlpack__, or a stream of one column where its values are on the host.
nb::tuple query_on_device(const SessionHandle& handle, const std::string& text,
                          const nb::dict& tables, nb::object values,
                          const std::vector<std::string>& names, const std::string& planner,
                          Cancellation& cancellation) {
  const Asked asked(text, tables, std::move(values), names, planner);
  const auto [device, options] = on_device(handle);
  const QueryResult result = run_asked(handle, asked, cancellation, options);
  nb::list columns;
  for (std::size_t i = 0; i < result.table.columns.size(); i++) {
    const Column& column = result.table.columns[i];
    const std::string& name = result.table.names[i];
    columns.append(nb::make_tuple(name, column.device_values
                                            ? array_on_device(column, device)
                                            : stream_of(Table::of({{name, column}}))));
  }
  return nb::make_tuple(columns, report_of(result.report));
}

// Returns a DeviceResult if all columns stayed in device memory, or a stream; and the report.
nb::tuple query_as_arrow(const SessionHandle& handle, const std::string& text,
                         const nb::dict& tables, nb::object values,
                         const std::vector<std::string>& names, const std::string& planner,
                         Cancellation& cancellation) {
  const Asked asked(text, tables, std::move(values), names, planner);
  const auto [device, options] = on_device(handle);
  QueryResult result = run_asked(handle, asked, cancellation, options);
  const nb::dict report = report_of(result.report);
  return nb::make_tuple(device_result(std::move(result.table), device), report);
}

std::string explain(const SessionHandle& handle, const std::string& text, const nb::dict& tables,
                    nb::object values, const std::vector<std::string>& names,
                    const std::string& planner) {
  const Asked asked(text, tables, std::move(values), names, planner);
  const nb::gil_scoped_release released;
  return value_of(handle.session->explain(asked.statement));
}

std::string source(const SessionHandle& handle, const std::string& text, const nb::dict& tables,
                   nb::object values, const std::vector<std::string>& names,
                   const std::string& planner, const std::string& target) {
  const Asked asked(text, tables, std::move(values), names, planner);
  const Target named = value_of(target_from_name(target));
  const nb::gil_scoped_release released;
  return value_of(handle.session->source(asked.statement, named));
}

void create(SessionHandle* self, const std::string& device,
            std::optional<std::uint64_t> cache_limit, const std::string& planner) {
  SessionOptions options;
  options.device = device;
  options.cache_limit_bytes = cache_limit;
  options.planner = planner_named(planner);
  new (self) SessionHandle{Session::create(options)};
}

void define_table(const SessionHandle& handle, const std::string& name, const HeldTable& table,
                  bool replaces) {
  const nb::gil_scoped_release released;
  check(handle.session->define_table(name, table.source, replaces));
}

}  // namespace

Column value_in(nb::handle capsule) {
  ArrowArrayStream stream = take_stream(capsule);
  const auto imported = value_of(import_stream(&stream));
  const std::uint32_t first[] = {0};
  const auto batches = value_of(imported->scan(first, {}));
  std::optional<Table> batch = value_of(batches->next());
  if (!batch) throw StatusError{Status(Code::invalid, "a parameter without a value")};
  return std::move(batch->columns.at(0));
}

void add_sessions(nb::module_& module) {
  nb::class_<HeldTable>(module, "HeldTable", "Arrow data that statements may read again.");
  module.def("hold_table", hold, nb::arg("stream"), nb::arg("name"));
  module.def("written_parameters", written_parameters, nb::arg("statement"));
  nb::class_<Cancellation>(module, "Cancellation")
      .def(nb::init<>())
      .def("cancel", &Cancellation::cancel);
  const nb::arg text("text"), tables("tables"), names("names"), planner("planner");
  nb::class_<SessionHandle> session(module, "Session");
  session.def("__init__", create, nb::arg("device"), nb::arg("cache_limit_bytes").none(), planner)
      .def("query", query, text, tables, nb::arg("values").none(), names, planner,
           nb::arg("cancellation"), nb::arg("profile"))
      .def("query_on_device", query_on_device, text, tables, nb::arg("values").none(), names,
           planner, nb::arg("cancellation"))
      .def("query_as_arrow", query_as_arrow, text, tables, nb::arg("values").none(), names, planner,
           nb::arg("cancellation"))
      .def("explain", explain, text, tables, nb::arg("values").none(), names, planner)
      .def("source", source, text, tables, nb::arg("values").none(), names, planner,
           nb::arg("target"))
      .def("define_table", define_table, nb::arg("name"), nb::arg("table"), nb::arg("replaces"));
  add_functions(session);
}

}  // namespace penstock::python
