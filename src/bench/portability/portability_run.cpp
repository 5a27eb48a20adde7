#include "bench/portability/portability_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/clock.hpp"
#include "device/device_list.hpp"
#include "kernel/bandwidth.hpp"
#include "kernel/variant_table.hpp"

namespace penstock::bench {
namespace {

constexpr std::string_view name_prefix = "penstock ";

std::string portable_name(const PortableCase& work) { return work.family + ": " + work.work; }

// The first device of each kind of hardware by each driver: several of a kind say nothing new.
std::vector<std::string> usual_devices() {
  std::vector<std::string> ids;
  std::vector<std::pair<Target, std::string>> kinds;
  for (const Traits& traits : list_devices()) {
    const std::pair<Target, std::string> kind = {traits.target, hardware_of(traits)};
    if (std::ranges::find(kinds, kind) != kinds.end()) continue;
    kinds.push_back(kind);
    ids.push_back(traits.id);
  }
  return ids;
}

Result<std::vector<PortabilityDevice>> open_devices(const PortabilityOptions& options) {
  std::vector<std::string> ids;
  if (options.devices.empty())
    ids = usual_devices();
  else { PENSTOCK_ASSIGN(ids, device::devices_of_list(options.devices)); }
  if (ids.empty()) return Status(Code::no_device, "there is no device to measure");
  std::vector<PortabilityDevice> opened;
  for (const std::string& id : ids) {
    PortabilityDevice one;
    PENSTOCK_ASSIGN(one.device, open_device(id));
    PENSTOCK_ASSIGN(one.copy_bytes_per_second, kernel::copy_bandwidth(*one.device));
    const Traits& traits = one.device->traits();
    one.hardware = hardware_of(traits);
    std::fprintf(stderr, "%s %s: copy %.1f GB/s (read plus written)\n", traits.id.c_str(),
                 traits.name.c_str(), one.copy_bytes_per_second / 1e9);
    opened.push_back(std::move(one));
  }
  return opened;
}

// One bench on one device.
class BenchOnDevice {
 public:
  BenchOnDevice(const PortableBench& bench, const PortabilityDevice& on,
                const PortabilityOptions& options, PortabilityRows& rows)
      : bench_(bench), on_(on), options_(options), rows_(rows) {
    const Traits& traits = on.device->traits();
    const auto rows_of_device = traits.shares_host_cores() ? bench.rows_of_cpu : bench.rows_of_gpu;
    how_.device = traits.id;
    how_.rows = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(
               std::llround(static_cast<double>(rows_of_device) * options.scale)));
    how_.repeats = std::min(options.repeats, bench.max_repeats);
    how_.has_first_variant_only = true;
    how_.has_figures_of_host = false;
  }

  void run() {
    std::vector<const PortableCase*> wanted;
    for (const PortableCase& work : bench_.cases)
      if (is_wanted(options_, work)) wanted.push_back(&work);
    if (wanted.empty()) return;
    show_progress(how_.device + " " + wanted[0]->family, "beginning");
    measure_taken(wanted);
    if (options_.has_variants)
      for (const PortableCase* work : wanted) measure_others(*work);
  }

 private:
  // All cases at once share their data. If one fails, each is measured by itself.
  void measure_taken(const std::vector<const PortableCase*>& wanted) {
    how_.variant.clear();
    how_.cases.clear();
    for (const PortableCase* work : wanted) how_.cases.push_back(work->work);
    const Result<Figures> together = bench_.measure(on_.device, how_);
    for (const PortableCase* work : wanted) {
      how_.cases = {work->work};
      if (together.ok() || wanted.size() == 1)
        add_taken(*work, together);
      else
        add_taken(*work, bench_.measure(on_.device, how_));
    }
  }

  void add_taken(const PortableCase& work, const Result<Figures>& measured) {
    PortabilityRow row = row_of_case(work);
    if (!measured.ok()) {
      row.status = measured.status();
    } else if (const auto figure = std::ranges::find(*measured, work.work, &Figure::work);
               figure != measured->end()) {
      fill(row, *figure);
    } else {
      row.status = {Code::unsupported, "the device has no kernel for it"};
    }
    rows_.push_back(std::move(row));
  }

  // A variant of the table may not fit this case, or give way to another while it runs.
  void measure_others(const PortableCase& work) {
    const std::string taken = rows_taken(work).variant;
    how_.cases = {work.work};
    for (const std::string& variant : fitting_variants_of(work)) {
      if (variant == taken) continue;
      how_.variant = variant;
      const Result<Figures> measured = bench_.measure(on_.device, how_);
      if (!measured.ok() && is_want_of_device(measured.status().code())) continue;
      PortabilityRow row = row_of_case(work);
      row.is_taken = false;
      row.variant = variant;
      if (!measured.ok())
        row.status = measured.status();
      else if (measured->empty() || name_of_variant(measured->front()) != variant)
        continue;
      else
        fill(row, measured->front());
      rows_.push_back(std::move(row));
    }
  }

  // True if the variant does not fit after all: that is no fault of its kernels.
  static bool is_want_of_device(Code code) {
    return code == Code::unsupported || code == Code::invalid || code == Code::capacity ||
           code == Code::no_memory;
  }

  std::vector<std::string> fitting_variants_of(const PortableCase& work) const {
    std::vector<std::string> names;
    for (const kernel::VariantCase& each : kernel::variant_cases(on_.device->traits()))
      for (const kernel::VariantRow& row : each.rows)
        if (each.family == work.variant_family && row.fit &&
            std::ranges::find(names, row.name) == names.end())
          names.push_back(row.name);
    return names;
  }

  const PortabilityRow& rows_taken(const PortableCase& work) const {
    return *std::ranges::find_if(rows_, [&](const PortabilityRow& row) {
      return row.work == work.work && row.device == how_.device && row.is_taken;
    });
  }

  PortabilityRow row_of_case(const PortableCase& work) const {
    PortabilityRow row;
    row.family = work.family, row.work = work.work;
    row.device = how_.device, row.hardware = on_.hardware;
    row.copy_bytes_per_second = on_.copy_bytes_per_second;
    return row;
  }

  static std::string name_of_variant(const Figure& figure) {
    return figure.name.starts_with(name_prefix) ? figure.name.substr(name_prefix.size()) : "";
  }
  static void fill(PortabilityRow& row, const Figure& figure) {
    row.variant = name_of_variant(figure);
    row.seconds = figure.median_seconds, row.spread = figure.spread, row.bytes = figure.bytes;
  }

  const PortableBench& bench_;
  const PortabilityDevice& on_;
  const PortabilityOptions& options_;
  PortabilityRows& rows_;
  BenchOptions how_;
};

}  // namespace

std::string hardware_of(const Traits& traits) {
  return traits.is_cpu ? std::string(cpu_hardware) : traits.name;
}

std::vector<std::string> portable_names() {
  std::vector<std::string> names;
  for (const PortableBench& bench : portable_benches())
    for (const PortableCase& work : bench.cases) names.push_back(portable_name(work));
  return names;
}

bool is_wanted(const PortabilityOptions& options, const PortableCase& work) {
  BenchOptions by_name;
  by_name.only = options.only;
  return is_selected(by_name, portable_name(work));
}

Result<PortabilityReport> run_portability(const PortabilityOptions& options) {
  PortabilityReport report;
  prefer_optimised_kernels();
  PENSTOCK_ASSIGN(report.devices, open_devices(options));
  const double deadline = now_seconds() + static_cast<double>(options.seconds);
  for (const PortableBench& bench : portable_benches()) {
    if (now_seconds() > deadline) break;
    for (const PortabilityDevice& on : report.devices)
      BenchOnDevice(bench, on, options, report.rows).run();
  }
  end_progress();
  set_shares_of_best(report.rows);
  return report;
}

Status failure_of(const PortabilityReport& report) {
  constexpr Code wants[] = {Code::unsupported, Code::capacity, Code::no_memory};
  for (const PortabilityRow& row : report.rows)
    if (!row.status.ok() && std::ranges::find(wants, row.status.code()) == std::end(wants))
      return row.status.with(row.work + " on " + row.device);
  return {};
}

}  // namespace penstock::bench
