// What `penstock bench devices` compares: a piece of work on the first one, two, four ... devices
// of a list.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "penstock/plan.hpp"

namespace penstock::bench {

struct DevicesOptions {
  std::string devices = "cuda:*", folder, only;
  std::uint64_t repeats = 5, lz4_mib = 1024;
  bool has_phases = false;  // what each share's time went to
};

// Runs once. `profile`: records what takes the time.
using DevicesWork = std::function<Result<RunReport>(bool profile)>;
// Makes the work for some devices: opens a session, uploads a batch.
using MakeDevicesWork = std::function<Result<DevicesWork>(const std::vector<std::string>& devices)>;

std::string list_of_devices(const std::vector<std::string>& devices);
// Times the work on 1, 2, 4 ... devices and prints a line for each.
Status print_rows_of_devices(const DevicesOptions& options, const std::string& name,
                             const std::vector<std::string>& devices, const MakeDevicesWork& make);

// Files and batches of LZ4 (bench_devices_lz4.cpp), each compared with its text first.
Status bench_devices_lz4(const DevicesOptions& options, const std::vector<std::string>& devices);

}  // namespace penstock::bench
