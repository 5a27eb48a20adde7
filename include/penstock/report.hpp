// The report of a run: rows, bytes, seconds, kernels, and notes for the user.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "penstock/device.hpp"
#include "penstock/profile.hpp"
#include "penstock/skipping.hpp"

namespace penstock {

struct KernelReport {
  std::string name, variant;
  std::shared_ptr<const std::string> source = {};  // that was built
  BuildReport build;
  bool is_kept = false;       // by a session: neither emitted nor looked up in the JIT cache
  double device_seconds = 0;  // of all its launches
  // Chunks it ran on, and ran on again because its table of groups was too small.
  std::uint64_t launches = 0;
  // Columns, outputs and validity that it read and wrote, from row counts.
  std::uint64_t bytes_moved = 0;
};

// The work of one of several devices.
struct DeviceShareReport {
  std::string device_id, device_name;
  std::uint64_t rows_read = 0, bytes_uploaded = 0, bytes_downloaded = 0;
  std::uint64_t columns_from_cache = 0;  // as of a run
  double seconds = 0;                    // from the beginning of its share to its end
  double begin_seconds = 0;              // since the run began
  // Of `seconds`: waiting for the source, and for the device; and what its kernels took.
  double read_seconds = 0, wait_seconds = 0, kernel_seconds = 0;
  std::optional<Profile> profile = {};  // if RunOptions::profile asked for it
};

struct RunReport {
  std::string device_id, device_name;  // empty if no device was needed, and none was named
  std::uint64_t rows_read = 0, rows_out = 0, chunks = 0;
  std::uint64_t paged_chunks = 0;  // chunks with pages that kernels decoded
  std::uint64_t bytes_uploaded = 0, bytes_downloaded = 0;
  std::uint64_t bytes_read_directly = 0;  // by the device itself, past the host's memory
  std::uint64_t chains_fused = 0;  // of steps; chains that a session had kept are not counted
  std::uint64_t columns_from_cache =
      0;  // of chunks, that a session had kept: neither read nor sent
  double total_seconds = 0, read_seconds = 0,
         wait_seconds = 0;  // whole run; waiting for the source; waiting for the device
  // The rows that sources left out of scans, as the filters allowed.
  SkipCounts skipped;
  // Each tile program, followed by the kernels that computed on its columns' codes. Steps on the
  // device add theirs: group_merge (groups of several chunks), distinct_totals (DISTINCT values
  // added up), first_groups and first_rows (the first ones of an order with a limit), radix_sort,
  // join_table (a join's table), join_pairs (pairs of repeated keys).
  std::vector<KernelReport> kernels;
  // Notes for users, a sentence each: what the host computed in place of the device and why, and
  // what needed no kernel.
  std::vector<std::string> notes;
  // If RunOptions::profile asked for it. On several devices each share has its own.
  std::optional<Profile> profile;
  // A run on several devices has a report for each share, in the order of rows. The counts above
  // are sums over all devices; the times above are of the device that took longest.
  std::vector<DeviceShareReport> shares;
  // Bytes of partial results that the host merged, and of rows that devices sent to one another.
  std::uint64_t bytes_exchanged = 0;
  double merge_seconds = 0;  // of several devices: what the host takes to merge their shares
};

}  // namespace penstock
