#include "cli/report/run_summary.hpp"

#include <algorithm>
#include <cstdio>

#include "terminal/messages.hpp"

namespace penstock::cli {

namespace {

// Rates are reported only if fixed costs are a small part of the time. At least 1 MiB must be
// moved; the kernels must take 100 us (a launch takes 10 us on a GPU, and up to 100 us through
// PoCL), or the run 10 ms (it opens files and the device). A shorter run's rate would measure the
// fixed costs. Many rows may move fewer bytes: a bit each, or none.
constexpr std::uint64_t min_bytes = 1 << 20, min_rows = 1 << 20;
constexpr double min_kernel_seconds = 100e-6, min_run_seconds = 10e-3;

struct KernelTotals {
  double device_seconds = 0, compile_seconds = 0;
  std::uint64_t bytes_moved = 0, compiled = 0, from_disk = 0;
};

KernelTotals totals_of(const RunReport& report) {
  KernelTotals totals;
  for (const KernelReport& kernel : report.kernels) {
    totals.device_seconds += kernel.device_seconds;
    totals.bytes_moved += kernel.bytes_moved;
    totals.compiled += kernel.build.cache == CacheResult::compiled;
    totals.from_disk += kernel.build.cache == CacheResult::disk;
    if (kernel.build.cache == CacheResult::compiled) totals.compile_seconds += kernel.build.seconds;
  }
  return totals;
}

std::string share_text(double bytes_per_second, const std::optional<MeasuredBandwidth>& copy) {
  if (!copy) return " (share of the copy bandwidth: run penstock devices once)";
  char percent[16];
  std::snprintf(percent, sizeof percent, "%.0f", 100 * bytes_per_second / copy->bytes_per_second);
  return " = " + std::string(percent) + " % of the copy bandwidth of " +
         gigabytes_text(copy->bytes_per_second) + " measured " + copy->date;
}

std::string cache_text(const KernelTotals& totals) {
  if (totals.compiled > 0)
    return "compiled " + std::to_string(totals.compiled) +
           (totals.compiled == 1 ? " program in " : " programs in ") +
           seconds_text(totals.compile_seconds);
  return totals.from_disk > 0 ? "cache hit (disk)" : "cache hit (memory)";
}

}  // namespace

bool has_kernel_rate(const RunReport& report) {
  const KernelTotals totals = totals_of(report);
  return totals.bytes_moved >= min_bytes && totals.device_seconds >= min_kernel_seconds;
}

std::string summary_line(const RunReport& report, const std::optional<MeasuredBandwidth>& copy) {
  const KernelTotals totals = totals_of(report);
  const double seconds = report.total_seconds, bytes = static_cast<double>(totals.bytes_moved);
  std::string line =
      (report.device_id.empty() ? "no device" : report.device_id + " " + report.device_name) +
      ": " + count_text(report.rows_read) + (report.rows_read == 1 ? " row in " : " rows in ") +
      seconds_text(seconds);
  const bool many_bytes = totals.bytes_moved >= min_bytes, long_enough = seconds >= min_run_seconds;
  if (long_enough && (many_bytes || report.rows_read >= min_rows))
    line += ", " + rate_text(static_cast<double>(report.rows_read) / seconds) + "rows/s";
  if (long_enough && many_bytes) line += ", " + gigabytes_text(bytes / seconds);
  if (report.kernels.empty()) return line + "; no kernel ran";
  line += "; kernels " + seconds_text(totals.device_seconds);
  if (has_kernel_rate(report)) {
    const double rate = bytes / totals.device_seconds;
    line += " at " + gigabytes_text(rate) + share_text(rate, copy);
  }
  return line + "; " + cache_text(totals);
}

namespace {

// The time that a share waited, and for what; empty if it was not measured, as for ranks.
std::string waits_text(const DeviceShareReport& share) {
  if (share.read_seconds == 0 && share.wait_seconds == 0 && share.kernel_seconds == 0) return "";
  return " (waited " + seconds_text(share.read_seconds) + " for the file and " +
         seconds_text(share.wait_seconds) + " for the device, kernels " +
         seconds_text(share.kernel_seconds) + ")";
}

}  // namespace

std::string shares_text(const RunReport& report) {
  std::string text;
  for (const DeviceShareReport& share : report.shares) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.0f",
                  100.0 * static_cast<double>(share.rows_read) /
                      static_cast<double>(std::max<std::uint64_t>(report.rows_read, 1)));
    text += "share of " + share.device_id + ": " + count_text(share.rows_read) + " rows (" +
            percent + " %), " + bytes_text(share.bytes_uploaded) + " uploaded, " +
            bytes_text(share.bytes_downloaded) + " downloaded in " + seconds_text(share.seconds) +
            waits_text(share) + "\n";
  }
  text += "merged: " + bytes_text(report.bytes_exchanged) + " of partial results";
  return report.merge_seconds == 0 ? text : text + " in " + seconds_text(report.merge_seconds);
}

std::string statistics_text(const RunReport& report) {
  std::string text = "run: " + std::to_string(report.chunks) + " chunks, " +
                     count_text(report.rows_out) + " rows out, " +
                     bytes_text(report.bytes_uploaded) + " uploaded, " +
                     bytes_text(report.bytes_downloaded) + " downloaded, waited " +
                     seconds_text(report.read_seconds) + " for the file and " +
                     seconds_text(report.wait_seconds) + " for the device";
  for (const KernelReport& kernel : report.kernels)
    text +=
        "\nkernel " + kernel.name + (kernel.variant.empty() ? "" : " (" + kernel.variant + ")") +
        ": " + std::to_string(kernel.launches) + " launches, " +
        seconds_text(kernel.device_seconds) + ", " + bytes_text(kernel.bytes_moved) + " moved, " +
        std::string(name_of(kernel.build.cache)) + " in " + seconds_text(kernel.build.seconds) +
        (kernel.build.tier ? ", " + std::string(name_of(*kernel.build.tier)) + " compiler" : "");
  return text;
}

}  // namespace penstock::cli
