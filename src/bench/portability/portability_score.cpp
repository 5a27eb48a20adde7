#include "bench/portability/portability_score.hpp"

#include <algorithm>
#include <map>

namespace penstock::bench {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// A set of devices by its name, in the order of the rows.
struct DeviceSet {
  std::string name;
  std::vector<std::string> devices;
  bool has_rivals = false;
};
std::vector<DeviceSet> device_sets(const PortabilityRows& rows) {
  std::vector<DeviceSet> sets;
  DeviceSet all{"all devices", {}, false};
  for (const PortabilityRow& row : rows) {
    auto set = std::ranges::find(sets, row.hardware, &DeviceSet::name);
    if (set == sets.end()) set = sets.insert(sets.end(), DeviceSet{row.hardware, {}, false});
    add_once(set->devices, row.device);
    add_once(all.devices, row.device);
  }
  for (DeviceSet& set : sets) set.has_rivals = set.devices.size() > 1;
  // A device without rivals is its own best, and would lift the mean of all.
  all.has_rivals = std::ranges::all_of(sets, &DeviceSet::has_rivals);
  if (sets.size() > 1) sets.push_back(std::move(all));
  return sets;
}

Efficiency judging(const PortableFamily& family, const PortabilityRow& row) {
  return row.hardware == cpu_hardware ? Efficiency::of_best : family.judged_by;
}

PortabilityFigure figure_of_set(const PortableFamily& family, const DeviceSet& set,
                                const PortabilityRows& rows) {
  PortabilityFigure figure{family, set.name, set.devices, set.has_rivals};
  std::vector<double> of_copy, of_best, judged;
  bool is_by_copy = false, is_by_best = false;
  for (const PortabilityRow& row : rows) {
    if (row.family != family.name || !row.is_taken) continue;
    if (std::ranges::find(set.devices, row.device) == set.devices.end()) continue;
    of_copy.push_back(row.share_of_copy());
    of_best.push_back(row.share_of_best);
    const bool is_of_copy = judging(family, row) == Efficiency::of_copy;
    (is_of_copy ? is_by_copy : is_by_best) = true;
    judged.push_back(is_of_copy ? row.share_of_copy() : row.share_of_best);
    if (!figure.lowest_device.empty() && judged.back() >= figure.least) continue;
    figure.least = judged.back();
    figure.lowest_device = row.device, figure.lowest_work = row.work;
  }
  figure.by_copy = harmonic_mean(of_copy);
  figure.by_best = harmonic_mean(of_best);
  figure.judged = harmonic_mean(judged);
  figure.judged_by = is_by_copy && is_by_best ? "copy, of CPUs best" : is_by_copy ? "copy" : "best";
  return figure;
}

const PortabilityRow* row_of(const PortabilityRows& rows, std::string_view work,
                             std::string_view variant, const std::string& device) {
  const auto row = std::ranges::find_if(rows, [&](const PortabilityRow& each) {
    return each.work == work && each.variant == variant && each.device == device &&
           each.seconds > 0;
  });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

double harmonic_mean(std::span<const double> efficiencies) {
  double sum = 0;
  for (const double efficiency : efficiencies) {
    if (!(efficiency > 0)) return 0;
    sum += 1 / std::min(efficiency, 1.0);
  }
  return efficiencies.empty() ? 0 : static_cast<double>(efficiencies.size()) / sum;
}

void set_shares_of_best(PortabilityRows& rows) {
  std::map<std::pair<std::string, std::string>, double> best;  // seconds, by hardware and case
  for (const PortabilityRow& row : rows) {
    if (row.seconds <= 0 || !row.is_taken) continue;
    const auto found = best.try_emplace({row.hardware, row.work}, row.seconds).first;
    found->second = std::min(found->second, row.seconds);
  }
  for (PortabilityRow& row : rows)
    if (const auto found = best.find({row.hardware, row.work});
        found != best.end() && row.seconds > 0)
      row.share_of_best = found->second / row.seconds;
}

std::vector<PortabilityFigure> portability_of(const PortabilityRows& rows) {
  std::vector<PortabilityFigure> figures;
  for (const PortableFamily& family : portable_families())
    for (const DeviceSet& set : device_sets(rows)) {
      PortabilityFigure figure = figure_of_set(family, set, rows);
      if (!figure.lowest_device.empty()) figures.push_back(std::move(figure));
    }
  return figures;
}

std::vector<StepGain> step_gains(const PortabilityRows& rows) {
  std::vector<std::string> devices;
  for (const PortabilityRow& row : rows) add_once(devices, row.device);
  std::vector<StepGain> gains;
  for (const VariantStep& step : variant_steps())
    for (const std::string& device : devices) {
      const PortabilityRow* const without = row_of(rows, step.work, step.without, device);
      const PortabilityRow* const with = row_of(rows, step.work, step.with, device);
      if (without != nullptr && with != nullptr)
        gains.push_back({step, device, without->seconds / with->seconds});
    }
  return gains;
}

}  // namespace penstock::bench
