// Lists the CUDA devices, where both the driver and NVRTC are present.
#include <cstdlib>

#include "base/thread_pool.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cuda_traits.hpp"
#include "device/driver.hpp"

namespace penstock::cuda {
namespace {

struct DeviceList {
  std::vector<FoundDevice> devices;
  std::vector<std::string> notes;
  Nvrtc nvrtc;
};

// The numbers in ids of the GPUs that CUDA sees, where it does not see all.
std::vector<unsigned>& shown_numbers() {
  static auto& numbers = *new std::vector<unsigned>;
  return numbers;
}

FoundDevice describe(const Api& api, CUdevice device, unsigned number, int driver_version,
                     const Nvrtc& nvrtc) {
  const auto attribute = [&](int what) {
    int value = 0;
    return api.cuDeviceGetAttribute(&value, what, device) == CUDA_SUCCESS ? value : 0;
  };
  FoundDevice found;
  found.device = device;
  found.architecture = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                       attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  Traits& traits = found.traits;
  char name[256] = "";
  (void)api.cuDeviceGetName(name, sizeof name, device);
  std::size_t bytes = 0;
  (void)api.cuDeviceTotalMem(&bytes, device);
  traits.id = "cuda:" + std::to_string(number), traits.target = Target::cuda;
  traits.name = name, traits.vendor = "NVIDIA";
  traits.driver = driver_text(driver_version);
  traits.architecture = "sm_" + std::to_string(found.architecture);
  traits.compiler = compiler_text(nvrtc);
  traits.compute_units =
      static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  traits.max_group_size =
      static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  traits.subgroup_size = static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  traits.global_bytes = traits.max_allocation_bytes = bytes;
  traits.local_bytes =
      static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  set_common_traits(traits);
  return found;
}

std::string no_gpu_note() {
  if (shown_numbers().empty()) return "CUDA: the driver finds no GPU";
  return "CUDA: the driver finds none of the GPUs that the command needs; it was shown no other "
         "(CUDA_VISIBLE_DEVICES=" +
         std::string(std::getenv("CUDA_VISIBLE_DEVICES")) + ")";
}

// Opens NVRTC while the driver initialises, which takes 0.1 s. Which NVRTC fits is known by the
// driver's version alone.
DeviceList find_devices() {
  DeviceList list;
  int driver_version = version_before_start();
  Task<Result<Nvrtc>> opening;
  if (driver_version != 0)
    opening =
        ThreadPool::shared().start([major = driver_version / 1000] { return open_nvrtc(major); });
  if (!api().ok()) return list.notes.push_back(api().status().message()), list;
  const Api& functions = *api();
  int count = 0;
  (void)functions.cuDeviceGetCount(&count);
  if (count == 0) return list.notes.push_back(no_gpu_note()), list;
  if (driver_version == 0) driver_version = driver_version_of(functions.cuDriverGetVersion);
  auto nvrtc = opening.valid() ? opening.get() : open_nvrtc(driver_version / 1000);
  if (!nvrtc.ok()) return list.notes.push_back(nvrtc.status().message()), list;
  list.nvrtc = std::move(nvrtc).value();
  for (int ordinal = 0; ordinal < count; ordinal++) {
    CUdevice device = 0;
    const auto at = static_cast<std::size_t>(ordinal);
    const auto& shown = shown_numbers();
    const unsigned number = at < shown.size() ? shown[at] : static_cast<unsigned>(ordinal);
    if (functions.cuDeviceGet(&device, ordinal) == CUDA_SUCCESS)
      list.devices.push_back(describe(functions, device, number, driver_version, list.nvrtc));
  }
  return list;
}

const DeviceList& all_devices() {
  static const DeviceList& list = *new DeviceList(find_devices());  // kept: see api()
  return list;
}

}  // namespace
}  // namespace penstock::cuda

namespace penstock::device {

std::vector<Traits> list_cuda_devices(std::vector<std::string>& notes) {
  const auto& list = cuda::all_devices();
  notes.insert(notes.end(), list.notes.begin(), list.notes.end());
  std::vector<Traits> traits;
  for (const auto& found : list.devices) traits.push_back(found.traits);
  return traits;
}

void show_only_cuda(std::span<const unsigned> numbers) {
  cuda::shown_numbers().assign(numbers.begin(), numbers.end());
  std::string text;
  for (const unsigned number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  ::setenv("CUDA_VISIBLE_DEVICES", text.c_str(), 0);
}

Result<std::shared_ptr<Device>> open_cuda_device(unsigned index) {
  const auto& list = cuda::all_devices();
  const std::string id = "cuda:" + std::to_string(index);
  for (const auto& found : list.devices)
    if (found.traits.id == id) return cuda::CudaDevice::open(found, list.nvrtc);
  return Status(Code::no_device, "there is no device " + id);
}

}  // namespace penstock::device
