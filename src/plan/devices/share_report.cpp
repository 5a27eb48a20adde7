#include "plan/devices/share_report.hpp"

#include <algorithm>

namespace penstock::plan {

static void add_once(std::vector<std::string>& notes, const std::string& note) {
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

void add_report(RunReport& all, RunReport& share) {
  all.rows_read += share.rows_read;
  all.chunks += share.chunks;
  all.paged_chunks += share.paged_chunks;
  all.bytes_uploaded += share.bytes_uploaded;
  all.bytes_downloaded += share.bytes_downloaded;
  all.bytes_exchanged += share.bytes_exchanged;
  all.bytes_read_directly += share.bytes_read_directly;
  all.read_seconds = std::max(all.read_seconds, share.read_seconds);
  all.wait_seconds = std::max(all.wait_seconds, share.wait_seconds);
  all.skipped += share.skipped;
  for (KernelReport& kernel : share.kernels) all.kernels.push_back(std::move(kernel));
  for (const std::string& note : share.notes) add_once(all.notes, note);
}

}  // namespace penstock::plan
