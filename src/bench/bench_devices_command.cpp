// penstock bench devices: statements over TPC-H's lineitem, and an LZ4 file, on the first one, two,
// four ... devices of a list, in one process that keeps them open.
//
// Each answer is compared with that of one device before anything is timed.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "base/human_readable.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_corpora.hpp"
#include "bench/bench_table.hpp"
#include "device/device_list.hpp"
#include "penstock/io.hpp"
#include "penstock/plan.hpp"
#include "penstock/sql.hpp"
#include "penstock/stream.hpp"
#include "terminal/output_file.hpp"

namespace penstock::bench {
namespace {

struct DevicesOptions {
  std::string devices = "cuda:*", folder, only;
  std::uint64_t repeats = 5, lz4_mib = 1024;
};

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

// What is timed: returns the bytes that devices exchanged.
using Work = std::function<Result<std::uint64_t>(const std::vector<std::string>& devices)>;

std::string joined(const std::vector<std::string>& devices) {
  std::string list;
  for (const std::string& device : devices) list += (list.empty() ? "" : ",") + device;
  return list;
}

bool is_wanted(const DevicesOptions& options, std::string_view name) {
  return options.only.empty() || name.find(options.only) != std::string_view::npos;
}

Status print_rows(const DevicesOptions& options, const std::string& name,
                  const std::vector<std::string>& devices, const Work& work) {
  double of_one = 0;
  for (std::size_t count = 1; count <= devices.size();
       count = count < devices.size() ? std::min(2 * count, devices.size()) : count + 1) {
    const std::vector<std::string> some(devices.begin(),
                                        devices.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<double> seconds;
    std::uint64_t exchanged = 0;
    for (std::uint64_t i = 0; i <= options.repeats; i++) {  // the first compiles
      const double start = now_seconds();
      PENSTOCK_ASSIGN(exchanged, work(some));
      if (i > 0) seconds.push_back(now_seconds() - start);
    }
    const double least = *std::ranges::min_element(seconds);
    if (count == 1) of_one = least;
    char line[200];
    std::snprintf(line, sizeof line, "%-20s %2zu devices %10.2f ms %6.2f times, %s exchanged\n",
                  name.c_str(), count, 1e3 * least, of_one / least, bytes_text(exchanged).c_str());
    PENSTOCK_TRY(standard_output()(line));
  }
  return {};
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

Status check_answers(const Plan& plan, StepId result, const std::vector<std::string>& devices) {
  PENSTOCK_ASSIGN(const QueryResult one, run(plan, result, {.device = devices[0]}));
  PENSTOCK_ASSIGN(const QueryResult all, run(plan, result, {.device = joined(devices)}));
  return std::ranges::equal(one.table.columns, all.table.columns, are_equal)
             ? Status()
             : Status(Code::internal, "several devices answer otherwise than one");
}

Status bench_statement(const DevicesOptions& options, const DevicesCase& one,
                       const std::vector<std::string>& devices) {
  Plan plan;
  PENSTOCK_ASSIGN(const StepId result,
                  bind_sql(statement_over(one.text, options.folder), plan, open_table));
  PENSTOCK_TRY(check_answers(plan, result, devices).with(one.name));
  return print_rows(options, one.name, devices,
                    [&](const std::vector<std::string>& some) -> Result<std::uint64_t> {
                      PENSTOCK_ASSIGN(const QueryResult outcome,
                                      run(plan, result, {.device = joined(some)}));
                      return outcome.report.bytes_exchanged;
                    });
}

Status bench_lz4(const DevicesOptions& options, const std::vector<std::string>& devices) {
  PENSTOCK_ASSIGN(const std::vector<char> text, corpora()[0].make(options.lz4_mib << 20));
  const std::span<const std::byte> plain = std::as_bytes(std::span(text));
  PENSTOCK_ASSIGN(const std::vector<std::byte> file,
                  stream::compress(plain, {.format = stream::Format::lz4}));
  const auto decode = [&](const std::vector<std::string>& some,
                          const stream::Sink& sink) -> Status {
    stream::DecompressOptions decoding;
    PENSTOCK_ASSIGN(decoding.device, open_device(some[0]));
    for (std::size_t i = 1; i < some.size(); i++) {
      PENSTOCK_ASSIGN(decoding.further_devices.emplace_back(), open_device(some[i]));
    }
    return stream::decompress(stream::Source::memory(file), sink, decoding).status();
  };
  std::uint64_t at = 0;
  bool is_equal = true;
  PENSTOCK_TRY(decode(devices, [&](std::span<const std::byte> part) -> Status {
    is_equal &=
        at + part.size() <= plain.size() &&
        std::equal(part.begin(), part.end(), plain.begin() + static_cast<std::ptrdiff_t>(at));
    at += part.size();
    return {};
  }));
  if (!is_equal || at != plain.size()) return {Code::internal, "lz4: the output is wrong"};
  return print_rows(
      options, "lz4 batches", devices,
      [&](const std::vector<std::string>& some) -> Result<std::uint64_t> {
        PENSTOCK_TRY(decode(some, [](std::span<const std::byte>) { return Status(); }));
        return std::uint64_t{0};
      });
}

Status bench_devices(const DevicesOptions& options) {
  PENSTOCK_ASSIGN(const auto devices, device::devices_of_list(options.devices));
  if (!options.folder.empty())
    for (const DevicesCase& one : statements)
      if (is_wanted(options, one.name)) PENSTOCK_TRY(bench_statement(options, one, devices));
  return is_wanted(options, "lz4 batches") ? bench_lz4(options, devices) : Status();
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
  arguments.value("--lz4-mib", "MIB", options->lz4_mib, "output of the LZ4 file", 1, 65536);
  return [options] { return bench_devices(*options); };
}

}  // namespace penstock::bench
