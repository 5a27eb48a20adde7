#include <algorithm>

#include "device/metal/metal_encoder.hpp"
#include "device/queue_checks.hpp"

namespace penstock::metal {
namespace {

class MetalQueue : public Queue {
 public:
  MetalQueue(std::shared_ptr<Encoder> encoder, bool is_borrowed)
      : encoder_(std::move(encoder)), is_borrowed_(is_borrowed) {}
  ~MetalQueue() override {
    if (is_borrowed_ && !uses_pool_) return;
    (void)encoder_->finish();
  }

  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    PENSTOCK_TRY(device::check_range("upload", to, bytes, to_offset));
    if (bytes == 0) return {};
    @autoreleasepool {
      PENSTOCK_ASSIGN(const Memory target, use(to));
      Memory source = context().shared.find(from, bytes);
      if (source.buffer == nil)
        source.buffer = [context().device newBufferWithBytes:from
                                                      length:bytes
                                                     options:MTLResourceStorageModeShared];
      return copy_bytes(source, target, to_offset, bytes);
    }
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    PENSTOCK_TRY(device::check_range("download", from, bytes, from_offset));
    if (bytes == 0) return {};
    @autoreleasepool {
      PENSTOCK_ASSIGN(Memory source, use(from));
      source.offset += from_offset;
      const Memory shared = context().shared.find(to, bytes);
      if (shared.buffer != nil) return copy_bytes(source, shared, 0, bytes);
      const Memory between{[context().device newBufferWithLength:bytes
                                                         options:MTLResourceStorageModeShared],
                           0};
      const std::uint64_t number = encoder_->commands->next_number();
      PENSTOCK_TRY(copy_bytes(source, between, 0, bytes));
      encoder_->commands->add({number, between.buffer, to, bytes});
      return {};
    }
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    PENSTOCK_TRY(device::check_copy(to, from, bytes));
    if (bytes == 0) return {};
    @autoreleasepool {
      PENSTOCK_ASSIGN(const Memory target, use(to));
      PENSTOCK_ASSIGN(const Memory source, use(from));
      return copy_bytes(source, target, 0, bytes);
    }
  }
  // Metal fills with one byte; other words are copied from memory that the host fills.
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    PENSTOCK_TRY(device::check_fill(to, bytes));
    if (bytes == 0) return {};
    @autoreleasepool {
      PENSTOCK_ASSIGN(const Memory target, use(to));
      if (value == (value & 255u) * 0x01010101u) {
        PENSTOCK_ASSIGN(const id<MTLBlitCommandEncoder> copies, encoder_->copies());
        [copies fillBuffer:target.buffer
                     range:NSMakeRange(target.offset, bytes)
                     value:static_cast<std::uint8_t>(value)];
        encoder_->count_work();
        return {};
      }
      constexpr std::uint64_t max_bytes = std::uint64_t{1} << 20;
      const std::vector<std::uint32_t> words(std::min(bytes, max_bytes) / 4, value);
      const Memory source{[context().device newBufferWithBytes:words.data()
                                                        length:words.size() * 4
                                                       options:MTLResourceStorageModeShared],
                          0};
      for (std::uint64_t at = 0; at < bytes; at += max_bytes)
        PENSTOCK_TRY(copy_bytes(source, target, at, std::min(bytes - at, max_bytes)));
      return {};
    }
  }
  Status launch(const Program& program, std::string_view name, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    const auto* built = dynamic_cast<const MetalProgram*>(&program);
    if (built == nullptr)
      return Status(Code::invalid,
                    "kernel '" + std::string(name) + "' belongs to another driver's device");
    PENSTOCK_ASSIGN(const Kernel* const kernel, built->module().kernel(name));
    if (arguments.size() < kernel->parameters.size())
      return device::check_argument_count(name, kernel->parameters.size(), arguments.size());
    if (groups == 0) return {};
    @autoreleasepool {
      for (std::size_t i = 0; i < arguments.size(); i++)
        if (const Status checked = check_argument(*kernel, i, arguments[i]); !checked.ok())
          return device::with_argument(checked, i, name);
      PENSTOCK_ASSIGN(const id<MTLComputeCommandEncoder> launches, encoder_->launches());
      [launches setComputePipelineState:kernel->state];
      for (std::size_t i = 0; i < arguments.size(); i++)
        PENSTOCK_TRY(set_argument(launches, i, arguments[i]));
      [launches dispatchThreadgroups:MTLSizeMake(groups, 1, 1)
               threadsPerThreadgroup:MTLSizeMake(built->group_size(), 1, 1)];
      encoder_->count_work();
      return {};
    }
  }
  Result<std::shared_ptr<Event>> record() override { return encoder_->record(); }
  Status wait_for(const Event& event) override { return encoder_->wait_for(event); }
  Status flush() override {
    @autoreleasepool {
      encoder_->commit();
    }
    return {};
  }
  Status finish() override { return encoder_->finish(); }

 private:
  Context& context() { return *encoder_->context; }
  Result<Memory> use(const Buffer& buffer) {
    const auto* pooled = dynamic_cast<const device::PooledBuffer*>(&buffer);
    if (pooled == nullptr || pooled->device() != encoder_->context.get())
      return Status(Code::invalid,
                    "the buffer belongs to another device than " + context().traits.id);
    PENSTOCK_TRY(pooled->touch(encoder_));
    uses_pool_ |= !pooled->is_borrowed();
    return memory_of(pooled->handle());
  }
  Status copy_bytes(const Memory& from, const Memory& to, std::uint64_t to_offset,
                    std::uint64_t bytes) {
    if (from.buffer == nil || to.buffer == nil)
      return Status(Code::no_memory, "there is no memory for a copy of " + std::to_string(bytes) +
                                         " bytes on the way to " + context().traits.id);
    PENSTOCK_ASSIGN(const id<MTLBlitCommandEncoder> copies, encoder_->copies());
    [copies copyFromBuffer:from.buffer
              sourceOffset:from.offset
                  toBuffer:to.buffer
         destinationOffset:to.offset + to_offset
                      size:bytes];
    encoder_->count_work();
    return {};
  }
  static Status check_argument(const Kernel& kernel, std::size_t index, const Argument& argument) {
    if (argument.buffer == nullptr && argument.byte_count == 0)
      return Status(Code::invalid, "neither a buffer nor a value");
    if (index >= kernel.parameters.size() || !kernel.parameters[index].is_known) return {};
    const std::uint64_t wanted = kernel.parameters[index].bytes;
    if (argument.buffer == nullptr && argument.byte_count != wanted)
      return Status(Code::invalid, "has " + std::to_string(argument.byte_count) +
                                       " bytes, the kernel's parameter " + std::to_string(wanted));
    return {};
  }
  Status set_argument(id<MTLComputeCommandEncoder> launches, std::size_t index,
                      const Argument& argument) {
    if (argument.buffer == nullptr) {
      [launches setBytes:argument.bytes.data() length:argument.byte_count atIndex:index];
      return {};
    }
    PENSTOCK_ASSIGN(const Memory memory, use(*argument.buffer));
    [launches setBuffer:memory.buffer
                 offset:memory.offset + argument.offset_bytes
                atIndex:index];
    return {};
  }

  std::shared_ptr<Encoder> encoder_;
  bool is_borrowed_;
  bool uses_pool_ = false;  // the pool takes a destroyed queue for a finished one
};

}  // namespace

std::unique_ptr<Queue> make_queue(const ContextPointer& context, id<MTLCommandQueue> queue,
                                  bool is_borrowed) {
  return std::make_unique<MetalQueue>(std::make_shared<Encoder>(context, queue), is_borrowed);
}

}  // namespace penstock::metal
