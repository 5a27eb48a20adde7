#include "exec/devices/share_report.hpp"

#include <algorithm>

namespace penstock::plan {

static void add_once(std::vector<std::string>& notes, const std::string& note) {
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

void add_report(RunReport& all, RunReport& share) {
  all.rows_read += share.rows_read;
  all.chunks += share.chunks;
  all.paged_chunks += share.paged_chunks;
  all.columns_from_cache += share.columns_from_cache;
  all.bytes_uploaded += share.bytes_uploaded;
  all.bytes_downloaded += share.bytes_downloaded;
  all.bytes_exchanged += share.bytes_exchanged;
  all.bytes_read_directly += share.bytes_read_directly;
  all.chains_fused += share.chains_fused;
  all.read_seconds = std::max(all.read_seconds, share.read_seconds);
  all.wait_seconds = std::max(all.wait_seconds, share.wait_seconds);
  all.skipped += share.skipped;
  for (KernelReport& kernel : share.kernels) all.kernels.push_back(std::move(kernel));
  for (const std::string& note : share.notes) add_once(all.notes, note);
}

void number_kernels(DeviceShareReport& share, std::size_t before) {
  if (!share.profile) return;
  for (Span& span : share.profile->spans)
    if (span.kernel >= 0) span.kernel += static_cast<int>(before);
  for (KernelFunction& function : share.profile->functions)
    if (function.kernel >= 0) function.kernel += static_cast<int>(before);
}

DeviceShareReport report_of_share(RunReport& report, double begin_seconds) {
  DeviceShareReport share;
  share.device_id = report.device_id, share.device_name = report.device_name;
  share.rows_read = report.rows_read;
  share.bytes_uploaded = report.bytes_uploaded, share.bytes_downloaded = report.bytes_downloaded;
  share.columns_from_cache = report.columns_from_cache;
  share.seconds = report.total_seconds, share.begin_seconds = begin_seconds;
  share.read_seconds = report.read_seconds, share.wait_seconds = report.wait_seconds;
  for (const KernelReport& kernel : report.kernels) share.kernel_seconds += kernel.device_seconds;
  share.profile = std::move(report.profile);
  return share;
}

}  // namespace penstock::plan
