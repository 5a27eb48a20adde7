// Prints a tile program as Kernel C: the one emitter of pipelines, for every target.
//
// The generated part holds what depends on the query (how a row is loaded, evaluated, accumulated, stored) as a few small
// functions; a skeleton of src/plan/kernels/ holds the algorithm around them. The emitter replaces these words in skeletons:
//
//     $PARAMETERS     IN(f32, c0), IN(u8, c0_valid), VALUE(f32, p0)   the source's columns and the query's scalars
//     $ARGUMENTS      c0, c0_valid, p0                                the same, passed on
//     $VALUES         p0, -- the scalars alone, each followed by a comma
//     $OUTPUTS        OUT(f32, o0), OUT(u8, o0_valid), OUT(u32, rows)
//     $SEGMENTS       OUT(f32, s0), ...                               outputs of a first pass, one segment a tile
//     $OUTPUT_NAMES / $SEGMENT_NAMES                                  o0, o0_valid, rows / s0, ...
#pragma once
#include <string>
#include <vector>

#include "penstock/device.hpp"
#include "plan/tile_program.hpp"

namespace penstock::plan {

// Numbers of a kernel: data, chosen per device by a variant.
struct Policy {
  std::uint32_t group_size = 256;
  std::uint32_t vectors = 4;        // groups of four rows that a work item loads before it uses the first
  std::uint32_t tile_rows = 4096;   // rows a tile; with groups of more than one item: group_size * vectors * 4
  std::uint32_t groups = 0;         // launched at most; 0: one a tile
  std::uint32_t slots = 64;         // group: keys a work group can hold
  std::uint32_t depth = 3;          // look-back: tiles between reading and writing
  std::uint32_t window = 1;         // look-back: counts of other groups that a lane adds up: (groups - 1) / 32, rounded up
  std::uint32_t groups_per_unit = 1;   // CUDA: groups that registers must leave room for on a multiprocessor
};

struct PipelineText {
  std::string text;                 // complete, for one target
  std::vector<NodeId> faults;       // the node that fault number i names
  std::vector<Code> fault_codes;    // and what went wrong there
};

Result<PipelineText> emit_pipeline(const TileProgram& program, const std::string& skeleton, const Policy& policy, Target target);

// How many buffers each column and output takes in the parameter list, in order.
struct ColumnParameter { std::uint32_t column = 0; bool has_validity = false; };
std::vector<ColumnParameter> column_parameters(const TileProgram& program);
struct OutputParameter { int output = -1; bool has_validity = false; std::uint32_t width_bytes = 0; };   // -1: row numbers
std::vector<OutputParameter> output_parameters(const TileProgram& program);
// Widths of a row that is read, at least 1, and of one that is kept, validity left out: what policies reckon with.
std::uint64_t input_bytes_per_row(const TileProgram& program);
std::uint64_t output_bytes_per_row(const TileProgram& program);
// Bytes of so many rows' columns, and of their outputs, each once.
std::uint64_t bytes_read(const TileProgram& program, std::uint64_t row_count);
std::uint64_t bytes_written(const TileProgram& program, std::uint64_t row_count);
bool is_used_parameter(const TileProgram& program, std::uint32_t parameter);   // NULL literals take no argument
// Whether the scalars are one buffer of 64-bit words, because as arguments of their own they would be too many.
bool packs_scalars(const TileProgram& program);
// Whether the program's kernels have no more parameters than a kernel may.
bool fits_parameters(const TileProgram& program);
// fuse() with the step's columns split until every program fits: they read the same rows, and each adds columns to the result.
Result<std::vector<TileProgram>> fuse_slices(const Plan& plan, StepId base, StepId last);

}  // namespace penstock::plan
