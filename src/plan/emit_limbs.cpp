// Accumulators in limbs of 32 bits, which the items of a group add to atomically (kernels/limbs.kc): exact, so that no order matters.
#include <algorithm>

#include "expr/emit.hpp"
#include "plan/accumulators.hpp"
#include "plan/emit_parts.hpp"

namespace penstock::plan {
namespace {

bool is_narrow(Type type) { return type.kind == Kind::boolean || (type.kind != Kind::string && width_bytes(type) <= 4); }
bool is_signed_word(Type type) { return is_signed(type) || type.kind == Kind::date32; }

// Maxima of words with this order; of their complements for a minimum.
std::string order_word(Type type, const std::string& value) {
  if (type.kind == Kind::float32) return "order_of_f32(" + value + ")";
  return is_signed_word(type) ? "((u32)(i32)" + value + " ^ 0x80000000u)" : "(u32)" + value;
}
std::string of_order_word(Type type, const std::string& word) {
  if (type.kind == Kind::float32) return "f32_of_order(" + word + ")";
  return "(" + kernel_type(type) + ")" + (is_signed_word(type) ? "(i32)(" + word + " ^ 0x80000000u)" : word);
}

std::string sum_statement(const Accumulator& a, const std::string& at, const std::string& value, std::uint32_t limbs) {
  const bool is_unsigned = a.type.kind == Kind::uint64 || a.type.kind == Kind::uint32;
  const std::string word = is_unsigned ? "(u64)" + value : "(u64)(i64)" + value;
  const std::string extension = is_unsigned ? "0u" : "(i64)" + value + " < 0 ? 0xffffffffu : 0u";
  return "limbs_add_word(" + at + ", " + std::to_string(limbs) + "u, " + word + ", " + extension + ");";
}

struct LimbStatements { std::string add, collect; };

// No value's word is 0 but the neutral one's.
LimbStatements extreme_statements(const Accumulator& a, const std::string& at, const std::string& mine, const std::string& word,
                                  const std::string& complement) {
  return {"ATOMIC_MAX_U32(" + at + ", " + complement + word + ");",
          "limbs[0] = limb_maximum(" + at + "); if (limbs[0] == 0u) " + mine + " = " + constant_text(neutral_of(a)) + "; else " + mine +
              " = " + of_order_word(a.type, "(" + complement + "limbs[0])") + ";"};
}

LimbStatements statements_of(const Accumulator& a, const std::string& at, const std::string& value, const std::string& mine) {
  const std::string sum = "limbs_sum(" + at + ", " + std::to_string(limb_count(a)) + "u, limbs); ";
  switch (a.kind) {
    case AccumulatorKind::count: return {"ATOMIC_ADD_U32(" + at + ", 1u);", sum + mine + " = (i64)limbs[0];"};
    case AccumulatorKind::sum_i64:
      return {sum_statement(a, at, value, 2), sum + mine + " = (i64)((u64)limbs[1] << 32 | limbs[0]);"};
    case AccumulatorKind::sum_i128:
      return {sum_statement(a, at, value, 3),
              sum + mine + ".low = (u64)limbs[1] << 32 | limbs[0]; " + mine + ".high = (i64)(i32)limbs[2];"};
    case AccumulatorKind::sum_f64:
      return {std::string("outside |= limbs_add_f") + (a.type.kind == Kind::float32 ? "32(" : "64(") + at + ", " + value + ");",
              mine + " = limbs_f64(" + at + ");"};
    case AccumulatorKind::minimum: return extreme_statements(a, at, mine, order_word(a.type, value), "~");
    case AccumulatorKind::maximum: return extreme_statements(a, at, mine, order_word(a.type, value), "");
    case AccumulatorKind::custom: break;
  }
  return {};
}

// Pointers of OpenCL C 1.2 and Metal name their address space.
std::string in_space(std::string text, std::string_view space) {
  const std::string local = "LOCAL", pointer = local + " ATOMIC_U32*";
  for (std::size_t at = 0; (at = text.find(pointer, at)) != std::string::npos; at++) text.replace(at, local.size(), space);
  return text;
}

}  // namespace

std::uint32_t limb_count(const Accumulator& a) {
  switch (a.kind) {
    case AccumulatorKind::sum_i64: return 2;
    case AccumulatorKind::sum_i128: return 3;
    case AccumulatorKind::sum_f64: return 5;
    case AccumulatorKind::count: case AccumulatorKind::minimum: case AccumulatorKind::maximum: case AccumulatorKind::custom: break;
  }
  return 1;
}

std::uint32_t limb_count(const TileProgram& program) {
  std::uint32_t limbs = 0;
  for (const Accumulator& a : program.accumulators) limbs += limb_count(a);
  return std::max(1u, limbs);
}

bool has_limbs(const TileProgram& program) {
  for (const Accumulator& a : program.accumulators) {
    const bool is_extreme = a.kind == AccumulatorKind::minimum || a.kind == AccumulatorKind::maximum;
    if (a.kind == AccumulatorKind::custom || (is_extreme && !is_narrow(a.type))) return false;
  }
  return true;
}

std::string limb_functions(const TileProgram& program, std::string_view space) {
  std::string add = "  u32 outside = 0;\n", collect = "  u32 limbs[5];\n";
  std::uint32_t limb = 0;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    std::string value, guard;
    if (a.argument >= 0) {
      const auto argument = static_cast<std::size_t>(a.argument);
      value = result_value(argument);
      if (program.graph->at(program.outputs[argument].root).nullable) guard = "if (" + value + "_valid != 0u) ";
    }
    const LimbStatements statements = statements_of(a, "LIMB(at, " + std::to_string(limb) + "u)", value, "mine->a" + std::to_string(i));
    add += "  " + guard + statements.add + "\n";
    collect += "  " + statements.collect + "\n";
    limb += limb_count(a);
  }
  return skeleton_text("group_keys") + in_space(skeleton_text("limbs"), space) +
         function_text("u32 limbs_add(" + std::string(space) + " ATOMIC_U32* at, const PRIVATE PipelineResult* result)",
                       add + "  (void)at; (void)result;\n  return outside;\n") +
         function_text("void limbs_collect(" + std::string(space) + " ATOMIC_U32* at, PRIVATE Accumulators* mine)",
                       collect + "  (void)at; (void)limbs; (void)mine;\n");
}

}  // namespace penstock::plan
