#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define LEAVE_STACK(save, bottom, bytes) __sanitizer_start_switch_fiber(save, bottom, bytes)
#define ENTER_STACK(saved, bottom, bytes) __sanitizer_finish_switch_fiber(saved, bottom, bytes)
#define FORGET_STACK(bottom, bytes) ASAN_UNPOISON_MEMORY_REGION(bottom, bytes)
#else
#define LEAVE_STACK(save, bottom, bytes)
#define ENTER_STACK(saved, bottom, bytes)
#define FORGET_STACK(bottom, bytes)
#endif

// kernelc_switch(save, to): pushes the registers that a call must keep, stores the stack pointer in
// *save, and continues where `to` was stored. swapcontext() would do, but AddressSanitizer then
// forgets what it knows of the stack entered.
extern "C" void kernelc_switch(void** save, void* to);
#if defined(__x86_64__)
constexpr std::size_t return_word = 6,
                      frame_words =
                          8;  // r15 r14 r13 r12 rbx rbp, the return address, a word that aligns
asm(R"(
.text
.globl kernelc_switch
.type kernelc_switch, @function
kernelc_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size kernelc_switch, .-kernelc_switch
)");
#elif defined(__aarch64__)
constexpr std::size_t return_word = 11, frame_words = 20;  // x19 to x30, d8 to d15
asm(R"(
.text
.globl kernelc_switch
.type kernelc_switch, %function
kernelc_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size kernelc_switch, .-kernelc_switch
)");
#else
#error "the host executor switches stacks on x86-64 and aarch64 only"
#endif

namespace kernelc {
namespace {

Fiber* current = nullptr;
void* outside = nullptr;  // where resume() stands
[[maybe_unused]] const void* outside_bottom = nullptr;
[[maybe_unused]] std::size_t outside_bytes = 0;
constexpr std::size_t guard_bytes = 4096;

}  // namespace

Fiber::Fiber() {
  void* memory = mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, guard_bytes, PROT_NONE) != 0) throw std::bad_alloc();
  stack_ = static_cast<char*>(memory) + guard_bytes;
}

Fiber::~Fiber() {
  FORGET_STACK(stack_, stack_bytes);
  munmap(stack_ - guard_bytes, guard_bytes + stack_bytes);
}

void Fiber::start(Function function, void* argument) {
  FORGET_STACK(stack_, stack_bytes);
  function_ = function;
  argument_ = argument;
  done_ = false;
  fake_stack_ = nullptr;
  void** frame = reinterpret_cast<void**>(stack_ + stack_bytes) - frame_words;
  for (std::size_t i = 0; i < frame_words; i++) frame[i] = nullptr;
  frame[return_word] = reinterpret_cast<void*>(&Fiber::enter);
  place_ = frame;
}

void Fiber::enter() {
  Fiber* self = current;
  ENTER_STACK(nullptr, &outside_bottom, &outside_bytes);
  self->function_(self->argument_);
  self->done_ = true;
  LEAVE_STACK(nullptr, outside_bottom, outside_bytes);
  void* nowhere = nullptr;
  kernelc_switch(&nowhere, outside);
}

void Fiber::resume() {
  current = this;
  [[maybe_unused]] void* fake_stack = nullptr;
  LEAVE_STACK(&fake_stack, stack_, stack_bytes);
  kernelc_switch(&outside, place_);
  ENTER_STACK(fake_stack, nullptr, nullptr);
}

void Fiber::yield() {
  Fiber* self = current;
  LEAVE_STACK(&self->fake_stack_, outside_bottom, outside_bytes);
  kernelc_switch(&self->place_, outside);
  ENTER_STACK(self->fake_stack_, &outside_bottom, &outside_bytes);
}

}  // namespace kernelc
