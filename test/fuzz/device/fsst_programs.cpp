// FSST's kernels and the scans they need as host C++, compiled once for each size of groups and of
// offsets: GROUP_SIZE, FSST_OFFSET and PROGRAMS, their namespace (linked_programs.hpp). Local
// memory holds few candidates here, so that some go directly to global memory. Rows that are too
// long for tiles are short here.
// clang-format off
#include "kernel/common.prelude"
#include "kernel/plain.prelude"
#include "kernel/host.prelude"
#include "fuzz/device/linked_programs.hpp"
#define MATCH_BLOCKS 2u
#define LOCAL_CANDIDATES 2u
#define MAX_ROW_CODES 200u
#if GROUP_SIZE > 1
#define MATCH_COPY_BITS 5u
#define MATCH_ENTRY_BITS 8u
#endif
#define SCAN_VALUE u32
#define SCAN_SUM u64
#define SCAN_WIDE u64
#define SCAN_BITS(x) (x)
#define SCAN_OF_BITS(x) (x)
#define SCAN_WORDS 3u
#define SCAN_VECTORS 1u
#define SCAN_DEPTH 1u
#define SCAN_WINDOW 1u
#define SCAN_IS_EXCLUSIVE 1
#define SCAN_IS_SEGMENTED 0
// One namespace per program: functions of different ones have the same names. print_kernel_source
// made the sources, with what they include.
namespace kernelc {
namespace PROGRAMS {
#include "kernel/group.kc"
namespace measure {
#include "assembled/codec/fsst/kernels/fsst_measure.kc"
#undef BAD
}
namespace rows {
#include "assembled/codec/fsst/kernels/fsst_decode_rows.kc"
}
namespace tiles {
#include "assembled/codec/fsst/kernels/fsst_decode_tiles.kc"
}
namespace compare {
#include "assembled/codec/fsst/kernels/fsst_compare_offsets.kc"
}
namespace select {
#include "assembled/codec/fsst/kernels/fsst_select.kc"
}
namespace selected {
#include "assembled/codec/fsst/kernels/fsst_selected_tiles.kc"
}
namespace lengths {
#include "assembled/codec/fsst/kernels/fsst_lengths.kc"
}
namespace codes {
#include "assembled/codec/fsst/kernels/fsst_match_codes.kc"
#undef MATCH_ROWS
}
namespace candidates {
#include "assembled/codec/fsst/kernels/fsst_verify_candidates.kc"
}
namespace far_tables {
#include "assembled/codec/fsst/kernels/fsst_match_rows.kc"
#undef MATCH_ROWS
#undef MATCH_LOCAL_STATES
}
namespace near_tables {
#define MATCH_LOCAL_STATES 16u
#include "assembled/codec/fsst/kernels/fsst_match_rows.kc"
}
namespace scan {
#if GROUP_SIZE == 1
#include "assembled/primitive/kernels/scan_chunks.kc"
static const KernelEntry* const kernels[] = {&scan_add_chunks_entry, &scan_start_chunks_entry, &scan_chunks_entry};
#else
#include "assembled/primitive/kernels/scan_tiles.kc"
static const KernelEntry* const kernels[] = {&scan_tiles_entry};
#endif
}
// clang-format on

static const KernelEntry* const kernels[] = {&measure::fsst_measure_entry,
                                             &rows::fsst_decode_rows_entry,
                                             &tiles::fsst_decode_tiles_entry,
                                             &select::fsst_count_rows_entry,
                                             &select::fsst_write_rows_entry,
                                             &selected::fsst_selected_tiles_entry,
                                             &lengths::fsst_lengths_entry,
                                             &codes::fsst_match_codes_entry,
                                             &candidates::fsst_find_candidates_entry,
                                             &candidates::fsst_verify_candidates_entry,
                                             &candidates::fsst_verify_deferred_entry,
                                             &far_tables::fsst_match_rows_entry,
                                             &compare::fsst_compare_offsets_entry};

const KernelEntry* find(std::string_view kernel, bool has_near_tables) {
  if (has_near_tables)
    return kernel == "fsst_match_rows" ? &near_tables::fsst_match_rows_entry : nullptr;
  for (const KernelEntry* entry : kernels)
    if (kernel == entry->name) return entry;
  for (const KernelEntry* entry : scan::kernels)
    if (kernel == entry->name) return entry;
  return nullptr;
}

}  // namespace PROGRAMS
}  // namespace kernelc
