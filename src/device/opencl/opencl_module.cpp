#include <algorithm>

#include "device/opencl/opencl_device.hpp"

namespace penstock::opencl {

Module::Module(ContextPointer context, cl_program program, device::CacheKey key, BuildInput input,
               const device::CacheEntry& entry)
    : context_(std::move(context)),
      program_(program),
      key_(std::move(key)),
      input_(std::move(input)),
      log_(entry.log) {
  for (std::size_t at = 0; at < entry.notes.size();) {  // one specialisation a line
    const std::size_t end = std::min(entry.notes.find('\n', at), entry.notes.size());
    specialisations_.insert(entry.notes.substr(at, end - at));
    at = end + 1;
  }
}

Module::~Module() {
  for (const auto& [name, kernel] : kernels_) context_->api.clReleaseKernel(kernel->handle);
  context_->api.clReleaseProgram(program_);
}

Result<Kernel*> Module::kernel(std::string_view name) {
  const std::lock_guard guard(mutex_);
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second.get();
  const std::string key(name);
  cl_int outcome = CL_SUCCESS;
  auto kernel = std::make_unique<Kernel>();
  kernel->handle = context_->api.clCreateKernel(program_, key.c_str(), &outcome);
  if (outcome == CL_INVALID_KERNEL_NAME)
    return Status(Code::invalid, "the program has no kernel '" + key + "'");
  PENSTOCK_TRY(status_of(outcome, "clCreateKernel"));
  PENSTOCK_TRY(status_of(context_->api.clGetKernelInfo(kernel->handle, CL_KERNEL_NUM_ARGS,
                                                       sizeof kernel->argument_count,
                                                       &kernel->argument_count, nullptr),
                         "clGetKernelInfo"));
  if (context_->aborts_where_grids_grow)
    kernel->growth = GridGrowth::of_kernel(context_->api, key_.digest.hex() + key);
  return kernels_.emplace(key, std::move(kernel)).first->second.get();
}

bool Module::notes_launch(std::string_view kernel, std::uint64_t thread_count) {
  if (!context_->specialises_at_launch) return false;
  constexpr std::uint64_t large_grid = 65535;  // PoCL's grid_width_specialization_limit
  std::string specialisation =
      std::string(kernel) + (thread_count < large_grid ? " small" : " large");
  const std::lock_guard guard(mutex_);
  return specialisations_.insert(std::move(specialisation)).second;
}

void Module::save() {
  const device::DiskCache disk = device::DiskCache::from_environment();
  if (!disk.writable()) return;
  device::CacheEntry entry{{}, log_, ""};
  {
    const std::lock_guard guard(mutex_);
    for (const std::string& line : specialisations_) entry.notes += line + "\n";
  }
  const BuildOutcome fresh = build_source(*context_, input_);
  auto content = fresh.code == CL_SUCCESS ? binary_of(*context_, fresh.program)
                                          : status_of(fresh.code, "clBuildProgram");
  if (fresh.program) context_->api.clReleaseProgram(fresh.program);
  if (!content.ok()) return;  // the entry of the first build stays
  entry.binary = std::move(content).value();
  disk.store(key_, entry);
}

BuildOutcome build_source(const Context& context, const BuildInput& input) {
  const char* data = input.text.data();
  const std::size_t bytes = input.text.size();
  BuildOutcome outcome;
  outcome.program =
      context.api.clCreateProgramWithSource(context.context, 1, &data, &bytes, &outcome.code);
  if (outcome.code != CL_SUCCESS) return outcome;
  outcome.code = context.api.clBuildProgram(outcome.program, 1, &context.device,
                                            input.options.c_str(), nullptr, nullptr);
  const auto log = [&](std::size_t size, void* to, std::size_t* wanted) {
    return context.api.clGetProgramBuildInfo(outcome.program, context.device, CL_PROGRAM_BUILD_LOG,
                                             size, to, wanted);
  };
  std::size_t log_bytes = 0;
  if (log(0, nullptr, &log_bytes) != CL_SUCCESS) return outcome;
  outcome.log.resize(log_bytes);
  (void)log(log_bytes, outcome.log.data(), nullptr);
  while (!outcome.log.empty() && (outcome.log.back() == '\0' || outcome.log.back() == '\n'))
    outcome.log.pop_back();
  return outcome;
}

Result<std::vector<std::byte>> binary_of(const Context& context, cl_program program) {
  const Api& api = context.api;
  std::size_t bytes = 0;
  PENSTOCK_TRY(status_of(
      api.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr),
      "clGetProgramInfo(CL_PROGRAM_BINARY_SIZES)"));
  std::vector<std::byte> binary(bytes);
  auto* data = reinterpret_cast<unsigned char*>(binary.data());
  PENSTOCK_TRY(
      status_of(api.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr),
                "clGetProgramInfo(CL_PROGRAM_BINARIES)"));
  return binary;
}

}  // namespace penstock::opencl
