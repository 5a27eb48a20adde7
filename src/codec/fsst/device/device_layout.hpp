// Constants that host code and kernels of device decoding share, and the devices that a variant
// supports.
#pragma once
#include <span>
#include <vector>

#include "codec/fsst/kernels/fsst_limits.h"
#include "kernel/variant_table.hpp"
#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

constexpr std::uint32_t table_word_count = FSST_TABLE_WORDS,
                        codes_per_thread = FSST_CODES_PER_THREAD;

// The layout for decoding by spans (fsst_warps.kc): the warps of a thread block, blocks per
// multiprocessor, and copies of a row group's table in shared memory.
struct SpanPolicy {
  std::uint32_t warps = 14, groups_per_multiprocessor = 2;
  std::uint32_t length_copies = 32, symbol_copies = 16;
  // Returns the shared memory of a thread block.
  std::uint64_t local_bytes() const {
    return FSST_SPAN_HEAD_BYTES + std::uint64_t{1024} * length_copies +
           std::uint64_t{2048} * symbol_copies +
           std::uint64_t{warps} * (FSST_STAGE_BYTES + FSST_STEP_CODES);
  }
};
SpanPolicy span_policy(const Traits& traits);
constexpr std::uint32_t max_span_rounds = 8;

// The code bytes of a row group.
struct CodeRange {
  std::uint64_t begin, end;
};
// Uploads how codes are divided among thread groups. The sizes of `uploaded` are already set.
// Waits.
Status upload_partition(Device& device, Queue& queue, std::span<const RowGroup> row_groups,
                        const std::vector<CodeRange>& ranges, DeviceStrings& uploaded);

struct PlainStrings;  // encoder.hpp
// Checks that there is memory for all that kernels read. Code::unsupported without rows.
Status check_plain_strings(const PlainStrings& strings);

// Returns the group size of kernels that decode tiles of codes (fsst_tile.kc).
std::uint32_t tile_threads(const Traits& traits);
// Returns the group size of kernels that give each thread rows, a power of two.
std::uint32_t row_threads(const Traits& traits);
// Returns whether local memory fits a tile of codes, its output and `row_bytes` per thread.
kernel::Fit fits_tiles(const Traits& traits, std::uint32_t row_bytes);
// Returns whether fsst_decode_spans runs: it is PTX for sm_90 in part.
kernel::Fit has_warps(const Traits& traits);
inline kernel::Fit any_device(const Traits&) { return {}; }

}  // namespace penstock::fsst
