// Emits how kept rows are moved to memory: stored at once, staged in local memory, or collected in
// a CPU's block.
#include "fuse/codegen/emit_pipeline_parts.hpp"

namespace penstock::plan {
namespace {

// A buffer that kept rows are written to, and the field of PipelineResult that it gets. A value of
// 128 bits is two elements, each of which is written on its own.
struct Written {
  std::string type, name, field, value;
  std::uint32_t elements = 1, element = 0;

  // Returns the element of row `at`, counted from the buffer's first one.
  std::string place(const std::string& at) const {
    if (elements == 1) return at;
    return number(elements) + " * (" + at + ") + " + number(element);
  }
  std::string rows(const std::string& count) const {
    return elements == 1 ? count : number(elements) + " * (" + count + ")";
  }
  bool is_first() const { return element == 0; }
  std::string own_name() const { return is_first() ? name : name + "_high"; }

  static std::string number(std::uint32_t value) { return std::to_string(value) + "u"; }
};

std::vector<Written> written(const TileProgram& program, const std::string& result) {
  std::vector<Written> list;
  for (const ColumnBuffer& buffer : output_buffers(program)) {
    const bool is_rows = buffer.role == BufferRole::row_numbers;
    const std::string type = buffer.element_type(), field = is_rows ? "row" : buffer.name('o');
    if (buffer.is_wide()) {
      list.push_back({type, buffer.name('o'), field, result + field + ".low", 2, 0});
      list.push_back({type, buffer.name('o'), field, "(u64)" + result + field + ".high", 2, 1});
      continue;
    }
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
  return each(list, [](const Written& w) {
    return w.is_first() ? "GLOBAL " + w.type + "* " + w.name + ", " : "";
  });
}

std::string stage_row_function(const std::vector<Written>& list) {
  return function_source(
      "void pipeline_stage_row(LOCAL PipelineStage* stage, u32 at, const PRIVATE PipelineResult* "
      "result)",
      each(list, [](const Written& w) {
        return "  stage->" + w.name + "[" + w.place("at") + "] = " + w.value + ";\n";
      }));
}

// Returns the staging functions of PTX: predicated stores to shared addresses.
std::string stage_functions_by_address(const std::vector<Written>& list) {
  const std::string addresses =
      each(list, [](const Written& w) { return " u32 " + w.own_name() + ";"; });
  const std::string point = each(list, [](const Written& w) {
    return "  to->" + w.own_name() + " = SHARED_ADDRESS(stage->" + w.name + " + " + w.place("at") +
           ");\n";
  });
  const std::string stage = each(list, [](const Written& w) {
    const std::string address = "to->" + w.own_name();
    const std::string step = w.elements == 1 ? "" : "  " + address + " += keep != 0u ? 8u : 0u;\n";
    return "  " + address + " = STAGE_IF(" + w.type + ", " + address + ", " + w.value +
           ", keep);\n" + step;
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
  const std::string start = each(list, [](const Written& w) {
    return w.is_first() ? "  " + w.name + " += " + w.rows("to") + ";\n" : "";
  });
  const std::string write = each(list, [](const Written& w) {
    return " STORE_STREAM(" + w.type + ", " + w.name + " + " +
           (w.elements == 1 ? "i" : w.place("(u32)i")) + ", stage->" + w.name + "[" +
           w.place("from + (u32)i") + "]);";
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
                           return "  STORE_STREAM(" + w.type + ", " + w.name + " + " +
                                  w.place("at") + ", " + w.value + ");\n";
                         }));
}

// Returns the function that writes the results of four rows from a multiple of four on, each output
// by one wide store.
std::string store_4_function(const TileProgram& program) {
  const std::vector<Written> list = written(program, "results[k].");
  const std::string body = each(list, [](const Written& w) {
    const std::string four = w.name + "_four", value = w.field == "row" ? "(u32)row + k" : w.value;
    const std::string fill = "  UNROLL for (u32 k = 0; k < 4u; k++) " + four + "[" + w.place("k") +
                             "] = " + value + ";\n";
    std::string text = w.is_first() ? "  " + w.type + " " + four + "[" +
                                          std::to_string(4 * w.elements) + "];\n" + fill
                                    : fill;
    for (std::uint32_t i = 0; w.element + 1 == w.elements && i < w.elements; i++) {
      const std::string part = i == 0 ? "" : " + " + Written::number(4 * i);
      text += "  STORE_4(" + w.type + ", " + w.name + " + " + w.rows("row") + part + ", " + four +
              part + ");\n";
    }
    return text;
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
    return w.is_first()
               ? "  " + w.type + " " + w.name + "[" + w.rows("PIPELINE_STAGE_ROWS") + "];\n"
               : "";
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
  for (const Written& w : written(program, "")) {
    const std::string segment = "s" + w.name.substr(1);
    text += "    " + w.name + "[" + w.place("to + i") + "] = " + segment + "[" +
            w.place("from + (u32)i") + "];\n";
  }
  return text;
}

}  // namespace penstock::plan
