// penstock bench portability: one list of work, a case or more for each family of kernels, on every
// device of the machine in one run; and how portable each family's speed is.
//
// Takes the measurements of the other benches (portable_work.cpp has the list): each case is
// verified before it is timed. docs/portability.md says which bytes count and how figures are made.
#include "bench/bench_commands.hpp"
#include "bench/portability/portability_report.hpp"
#include "terminal/output_file.hpp"

namespace penstock::bench {
namespace {

std::string check_portable_name(const std::string& text) {
  PortabilityOptions options;
  options.only = text;
  for (const PortableBench& bench : portable_benches())
    for (const PortableCase& work : bench.cases)
      if (is_wanted(options, work)) return "";
  std::string known;
  for (const std::string& name : portable_names()) known += (known.empty() ? "" : "; ") + name;
  return "no case contains '" + text + "'; the cases are " + known;
}

Status bench_portability(const PortabilityOptions& options) {
  PENSTOCK_ASSIGN(const PortabilityReport report, run_portability(options));
  PENSTOCK_TRY(standard_output()(text_of(report, options.format)));
  return failure_of(report);
}

}  // namespace

Action declare_bench_portability(Arguments& arguments) {
  auto options = std::make_shared<PortabilityOptions>();
  arguments.value("--devices", "LIST", options->devices,
                  "devices, as 'cuda:0,opencl:0'; by default the first of each kind of hardware by "
                  "each driver");
  arguments.value("--only", "TEXT", options->only,
                  "only work whose family or case contains this text", check_portable_name);
  arguments.value("--scale", "FACTOR", options->scale, "of the rows of every case");
  arguments.value("--repeats", "N", options->repeats, "timed runs at most; the median is printed",
                  1, 1000);
  arguments.value("--seconds", "N", options->seconds, "begin no further bench after that time", 1,
                  86400);
  arguments.flag("--variants", options->has_variants,
                 "every variant that fits, and what each step from one to another gave");
  arguments.choice("--format", {"table", "csv", "json"}, options->format, "how to print");
  arguments.check([options]() -> std::string {
    return options->scale > 0 ? "" : "--scale is a positive number";
  });
  arguments.footer(
      "\nFirst a line for each case and device:\n"
      "  MB counted  what has to be read and written (docs/portability.md)\n"
      "  of copy     these bytes in that time, as a share of the device's copy bandwidth\n"
      "  of best     the time of the fastest backend on the same hardware, over this one's\n"
      "Then the portability of each family, the harmonic mean of these shares over devices and\n"
      "cases; 0 if a case did not run. 'judged by' names the share that has a goal.");
  return [options] { return bench_portability(*options); };
}

}  // namespace penstock::bench
