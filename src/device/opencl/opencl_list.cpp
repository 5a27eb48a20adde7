// Lists every device of every OpenCL platform.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "device/driver.hpp"
#include "device/opencl/opencl_device.hpp"

namespace penstock::opencl {
namespace {

template <class Handle, class Get> std::string text_of(Get get, Handle handle, cl_uint what) {
  std::size_t bytes = 0;
  if (get(handle, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return "";
  std::string text(bytes, '\0');
  if (get(handle, what, bytes, text.data(), nullptr) != CL_SUCCESS) return "";
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

template <class T> T number_of(const Api& api, cl_device_id device, cl_uint what, T otherwise) {
  T value{};
  return api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value
                                                                                        : otherwise;
}

std::uint32_t subgroup_size(const Api& api, cl_device_id device, const std::string& extensions) {
  if (extensions.find("cl_nv_device_attribute_query") != std::string::npos)
    return number_of<cl_uint>(api, device, CL_DEVICE_WARP_SIZE_NV, 1);
  if (extensions.find("cl_amd_device_attribute_query") != std::string::npos)
    return number_of<cl_uint>(api, device, CL_DEVICE_WAVEFRONT_WIDTH_AMD, 1);
  return 1;
}

// Returns whether NVIDIA's own driver compiles for a device, and so accepts PTX. Other drivers,
// such as PoCL, report NVIDIA's attributes too.
bool is_of_nvidias_driver(const Api& api, cl_platform_id platform, const std::string& extensions) {
  return text_of(api.clGetPlatformInfo, platform, CL_PLATFORM_NAME) == "NVIDIA CUDA" &&
         extensions.find("cl_nv_device_attribute_query") != std::string::npos;
}

// Returns "sm_90, " and the like.
std::string nvidia_architecture(const Api& api, cl_device_id device) {
  const auto major = number_of<cl_uint>(api, device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, 0),
             minor = number_of<cl_uint>(api, device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, 0);
  return "sm_" + std::to_string(major) + std::to_string(minor) + ", ";
}

Traits traits_of(const Api& api, cl_platform_id platform, cl_device_id device) {
  const auto text = [&](cl_uint what) { return text_of(api.clGetDeviceInfo, device, what); };
  const std::string extensions = text(CL_DEVICE_EXTENSIONS) + " ";
  const auto has = [&](std::string_view name) {
    return extensions.find(std::string(name) + " ") != std::string::npos;
  };
  Traits traits;
  traits.target = Target::opencl;
  traits.name = text(CL_DEVICE_NAME), traits.vendor = text(CL_DEVICE_VENDOR);
  traits.driver = text(CL_DRIVER_VERSION);
  const bool takes_ptx = is_of_nvidias_driver(api, platform, extensions);
  traits.architecture = (takes_ptx ? nvidia_architecture(api, device) : "") + traits.name + ", " +
                        text(CL_DEVICE_VERSION);
  traits.compiler = text_of(api.clGetPlatformInfo, platform, CL_PLATFORM_VERSION);
  traits.compute_units = number_of<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS, 1);
  traits.max_group_size = static_cast<std::uint32_t>(
      number_of<std::size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1));
  traits.subgroup_size = subgroup_size(api, device, extensions);
  traits.has_subgroups = takes_ptx;  // as PTX: opencl.prelude
  traits.global_bytes = number_of<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE, 0);
  traits.max_allocation_bytes = number_of<cl_ulong>(api, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0);
  traits.local_bytes = number_of<cl_ulong>(api, device, CL_DEVICE_LOCAL_MEM_SIZE, 0);
  traits.is_cpu =
      (number_of<cl_bitfield>(api, device, CL_DEVICE_TYPE, 0) & CL_DEVICE_TYPE_CPU) != 0;
  traits.unified_memory = traits.is_cpu;
  traits.has_f64 = has("cl_khr_fp64");
  traits.has_atomic_u64 = has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics");
  traits.forward_progress =
      false;  // OpenCL 1.2 guarantees none, and lacks the acquire and release of look-back
  return traits;
}

constexpr std::string_view pocl_name = "Portable Computing Language";

// Returns 3 for "OpenCL 3.0 PoCL 3.1+debian ..."; 0 if the text has no version.
int major_version_of_pocl(const std::string& platform_version) {
  const std::size_t name = platform_version.find("PoCL ");
  return name == std::string::npos ? 0 : std::atoi(platform_version.c_str() + name + 5);
}

struct DeviceList {
  std::vector<FoundDevice> devices;
  std::vector<std::string> notes;
};

// PoCL ends the process where it finds no processor in /sys, as in a bare chroot.
bool ends_the_process(std::string_view platform_name) {
  return platform_name == pocl_name && ::access("/sys/devices/system/cpu", R_OK) != 0;
}

void add_platform(const Api& api, cl_platform_id platform, DeviceList& list) {
  const std::string platform_name = text_of(api.clGetPlatformInfo, platform, CL_PLATFORM_NAME);
  if (ends_the_process(platform_name))
    return list.notes.push_back(
        "OpenCL: PoCL finds processors by /sys/devices/system/cpu, which "
        "is not there: mount -t sysfs sysfs /sys");
  cl_uint count = 0;
  if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return;
  std::vector<cl_device_id> devices(count);
  if (count == 0 || api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(),
                                       nullptr) != CL_SUCCESS)
    return;
  for (const cl_device_id device : devices) {
    const bool is_pocl = platform_name == pocl_name;
    FoundDevice found{traits_of(api, platform, device), platform, device, false, is_pocl, false};
    found.aborts_where_grids_grow = is_pocl && major_version_of_pocl(found.traits.compiler) < 6;
    const auto refuse = [&](const char* why) {
      list.notes.push_back("OpenCL: " + found.traits.name + " " + why);
    };
    const std::string version = text_of(api.clGetDeviceInfo, device, CL_DEVICE_VERSION);
    if (version.starts_with("OpenCL 1.0") || version.starts_with("OpenCL 1.1")) {
      refuse("is older than OpenCL 1.2");
      continue;
    }
    if (!number_of<cl_bool>(api, device, CL_DEVICE_AVAILABLE, 0)) {
      refuse("is not available");
      continue;
    }
    if (!number_of<cl_bool>(api, device, CL_DEVICE_COMPILER_AVAILABLE, 0)) {
      refuse("has no compiler");
      continue;
    }
    found.traits.id = "opencl:" + std::to_string(list.devices.size());
    found.rounds_divisions = (number_of<cl_bitfield>(api, device, CL_DEVICE_SINGLE_FP_CONFIG, 0) &
                              CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    list.devices.push_back(std::move(found));
  }
}

DeviceList find_devices() {
  DeviceList list;
  if (!api().ok()) return list.notes.push_back(api().status().message()), list;
  const Api& functions = *api();
  cl_uint count = 0;
  const cl_int outcome = functions.clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  if (outcome == CL_SUCCESS && count > 0)
    (void)functions.clGetPlatformIDs(count, platforms.data(), nullptr);
  for (const cl_platform_id platform : platforms) add_platform(functions, platform, list);
  if (list.devices.empty())
    list.notes.push_back(
        "OpenCL: no usable device; for the CPU: apt install pocl-opencl-icd (where it is "
        "installed: it finds no device "
        "without a cache folder that it can write, so set POCL_CACHE_DIR, or HOME); for a GPU: its "
        "vendor's OpenCL "
        "driver, with its .icd file in /etc/OpenCL/vendors");
  return list;
}

// Listed once per process: platforms do not change while a loader is open.
const DeviceList& all_devices() {
  static const DeviceList& list = *new DeviceList(find_devices());  // kept: see api()
  return list;
}

}  // namespace
}  // namespace penstock::opencl

namespace penstock::device {

std::vector<Traits> list_opencl_devices(std::vector<std::string>& notes) {
  const auto& list = opencl::all_devices();
  notes.insert(notes.end(), list.notes.begin(), list.notes.end());
  std::vector<Traits> traits;
  for (const auto& found : list.devices) traits.push_back(found.traits);
  return traits;
}

bool may_have_opencl_gpus() {
  for (const char* variable : {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"})
    if (std::getenv(variable)) return true;
  std::error_code error;
  const std::filesystem::directory_iterator files("/etc/OpenCL/vendors", error), end;
  if (error) return true;  // a loader that looks elsewhere
  return std::any_of(files, end, [](const std::filesystem::directory_entry& file) {
    std::string library;
    std::getline(std::ifstream(file.path()), library);
    return file.path().extension() == ".icd" && library.find("libpocl") == library.npos;
  });
}

Result<std::shared_ptr<Device>> open_opencl_device(unsigned index) {
  const auto& list = opencl::all_devices();
  if (index < list.devices.size()) return opencl::OpenClDevice::open(list.devices[index]);
  return Status(Code::no_device, "there is no device opencl:" + std::to_string(index));
}

Result<std::shared_ptr<Device>> open_opencl_device_of_queue(std::uint64_t handle) {
  if (handle == 0) return Status(Code::invalid, "the queue's handle is null");
  PENSTOCK_TRY(opencl::api().status());
  const opencl::Api& api = *opencl::api();
  const auto queue = reinterpret_cast<opencl::cl_command_queue>(handle);
  opencl::cl_context context = nullptr;
  opencl::cl_device_id device = nullptr;
  PENSTOCK_TRY(opencl::status_of(
      api.clGetCommandQueueInfo(queue, opencl::CL_QUEUE_CONTEXT, sizeof context, &context, nullptr),
      "clGetCommandQueueInfo"));
  PENSTOCK_TRY(opencl::status_of(
      api.clGetCommandQueueInfo(queue, opencl::CL_QUEUE_DEVICE, sizeof device, &device, nullptr),
      "clGetCommandQueueInfo"));
  for (const auto& found : opencl::all_devices().devices)
    if (found.device == device) return opencl::OpenClDevice::open(found, context);
  return Status(Code::no_device, "the queue's device is not one that `penstock devices` lists");
}

}  // namespace penstock::device
