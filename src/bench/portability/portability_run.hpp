// One run of all families on all devices.
#pragma once
#include "bench/portability/portability_score.hpp"

namespace penstock::bench {

struct PortabilityOptions {
  std::string devices;  // a list; none: the first of each kind of hardware by each driver
  std::string only;     // part of "family: case"
  std::string format = "table";
  double scale = 1;              // of all numbers of rows
  std::uint64_t repeats = 10;    // at most; benches of long runs take fewer
  std::uint64_t seconds = 3600;  // no bench is begun after that
  bool has_variants = false;     // every variant that fits, beside the one that is taken
};

// A device of the run.
struct PortabilityDevice {
  std::shared_ptr<Device> device;
  std::string hardware;  // "NVIDIA H200", "CPU": backends of one are compared with each other
  double copy_bytes_per_second = 0;
};
std::string hardware_of(const Traits& traits);

struct PortabilityReport {
  std::vector<PortabilityDevice> devices;
  PortabilityRows rows;
};

// Returns "family: case" of all work.
std::vector<std::string> portable_names();
bool is_wanted(const PortabilityOptions& options, const PortableCase& work);

// Opens the devices and measures. Work that a device cannot run is a row with its reason.
Result<PortabilityReport> run_portability(const PortabilityOptions& options);
// Returns the first failure that is no want of the device: a wrong answer, a source that does not
// compile, a lost device.
Status failure_of(const PortabilityReport& report);

}  // namespace penstock::bench
