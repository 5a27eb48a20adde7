// penstock bench devices: statements over TPC-H's lineitem, an LZ4 file and batches of LZ4 chunks,
// on the first one, two, four ... devices of a list, in one process that keeps them open.
//
// A statement is timed over its files in the page cache, and in a session that keeps each share's
// pages in the memory of its device. Each answer is compared with that of one device before
// anything is timed.
#include <algorithm>
#include <cstring>

#include "bench/bench_commands.hpp"
#include "bench/bench_devices.hpp"
#include "device/device_list.hpp"
#include "penstock/session.hpp"

namespace penstock::bench {
namespace {

struct DevicesCase {
  const char *name, *text;
};
constexpr DevicesCase statements[] = {
    {"scan, filter, sum",
     "SELECT sum(l_extendedprice * l_discount) FROM 'lineitem.parquet' WHERE l_shipdate >= DATE "
     "'1994-01-01' AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND "
     "l_quantity < 24"},
    {"ordered filter",
     "SELECT l_orderkey, l_extendedprice FROM 'lineitem.parquet' WHERE l_discount < 0.02"},
    {"sort", "SELECT l_extendedprice, l_orderkey FROM 'lineitem.parquet' ORDER BY l_extendedprice"},
    {"few groups",
     "SELECT l_returnflag, l_linestatus, sum(l_quantity), avg(l_extendedprice), count(*) FROM "
     "'lineitem.parquet' GROUP BY 1, 2"},
    {"groups by supplier",
     "SELECT l_suppkey, sum(l_extendedprice), count(*) FROM 'lineitem.parquet' GROUP BY 1"},
    {"groups by order",
     "SELECT l_orderkey, sum(l_quantity) FROM 'lineitem.parquet' GROUP BY l_orderkey"},
    {"join",
     "SELECT o_orderpriority, count(*) FROM 'lineitem.parquet', 'orders.parquet' WHERE l_orderkey "
     "= o_orderkey AND l_shipdate > DATE '1996-01-01' GROUP BY 1"},
};

bool is_wanted(const DevicesOptions& options, std::string_view name) {
  return options.only.empty() || name.find(options.only) != std::string_view::npos;
}

std::string statement_over(std::string text, const std::string& folder) {
  for (const char* const table : {"'lineitem.parquet'", "'orders.parquet'"})
    if (const std::size_t at = text.find(table); at != std::string::npos)
      text.replace(at, 1, "'" + folder + "/");
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

// The answer on all devices, from the files and, the second time, from what a session keeps.
Status check_answers(const std::string& statement, const std::vector<std::string>& devices) {
  const auto one = Session::create({.device = devices[0], .cache_limit_bytes = 0});
  const auto all = Session::create({.device = list_of_devices(devices)});
  PENSTOCK_ASSIGN(const QueryResult wanted, one->sql(statement));
  for (int i = 0; i < 2; i++) {
    PENSTOCK_ASSIGN(const QueryResult got, all->sql(statement));
    if (!std::ranges::equal(wanted.table.columns, got.table.columns, are_equal))
      return {Code::internal, "several devices answer otherwise than one"};
  }
  return {};
}

// `cache_limit_bytes` of 0: every run reads the files.
MakeDevicesWork statement_work(const std::string& statement,
                               std::optional<std::uint64_t> cache_limit_bytes) {
  return [=](const std::vector<std::string>& devices) -> Result<DevicesWork> {
    const std::shared_ptr<Session> session =
        Session::create({list_of_devices(devices), cache_limit_bytes});
    PENSTOCK_TRY(session->device().status());
    return DevicesWork([session, statement](bool profile) -> Result<RunReport> {
      RunOptions options;
      options.profile = profile;
      PENSTOCK_ASSIGN(QueryResult outcome, session->sql(statement, options));
      return std::move(outcome.report);
    });
  };
}

Status bench_statement(const DevicesOptions& options, const DevicesCase& one,
                       const std::vector<std::string>& devices) {
  const std::string statement = statement_over(one.text, options.folder);
  PENSTOCK_TRY(check_answers(statement, devices).with(one.name));
  const std::string name = one.name;
  PENSTOCK_TRY(
      print_rows_of_devices(options, name + ", files", devices, statement_work(statement, 0)));
  return print_rows_of_devices(options, name + ", resident", devices,
                               statement_work(statement, {}));
}

Status bench_devices(const DevicesOptions& options) {
  PENSTOCK_ASSIGN(const auto devices, device::devices_of_list(options.devices));
  if (!options.folder.empty())
    for (const DevicesCase& one : statements)
      if (is_wanted(options, one.name)) PENSTOCK_TRY(bench_statement(options, one, devices));
  return is_wanted(options, "lz4") ? bench_devices_lz4(options, devices) : Status();
}

}  // namespace

Action declare_bench_devices(Arguments& arguments) {
  auto options = std::make_shared<DevicesOptions>();
  arguments.value("--device,-d", "LIST", options->devices,
                  "devices, of which the first 1, 2, 4 ... are compared; by default cuda:*");
  arguments.value("--data", "FOLDER", options->folder,
                  "a folder with lineitem.parquet and orders.parquet; without it, LZ4 alone");
  arguments.value("--only", "TEXT", options->only, "cases whose names have this text");
  arguments.value("--repeats", "N", options->repeats, "runs of each, of which the least counts", 1,
                  1000);
  arguments.value("--lz4-mib", "MIB", options->lz4_mib,
                  "output of the LZ4 file, and of the batches", 1, 65536);
  arguments.flag("--phases", options->has_phases,
                 "print what the time of each share of a statement went to");
  return [options] { return bench_devices(*options); };
}

}  // namespace penstock::bench
