#include "bench/bench_devices.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/clock.hpp"
#include "base/human_readable.hpp"
#include "base/thread_pool.hpp"
#include "bench/bench_table.hpp"
#include "terminal/output_file.hpp"

namespace penstock::bench {
namespace {

std::string milliseconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", 1e3 * seconds);
  return text;
}

// For each track of a profile: the milliseconds in which it is busy, and the part of them in which
// no other track is.
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

// A run on one device has no shares; the whole run counts as one.
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

// One line of the result.
struct DevicesFigure {
  std::string work, scaling, bound;
  std::size_t device_count = 0;
  double median_seconds = 0, spread = 0, speed_up = 0;
  std::uint64_t bytes_exchanged = 0;
};

// The largest part of a run's time. If there are shares, it is the largest part of the longest
// share. Time of waiting for a device beyond its kernels' time goes to transfers to it, from it and
// between devices.
std::string bound_of(const RunReport& report) {
  double seconds = report.total_seconds, read = report.read_seconds, wait = report.wait_seconds,
         kernels = 0;
  for (const KernelReport& kernel : report.kernels) kernels += kernel.device_seconds;
  const auto longest = std::ranges::max_element(report.shares, {}, &DeviceShareReport::seconds);
  if (longest != report.shares.end())
    read = longest->read_seconds, wait = longest->wait_seconds, kernels = longest->kernel_seconds;
  const double link = std::max(0.0, wait - kernels);
  const double host = seconds - read - std::max(wait, kernels) - report.merge_seconds;
  const std::pair<double, const char*> parts[] = {
      {read, "reading"},
      {kernels, "kernels"},
      {link, report.bytes_exchanged > 0 ? "link and exchange" : "link"},
      {report.merge_seconds, "merging"},
      {host, "host"}};
  return std::ranges::max_element(parts, {}, &std::pair<double, const char*>::first)->second;
}

std::string line_of(const DevicesFigure& figure, const std::string& format) {
  std::array<char, 400> line{};
  const char* const pattern =
      format == "json" ? "{\"work\": \"%s\", \"scaling\": \"%s\", \"devices\": %zu, "
                         "\"milliseconds\": %.4f, \"spread\": %.4f, \"speed_up\": %.4f, "
                         "\"bytes_exchanged\": %llu, \"bound\": \"%s\"}\n"
      : format == "csv"
          ? "\"%s\",%s,%zu,%.4f,%.4f,%.4f,%llu,%s\n"
          : "%-40s %s %2zu devices %10.3f ms, spread %.3f, %6.2f times, %llu bytes exchanged, %s\n";
  std::snprintf(line.data(), line.size(), pattern, figure.work.c_str(), figure.scaling.c_str(),
                figure.device_count, 1e3 * figure.median_seconds, figure.spread, figure.speed_up,
                static_cast<unsigned long long>(figure.bytes_exchanged), figure.bound.c_str());
  return line.data();
}

struct BegunPart {
  double begin_seconds = 0;
  std::shared_ptr<Event> begun, done;
};

Result<BegunPart> begin_part(DevicesPart& part, double start) {
  BegunPart begun;
  begun.begin_seconds = now_seconds() - start;
  PENSTOCK_ASSIGN(begun.begun, part.queue().record());
  PENSTOCK_TRY(part.enqueue());
  PENSTOCK_ASSIGN(begun.done, part.queue().record());
  PENSTOCK_TRY(part.queue().flush());
  return begun;
}

// The first run compiles, and fills caches.
Result<DevicesFigure> time_work(const DevicesOptions& options, const std::string& name,
                                const DevicesWork& work) {
  PENSTOCK_TRY(work(false).status());
  std::vector<double> seconds;
  RunReport report;
  for (std::uint64_t i = 0; i < options.repeats; i++) {
    const double start = now_seconds();
    PENSTOCK_ASSIGN(report, work(false));
    seconds.push_back(now_seconds() - start);
  }
  const Figure times = figure_of(name, "", 0, std::move(seconds));
  DevicesFigure figure{name, options.scaling, bound_of(report)};
  figure.median_seconds = times.median_seconds, figure.spread = times.spread;
  figure.bytes_exchanged = report.bytes_exchanged;
  return figure;
}

}  // namespace

bool is_wanted(const DevicesOptions& options, std::string_view name) {
  const std::vector<std::string> texts = split_at(options.only, ';');
  return texts.empty() || std::ranges::any_of(texts, [&](const std::string& text) {
           return name.find(text) != std::string_view::npos;
         });
}

std::string list_of_devices(const std::vector<std::string>& devices) {
  std::string list;
  for (const std::string& device : devices) list += (list.empty() ? "" : ",") + device;
  return list;
}

Result<std::vector<std::size_t>> counts_of(const DevicesOptions& options,
                                           std::size_t device_count) {
  std::vector<std::size_t> counts;
  for (const std::string& text : split_at(options.counts, ',')) {
    counts.push_back(std::strtoull(text.c_str(), nullptr, 10));
    if (counts.back() == 0 || counts.back() > device_count)
      return Status(Code::invalid, "--counts: '" + text + "' is no count of " +
                                       std::to_string(device_count) + " devices");
  }
  if (!counts.empty()) return counts;
  for (std::size_t count = 1; count < device_count; count *= 2) counts.push_back(count);
  counts.push_back(device_count);
  return counts;
}

Status print_head_of_devices(const DevicesOptions& options) {
  if (options.format != "csv") return {};
  return terminal::standard_output()(
      "work,scaling,devices,milliseconds,spread,speed_up,bytes_exchanged,bound\n");
}

// The speed-up of weak scaling compares work per time. Without a run on one device it is 0.
Status print_rows_of_devices(const DevicesOptions& options, const std::string& name,
                             const std::vector<std::string>& devices, const MakeDevicesWork& make) {
  if (!is_wanted(options, name)) return {};
  PENSTOCK_ASSIGN(const std::vector<std::size_t> counts, counts_of(options, devices.size()));
  double of_one = 0;
  for (const std::size_t count : counts) {
    const std::uint64_t scale = options.is_weak() ? count : 1;
    const std::vector<std::string> some(devices.begin(),
                                        devices.begin() + static_cast<std::ptrdiff_t>(count));
    PENSTOCK_ASSIGN(const DevicesWork work, make(some, scale));
    PENSTOCK_ASSIGN(DevicesFigure figure, time_work(options, name, work));
    if (count == 1) of_one = figure.median_seconds;
    figure.device_count = count;
    figure.speed_up = static_cast<double>(scale) * of_one / figure.median_seconds;
    PENSTOCK_TRY(terminal::standard_output()(line_of(figure, options.format)));
    if (options.has_phases && options.format == "table") PENSTOCK_TRY(print_phases(work));
  }
  return {};
}

Result<RunReport> run_parts(const DevicesParts& parts) {
  RunReport report;
  const double start = now_seconds();
  std::vector<Task<Result<BegunPart>>> others;
  others.reserve(parts.size());
  for (std::size_t i = 1; i < parts.size(); i++)
    others.push_back(ThreadPool::shared().start([&, i] { return begin_part(*parts[i], start); }));
  auto first = begin_part(*parts[0], start);
  for (std::size_t i = 0; i < parts.size(); i++) {
    PENSTOCK_ASSIGN(const BegunPart part, i == 0 ? std::move(first) : others[i - 1].get());
    PENSTOCK_TRY(part.done->wait());
    DeviceShareReport& share = report.shares.emplace_back();
    share.device_id = "part " + std::to_string(i);
    share.begin_seconds = part.begin_seconds;
    share.seconds = now_seconds() - start - share.begin_seconds;
    PENSTOCK_ASSIGN(share.kernel_seconds, part.done->seconds_since(*part.begun));
  }
  report.total_seconds = now_seconds() - start;
  return report;
}

}  // namespace penstock::bench
