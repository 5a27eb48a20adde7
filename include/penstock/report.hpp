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

// What one of several devices did.
struct DeviceShareReport {
  std::string device_id, device_name;
  std::uint64_t rows_read = 0, bytes_uploaded = 0, bytes_downloaded = 0;
  std::uint64_t columns_from_cache = 0;  // as of a run
  double seconds = 0;                    // from the beginning of its share to its end
  double begin_seconds = 0;              // since the run began
  // Of `seconds`: waiting for the source, and for the device; and what its kernels took.
  double read_seconds = 0, wait_seconds = 0, kernel_seconds = 0;
  std::optional<Profile> profile = {};  // where RunOptions::profile asked for it
};

struct RunReport {
  std::string device_id, device_name;  // empty where no device was needed, and none was named
  std::uint64_t rows_read = 0, rows_out = 0, chunks = 0;
  std::uint64_t paged_chunks = 0;  // of the chunks, those whose pages kernels decoded
  std::uint64_t bytes_uploaded = 0, bytes_downloaded = 0;
  std::uint64_t bytes_read_directly = 0;  // by the device itself, past the host's memory
  std::uint64_t chains_fused = 0;         // of steps; those that a session had kept are not counted
  std::uint64_t columns_from_cache =
      0;  // of chunks, that a session had kept: neither read nor sent
  double total_seconds = 0, read_seconds = 0,
         wait_seconds = 0;  // whole run; waiting for the source; waiting for the device
  // Of scans whose filters sources were told of: what these left out of it.
  SkipCounts skipped;
  // Of each tile program, and after it those that computed on its columns' codes, and group_merge
  // where the groups of chunks were merged on the device, distinct_totals and first_groups where
  // they were added up or selected there, first_rows where those of a chunk were, radix_sort; and
  // join_table for each table of a join that the device made, join_pairs where its keys repeat.
  std::vector<KernelReport> kernels;
  // What the host computed because device memory was too small, or the device could not, and what
  // took no kernel, a sentence each.
  std::vector<std::string> notes;
  // Where RunOptions::profile asked for it. Of several devices each share has its own.
  std::optional<Profile> profile;
  // Of each share of a run on several devices, in the order of its rows. The counts above are those
  // of all devices; their times are those of the device that took longest.
  std::vector<DeviceShareReport> shares;
  // Of partial results that the host merged, and of rows that devices sent to one another.
  std::uint64_t bytes_exchanged = 0;
  double merge_seconds = 0;  // of several devices: what the host takes to merge their shares
};

}  // namespace penstock
