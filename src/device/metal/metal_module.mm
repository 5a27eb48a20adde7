#include "device/metal/metal_device.hpp"

namespace penstock::metal {
namespace {

NSString* string_of(std::string_view text) {
  return [[NSString alloc] initWithBytes:text.data()
                                  length:text.size()
                                encoding:NSUTF8StringEncoding];
}

// Buffers and values alike are arguments of the buffer kind, numbered as the text says.
std::vector<Parameter> parameters_of(MTLComputePipelineReflection* reflection) {
  std::vector<Parameter> parameters;
  for (MTLArgument* argument in reflection.arguments) {
    if (argument.type != MTLArgumentTypeBuffer) continue;
    if (argument.index >= parameters.size()) parameters.resize(argument.index + 1);
    parameters[argument.index] = {argument.active != NO, argument.bufferDataSize};
  }
  return parameters;
}

}  // namespace

std::string text_of(NSString* text) {
  const char* bytes = text.UTF8String;
  return bytes == nullptr ? "" : bytes;
}
std::string text_of(NSError* error) {
  const std::string text = error == nil ? "" : text_of(error.localizedDescription);
  return text.empty() ? "no reason was given" : text;
}

Result<const Kernel*> Module::kernel(std::string_view name) {
  const std::lock_guard guard(mutex_);
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second.get();
  const std::string key(name);
  @autoreleasepool {
    PENSTOCK_ASSIGN(std::unique_ptr<Kernel> kernel, make_kernel(key));
    return kernels_.emplace(key, std::move(kernel)).first->second.get();
  }
}

Result<std::unique_ptr<Kernel>> Module::make_kernel(const std::string& name) const {
  const id<MTLFunction> function = [library_ newFunctionWithName:string_of(name)];
  if (function == nil) return Status(Code::invalid, "the program has no kernel '" + name + "'");
  MTLComputePipelineDescriptor* const descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = function;
  descriptor.label = function.name;
  descriptor.maxTotalThreadsPerThreadgroup = group_size_;
  MTLComputePipelineReflection* reflection = nil;
  NSError* error = nil;
  auto kernel = std::make_unique<Kernel>();
  kernel->state = [context_->device
      newComputePipelineStateWithDescriptor:descriptor
                                    options:MTLPipelineOptionArgumentInfo |
                                            MTLPipelineOptionBufferTypeInfo
                                 reflection:&reflection
                                      error:&error];
  if (kernel->state == nil)
    return Status(Code::compile, "kernel '" + name + "' does not become a pipeline of " +
                                     context_->traits.id + ": " + text_of(error));
  if (kernel->state.maxTotalThreadsPerThreadgroup < group_size_)
    return Status(Code::capacity,
                  "kernel '" + name + "' runs in groups of at most " +
                      std::to_string(kernel->state.maxTotalThreadsPerThreadgroup) +
                      " threads on " + context_->traits.id + ", not " +
                      std::to_string(group_size_));
  if (kernel->state.threadExecutionWidth != context_->traits.subgroup_size)
    return Status(Code::unsupported,
                  "kernel '" + name + "' runs in SIMD-groups of " +
                      std::to_string(kernel->state.threadExecutionWidth) + " threads on " +
                      context_->traits.id + ", not " +
                      std::to_string(context_->traits.subgroup_size));
  kernel->parameters = parameters_of(reflection);
  return kernel;
}

}  // namespace penstock::metal
