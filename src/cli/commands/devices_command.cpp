// penstock devices: every device of every driver, its traits and its copy bandwidth, measured now.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/report/variant_report.hpp"
#include "kernel/variant_table.hpp"
#include "penstock/device.hpp"
#include "terminal/bandwidth_record.hpp"
#include "terminal/format.hpp"
#include "terminal/messages.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {

namespace {

struct DevicesOptions {
  bool json = false, no_bandwidth = false, variants = false;
  std::string device, target, format = "table";
};

// One trait, as JSON and for people.
struct Row {
  std::string name, json, text;
};

Row text_row(const char* name, const std::string& value) {
  return {name, json_string(value), value};
}
Row number_row(const char* name, std::uint64_t value) {
  return {name, std::to_string(value), count_text(value)};
}
Row bytes_row(const char* name, std::uint64_t value) {
  return {name, std::to_string(value), bytes_text(value)};
}
Row boolean_row(const char* name, bool value) {
  return {name, value ? "true" : "false", value ? "yes" : "no"};
}

// A GPU of OpenCL knows its local memory once it is open (opencl_local_memory.hpp).
Traits traits_when_open(const Traits& listed) {
  if (listed.target != Target::opencl || listed.is_cpu) return listed;
  const auto device = open_device(listed.id);
  return device.ok() ? (*device)->traits() : listed;
}

std::vector<Row> rows_of(const Traits& traits) {
  return {text_row("id", traits.id),
          text_row("target", std::string(name_of(traits.target))),
          text_row("name", traits.name),
          text_row("vendor", traits.vendor),
          text_row("driver", traits.driver),
          text_row("architecture", traits.architecture),
          text_row("compiler", traits.compiler),
          number_row("compute_units", traits.compute_units),
          number_row("max_group_size", traits.max_group_size),
          number_row("subgroup_size", traits.subgroup_size),
          boolean_row("has_subgroups", traits.has_subgroups),
          bytes_row("global_bytes", traits.global_bytes),
          bytes_row("max_allocation_bytes", traits.max_allocation_bytes),
          bytes_row("local_bytes", traits.local_bytes),
          boolean_row("is_cpu", traits.is_cpu),
          boolean_row("unified_memory", traits.unified_memory),
          boolean_row("has_f64", traits.has_f64),
          boolean_row("has_atomic_u64", traits.has_atomic_u64),
          boolean_row("forward_progress", traits.forward_progress)};
}

Row bandwidth_row(const Traits& traits) {
  const char* name = "copy_bytes_per_second";
  const auto device = open_device(traits.id);
  const auto measured =
      device.ok() ? measure_copy_bandwidth(**device) : Result<MeasuredBandwidth>(device.status());
  if (!measured.ok()) return {name, "null", "not measured: " + measured.status().text()};
  char exact[32];
  std::snprintf(exact, sizeof exact, "%.0f", measured->bytes_per_second);
  return {name, exact,
          gigabytes_text(measured->bytes_per_second) + " read plus written, measured " +
              measured->date};
}

std::string json_text(const std::vector<std::vector<Row>>& devices,
                      const std::vector<std::string>& notes) {
  std::string text = "{\"devices\": [";
  for (std::size_t d = 0; d < devices.size(); d++) {
    text += d == 0 ? "\n  {" : ",\n  {";
    for (const Row& row : devices[d])
      text += (&row == &devices[d].front() ? "\"" : ", \"") + row.name + "\": " + row.json;
    text += "}";
  }
  text += "],\n \"notes\": [";
  for (const std::string& note : notes)
    text += (&note == &notes.front() ? "\n  " : ",\n  ") + json_string(note);
  return text + "]}\n";
}

std::string plain_text(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows)
    text += "  " + row.name + std::string(24 - row.name.size(), ' ') + row.text + "\n";
  return text;
}

Status devices(const DevicesOptions& options) {
  std::vector<std::string> notes;
  std::vector<std::vector<Row>> all;
  const Sink out = standard_output();
  for (const Traits& traits : list_devices(&notes)) {
    std::vector<Row> rows = rows_of(traits_when_open(traits));
    if (!options.no_bandwidth) rows.push_back(bandwidth_row(traits));
    if (!options.json) PENSTOCK_TRY(out(traits.id + "  " + traits.name + "\n" + plain_text(rows)));
    all.push_back(std::move(rows));
  }
  if (options.json) PENSTOCK_TRY(out(json_text(all, notes)));
  if (all.empty())
    return open_device().status();  // its message has the notes and says what to install
  if (!options.json)
    for (const std::string& note : notes) print_line(note);
  return {};
}

// Traits of the devices found, of one of them, or what is assumed of a target.
Result<std::vector<Traits>> devices_to_show(const DevicesOptions& options,
                                            std::vector<std::string>& notes) {
  if (!options.target.empty()) {
    PENSTOCK_ASSIGN(const Target target, target_from_name(options.target));
    return std::vector<Traits>{kernel::typical_traits(target)};
  }
  std::vector<Traits> devices;
  if (options.device.empty()) {
    devices = list_devices(&notes);
  } else {
    PENSTOCK_ASSIGN(devices.emplace_back(), find_device(options.device));
  }
  std::ranges::transform(devices, devices.begin(), traits_when_open);
  return devices;
}

Status show_variants(const DevicesOptions& options) {
  std::vector<std::string> notes;
  PENSTOCK_ASSIGN(const std::vector<Traits> devices, devices_to_show(options, notes));
  PENSTOCK_ASSIGN(const std::string text,
                  variant_report(devices, options.json ? "json" : options.format));
  PENSTOCK_TRY(standard_output()(text));
  for (const std::string& note : notes) print_line(note);
  return {};
}

std::string check_devices_options(const DevicesOptions& options) {
  if (!options.variants &&
      (!options.device.empty() || !options.target.empty() || options.format != "table"))
    return "--device, --target and --format go with --variants";
  if (!options.device.empty() && !options.target.empty())
    return "--device and --target exclude each other";
  return "";
}

}  // namespace

Action declare_devices(Arguments& arguments) {
  auto options = std::make_shared<DevicesOptions>();
  arguments.flag("--json", options->json, "print an object with \"devices\" and \"notes\"");
  arguments.flag("--no-bandwidth", options->no_bandwidth,
                 "do not measure the copy bandwidth (about a second per device)");
  arguments.flag("--variants", options->variants,
                 "show which variant of each kernel a device takes, and why not those before it");
  arguments.value("--device", "ID", options->device, "with --variants: of this device only");
  arguments.choice("--target", {"cuda", "opencl", "metal", "sycl", "cpu", "host"}, options->target,
                   "with --variants: of a typical device of this target; needs no device");
  arguments.choice("--format", {"table", "json", "csv"}, options->format,
                   "with --variants: how to print");
  arguments.check([options] { return check_devices_options(*options); });
  return [options] { return options->variants ? show_variants(*options) : devices(*options); };
}

}  // namespace penstock::cli
