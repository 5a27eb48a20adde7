#include "bench/bench_devices.hpp"

#include <algorithm>
#include <cstdio>

#include "base/clock.hpp"
#include "base/human_readable.hpp"
#include "terminal/output_file.hpp"

namespace penstock::bench {
namespace {

std::string milliseconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", 1e3 * seconds);
  return text;
}

// Of each track of a profile: the milliseconds in which it has something, and those that nothing
// else hides.
std::string tracks_text(const Profile& profile) {
  const std::array<TrackSummary, track_count> summary = summarize(profile);
  std::string text;
  for (std::size_t i = 0; i < track_count; i++)
    if (summary[i].seconds > 0)
      text += "; " + std::string(name_of(static_cast<Track>(i))) + " " +
              milliseconds_text(summary[i].seconds) + " (alone " +
              milliseconds_text(summary[i].alone_seconds) + ")";
  return text;
}

std::string phases_of_share(const DeviceShareReport& share) {
  std::string text =
      "    " + share.device_id + ": from " + milliseconds_text(share.begin_seconds) + " for " +
      milliseconds_text(share.seconds) + " ms: source " + milliseconds_text(share.read_seconds) +
      ", device " + milliseconds_text(share.wait_seconds) + ", kernels " +
      milliseconds_text(share.kernel_seconds) + "; " + bytes_text(share.bytes_uploaded) + " up, " +
      bytes_text(share.bytes_downloaded) + " down\n";
  if (share.profile)
    text += "      recorded " + milliseconds_text(share.profile->total_seconds) + " ms" +
            tracks_text(*share.profile) + "\n";
  return text;
}

// A run on one device has no shares, and is its own.
std::string phases_text(const RunReport& report) {
  std::vector<DeviceShareReport> shares = report.shares;
  if (shares.empty()) {
    DeviceShareReport& all = shares.emplace_back();
    all.device_id = report.device_id;
    all.bytes_uploaded = report.bytes_uploaded, all.bytes_downloaded = report.bytes_downloaded;
    all.seconds = report.total_seconds;
    all.read_seconds = report.read_seconds, all.wait_seconds = report.wait_seconds;
    for (const KernelReport& kernel : report.kernels) all.kernel_seconds += kernel.device_seconds;
    all.profile = report.profile;
  }
  std::string text;
  for (const DeviceShareReport& share : shares) text += phases_of_share(share);
  return text + "    whole " + milliseconds_text(report.total_seconds) + " ms, merging " +
         milliseconds_text(report.merge_seconds) + "\n";
}

Status print_phases(const DevicesWork& work) {
  for (const bool is_recorded : {false, true}) {
    PENSTOCK_ASSIGN(const RunReport report, work(is_recorded));
    PENSTOCK_TRY(terminal::standard_output()(phases_text(report)));
  }
  return {};
}

}  // namespace

std::string list_of_devices(const std::vector<std::string>& devices) {
  std::string list;
  for (const std::string& device : devices) list += (list.empty() ? "" : ",") + device;
  return list;
}

Status print_rows_of_devices(const DevicesOptions& options, const std::string& name,
                             const std::vector<std::string>& devices, const MakeDevicesWork& make) {
  double of_one = 0;
  for (std::size_t count = 1; count <= devices.size();
       count = count < devices.size() ? std::min(2 * count, devices.size()) : count + 1) {
    PENSTOCK_ASSIGN(const DevicesWork work,
                    make({devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(count)}));
    std::vector<double> seconds;
    std::uint64_t exchanged = 0;
    for (std::uint64_t i = 0; i <= options.repeats; i++) {  // the first compiles, and fills caches
      const double start = now_seconds();
      PENSTOCK_ASSIGN(const RunReport report, work(false));
      if (i > 0) seconds.push_back(now_seconds() - start);
      exchanged = report.bytes_exchanged;
    }
    const double least = *std::ranges::min_element(seconds);
    if (count == 1) of_one = least;
    char line[200];
    std::snprintf(line, sizeof line, "%-32s %2zu devices %10.3f ms %6.2f times, %s exchanged\n",
                  name.c_str(), count, 1e3 * least, of_one / least, bytes_text(exchanged).c_str());
    PENSTOCK_TRY(terminal::standard_output()(line));
    if (options.has_phases) PENSTOCK_TRY(print_phases(work));
  }
  return {};
}

}  // namespace penstock::bench
