// Emits values as 64-bit words, which host and device read alike: packed scalars, accumulators, and
// the keys of groups.
#include <cstdio>

#include "expr/emit_parts.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/program/accumulators.hpp"

namespace penstock::plan {

std::string to_word(Type type, const std::string& value) {
  if (type.kind == Kind::float32) return "(u64)BITS_F32(" + value + ")";
  if (type.kind == Kind::float64) return "BITS_F64(" + value + ")";
  return expr::is_sign_extended(type) ? "(u64)(i64)" + value : "(u64)" + value;
}

// Equal keys have equal words: -0.0 becomes 0.0 and every NaN one NaN.
std::string key_word(Type type, const std::string& value) {
  if (type.kind == Kind::float32)
    return "IS_NAN(" + value + ") ? (u64)0x7fc00000u : (u64)BITS_F32(" + value + " + 0.0f)";
  if (type.kind == Kind::float64)
    return "IS_NAN(" + value + ") ? (u64)0x7ff80000u << 32 : BITS_F64(" + value + " + (f64)0)";
  return to_word(type, value);
}

std::string of_word(Type type, const std::string& word) {
  if (type.kind == Kind::float32) return "F32_OF_BITS((u32)" + word + ")";
  if (type.kind == Kind::float64) return "F64_OF_BITS(" + word + ")";
  return "(" + kernel_type(type) + ")" + word;
}

std::string constant_literal(const Scalar& value) {
  if (expr::is_wide(value.type)) return expr::wide_constant(value.integer);
  if (!is_float(value.type)) return expr::constant(value.integer, kernel_type(value.type));
  const std::uint64_t bits = expr::word_of_scalar(value);
  char text[64];
  if (value.type.kind == Kind::float32)
    std::snprintf(text, sizeof text, "F32_OF_BITS(0x%08xu)", static_cast<unsigned>(bits));
  else
    std::snprintf(text, sizeof text, "F64_OF_BITS((u64)0x%08xu << 32 | 0x%08xu)",
                  static_cast<unsigned>(bits >> 32), static_cast<unsigned>(bits));
  return text;
}

std::vector<ScalarParameter> scalar_parameters(const TileProgram& program,
                                               std::uint32_t parameter) {
  const Type type = program.graph->parameters[parameter].type;
  const std::string name = parameter_name(parameter);
  if (expr::is_wide(type)) return {{"u64", name}, {"u64", name + "_high"}};
  return {{kernel_type(type), name}};
}

std::string scalar_value(const TileProgram& program, std::uint32_t parameter) {
  const Scalar& value = program.graph->parameters[parameter];
  if (value.is_null) return "(" + zero_constant(value.type) + ")";  // NULL takes no argument
  const std::vector<ScalarParameter> words = scalar_parameters(program, parameter);
  return words.size() == 1 ? words[0].name
                           : "words_I128(" + words[0].name + ", " + words[1].name + ")";
}

std::string scalar_loads(const TileProgram& program) {
  if (!packs_scalars(program)) return "";
  std::string text;
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < program.graph->parameters.size(); i++) {
    const Type type = program.graph->parameters[i].type;
    for (const ScalarParameter& scalar : scalar_parameters(program, i)) {
      const std::string word = "scalars[" + std::to_string(next++) + "u]";
      if (is_used_parameter(program, i))
        text += "  const " + scalar.type + " " + scalar.name + " = " +
                (expr::is_wide(type) ? word : of_word(type, word)) + ";\n";
    }
  }
  return text;
}

// A NULL is zero, and has its bit in a word after the keys.
std::string key_function(const TileProgram& program) {
  const auto word = [](std::uint32_t index) { return "words[" + std::to_string(index) + "]"; };
  std::string body = "  u64 nulls = 0;\n";
  for (std::uint32_t i = 0; i < program.key_count; i++) {
    if (i > 0 && i % 64 == 0)
      body += "  " + word(program.key_count + i / 64 - 1) + " = nulls;\n  nulls = 0;\n";
    const Node& key = program.graph->at(program.outputs[i].root);
    const std::string value = result_value(i), bit = std::to_string(i % 64);
    body += "  " + word(i) + " = " + key_word(key.type, value) + ";\n";
    if (key.nullable)
      body += "  if (" + value + "_valid == 0u) { " + word(i) + " = 0; nulls |= (u64)1 << " + bit +
              "; }\n";
  }
  body += "  " + word(program.key_words() - 1) + " = nulls;\n";
  return function_source(
      "void pipeline_key(const PRIVATE PipelineResult* result, PRIVATE u64* words)", body);
}

}  // namespace penstock::plan
