// Prints a tile program as Kernel C: the one emitter of pipelines, for every target.
//
// The generated part holds what depends on the query (how a row is loaded, evaluated, accumulated,
// stored) as a few small functions; a skeleton of src/plan/kernels/ holds the algorithm around
// them. The emitter replaces these words in skeletons:
//
//     $PARAMETERS      IN(f32, c0), IN(u8, c0_valid), VALUE(f32, p0)
//                      the source's columns and the query's scalars
//     $COLUMNS         c0, c0_valid: the columns, passed on
//     $VALUES          p0: the scalars and lookups' tables, passed on
//     $OUTPUTS         OUT(f32, o0), OUT(u8, o0_valid), OUT(u32, o_rows)
//     $SEGMENTS        OUT(f32, s0), ...: outputs of a first pass, one segment per tile
//     $SEGMENTS_IN     IN(f32, s0), ...
//     $OUTPUT_NAMES    o0, o0_valid, o_rows
//     $SEGMENT_NAMES   s0, ...
//     $MOVE_ROW        o0[to + i] = s0[from + i]; ...
// Where a comma follows a word that stands for nothing, it goes too.
#pragma once
#include <string>
#include <vector>

#include "penstock/device.hpp"
#include "plan/kernel_parameters.hpp"

namespace penstock::plan {

// Numbers of a kernel: data, chosen per device by a variant.
struct Policy {
  std::uint32_t group_size = 256;
  std::uint32_t vectors = 4;  // groups of four rows that a work item loads before it uses the first
  std::uint32_t tile_rows =
      4096;  // rows a tile; with groups of more than one item: group_size * vectors * 4
  std::uint32_t groups = 0;  // launched at most; 0: one a tile
  std::uint32_t slots = 64;  // group: keys a work group can hold
  bool in_global =
      false;  // group with a dense table: in global memory, `slots` in local memory stand before it
  std::uint32_t partitions =
      0;  // group in partitions of slots, `slots` at a time in local memory: at most
  std::uint32_t counters =
      0;  // group in partitions: words in local memory that count a tile's rows
  std::uint32_t counted_rows =
      1;  // group in partitions: rows that a work item loads before it counts the first
  std::uint32_t copies =
      1;  // group in local memory: of each accumulator, for items that meet the same key
  std::uint32_t depth = 3;  // look-back: tiles between reading and writing
  std::uint32_t window =
      1;  // look-back: counts of other groups that a lane adds up: (groups - 1) / 32, rounded up
  std::uint32_t groups_per_unit =
      1;  // CUDA: groups that registers must leave room for on a multiprocessor
};

struct PipelineText {
  std::string text;               // complete, for one target
  std::vector<NodeId> faults;     // the node that fault number i names
  std::vector<Code> fault_codes;  // and what went wrong there
};

Result<PipelineText> emit_pipeline(const TileProgram& program, const std::string& skeleton,
                                   const Policy& policy, Target target);

}  // namespace penstock::plan
