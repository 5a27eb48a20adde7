// The comparisons of `penstock bench devices`: one piece of work on the first one, two, four ...
// devices of a list.
//
// Strong scaling: the same work for each count of devices. Weak scaling: as many times the work.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "penstock/run.hpp"

namespace penstock::bench {

struct DevicesOptions {
  std::string devices = "cuda:*", folder, only, format = "table", scaling = "strong";
  std::string counts;  // "1,3"; empty: 1, 2, 4 ... and all
  std::uint64_t rows = 1 << 24, row_group_rows = 1 << 20, repeats = 5, batch_mib = 1024;
  bool has_phases = false;  // print how each share spent its time
  bool is_weak() const { return scaling == "weak"; }
};

// Runs once. `profile`: records what takes the time.
using DevicesWork = std::function<Result<RunReport>(bool profile)>;
// Makes the work for some devices, `scale` times as large: opens a session, uploads a batch.
// Verifies its answer.
using MakeDevicesWork = std::function<Result<DevicesWork>(const std::vector<std::string>& devices,
                                                          std::uint64_t scale)>;

bool is_wanted(const DevicesOptions& options, std::string_view name);
std::string list_of_devices(const std::vector<std::string>& devices);
// The counts of devices that the options choose, of `device_count`.
Result<std::vector<std::size_t>> counts_of(const DevicesOptions& options, std::size_t device_count);
Status print_head_of_devices(const DevicesOptions& options);
// Times the work on each count of devices and prints a line for each, if --only selects it.
Status print_rows_of_devices(const DevicesOptions& options, const std::string& name,
                             const std::vector<std::string>& devices, const MakeDevicesWork& make);

// Batches of LZ4 and Zstandard chunks, and LZ4 files (bench_devices_chunks.cpp).
Status bench_devices_chunks(const DevicesOptions& options, const std::vector<std::string>& devices);
// Columns of FSST strings (bench_devices_fsst.cpp).
Status bench_devices_fsst(const DevicesOptions& options, const std::vector<std::string>& devices);

// A part of the batches, in one device's memory.
class DevicesPart {
 public:
  virtual ~DevicesPart() = default;
  virtual Status enqueue() = 0;
  virtual Queue& queue() = 0;
};
using DevicesParts = std::vector<std::unique_ptr<DevicesPart>>;
// A thread begins each part: the launches of 4 GiB of FSST strings take the host 0.7 ms a device.
// The report is of the devices' own time.
Result<RunReport> run_parts(const DevicesParts& parts);

}  // namespace penstock::bench
