// The table of drivers: listing, choosing and opening.
#include "penstock/device.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "base/exception_boundary.hpp"
#include "device/device_list.hpp"
#include "device/driver.hpp"

namespace penstock {
namespace {

struct Driver {
  std::string_view name;  // of its target, too, and what an id begins with
  bool may_have_cpus;
  std::vector<Traits> (*list)(std::vector<std::string>& notes);
  Result<std::shared_ptr<Device>> (*open)(unsigned index);
  std::string_view what_to_install;
  // Taken unasked only where no other driver has a fitting device, and not started before that is
  // known: whole queries never ran on it.
  bool is_last_resort = false;
};
// In the order of preference. A CPU comes after every other device, but for a last resort. The
// driver of its own comes before others of CPUs.
constexpr std::array drivers = {
    Driver{.name = "cuda",
           .may_have_cpus = false,
           .list = device::list_cuda_devices,
           .open = device::open_cuda_device,
           .what_to_install =
               "for an NVIDIA GPU: its driver, and NVRTC from PyPI's nvidia-cuda-nvrtc"},
#ifdef __APPLE__
    Driver{.name = "metal",
           .may_have_cpus = false,
           .list = device::list_metal_devices,
           .open = device::open_metal_device,
           .what_to_install = "for a Mac with Apple silicon: nothing, macOS has Metal"},
#endif
    Driver{.name = "cpu",
           .may_have_cpus = true,
           .list = device::list_cpu_devices,
           .open = device::open_cpu_device,
           .what_to_install = "for the CPU: apt install tcc gcc"},
    Driver{.name = "opencl",
           .may_have_cpus = true,
           .list = device::list_opencl_devices,
           .open = device::open_opencl_device,
           .what_to_install = "for other GPUs: their vendor's OpenCL driver"},
    Driver{.name = "sycl",
           .may_have_cpus = true,
           .list = device::list_sycl_devices,
           .open = device::open_sycl_device,
           .what_to_install = "for SYCL: build with AdaptiveCpp or icpx (docs/sycl.md)",
           .is_last_resort = true},
};

// PENSTOCK_HIDE=cuda,opencl-cpu,sycl hides drivers, and a driver's CPUs, for tests and comparisons.
bool is_hidden(std::string_view driver) {
  const char* value = std::getenv("PENSTOCK_HIDE");
  std::string_view rest = value ? value : "";
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    if (rest.substr(0, comma) == driver) return true;
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return false;
}

const Driver* driver_of(std::string_view name) {
  const auto* const found = std::ranges::find(drivers, name, &Driver::name);
  return found == drivers.end() ? nullptr : found;
}

// Returns the rank of a device; the lowest is taken.
std::size_t preference(const Traits& traits) {
  const Driver* const driver = driver_of(name_of(traits.target));
  if (driver && driver->is_last_resort) return drivers.size() + (traits.is_cpu ? 2 : 1);
  if (traits.is_cpu || driver == nullptr) return drivers.size();
  return static_cast<std::size_t>(driver - drivers.data());
}

bool is_kind(std::string_view selector) {
  return selector.empty() || selector == "cpu" || selector == "gpu" || driver_of(selector);
}

bool fits(const Traits& traits, std::string_view selector) {
  if (selector.empty()) return true;
  if (selector == "cpu" || selector == "gpu") return traits.is_cpu == (selector == "cpu");
  return selector == name_of(traits.target) || selector == traits.id;
}

struct Id {
  std::string_view driver;
  unsigned index;
};
std::optional<Id> parse_id(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  unsigned index = 0;
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return {};
  return Id{text.substr(0, colon), index};
}

std::string what_to_install() {
  std::string text;
  for (const Driver& driver : drivers)
    text += (text.empty() ? "" : "; ") + std::string(driver.what_to_install);
  return text;
}

std::string driver_names() {
  std::string text;
  for (const Driver& driver : drivers) text += std::string(driver.name) + ", ";
  return text;
}

// Returns the end of a message: "found: opencl:0 (NAME)", or the drivers' notes and what to
// install.
std::string found_instead(const std::vector<Traits>& devices,
                          const std::vector<std::string>& notes) {
  std::string text;
  for (const Traits& traits : devices)
    text += (text.empty() ? "; found: " : ", ") + traits.id + " (" + traits.name + ")";
  for (const std::string& note : notes) text += "\n  " + note;
  if (devices.empty()) text += "\n  To install: " + what_to_install();
  return text;
}

// Returns whether a driver may have the selected device. Starting CUDA takes some 0.2 s, which
// "opencl:0" and "cpu" need not pay.
bool may_have(const Driver& driver, std::string_view selector) {
  if (selector == "cpu") return driver.may_have_cpus;
  return selector.empty() || selector == "gpu" ||
         selector.substr(0, selector.find(':')) == driver.name;
}

// Returns whether a driver has no better device than one that fits already. To start PoCL's takes
// some 40 ms.
bool is_needless(const Driver& driver, std::string_view selector) {
  if (driver.is_last_resort || selector == "cpu") return true;
  return driver.name == "opencl" && !device::may_have_opencl_gpus();
}

// Lists the devices of drivers that may have the selected one. `starts_all`: else no driver is
// started after one that has a GPU, and no needless one after one with a fitting device.
std::vector<Traits> list_for(std::string_view selector, std::vector<std::string>& notes,
                             bool starts_all) {
  std::vector<Traits> all;
  const auto is_gpu = [](const Traits& traits) { return !traits.is_cpu; };
  const auto is_fitting = [&](const Traits& traits) { return fits(traits, selector); };
  for (const Driver& driver : drivers) {
    if (!may_have(driver, selector)) continue;
    if (!starts_all && std::ranges::any_of(all, is_fitting) && is_needless(driver, selector))
      continue;
    if (is_hidden(driver.name)) {
      notes.push_back(std::string(driver.name) + ": hidden by PENSTOCK_HIDE");
      continue;
    }
    const bool hides_cpus = is_hidden(std::string(driver.name) + "-cpu");
    for (Traits& traits : driver.list(notes))
      if (!traits.is_cpu || !hides_cpus) all.push_back(std::move(traits));
    if (!starts_all && std::ranges::any_of(all, is_gpu)) break;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Traits& a, const Traits& b) { return preference(a) < preference(b); });
  return all;
}

Result<Traits> choose(std::string_view selector) {
  if (device::names_several(selector))
    return Status(Code::unsupported,
                  "'" + std::string(selector) + "' names several devices, of which this takes one");
  if (!is_kind(selector) && !parse_id(selector))
    return Status(Code::invalid, "'" + std::string(selector) +
                                     "' names no device: write an id such as opencl:0, or one of " +
                                     driver_names() + "gpu");
  std::vector<std::string> notes;
  for (const Traits& traits : list_for(selector, notes, false))
    if (fits(traits, selector)) return traits;
  notes.clear();
  const std::vector<Traits> devices = list_devices(&notes);
  const std::string wanted =
      selector.empty() ? "no usable device" : "no usable device '" + std::string(selector) + "'";
  return Status(Code::no_device, wanted + found_instead(devices, notes));
}

// Devices stay open until the process ends and are never destroyed: drivers shut down in exit
// handlers, in an unknown order, and a call after that crashes.
struct OpenDevice {
  std::mutex mutex;  // of its own, so that several open at once
  std::shared_ptr<Device> device;
};
OpenDevice& open_device_of(const std::string& id) {
  static std::mutex& mutex = *new std::mutex;
  static auto& by_id = *new std::map<std::string, OpenDevice>;
  const std::lock_guard lock(mutex);
  return by_id[id];
}

Result<std::shared_ptr<Device>> open_chosen(std::string_view selector) {
  PENSTOCK_ASSIGN(const Traits traits, choose(selector));
  OpenDevice& open = open_device_of(traits.id);
  const std::lock_guard lock(open.mutex);
  std::shared_ptr<Device>& known = open.device;
  if (known) return known;
  const auto id = parse_id(traits.id);
  for (const Driver& driver : drivers) {
    if (!id || driver.name != id->driver) continue;
    PENSTOCK_ASSIGN(known, driver.open(id->index));
  }
  return known;
}

// Files that the systems of NVIDIA's driver have: of Linux, of Linux under Windows.
constexpr std::array nvidia_files = {"/dev/nvidiactl", "/dev/dxg"};

}  // namespace

bool device::expects_cuda(std::string_view selector) {
  const Driver* const cuda = driver_of("cuda");
  if (!may_have(*cuda, selector) || is_hidden(cuda->name)) return false;
  if (selector.starts_with(cuda->name)) return true;
  return std::ranges::any_of(nvidia_files,
                             [](const char* path) { return std::filesystem::exists(path); });
}

Result<std::vector<Traits>> device::list_devices_of(std::string_view driver,
                                                    std::vector<std::string>& notes) {
  return catch_exceptions(
      [&] { return Result<std::vector<Traits>>(list_for(driver, notes, true)); });
}

std::vector<Traits> list_devices(std::vector<std::string>* notes) {
  std::vector<std::string> ignored;
  std::vector<Traits> devices;
  const Status listed = catch_exceptions([&]() -> Status {
    devices = list_for("", notes ? *notes : ignored, true);
    return {};
  });
  if (!listed.ok() && notes) notes->push_back("listing the devices failed: " + listed.text());
  return devices;
}

Result<Traits> find_device(std::string_view selector) {
  return catch_exceptions([&] { return choose(selector); });
}

Result<std::shared_ptr<Device>> open_device(std::string_view selector) {
  return catch_exceptions([&] { return open_chosen(selector); });
}

Result<std::shared_ptr<Device>> open_device_of_queue(Target target, std::uint64_t handle) {
  if (target == Target::opencl)
    return catch_exceptions([&] { return device::open_opencl_device_of_queue(handle); });
  if (target == Target::sycl)
    return catch_exceptions([&] { return device::open_sycl_device_of_queue(handle); });
  return Status(Code::unsupported,
                "only OpenCL and SYCL devices are opened by a queue; open others by their ids");
}

}  // namespace penstock
