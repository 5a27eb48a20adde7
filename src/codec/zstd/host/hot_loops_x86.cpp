#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/zstd/format/zstd_bits.hpp"
#include "codec/zstd/host/hot_loops.hpp"
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

namespace penstock::zstd {
namespace {

// For each period below 16: which of its bytes are at 16 positions, and the most whole periods that
// fit there.
struct Repetitions {
  alignas(16) Byte places[16][16]{};
  Byte steps[16]{};
  constexpr Repetitions() {
    for (unsigned period = 1; period < 16; period++) {
      for (unsigned at = 0; at < 16; at++) places[period][at] = static_cast<Byte>(at % period);
      steps[period] = static_cast<Byte>(16 - 16 % period);
    }
  }
};
constexpr Repetitions repetitions;

// Orders that turn the lanes {new offset, first, second, third repeat offset} into the lanes of the
// next sequence, with its offset in lane 0 too: for a new offset, for each of the repeat offsets,
// and for the first minus one, which is new.
struct OffsetOrders {
  alignas(16) Byte bytes[5][16]{};
  constexpr OffsetOrders() {
    constexpr Byte lanes[5][4] = {
        {0, 0, 1, 2}, {1, 1, 2, 3}, {2, 2, 1, 3}, {3, 3, 1, 2}, {0, 0, 1, 2}};
    for (unsigned order = 0; order < 5; order++)
      for (unsigned byte = 0; byte < 16; byte++)
        bytes[order][byte] = static_cast<Byte>(4 * lanes[order][byte / 4] + byte % 4);
  }
};
constexpr OffsetOrders offset_orders;

// The headers above keep the whole program's instructions: their inline functions may be shared
// with other files.
#define PENSTOCK_ZSTD_X86
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("bmi,bmi2,lzcnt,ssse3"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("bmi,bmi2,lzcnt,ssse3")
#endif
#include "codec/zstd/host/hot_loops.inc"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

constexpr HotLoops x86_loops{decode_literals, decode_sequences, execute};

}  // namespace

const HotLoops& hot_loops() {
  static const bool has_all =
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("ssse3") &&
      __builtin_cpu_supports("avx2");  // lzcnt has no word of its own there; who has AVX2 has it
  return has_all ? x86_loops : portable_hot_loops();
}

}  // namespace penstock::zstd
#else
namespace penstock::zstd {
const HotLoops& hot_loops() { return portable_hot_loops(); }
}  // namespace penstock::zstd
#endif
