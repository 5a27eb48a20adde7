// Emits how kept rows are moved to memory: stored at once, staged in local memory, or collected in
// a CPU's block.
#include "fuse/codegen/emit_pipeline_parts.hpp"

namespace penstock::plan {
namespace {

// A buffer that kept rows are written to, and the field of PipelineResult that it gets.
struct Written {
  std::string type, name, field, value;
};

std::vector<Written> written(const TileProgram& program, const std::string& result) {
  std::vector<Written> list;
  for (const ColumnBuffer& buffer : output_buffers(program)) {
    const bool is_rows = buffer.role == BufferRole::row_numbers;
    const std::string type = buffer.element_type(), field = is_rows ? "row" : buffer.name('o');
    list.push_back({type, buffer.name('o'), field,
                    is_rows ? result + field : "(" + type + ")" + result + field});
  }
  return list;
}

template <class Print> std::string each(const std::vector<Written>& list, Print print) {
  std::string text;
  for (const Written& buffer : list) text += print(buffer);
  return text;
}

std::string parameters_of(const std::vector<Written>& list) {
  return each(list, [](const Written& w) { return "GLOBAL " + w.type + "* " + w.name + ", "; });
}

std::string stage_row_function(const std::vector<Written>& list) {
  return function_source(
      "void pipeline_stage_row(LOCAL PipelineStage* stage, u32 at, const PRIVATE PipelineResult* "
      "result)",
      each(list,
           [](const Written& w) { return "  stage->" + w.name + "[at] = " + w.value + ";\n"; }));
}

// Returns the staging functions of PTX: predicated stores to shared addresses.
std::string stage_functions_by_address(const std::vector<Written>& list) {
  const std::string addresses = each(list, [](const Written& w) { return " u32 " + w.name + ";"; });
  const std::string point = each(list, [](const Written& w) {
    return "  to->" + w.name + " = SHARED_ADDRESS(stage->" + w.name + " + at);\n";
  });
  const std::string stage = each(list, [](const Written& w) {
    return "  to->" + w.name + " = STAGE_IF(" + w.type + ", to->" + w.name + ", " + w.value +
           ", keep);\n";
  });
  return "typedef struct {" + addresses + " } PipelineStageAt;   // shared addresses\n\n" +
         template_source("stage") +
         function_source(
             "void pipeline_stage_at(LOCAL PipelineStage* stage, u32 at, PRIVATE PipelineStageAt* "
             "to)",
             point) +
         function_source(
             "void pipeline_stage(PRIVATE PipelineStageAt* to, const PRIVATE PipelineResult* "
             "result, u32 keep)",
             stage);
}

std::string write_staged_function(const std::vector<Written>& list) {
  const std::string start =
      each(list, [](const Written& w) { return "  " + w.name + " += to;\n"; });
  const std::string write = each(list, [](const Written& w) {
    return " STORE_STREAM(" + w.type + ", " + w.name + " + i, stage->" + w.name +
           "[from + (u32)i]);";
  });
  return function_source(
      "void pipeline_write_staged(" + parameters_of(list) +
          "LOCAL const PipelineStage* stage, u32 from, u64 to, u32 count, u32 id, i32 step)",
      "  i32 i = (i32)id - (i32)(to & 31u);      // 32 threads' stores begin at a "
      "multiple of 32 rows\n"
      "  if (i < 0) i += step;\n" +
          start + "  for (; i < (i32)count; i += step) {" + write + " }\n");
}

}  // namespace

// Returns the function that writes one result.
std::string store_function(const TileProgram& program) {
  const std::vector<Written> list = written(program, "result->");
  return function_source("void pipeline_store(" + parameters_of(list) +
                             "u64 at, const PRIVATE PipelineResult* result)",
                         each(list, [](const Written& w) {
                           return "  STORE_STREAM(" + w.type + ", " + w.name + " + at, " + w.value +
                                  ");\n";
                         }));
}

// Returns the function that writes the results of four rows from a multiple of four on, each output
// by one wide store.
std::string store_4_function(const TileProgram& program) {
  const std::vector<Written> list = written(program, "results[k].");
  const std::string body = each(list, [](const Written& w) {
    const std::string four = w.name + "_four", value = w.field == "row" ? "(u32)row + k" : w.value;
    return "  " + w.type + " " + four + "[4];\n  UNROLL for (u32 k = 0; k < 4u; k++) " + four +
           "[k] = " + value + ";\n" + "  STORE_4(" + w.type + ", " + w.name + " + row, " + four +
           ");\n";
  });
  return function_source("void pipeline_store_4(" + parameters_of(list) +
                             "u64 row, const PRIVATE PipelineResult* results)",
                         body);
}

// Returns a staging area of kept rows in local memory, and the function that writes from it,
// coalesced. Some devices of OpenCL and SYCL have shared addresses.
std::string staging_functions(const TileProgram& program, Target target) {
  const std::vector<Written> list = written(program, "result->");
  const std::string fields = each(list, [](const Written& w) {
    return "  " + w.type + " " + w.name + "[PIPELINE_STAGE_ROWS];\n";
  });
  std::string stage = stage_row_function(list);
  if (target == Target::cuda || target == Target::opencl || target == Target::sycl)
    stage = "#if HAS_SHARED_ADDRESSES\n" + stage_functions_by_address(list) + "#else\n" + stage +
            "#endif\n";
  return "typedef struct {\n" + fields + "} PipelineStage;\n\n" + stage +
         write_staged_function(list);
}

// Returns the struct of the results of PIPELINE_LANES rows of a CPU's thread: one array per output,
// which a vectorised loop over the rows fills.
std::string block_functions(const TileProgram& program) {
  std::string fields =
                  "  u32 keep[PIPELINE_LANES], fault[PIPELINE_LANES], position[PIPELINE_LANES];\n",
              put, get;
  for (const ColumnBuffer& field : result_fields(program)) {
    const std::string name = field.name('o');
    fields += "  " + field.register_type() + " " + name + "[PIPELINE_LANES];\n";
    put += "  block->" + name + "[lane] = result->" + name + ";\n";
    get += "  result->" + name + " = block->" + name + "[lane];\n";
  }
  return "typedef struct {\n" + fields + "} PipelineBlock;\n\n" +
         function_source(
             "void block_put(PRIVATE PipelineBlock* block, u32 lane, const PRIVATE PipelineResult* "
             "result)",
             put) +
         function_source(
             "void block_get(const PRIVATE PipelineBlock* block, u32 lane, PRIVATE PipelineResult* "
             "result)",
             get);
}

// Returns the statements that move one row of a tile's segment to its position after the rows of
// the tiles before.
std::string move_row_statements(const TileProgram& program) {
  std::string text;
  for (const ColumnBuffer& buffer : output_buffers(program))
    text += "    " + buffer.name('o') + "[to + i] = " + buffer.name('s') + "[from + (u32)i];\n";
  return text;
}

}  // namespace penstock::plan
