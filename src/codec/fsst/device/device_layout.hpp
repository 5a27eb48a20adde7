// What the host side of device decoding shares: sizes that kernels know too, and which devices a
// variant is for.
#pragma once
#include <span>
#include <vector>

#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

constexpr std::uint32_t table_word_count = 768,
                        codes_per_thread = 16;  // fsst_tables.kc, fsst_tile.kc

// Of groups of warps, two a multiprocessor: 28 warps have 72 registers an item, with 32 the
// decoding spills.
constexpr std::uint32_t span_warps = 14, span_groups_per_unit = 2, max_span_rounds = 8;

// Where a row group's codes lie.
struct CodeRange {
  std::uint64_t begin, end;
};
// Uploads what kernels share out among groups, of a column whose sizes `there` has already; waits.
Status upload_partition(Device& device, Queue& queue, std::span<const RowGroup> row_groups,
                        const std::vector<CodeRange>& ranges, DeviceStrings& there);

struct PlainStrings;  // encoder.hpp
// Whether there is memory for all that kernels read; Code::unsupported where there are no rows.
Status check_plain_strings(const PlainStrings& texts);

// Of groups that decode tiles of codes (fsst_tile.kc).
std::uint32_t tile_threads(const Traits& traits);
// Of groups whose items have a row each, a power of two.
std::uint32_t row_threads(const Traits& traits);
// Whether local memory has room for a tile of codes, its text and `row_bytes` an item.
bool fits_tiles(const Traits& traits, std::uint32_t row_bytes);
// Whether fsst_decode_spans runs: shared memory is addressed as sm_90 lays it out.
bool has_warps(const Traits& traits);

}  // namespace penstock::fsst
