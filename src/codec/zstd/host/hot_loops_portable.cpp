#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/zstd/format/zstd_bits.hpp"
#include "codec/zstd/host/hot_loops.hpp"

namespace penstock::zstd {
namespace {
#include "codec/zstd/host/hot_loops.inc"
}  // namespace

const HotLoops& portable_hot_loops() {
  static constexpr HotLoops loops{decode_literals, decode_sequences, execute};
  return loops;
}

}  // namespace penstock::zstd
