// penstock bench devices: statements over generated rows and over TPC-H's tables, LZ4 files, and
// batches of LZ4 and Zstandard chunks and of FSST columns, on the first one, two, four ... devices
// of a list, in one process that keeps them open.
//
// A statement is timed over its files in the page cache, and in a session that keeps each share's
// pages in the memory of its device. Each answer is compared with that of one device before it is
// timed.
#include <algorithm>
#include <cstring>
#include <map>

#include "bench/bench_commands.hpp"
#include "bench/bench_devices.hpp"
#include "bench/bench_devices_rows.hpp"
#include "bench/bench_tpch_statements.hpp"
#include "bench/temporary_folder.hpp"
#include "device/device_list.hpp"
#include "penstock/session.hpp"

namespace penstock::bench {
namespace {

struct DevicesCase {
  const char *name, *text;
};
constexpr DevicesCase cases_of_rows[] = {
    {"rows: scan-filter-aggregate",
     "SELECT sum(value), count(*) FROM 'rows.parquet' WHERE many < 5000000 AND few < 500"},
    {"rows: ordered filter", "SELECT many, value FROM 'rows.parquet' WHERE few < 100"},
    {"rows: sort", "SELECT many, value FROM 'rows.parquet' ORDER BY many"},
    {"rows: group-by of 10^3 keys",
     "SELECT few, sum(value), count(*) FROM 'rows.parquet' GROUP BY few"},
    {"rows: group-by of 10^7 keys",
     "SELECT many, sum(value), count(*) FROM 'rows.parquet' GROUP BY many"},
    {"rows: join",
     "SELECT sum(value), sum(weight), count(*) FROM 'rows.parquet', 'keys.parquet' WHERE many = "
     "id"},
};
constexpr DevicesCase cases_of_lineitem[] = {
    {"lineitem: scan, filter, sum",
     "SELECT sum(l_extendedprice * l_discount) FROM 'lineitem.parquet' WHERE l_shipdate >= DATE "
     "'1994-01-01' AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND "
     "l_quantity < 24"},
    {"lineitem: ordered filter",
     "SELECT l_orderkey, l_extendedprice FROM 'lineitem.parquet' WHERE l_discount < 0.02"},
    {"lineitem: sort",
     "SELECT l_extendedprice, l_orderkey FROM 'lineitem.parquet' ORDER BY l_extendedprice"},
    {"lineitem: few groups",
     "SELECT l_returnflag, l_linestatus, sum(l_quantity), avg(l_extendedprice), count(*) FROM "
     "'lineitem.parquet' GROUP BY 1, 2"},
    {"lineitem: groups by supplier",
     "SELECT l_suppkey, sum(l_extendedprice), count(*) FROM 'lineitem.parquet' GROUP BY 1"},
    {"lineitem: groups by order",
     "SELECT l_orderkey, sum(l_quantity) FROM 'lineitem.parquet' GROUP BY l_orderkey"},
    {"lineitem: join",
     "SELECT o_orderpriority, count(*) FROM 'lineitem.parquet', 'orders.parquet' WHERE l_orderkey "
     "= o_orderkey AND l_shipdate > DATE '1996-01-01' GROUP BY 1"},
};

std::string statement_over(std::string text, const std::string& folder) {
  for (const char* const table : {"rows", "keys", "lineitem", "orders", "customer"}) {
    const std::string name = "'" + std::string(table) + ".parquet'";
    if (const std::size_t at = text.find(name); at != std::string::npos)
      text.replace(at, 1, "'" + folder + "/");
  }
  return text;
}

bool are_equal(const Column& a, const Column& b) {
  if (a.type != b.type || a.row_count != b.row_count) return false;
  if (a.type.kind != Kind::string && a.type.kind != Kind::boolean)
    return std::memcmp(a.values.data, b.values.data, a.row_count * width_bytes(a.type)) == 0;
  for (std::uint64_t row = 0; row < a.row_count; row++)
    if (text_of(scalar_at(a, row)) != text_of(scalar_at(b, row))) return false;
  return true;
}

Status check_answer(Session& session, const std::string& statement, const Table& wanted) {
  PENSTOCK_ASSIGN(const QueryResult got, session.sql(statement));
  return std::ranges::equal(wanted.columns, got.table.columns, are_equal)
             ? Status()
             : Status(Code::internal, "several devices answer otherwise than one");
}

// One device's answer to each statement, over tables of some rows. It is had once: of many rows it
// takes longer than what is timed.
class WantedAnswers {
 public:
  Result<const Table*> of(const std::string& statement, const std::string& device) {
    const auto found = answers_.find(statement);
    if (found != answers_.end()) return &found->second;
    const auto one = Session::create({.device = device, .cache_limit_bytes = 0});
    PENSTOCK_ASSIGN(QueryResult answer, one->sql(statement));
    return &answers_.emplace(statement, std::move(answer.table)).first->second;
  }

 private:
  std::map<std::string, Table> answers_;
};

// `cache_limit_bytes` of 0: every run reads the files. Else the second answer is of what the
// session keeps.
Result<DevicesWork> statement_work(const std::string& statement,
                                   const std::vector<std::string>& devices,
                                   std::optional<std::uint64_t> cache_limit_bytes,
                                   WantedAnswers& answers) {
  PENSTOCK_ASSIGN(const Table* const wanted, answers.of(statement, devices[0]));
  const std::shared_ptr<Session> session =
      Session::create({list_of_devices(devices), cache_limit_bytes});
  PENSTOCK_TRY(check_answer(*session, statement, *wanted));
  PENSTOCK_TRY(check_answer(*session, statement, *wanted));
  return DevicesWork([session, statement](bool profile) -> Result<RunReport> {
    RunOptions options;
    options.profile = profile;
    PENSTOCK_ASSIGN(QueryResult outcome, session->sql(statement, options));
    return std::move(outcome.report);
  });
}

// Returns the folder of the tables for a scale.
using FindTables = std::function<Result<std::string>(std::uint64_t scale)>;

Status bench_statement(const DevicesOptions& options, const DevicesCase& one,
                       const FindTables& find, const std::vector<std::string>& devices) {
  WantedAnswers answers;
  const auto make = [&](std::optional<std::uint64_t> cache_limit_bytes) -> MakeDevicesWork {
    return [&, cache_limit_bytes](const std::vector<std::string>& some,
                                  std::uint64_t scale) -> Result<DevicesWork> {
      PENSTOCK_ASSIGN(const std::string folder, find(scale));
      return statement_work(statement_over(one.text, folder), some, cache_limit_bytes, answers);
    };
  };
  const std::string name = one.name;
  PENSTOCK_TRY(print_rows_of_devices(options, name + ", files", devices, make(0)).with(name));
  return print_rows_of_devices(options, name + ", resident", devices, make({})).with(name);
}

// Tables of each scale are made when they are first needed.
Status bench_made_rows(const DevicesOptions& options, const std::vector<std::string>& devices) {
  std::map<std::uint64_t, TemporaryFolder> folders;
  const FindTables find = [&](std::uint64_t scale) -> Result<std::string> {
    const auto [at, is_new] = folders.try_emplace(scale, "devices");
    PENSTOCK_TRY(at->second.status());
    if (is_new)
      PENSTOCK_TRY(
          write_rows_of_devices(at->second.path(), options.rows * scale, options.row_group_rows));
    return at->second.path().string();
  };
  for (const DevicesCase& one : cases_of_rows)
    PENSTOCK_TRY(bench_statement(options, one, find, devices));
  return {};
}

// Their rows are what they are: there is no weak scaling.
Status bench_tables(const DevicesOptions& options, const std::vector<std::string>& devices) {
  if (options.folder.empty() || options.is_weak()) return {};
  const FindTables find = [&](std::uint64_t) -> Result<std::string> { return options.folder; };
  for (const DevicesCase& one : cases_of_lineitem)
    PENSTOCK_TRY(bench_statement(options, one, find, devices));
  for (const TpchStatement& of_tpch : tpch_statements()) {
    const std::string name = std::string("TPC-H ") + of_tpch.name;
    if (name == "TPC-H Q1" || name == "TPC-H Q3" || name == "TPC-H Q6")
      PENSTOCK_TRY(bench_statement(options, {name.c_str(), of_tpch.text}, find, devices));
  }
  return {};
}

Status bench_devices(const DevicesOptions& options) {
  PENSTOCK_ASSIGN(const auto devices, device::devices_of_list(options.devices));
  PENSTOCK_TRY(counts_of(options, devices.size()).status());
  PENSTOCK_TRY(print_head_of_devices(options));
  PENSTOCK_TRY(bench_made_rows(options, devices));
  PENSTOCK_TRY(bench_tables(options, devices));
  PENSTOCK_TRY(bench_devices_chunks(options, devices));
  return bench_devices_fsst(options, devices);
}

}  // namespace

Action declare_bench_devices(Arguments& arguments) {
  auto options = std::make_shared<DevicesOptions>();
  arguments.value("--device,-d", "LIST", options->devices,
                  "devices, of which the first 1, 2, 4 ... are compared; by default cuda:*");
  arguments.value("--counts", "LIST", options->counts,
                  "counts of devices, such as 1,3; by default 1, 2, 4 ... and all");
  arguments.choice("--scaling", {"strong", "weak"}, options->scaling,
                   "the same rows and bytes for each count, or so many for each device");
  arguments.value("--rows", "N", options->rows, "rows to make, for one device or for all", 1,
                  1ull << 34);
  arguments.value("--row-group", "N", options->row_group_rows, "rows of a row group of them", 1,
                  1ull << 26);
  arguments.value("--data", "FOLDER", options->folder,
                  "a folder with TPC-H's tables as NAME.parquet; without it, none of these cases");
  arguments.value("--only", "TEXTS", options->only,
                  "cases whose names have one of these texts, with ; between");
  arguments.value("--repeats", "N", options->repeats, "runs of each, whose median is shown", 1,
                  1000);
  arguments.value("--batch-mib", "MIB", options->batch_mib,
                  "output of the LZ4 file, and of the batches", 1, 65536);
  arguments.choice("--format", {"table", "json", "csv"}, options->format, "form of the output");
  arguments.flag("--phases", options->has_phases,
                 "print what the time of each share of a statement went to, under its line");
  return [options] { return bench_devices(*options); };
}

}  // namespace penstock::bench
