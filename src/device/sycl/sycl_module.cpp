#include "device/compile_folder.hpp"
#include "device/sycl/sycl_device.hpp"

namespace penstock::sycl_plugin {

Result<const Kernel*> Module::kernel(std::string_view name) {
  const std::lock_guard guard(mutex_);
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second.get();
  const std::string key(name);
  Kernel kernel;
  penstock_sycl_error error;
  const int code =
      context_->api.find_kernel(module_, key.c_str(), &kernel.handle, &kernel.info, &error);
  if (code == PENSTOCK_SYCL_NO_KERNEL)
    return Status(Code::invalid, "the program has no kernel '" + key + "'");
  PENSTOCK_TRY(status_of(code, error, "find_kernel"));
  if (kernel.info.local_bytes > context_->traits.local_bytes)
    return Status(Code::capacity, "kernel '" + key + "' needs " +
                                      std::to_string(kernel.info.local_bytes) +
                                      " bytes of local memory, " + context_->traits.id + " has " +
                                      std::to_string(context_->traits.local_bytes));
  return kernels_.emplace(key, std::make_unique<const Kernel>(kernel)).first->second.get();
}

// The dynamic linker takes files only. Its name has to be a new one each time: a library that has
// the name of an open one is taken for that.
Result<std::shared_ptr<Module>> load_module(const ContextPointer& context,
                                            const std::vector<std::byte>& binary) {
  PENSTOCK_ASSIGN(const device::CompileFolder folder, device::CompileFolder::make());
  PENSTOCK_TRY(folder.write("program.so", binary));
  penstock_sycl_module* module = nullptr;
  PENSTOCK_TRY(
      call("load_module", context->api.load_module, folder.path_of("program.so").c_str(), &module));
  return std::make_shared<Module>(context, module);
}

}  // namespace penstock::sycl_plugin
