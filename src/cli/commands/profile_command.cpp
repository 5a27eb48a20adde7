// penstock profile: runs a query once, recorded, and prints what took its time.
#include "cli/commands.hpp"
#include "cli/commands/query_command.hpp"
#include "cli/report/profile_table.hpp"
#include "device/device_list.hpp"
#include "terminal/messages.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {
namespace {

struct ProfileOptions {
  std::string format = "table", trace, device;
  bool stalls = false;
};

// A profile reports shares of it, so it is measured where no figure was kept.
std::optional<MeasuredBandwidth> copy_bandwidth(const std::string& id) {
  const auto device = open_device(id);
  if (!device.ok()) return std::nullopt;
  if (auto known = copy_bandwidth_for_query(**device)) return known;
  const auto measured = measure_copy_bandwidth(**device);
  return measured.ok() ? std::optional(*measured) : std::nullopt;
}

std::string text_of(const std::vector<ProfileSection>& sections, const std::string& format) {
  if (format == "json") return profile_json(sections);
  return format == "csv" ? profile_csv(sections) : profile_table(sections);
}

Status profile(const ProfileOptions& options, QueryOptions query) {
  if (query.device.empty()) query.device = options.device;
  if (query.explain) return {Code::invalid, "--explain reads no row: there is nothing to profile"};
  if (device::names_several(query.device))
    return {Code::unsupported, "a profile takes one device, not '" + query.device +
                                   "'; query --stats has the times of each share"};
  std::unique_ptr<OutputFile> trace;
  if (!options.trace.empty()) { PENSTOCK_ASSIGN(trace, OutputFile::create(options.trace)); }
  PENSTOCK_ASSIGN(
      const RunReport report,
      record_query(query, options.stalls ? Recorded::profile_and_stalls : Recorded::profile));
  if (trace) {
    PENSTOCK_TRY(trace->write(chrome_trace(*report.profile)));
    PENSTOCK_TRY(trace->commit());
  }
  return standard_output()(
      text_of(profile_sections(report, copy_bandwidth(report.device_id)), options.format));
}

}  // namespace

Action declare_profile(Arguments& arguments) {
  auto options = std::make_shared<ProfileOptions>();
  arguments.choice("--format,-f", {"table", "csv", "json"}, options->format,
                   "how the figures are printed");
  arguments.value("--device,-d", "ID", options->device, "the same as --device of query");
  arguments.value("--trace", "FILE", options->trace,
                  "write the run as a Chrome trace (chrome://tracing, Perfetto)");
  arguments.flag("--stalls", options->stalls,
                 "sample what kernels wait for, by source line: on NVIDIA GPUs, with CUPTI and the "
                 "permission to read performance counters");
  Arguments inner = arguments.command(
      "query",
      "The query, with the options of `penstock query`; its rows go to --output or nowhere");
  const auto query = declare_query_options(inner);
  arguments.footer(
      "\nExample: penstock profile --trace run.json -- query \"SELECT sum(price) FROM "
      "'hits.parquet'\"\n"
      "alone_seconds: time that nothing else overlapped. A figure that the driver does not report "
      "is 'unknown'.");
  return [options, query] { return profile(*options, *query); };
}

}  // namespace penstock::cli
