// The parts of a pipeline's source that depend on the query: functions in Kernel C that kernel
// templates call.
//
// emit_rows.cpp loads and evaluates a row; emit_page_loads.cpp loads it out of pages.
// emit_lookups.cpp finds the rows joined to it. emit_outputs.cpp moves kept rows.
// emit_accumulators.cpp adds rows up, and emit_limbs.cpp does so atomically, in limbs that
// limb_layout.cpp places. emit_words.cpp turns values and group keys into 64-bit words.
// emit_dense.cpp turns keys of known ranges into slots. emit_records.cpp turns arguments of
// aggregates into words that wait in memory. emit_pipeline.cpp puts all of it around a kernel
// template.
#pragma once
#include <span>

#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline.hpp"

namespace penstock::plan {

// kernel_templates.cpp
std::string template_source(const std::string& name);
// Returns expr/operations.kc as far as `callers` need it.
std::string operations_of(const std::string& callers);

inline std::string parameter_name(std::uint32_t parameter) {
  return "p" + std::to_string(parameter);
}
// A scalar as kernels take it, and as their functions do. 128 bits are two words: "p3", "p3_high".
struct ScalarParameter {
  std::string type, name;
};
std::vector<ScalarParameter> scalar_parameters(const TileProgram& program, std::uint32_t parameter);
// Returns the value of a parameter, of what scalar_parameters() names.
std::string scalar_value(const TileProgram& program, std::uint32_t parameter);

// `head` is the result, name and parameters; `body` whole lines.
inline std::string function_source(const std::string& head, const std::string& body) {
  return "FUNCTION " + head + "\n{\n" + body + "}\n\n";
}
inline void replace_all(std::string& text, const std::string& word, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += with.size())
    text.replace(at, word.size(), with);
}

// A value of an evaluated row is a field of PipelineResult, and so is its validity, a word, unless
// it is never NULL.
std::vector<ColumnBuffer> result_fields(const TileProgram& program);
inline std::string result_value(std::size_t output) { return "result->o" + std::to_string(output); }

// emit_rows.cpp. PipelineRow is a row's columns in registers; PipelineResult holds the values that
// are computed from them.
std::string load_functions(const TileProgram& program);
// Return columns, and scalars with lookups' tables, as parameters of a FUNCTION, each followed by a
// comma: "GLOBAL const f32* c0, GLOBAL const u8* c0_valid, ".
std::string column_declarations(const TileProgram& program);
std::string value_declarations(const TileProgram& program);
Result<std::string> evaluate_function(const TileProgram& program,
                                      PipelineSource& result);  // notes its faults in `result`
// Returns the function that tells whether a row may pass the predicates before the first lookup; ""
// if there are none.
Result<std::string> select_function(const TileProgram& program);

// emit_page_loads.cpp. load_functions() of a program that reads pages.
std::string page_load_functions(const TileProgram& program);

// emit_lookups.cpp. Functions that find a row's keys in the table of each lookup, and load columns
// of the row found.
std::string lookup_functions(const TileProgram& program);
std::string lookup_declarations(const TileProgram& program);  // their buffers as parameters
// Returns the statements after the roots of lookup `i`'s keys, which read and change `keep` and
// declare what column_of_lookup() names.
std::string lookup_statements(const TileProgram& program, std::size_t i,
                              std::span<const Emission::Root> keys);
inline std::string column_of_lookup(std::uint32_t column) { return "j" + std::to_string(column); }
inline std::string found_row(std::size_t lookup) { return "j_row" + std::to_string(lookup); }

// emit_outputs.cpp. Booleans are bytes until the host packs them.
std::string store_function(const TileProgram& program);
std::string store_4_function(const TileProgram& program);
std::string staging_functions(const TileProgram& program, Target target);
std::string block_functions(const TileProgram& program);
std::string move_row_statements(const TileProgram& program);

// emit_accumulators.cpp
std::string accumulator_functions(const TileProgram& program);

// limb_layout.cpp
struct LimbLayout {
  std::vector<std::uint32_t> firsts;  // of each accumulator, its lowest limb
  // In a dense table: the limb that says whether a slot has a row. It counts rows, or it is one
  // more limb after the accumulators' limbs.
  std::uint32_t seen = 0;
  bool has_own_seen = false;
  std::uint32_t count = 0;
};
LimbLayout limb_layout(const TileProgram& program, bool is_dense);

// emit_limbs.cpp
// The memory of limbs: LOCAL or GLOBAL. A dense table's limbs are added up in global memory in the
// end; some rows may go there at once (in_global).
struct LimbUse {
  std::string space;
  bool is_dense = false, in_global = false, is_narrow = false;
};
std::string limb_functions(const TileProgram& program, const LimbUse& use);

// emit_dense.cpp
std::string dense_functions(const TileProgram& program);

// emit_records.cpp
std::string record_functions(const TileProgram& program);

// emit_words.cpp
std::string to_word(Type type, const std::string& value);
std::string key_word(Type type, const std::string& value);  // equal keys have equal words
std::string of_word(Type type, const std::string& word);
std::string constant_literal(const Scalar& value);     // of its kernel_type()
std::string scalar_loads(const TileProgram& program);  // if packed: out of their buffer
std::string key_function(const TileProgram& program);

}  // namespace penstock::plan
