#include "device/cpu/cpu_host_functions.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace penstock::cpu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

template <class T, class Change> T change(volatile T* p, Change next) {
  T old = *p;
  while (
      !__atomic_compare_exchange_n(p, &old, next(old), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return old;
}
u32 add_u32(volatile u32* p, u32 v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
u32 min_u32(volatile u32* p, u32 v) {
  return change(p, [v](u32 old) { return v < old ? v : old; });
}
u32 max_u32(volatile u32* p, u32 v) {
  return change(p, [v](u32 old) { return v > old ? v : old; });
}
u32 or_u32(volatile u32* p, u32 v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
u32 cas_u32(volatile u32* p, u32 expected, u32 v) {
  __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
void add_u64(volatile u64* p, u64 v) { __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
void max_u64(volatile u64* p, u64 v) {
  change(p, [v](u64 old) { return v > old ? v : old; });
}

// In the order of KcHost in kernel/cpu.prelude.
struct HostFunctions {
  using Real = f64 (*)(f64);
  using Reals = f64 (*)(f64, f64);
  using Single = f32 (*)(f32);
  using Singles = f32 (*)(f32, f32);
  u64 bytes;
  Real exp, log, log10, sin, cos, tan;
  Reals pow, fmod;
  Real sqrt, floor, ceil, round, rint, trunc;
  Single expf, logf, log10f, sinf, cosf, tanf;
  Singles powf, fmodf;
  Single log2f, exp2f;
  Single sqrtf, floorf, ceilf, roundf, rintf, truncf;
  u32 (*add_u32)(volatile u32*, u32);
  u32 (*min_u32)(volatile u32*, u32);
  u32 (*max_u32)(volatile u32*, u32);
  u32 (*or_u32)(volatile u32*, u32);
  u32 (*cas_u32)(volatile u32*, u32, u32);
  void (*add_u64)(volatile u64*, u64);
  void (*max_u64)(volatile u64*, u64);
  void* (*memcpy)(void*, const void*, std::size_t);
  void* (*memmove)(void*, const void*, std::size_t);
  void* (*memset)(void*, int, std::size_t);
};

constexpr HostFunctions functions = {sizeof(HostFunctions),
                                     ::exp,
                                     ::log,
                                     ::log10,
                                     ::sin,
                                     ::cos,
                                     ::tan,
                                     ::pow,
                                     ::fmod,
                                     ::sqrt,
                                     ::floor,
                                     ::ceil,
                                     ::round,
                                     ::rint,
                                     ::trunc,
                                     ::expf,
                                     ::logf,
                                     ::log10f,
                                     ::sinf,
                                     ::cosf,
                                     ::tanf,
                                     ::powf,
                                     ::fmodf,
                                     ::log2f,
                                     ::exp2f,
                                     ::sqrtf,
                                     ::floorf,
                                     ::ceilf,
                                     ::roundf,
                                     ::rintf,
                                     ::truncf,
                                     add_u32,
                                     min_u32,
                                     max_u32,
                                     or_u32,
                                     cas_u32,
                                     add_u64,
                                     max_u64,
                                     std::memcpy,
                                     std::memmove,
                                     std::memset};

}  // namespace

const void* host_functions() { return &functions; }

}  // namespace penstock::cpu
