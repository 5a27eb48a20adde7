// Rows of a portability report, and figures of all devices together.
//
// S. J. Pennycook, J. D. Sewell, V. W. Lee: "Implications of a metric for performance portability",
// 2019. The portability of work on a set H of devices is |H| / (1/e_1 + ... + 1/e_n), the harmonic
// mean of its efficiencies, and 0 if a device of the set cannot run it.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "bench/portability/portable_work.hpp"

namespace penstock::bench {

// Returns 0 if an efficiency is 0, or if there is none. Efficiencies above 1 count as 1, so that no
// device makes up for another.
double harmonic_mean(std::span<const double> efficiencies);

// The hardware of all devices that run on the host's cores.
constexpr std::string_view cpu_hardware = "CPU";

// A case on a device.
struct PortabilityRow {
  std::string family, work, device, hardware, variant;
  double seconds = 0, spread = 0, bytes = 0, copy_bytes_per_second = 0;  // seconds 0: did not run
  double share_of_best = 0;  // of the fastest backend on the same hardware
  bool is_taken = true;      // the device chose this variant; other rows count in no mean
  Status status;             // why it did not run
  double bytes_per_second() const { return seconds > 0 ? bytes / seconds : 0; }
  double share_of_copy() const { return bytes_per_second() / copy_bytes_per_second; }
};
using PortabilityRows = std::vector<PortabilityRow>;

void set_shares_of_best(PortabilityRows& rows);

// The portability of a family of work on a set of devices. Several cases give the harmonic mean
// over all of them.
struct PortabilityFigure {
  PortableFamily family;
  std::string set;  // a hardware, of all its backends; or "all devices"
  std::vector<std::string> devices;
  bool has_rivals = false;  // a hardware has several of the devices, which can be compared
  double by_copy = 0, by_best = 0;
  // The family is judged by its share of the copy's speed. If no copy bounds the work, as on every
  // CPU, it is judged by its share of the best. `least` is the least of these shares.
  double judged = 0, least = 0;
  std::string lowest_device = {}, lowest_work = {};
  // "copy" or "best"; "copy, of CPUs best" if both kinds of hardware are in the set.
  std::string judged_by = {};
  // A backend that is alone on its hardware is not judged by the best.
  bool has_goal() const { return family.has_goal && (has_rivals || judged_by != "best"); }
  bool meets_goal() const { return judged >= min_portability && least >= min_efficiency; }
};
// For each family: each hardware with its devices, and all devices if there are several kinds.
std::vector<PortabilityFigure> portability_of(const PortabilityRows& rows);

// The gain of a step on a device: how many times faster the variant with it is.
struct StepGain {
  VariantStep step;
  std::string device;
  double gain = 0;
};
std::vector<StepGain> step_gains(const PortabilityRows& rows);

}  // namespace penstock::bench
