#include "fuse/codegen/emit_pipeline.hpp"

#include <algorithm>

#include "device/resident_groups.hpp"
#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/program/light_loads.hpp"
#include "fuse/variants/dense_ranges.hpp"
#include "fuse/variants/distinct_sketch.hpp"
#include "fuse/variants/partition_layout.hpp"
#include "fuse/variants/variants.hpp"
#include "kernel/kernel_source.hpp"

namespace penstock::plan {
namespace {

// Rows that a CPU evaluates together, as the lanes of a loop that its compiler vectorises. They are
// too many to be unrolled, which would keep the loop from being vectorised; and few enough for
// their values to stay in the first-level cache.
constexpr std::uint64_t cpu_lanes = 64;

// Returns the sources in codec that a program's loads call.
std::vector<std::string> load_sources(const TileProgram& program) {
  if (!light_columns(program).empty()) return {"codec/light/kernels/light_load.kc"};
  if (program.paged.empty()) return {};
  std::vector<std::string> names = {"codec/pages/kernels/page_load.kc"};
  for (const PagedLoad& load : program.paged)
    if (load.is_text && !load.is_late) return {names[0], "codec/pages/kernels/page_strings.kc"};
  return names;
}

bool is_one_pass(const std::string& template_name) {
  return template_name.ends_with("compact_one_pass");
}

bool is_dense(const std::string& template_name) {
  return template_name.ends_with("group_dense") ||
         template_name.ends_with("group_partition_tables");
}

std::string defines(const TileProgram& program, const std::string& template_name,
                    const Policy& policy, Target target) {
  std::string text;
  const auto define = [&](const char* name, std::uint64_t value) {
    text += std::string("#define ") + name + " " + std::to_string(value) + "u\n";
  };
  define("PIPELINE_VECTORS", policy.vectors);
  define("PIPELINE_TILE_ROWS", policy.tile_rows);
  define("PIPELINE_SLOTS", policy.group.slots);
  define("PIPELINE_DEPTH", policy.compact.depth);
  define("PIPELINE_STAGE_ROWS",
         (is_one_pass(template_name) ? policy.compact.depth : 1) * policy.tile_rows);
  define("PIPELINE_WINDOW", policy.compact.window);
  define("PIPELINE_IN_TURN", policy.compact.in_turn);
  define("PIPELINE_LANES", cpu_lanes);
  define("PIPELINE_KEY_WORDS", program.key_words());
  define("PIPELINE_ACCUMULATOR_WORDS", std::max(1u, program.accumulator_words()));
  if (program.epilogue == Epilogue::group) {
    define("PIPELINE_COMPARED_WORDS", compared_key_words(program));
    if (policy.local.limb_words > 0) {
      define("PIPELINE_POSITIONS", local_positions(policy.group.slots));
      define("PIPELINE_LIMB_WORDS", policy.local.limb_words);
    }
    define("PIPELINE_LIMBS", limb_count(program, is_dense(template_name)));
    if (is_dense(template_name)) {
      define("PIPELINE_IN_GLOBAL", policy.dense.in_global);
      define("PIPELINE_NARROW", policy.dense.is_narrow);
      define("PIPELINE_SLOT_WORDS",
             policy.dense.is_narrow ? narrow_words(program) : limb_count(program, true));
      define("PIPELINE_SEEN", seen_limb(program));
      define("PIPELINE_RANGE_WORDS", range_words(program));
      define("PIPELINE_REGISTERS", DistinctSketch::registers);
      define("PIPELINE_LAST_RUN", DistinctSketch::last_run);
    }
    if (policy.partition.max_count > 0) {
      define("PIPELINE_PARTITIONS", policy.partition.max_count);
      define("PIPELINE_COUNTERS", policy.partition.counters);
      define("PIPELINE_COUNTED_ROWS", policy.partition.counted_rows);
      define("PIPELINE_RECORD_WORDS", record_words(program));
      define("PIPELINE_LAYOUT", 2 * program.key_count + float_sums(program).size());
    }
  }
  if (target == Target::cuda || target == Target::opencl) {  // CUDA, and NVIDIA's OpenCL, use it
    text += "#undef GROUPS_PER_MULTIPROCESSOR\n";
    define("GROUPS_PER_MULTIPROCESSOR", policy.groups_per_multiprocessor);
  }
  return text;
}

// Loads out of pages take much of a program's time to compile, and are the same for all. Kernels
// that load four rows at once are compiled whole: linked, most of the measured ones were a third
// slower (docs/lab/compile-time.md).
std::vector<LinkedSource> linked_sources(const TileProgram& program, const Policy& policy,
                                         Target target) {
  if (target != Target::cuda || program.paged.empty() || policy.vectors > 0) return {};
  return {linked_page_loads(
      target, device::registers_of_thread(policy.group_size, policy.groups_per_multiprocessor))};
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// "c0, c0_valid"
std::string names_of(const std::vector<ColumnBuffer>& buffers, char set) {
  std::vector<std::string> names;
  for (const ColumnBuffer& buffer : buffers) names.push_back(buffer.name(set));
  return joined(names);
}

// "OUT(f32, o0), OUT(u8, o0_valid)"
std::string parameters_of(const std::vector<ColumnBuffer>& buffers, char set,
                          const std::string& kind) {
  std::vector<std::string> parameters;
  for (const ColumnBuffer& buffer : buffers)
    parameters.push_back(kind + "(" + buffer.element_type() + ", " + buffer.name(set) + ")");
  return joined(parameters);
}

// The tables of lookups and the query's scalars, as parameters of a kernel and as arguments of the
// functions that it calls, each followed by a comma.
struct Scalars {
  std::string parameters, arguments;
};
Scalars scalars_of(const TileProgram& program) {
  Scalars scalars;
  if (!program.lookups.empty())
    scalars = {parameters_of(lookup_buffers(program), 'c', "IN") + ", ",
               names_of(lookup_buffers(program), 'c') + ", "};
  if (packs_scalars(program))
    return {scalars.parameters + "IN(u64, scalars), ", scalars.arguments + "scalars, "};
  for (std::uint32_t i = 0; i < program.graph->parameters.size(); i++) {
    if (!is_used_parameter(program, i)) continue;
    for (const ScalarParameter& scalar : scalar_parameters(program, i)) {
      scalars.parameters += "VALUE(" + scalar.type + ", " + scalar.name + "), ";
      scalars.arguments += scalar.name + ", ";
    }
  }
  return scalars;
}

std::string replace_words(const TileProgram& program, std::string text) {
  const std::vector<ColumnBuffer> inputs = input_buffers(program),
                                  outputs = output_buffers(program);
  const Scalars scalars = scalars_of(program);
  const std::string comma = inputs.empty() ? "" : ", ";
  replace_all(text, "$PARAMETERS, ", parameters_of(inputs, 'c', "IN") + comma + scalars.parameters);
  replace_all(text, "$COLUMN_PARAMETERS, ", column_declarations(program));
  replace_all(text, "$VALUE_PARAMETERS, ", value_declarations(program));
  replace_all(text, "$COLUMNS, ", names_of(inputs, 'c') + comma);
  replace_all(text, "$VALUES, ", scalars.arguments);
  replace_all(text, "$OUTPUT_NAMES", names_of(outputs, 'o'));
  replace_all(text, "$SEGMENT_NAMES", names_of(outputs, 's'));
  replace_all(text, "$OUTPUTS", parameters_of(outputs, 'o', "OUT"));
  replace_all(text, "$SEGMENTS_IN", parameters_of(outputs, 's', "IN"));
  replace_all(text, "$SEGMENTS", parameters_of(outputs, 's', "OUT"));
  replace_all(text, "$MOVE_ROW", move_row_statements(program));
  return text;
}

// Words of 64 bits among limbs lie at even ones, in memory that is aligned for them.
std::string replace_limb_words(const TileProgram& program, std::string text) {
  const bool is_wide = has_wide_extremes(program);
  replace_all(text, "$COPY_GAP", std::to_string(copy_gap(program)) + "u");
  replace_all(text, "$LIMBS_AT", is_wide ? "((PARTS + 1u) & ~1u)" : "PARTS");
  replace_all(text, "$LIMBS", is_wide ? "ATOMIC_U64 alignment;\n  ATOMIC_U32" : "ATOMIC_U32");
  if (is_wide) replace_all(text, "limbs_wide_add_copies(", "limbs_any_add_copies(");
  return text;
}

// Returns the functions that move the kept rows of a compaction.
std::string moving_functions(const TileProgram& program, const std::string& template_name,
                             Target target) {
  const bool stages = is_one_pass(template_name) || template_name.ends_with("compact_look_back");
  std::string text = stages ? staging_functions(program, target) : store_function(program);
  if (template_name == "store") text += store_4_function(program);
  if (template_name.ends_with("compact_tile_private")) text += block_functions(program);
  return text;
}

std::string epilogue_functions(const TileProgram& program, const std::string& template_name,
                               const Policy& policy, Target target) {
  switch (program.epilogue) {
    case Epilogue::compact: return moving_functions(program, template_name, target);
    case Epilogue::reduce: return accumulator_functions(program);
    case Epilogue::group: break;
  }
  const std::string words = accumulator_functions(program) + key_function(program);
  if (is_dense(template_name))
    return words + template_source("group_keys") + dense_functions(program) +
           limb_functions(program,
                          {"LOCAL", true, policy.dense.in_global, policy.dense.is_narrow}) +
           (policy.partition.max_count > 0 ? record_functions(program) : "");
  if (template_name == "group_local")
    return words + template_source("group_keys") + limb_functions(program, {"LOCAL"});
  if (template_name == "group_global")
    return words + template_source("group_keys") + limb_functions(program, {"GLOBAL"});
  if (template_name.ends_with("group_kept"))
    return words + template_source("group_keys") + block_functions(program) + "\n";
  return words;
}

// Keys are words of 64 bits, and sums of 128 bits are sums of halves.
Status check_aggregated(const TileProgram& program) {
  if (program.epilogue == Epilogue::compact) return {};
  const auto check = [&](std::size_t output) {
    const Type type = program.graph->at(program.outputs[output].root).type;
    return expr::is_wide(type)
               ? Status(Code::unsupported, "kernels do not aggregate " + name_of(type))
               : Status();
  };
  for (std::size_t key = 0; key < program.key_count; key++) PENSTOCK_TRY(check(key));
  for (const Accumulator& a : program.accumulators)
    if (a.argument >= 0 && !is_extreme(a) && a.kind != AccumulatorKind::count)
      PENSTOCK_TRY(check(static_cast<std::size_t>(a.argument)));
  return {};
}

}  // namespace

LinkedSource linked_page_loads(Target target, std::uint32_t registers) {
  const std::string name = "codec/pages/kernels/page_load.kc";
  const std::vector<kernel::SourcePart> parts = {{name, std::string(kernel::codec_source(name))}};
  return {kernel::assemble(target, parts, kernel::codec_source), "page_load", registers};
}

Result<PipelineSource> emit_pipeline(const TileProgram& program, const std::string& template_name,
                                     const Policy& policy, Target target) {
  PENSTOCK_TRY(check_aggregated(program));
  PipelineSource result;
  PENSTOCK_ASSIGN(const std::string evaluate, evaluate_function(program, result));
  std::string select;
  if (policy.group_size == 1) { PENSTOCK_ASSIGN(select, select_function(program)); }
  const std::string text =
      defines(program, template_name, policy, target) + template_source("pipeline_row") +
      load_functions(program) + lookup_functions(program) + evaluate + select +
      epilogue_functions(program, template_name, policy, target) +
      replace_limb_words(program, replace_words(program, template_source(template_name)));
  std::vector<kernel::SourcePart> parts = {{"expr/operations.kc", operations_of(text)}};
  if (text.find("_I128") != std::string::npos)
    parts.push_back({"expr/wide_operations.kc", template_source("wide_operations")});
  for (const std::string& name : load_sources(program))
    parts.push_back({name, std::string(kernel::codec_source(name))});
  parts.push_back({"pipeline", text});
  result.text = kernel::assemble(target, parts, kernel::codec_source);
  result.linked = linked_sources(program, policy, target);
  return result;
}

}  // namespace penstock::plan
