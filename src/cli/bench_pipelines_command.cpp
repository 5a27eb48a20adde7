// penstock bench pipelines: fused pipelines over float32 rows that live on the device, every variant that fits, beside peers.
//
// Each case is verified against a loop on the host before it is timed. A peer is a program that takes the row count and prints
// lines `case;name;seconds` for the same rows (bench/peers/): its figures stand in the same table.
#include <algorithm>
#include <cstdio>
#include <cmath>
#include <cstring>
#include <thread>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/output_file.hpp"
#include "kernel/kernel_text.hpp"
#include "penstock/plan.hpp"
#include "plan/variants.hpp"

namespace penstock::cli {
namespace {

struct BenchOptions {
  std::string device, format = "table", peers, only;
  std::uint64_t rows = 1 << 24, repeats = 20;
};

// One line of the result table.
struct Figure { std::string work, name; double median_seconds = 0, spread = 0, bytes = 0; };

// x in [0, 1000): the peers compute the same from the row number.
float value_of_row(std::uint64_t row) {
  std::uint64_t hash = row * 0x9E3779B97F4A7C15u;
  hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
  hash ^= hash >> 31;
  return static_cast<float>(hash >> 40) * (1000.0f / 16777216.0f);
}

template <class Work> void in_parallel(std::uint64_t count, const Work& work) {
  const std::uint64_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> running;
  for (std::uint64_t t = 0; t < threads; t++)
    running.emplace_back([&, t] { work(count * t / threads, count * (t + 1) / threads); });
}

std::vector<float> make_rows(std::uint64_t count) {
  std::vector<float> rows(count);
  in_parallel(count, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++) rows[row] = value_of_row(row);
  });
  return rows;
}

struct Case { std::string name; float above; Aggregate aggregate; bool filters; };
// Half, a tenth, a hundredth and nine tenths of the rows pass; then the same half into one sum; then no filter at all.
const std::vector<Case>& cases() {
  static const std::vector<Case> table = {
      {"map-filter-map 50%", 1000, Aggregate::count_rows, true}, {"map-filter-map 10%", 1800, Aggregate::count_rows, true},
      {"map-filter-map 1%", 1980, Aggregate::count_rows, true},  {"map-filter-map 90%", 200, Aggregate::count_rows, true},
      {"filter-sum 50%", 1000, Aggregate::sum, true},            {"map-map", 0, Aggregate::count_rows, false},
  };
  return table;
}

// map(x * 2) -> filter(> above) -> map(+ 100) or sum.
Result<StepId> build_plan(Plan& plan, const Case& work, const Table& table) {
  StepId step = plan.source(table_source(table, "rows"));
  const auto add_map = [&](Op op, float value, const char* name) -> Status {
    Builder builder(plan.step(step).schema);
    PENSTOCK_ASSIGN(const NodeId root, builder.binary(op, builder.column(0u), builder.captured(Scalar::of(value))));
    PENSTOCK_ASSIGN(step, plan.map(step, builder.graph(), {{name, root}}));
    return {};
  };
  PENSTOCK_TRY(add_map(Op::multiply, 2.0f, "x"));
  Builder builder(plan.step(step).schema);
  if (work.filters) {
    PENSTOCK_ASSIGN(const NodeId predicate, builder.binary(Op::greater, builder.column(0u), builder.captured(Scalar::of(work.above))));
    PENSTOCK_ASSIGN(step, plan.filter(step, builder.graph(), predicate));
  }
  if (work.aggregate == Aggregate::sum) return plan.reduce(step, builder.graph(), {{Aggregate::sum, builder.column(0u), "sum", nullptr}});
  PENSTOCK_TRY(add_map(Op::add, 100.0f, "x"));
  return step;
}

Status verify(const Case& work, const std::vector<float>& rows, const Table& result) {
  if (work.aggregate == Aggregate::sum) {
    double sum = 0;
    for (float x : rows) sum += x * 2 > work.above ? static_cast<double>(x * 2) : 0.0;
    const double got = *result.columns[0].values.as<double>();
    // Both orders of addition are within n * 2^-53 of the exact sum of positive terms.
    const double bound = static_cast<double>(rows.size()) * 0x1p-53 * sum;
    return std::abs(got - sum) <= bound ? Status() : Status(Code::internal, work.name + ": the sum is wrong");
  }
  const float* got = result.columns[0].values.as<float>();
  std::uint64_t kept = 0;
  for (float x : rows) {
    if (work.filters && !(x * 2 > work.above)) continue;
    const float wanted = x * 2 + 100;
    if (kept >= result.row_count || std::memcmp(got + kept, &wanted, 4) != 0)
      return Status(Code::internal, work.name + ": row " + std::to_string(kept) + " is wrong");
    kept++;
  }
  return kept == result.row_count ? Status() : Status(Code::internal, work.name + ": too many rows");
}

Result<Figure> measure(const Plan& plan, StepId step, const Case& work, const std::string& variant, const BenchOptions& options,
                       const std::vector<float>& rows) {
  RunOptions run_options;
  run_options.device = options.device;
  run_options.variant = variant;
  PENSTOCK_ASSIGN(const auto prepared, prepare(plan, step, run_options));
  PENSTOCK_TRY(prepared->run_seconds());
  PENSTOCK_ASSIGN(const Outcome outcome, prepared->fetch());
  PENSTOCK_TRY(verify(work, rows, outcome.table));
  std::vector<double> seconds;
  for (std::uint64_t i = 0; i < options.repeats + 2; i++) {
    PENSTOCK_ASSIGN(const double once, prepared->run_seconds());
    if (i >= 2) seconds.push_back(once);
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  return Figure{work.name, "penstock " + variant, median, (seconds.back() - seconds.front()) / median,
                static_cast<double>(outcome.report.kernels[0].bytes_moved)};
}

std::vector<std::string> fitting_variants(const Plan& plan, StepId step, const Traits& traits) {
  std::vector<std::string> names;
  StepId base = step;
  while (!plan.step(base).inputs.empty()) base = plan.step(base).inputs[0];
  const auto program = plan::fuse(plan, base, step);
  for (const plan::Variant& variant : plan::variants())
    if (program.ok() && variant.epilogue == program->epilogue && variant.fits(traits, *program)) names.emplace_back(variant.name);
  return names;
}

// The bytes a case must move stand with our figure; a peer's line gets the same.
Status add_peer(const std::string& command, const BenchOptions& options, std::vector<Figure>& figures) {
  FILE* pipe = popen((command + " " + std::to_string(options.rows) + " " + std::to_string(options.repeats)).c_str(), "r");
  if (!pipe) return Status(Code::io, "cannot start the peer '" + command + "'");
  char line[512];
  while (std::fgets(line, sizeof line, pipe)) {
    const std::string text(line);
    const std::size_t first = text.find(';'), second = text.find(';', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    Figure figure{text.substr(0, first), text.substr(first + 1, second - first - 1), std::atof(text.c_str() + second + 1), 0, 0};
    for (const Figure& ours : figures)
      if (ours.work == figure.work) figure.bytes = ours.bytes;
    if (figure.bytes > 0) figures.push_back(figure);
  }
  return pclose(pipe) == 0 ? Status() : Status(Code::io, "the peer '" + command + "' failed");
}

std::string text_of_figure(const Figure& f, double copy, bool json) {
  char line[256];
  const double rate = f.bytes / f.median_seconds;
  std::snprintf(line, sizeof line,
                json ? "{\"work\": \"%s\", \"name\": \"%s\", \"milliseconds\": %.4f, \"spread\": %.3f, \"gigabytes_per_second\": %.1f, "
                       "\"share_of_copy\": %.3f}\n"
                     : "%-20s %-36s %9.3f ms  spread %5.1f %%  %7.1f GB/s  %5.1f %% of copy\n",
                f.work.c_str(), f.name.c_str(), f.median_seconds * 1e3, json ? f.spread : f.spread * 100, rate / 1e9,
                json ? rate / copy : 100 * rate / copy);
  return line;
}

Status bench(const BenchOptions& options) {
  PENSTOCK_ASSIGN(const auto device, open_device(options.device));
  PENSTOCK_ASSIGN(const double copy, kernel::copy_bandwidth(*device));
  std::fprintf(stderr, "%s %s: copy %.1f GB/s (read plus written); %llu float32 rows; median of %llu\n", device->traits().id.c_str(),
               device->traits().name.c_str(), copy / 1e9, static_cast<unsigned long long>(options.rows),
               static_cast<unsigned long long>(options.repeats));
  const std::vector<float> rows = make_rows(options.rows);
  PENSTOCK_ASSIGN(const Table table, to_device(Table::of({{"x", Column::from(std::vector<float>(rows))}}), *device));
  std::vector<Figure> figures;
  for (const Case& work : cases()) {
    if (work.name.find(options.only) == std::string::npos) continue;
    Plan plan;
    PENSTOCK_ASSIGN(const StepId step, build_plan(plan, work, table));
    for (const std::string& variant : fitting_variants(plan, step, device->traits())) {
      PENSTOCK_ASSIGN(Figure figure, measure(plan, step, work, variant, options, rows));
      figures.push_back(std::move(figure));
    }
  }
  for (std::size_t at = 0; at < options.peers.size();) {
    const std::size_t comma = std::min(options.peers.find(',', at), options.peers.size());
    PENSTOCK_TRY(add_peer(options.peers.substr(at, comma - at), options, figures));
    at = comma + 1;
  }
  std::stable_sort(figures.begin(), figures.end(), [](const Figure& a, const Figure& b) { return a.work < b.work; });
  const Sink out = standard_output();
  for (const Figure& figure : figures) PENSTOCK_TRY(out(text_of_figure(figure, copy, options.format == "json")));
  return {};
}

// The rows lie on the host beside the table's copy of them.
std::uint64_t most_rows() {
  const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes / (2 * sizeof(float));
}

std::string check_only(const std::string& text) {
  std::string known;
  for (const Case& work : cases()) {
    if (work.name.find(text) != std::string::npos) return "";
    known += (known.empty() ? "" : ", ") + work.name;
  }
  return "no case's name holds '" + text + "'; the cases are " + known;
}

}  // namespace

Action declare_bench_pipelines(Arguments& arguments) {
  auto options = std::make_shared<BenchOptions>();
  arguments.value("--device", "ID", options->device, "where to run");
  arguments.value("--rows", "N", options->rows, "rows of float32, at most what this machine's memory holds twice", 1, most_rows());
  arguments.value("--repeats", "N", options->repeats, "timed runs; the median is printed", 1, 1000000);
  arguments.value("--peers", "COMMANDS", options->peers, "programs that print their own figures, separated by commas");
  arguments.value("--only", "TEXT", options->only, "the cases whose name holds this text", check_only);
  arguments.choice("--format", {"table", "json"}, options->format, "how to print");
  return [options] { return bench(*options); };
}

}  // namespace penstock::cli
