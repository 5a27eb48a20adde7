#include "device/cuda/cuda_device.hpp"

namespace penstock::cuda {

Module::~Module() {
  const Current current(*context_);
  context_->api.cuModuleUnload(module_);
}

Result<std::uint32_t> Module::local_bytes(const std::string& kernel) const {
  if (!has_local_bytes_) return 0u;
  const std::string name = kernel + "_local_bytes";
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const CUresult outcome = context_->api.cuModuleGetGlobal(&address, &bytes, module_, name.c_str());
  if (outcome == CUDA_ERROR_NOT_FOUND) return 0u;
  PENSTOCK_TRY(context_->check(outcome, "cuModuleGetGlobal").with(name));
  std::uint32_t value = 0;
  if (bytes != sizeof value) return Status(Code::invalid, name + " must be a 32-bit number");
  PENSTOCK_TRY(
      context_->check(context_->api.cuMemcpyDtoH(&value, address, sizeof value), "cuMemcpyDtoH")
          .with(name));
  return value;
}

Result<Kernel> Module::find(const std::string& name, std::uint32_t group_size) const {
  const Api& api = context_->api;
  Kernel kernel;
  const CUresult outcome = api.cuModuleGetFunction(&kernel.function, module_, name.c_str());
  if (outcome == CUDA_ERROR_NOT_FOUND)
    return Status(Code::invalid, "the program has no kernel '" + name + "'");
  PENSTOCK_TRY(context_->check(outcome, "cuModuleGetFunction").with(name));
  kernel.threads = group_size;
  PENSTOCK_ASSIGN(kernel.local_bytes, local_bytes(name));
  if (kernel.local_bytes > context_->traits.local_bytes)
    return Status(Code::capacity, "kernel '" + name + "' needs " +
                                      std::to_string(kernel.local_bytes) +
                                      " bytes of local memory, " + context_->traits.id + " has " +
                                      std::to_string(context_->traits.local_bytes));
  if (kernel.local_bytes > 0) {
    const CUresult set =
        api.cuFuncSetAttribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(kernel.local_bytes));
    PENSTOCK_TRY(context_->check(set, "cuFuncSetAttribute").with(name));
  }
  int thread_limit = 0;
  const CUresult got = api.cuFuncGetAttribute(
      &thread_limit, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel.function);
  PENSTOCK_TRY(context_->check(got, "cuFuncGetAttribute").with(name));
  if (kernel.threads == 0 || kernel.threads > static_cast<std::uint32_t>(thread_limit))
    return Status(Code::capacity, "kernel '" + name +
                                      "' with its registers runs groups of at most " +
                                      std::to_string(thread_limit) + " threads, not " +
                                      std::to_string(kernel.threads));
  std::size_t offset = 0, bytes = 0;
  while (api.cuFuncGetParamInfo &&
         api.cuFuncGetParamInfo(kernel.function, kernel.argument_bytes.size(), &offset, &bytes) ==
             CUDA_SUCCESS)
    kernel.argument_bytes.push_back(static_cast<std::uint32_t>(bytes));
  kernel.sizes_known = api.cuFuncGetParamInfo != nullptr;
  return kernel;
}

Result<const Kernel*> Module::kernel(std::string_view name, std::uint32_t group_size) {
  const std::lock_guard guard(mutex_);
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second.get();
  const Current current(*context_);
  const std::string key(name);
  PENSTOCK_ASSIGN(Kernel kernel, find(key, group_size));
  return kernels_.emplace(key, std::make_unique<const Kernel>(std::move(kernel)))
      .first->second.get();
}

}  // namespace penstock::cuda
