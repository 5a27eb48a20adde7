// Devices and memory of the SYCL plug-in.
#include <dlfcn.h>

#include "sycl_objects.hpp"

namespace penstock_sycl {
namespace {

template <std::size_t bytes> void put(char (&to)[bytes], const std::string& text) {
  std::snprintf(to, bytes, "%s", text.c_str());
}

// A warp of Kernel C has one size: a device of several (Intel's GPUs) counts as one without.
uint32_t subgroup_size(const sycl::device& device) {
  const std::vector<std::size_t> sizes = device.get_info<sycl::info::device::sub_group_sizes>();
  return sizes.size() == 1 && sizes[0] > 1 && sizes[0] <= 128 ? static_cast<uint32_t>(sizes[0]) : 1;
}

std::string backend_name(const sycl::device& device) {
#ifdef __ACPP__
  // One platform has all devices of a backend.
  return device.get_platform().get_info<sycl::info::platform::name>();
#else
  return device.get_platform().get_info<sycl::info::platform::name>() + ", " +
         device.get_platform().get_info<sycl::info::platform::version>();
#endif
}

// AdaptiveCpp opens each backend as a library. If clang compiled AdaptiveCpp, each backend has its
// own copy of the list of translated kernels, and at exit the copies overwrite the same file. Then
// the next process finds a kernel without its argument list, and passes wrong arguments. A runtime
// that is visible to all libraries has one list.
void show_runtime_to_backends() {
#ifdef __ACPP__
  dlopen("libacpp-rt.so", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);  // null if it is not shared
#endif
}

}  // namespace

void AsyncErrors::add(const sycl::exception_list& list) {
  constexpr std::size_t max_bytes = 1000;  // of which an error shows no more
  for (const std::exception_ptr& each : list) {
    std::string text = "an exception of unknown type";
    try {
      std::rethrow_exception(each);
    } catch (const std::exception& thrown) { text = thrown.what(); } catch (...) {
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (text_.size() < max_bytes) text_ += (text_.empty() ? "" : "; ") + text;
  }
}

int32_t AsyncErrors::check(penstock_sycl_error* error) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return text_.empty() ? 0 : fail(error, PENSTOCK_SYCL_LOST, text_.c_str());
}

const std::vector<sycl::device>& devices() {
  static const std::vector<sycl::device>& all = []() -> auto& {
    show_runtime_to_backends();
    return *new std::vector<sycl::device>(sycl::device::get_devices());  // threads outlive statics
  }();
  return all;
}

int32_t device_count(uint32_t* count, penstock_sycl_error* error) {
  return guarded(error, [&] {
    *count = static_cast<uint32_t>(devices().size());
    return 0;
  });
}

int32_t device_info(uint32_t index, penstock_sycl_device_info* info, penstock_sycl_error* error) {
  return guarded(error, [&] {
    namespace of = sycl::info::device;
    const sycl::device& device = devices().at(index);
    put(info->name, device.get_info<of::name>());
    put(info->vendor, device.get_info<of::vendor>());
    put(info->driver, device.get_info<of::driver_version>());
    put(info->backend, backend_name(device));
    put(info->version, device.get_info<of::version>());
    info->global_bytes = device.get_info<of::global_mem_size>();
    info->max_allocation_bytes = device.get_info<of::max_mem_alloc_size>();
    info->local_bytes = device.get_info<of::local_mem_size>();
    info->compute_units = device.get_info<of::max_compute_units>();
    info->max_group_size = static_cast<uint32_t>(device.get_info<of::max_work_group_size>());
    info->subgroup_size = subgroup_size(device);
    info->is_cpu = device.is_cpu(), info->is_gpu = device.is_gpu();
    info->uses_system_memory = device.has(sycl::aspect::usm_system_allocations);
    info->has_f64 = device.has(sycl::aspect::fp64);
    info->has_atomic_u64 = device.has(sycl::aspect::atomic64);
    return 0;
  });
}

int32_t open_device(uint32_t index, penstock_sycl_device** device, penstock_sycl_error* error) {
  return guarded(error, [&] {
    const sycl::device& found = devices().at(index);
    *device = new penstock_sycl_device{found, sycl::context(found)};
    return 0;
  });
}

int32_t open_device_of_queue(void* queue, penstock_sycl_device** device, uint32_t* index,
                             penstock_sycl_error* error) {
  return guarded(error, [&] {
    const sycl::queue& theirs = *static_cast<const sycl::queue*>(queue);
    for (*index = 0; *index < devices().size(); ++*index)
      if (devices()[*index] == theirs.get_device()) break;
    if (*index == devices().size())
      return fail(error, PENSTOCK_SYCL_INVALID, "the queue's device is not one that SYCL lists");
    *device = new penstock_sycl_device{theirs.get_device(), theirs.get_context()};
    return 0;
  });
}

void close_device(penstock_sycl_device* device) { delete device; }

int32_t allocate(penstock_sycl_device* device, uint64_t bytes, uint32_t on_host, void** memory,
                 penstock_sycl_error* error) {
  return guarded(error, [&] {
    constexpr std::size_t alignment = 128;  // of wide loads, and of a line of any cache
    *memory = on_host
                  ? sycl::aligned_alloc_host(alignment, bytes, device->context)
                  : sycl::aligned_alloc_device(alignment, bytes, device->device, device->context);
    return *memory ? 0 : fail(error, PENSTOCK_SYCL_NO_MEMORY, "no memory of that size");
  });
}

void release(penstock_sycl_device* device, void* memory) {
  penstock_sycl_error ignored;
  guarded(&ignored, [&] {
    sycl::free(memory, device->context);
    return 0;
  });
}

int32_t check_memory(penstock_sycl_device* device, const void* memory, penstock_sycl_error* error) {
  return guarded(error, [&] {
    const bool takes_all = device->device.has(sycl::aspect::usm_system_allocations);
    if (takes_all || sycl::get_pointer_type(memory, device->context) != sycl::usm::alloc::unknown)
      return 0;
    return fail(error, PENSTOCK_SYCL_INVALID,
                "the memory is no USM allocation of the device's context");
  });
}

}  // namespace penstock_sycl
