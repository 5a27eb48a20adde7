// The emitter of pipelines: prints a tile program as Kernel C, for every target.
//
// The generated part holds what depends on the query, as a few small functions: how a row is
// loaded, evaluated, accumulated and stored. A kernel template of src/fuse/kernels/ holds
// the algorithm around them. The emitter replaces these placeholders in templates:
//
//     $PARAMETERS      IN(f32, c0), IN(u8, c0_valid), VALUE(f32, p0)
//                      the source's columns and the query's scalars
//     $COLUMNS         c0, c0_valid: the columns, passed on
//     $VALUES          p0: the scalars and lookups' tables, passed on
//     $COLUMN_PARAMETERS, $VALUE_PARAMETERS
//                      GLOBAL const f32* c0, ...; f32 p0, ...: the same as parameters of FUNCTIONs
//     $OUTPUTS         OUT(f32, o0), OUT(u8, o0_valid), OUT(u32, o_rows)
//     $SEGMENTS        OUT(f32, s0), ...: outputs of a first pass, one segment per tile
//     $SEGMENTS_IN     IN(f32, s0), ...
//     $OUTPUT_NAMES    o0, o0_valid, o_rows
//     $SEGMENT_NAMES   s0, ...
//     $MOVE_ROW        o0[to + i] = s0[from + i]; ...
//     $LIMBS           ATOMIC_U32: the type of a tile's limbs, and what aligns them
//     (emit_limbs.cpp) $LIMBS_AT        PARTS: their offset in a position of group_global.kc
//     $COPY_GAP        1u: what keeps copies of them in different banks
// A comma after a placeholder that stands for nothing goes, too.
#pragma once
#include <string>
#include <vector>

#include "fuse/program/kernel_parameters.hpp"
#include "fuse/variants/policy.hpp"
#include "penstock/device.hpp"

namespace penstock::plan {

struct PipelineSource {
  std::string text;                  // the complete source, for one target
  std::vector<NodeId> faults;        // the node that fault number i names
  std::vector<Code> fault_codes;     // and the error of that fault
  std::vector<LinkedSource> linked;  // for ProgramSource
};

// Returns the functions that load rows out of pages, for kernels whose threads have so many
// registers. Kernels that read row by row are linked to them.
LinkedSource linked_page_loads(Target target, std::uint32_t registers);

Result<PipelineSource> emit_pipeline(const TileProgram& program, const std::string& template_name,
                                     const Policy& policy, Target target);

}  // namespace penstock::plan
