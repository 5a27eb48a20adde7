#include "fuse/codegen/limb_statements.hpp"

#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/program/accumulators.hpp"

namespace penstock::plan {
namespace {

bool is_signed_word(Type type) { return is_signed(type) || type.kind == Kind::date32; }

// Maxima of words in this order; of their complements for a minimum.
std::string order_word(Type type, const std::string& value) {
  if (type.kind == Kind::float32) return "order_of_f32(" + value + ")";
  return is_signed_word(type) ? "((u32)(i32)" + value + " ^ 0x80000000u)" : "(u32)" + value;
}
std::string of_order_word(Type type, const std::string& word) {
  if (type.kind == Kind::float32) return "f32_of_order(" + word + ")";
  return "(" + kernel_type(type) + ")" +
         (is_signed_word(type) ? "(i32)(" + word + " ^ 0x80000000u)" : word);
}

// The same in 64 bits.
std::string wide_order_word(Type type, const std::string& value) {
  if (type.kind == Kind::float64) return "order_of_f64(" + value + ")";
  return expr::is_sign_extended(type) ? "((u64)(i64)" + value + " ^ ((u64)1 << 63))"
                                      : "(u64)" + value;
}
std::string of_wide_order_word(Type type, const std::string& word) {
  if (type.kind == Kind::float64) return "f64_of_order(" + word + ")";
  return "(" + kernel_type(type) + ")" +
         (expr::is_sign_extended(type) ? "(i64)(" + word + " ^ ((u64)1 << 63))" : word);
}

std::string low_word(const LimbOperands& o) {
  return "((u64)(" + o.limbs + ")[1] << 32 | (" + o.limbs + ")[0])";
}

std::string word_and_sign(const LimbOperands& o) {
  const bool is_unsigned = o.a.type.kind == Kind::uint64 || o.a.type.kind == Kind::uint32;
  return is_unsigned ? "(u64)" + o.value + ", 0u"
                     : "(u64)(i64)" + o.value + ", (u32)((i64)" + o.value + " < 0)";
}
std::string word_sum(const LimbOperands& o, const std::string& prefix) {
  const std::string to = prefix == "limbs_" ? o.at + ", " + o.count : o.wide_at + ", stride";
  return prefix + "add_word(" + to + ", " + word_and_sign(o) + ");";
}

std::string float_sum(const LimbOperands& o, const std::string& prefix) {
  const std::string width = o.a.type.kind == Kind::float32 ? "32(" : "64(";
  return "outside |= " + prefix + "add_f" + width +
         (prefix == "limbs_" ? o.at : o.wide_at + ", stride") + ", " + o.count + ", " + o.lowest +
         ", " + o.value + ");";
}

std::string narrow_sum(const LimbOperands& o) {
  const std::string to = "(" + o.narrow_at + ", " + o.wide_to + ", stride, to, ";
  if (is_rounded_sum(o.a))
    return o.a.type.kind == Kind::float32 ? "outside |= limbs_narrow_add_f32" + to + o.count +
                                                ", " + o.lowest + ", " + o.value + ");"
                                          : "";
  return "limbs_narrow_add_word" + to + word_and_sign(o) + ");";
}

LimbStatements sum(const LimbOperands& o, const std::string& add, const std::string& add_wide,
                   const std::string& collect) {
  return {add,
          "limbs_take_sum(" + o.at + ", " + o.count + ", " + o.limbs + ");",
          "limbs_wide_move(" + o.limbs + ", " + o.count + ", " + o.wide_to + ", stride);",
          collect,
          add_wide,
          "limbs_wide_take(" + o.wide_at + ", stride, " + o.count + ", " + o.limbs + ");",
          narrow_sum(o)};
}

// Two limbs, which are one word of 64 bits to an atomic. No narrow slot has them.
LimbStatements wide_extreme(const LimbOperands& o, const std::string& complement) {
  const std::string word = complement + wide_order_word(o.a.type, o.value),
                    seen = "limbs_word(" + o.limbs + ")";
  return {"limbs_maximum_word(" + o.at + ", " + word + ");",
          "limbs_take_maximum_word(" + o.at + ", " + o.limbs + ");",
          "limbs_wide_maximum_word(" + o.wide_to + ", " + seen + ");",
          "if (" + seen + " == 0u) " + o.mine + " = " + constant_literal(neutral_of(o.a)) +
              "; else " + o.mine + " = " +
              of_wide_order_word(o.a.type, "(" + complement + seen + ")") + ";",
          "limbs_wide_maximum_word(" + o.wide_at + ", " + word + ");",
          "limbs_wide_take_word(" + o.wide_at + ", " + o.limbs + ");",
          ""};
}

}  // namespace

LimbStatements count_in_limbs(const LimbOperands& o) {
  const std::string limb = "limbs[" + o.first + "]";
  const std::string take_wide = limb + " = (u32)*(" + o.wide_at + ");",
                    collect = o.mine + " = (i64)" + limb + ";";
  if (o.is_only_seen)  // a row that came to the slot may have no value
    return {"ATOMIC_STORE_U32(" + o.at + ", 1u);",
            "limbs_take_maximum(" + o.at + ", " + o.limbs + ");",
            "if (" + limb + " != 0u) limbs_wide_store(" + o.wide_to + ", 1u);",
            collect,
            "limbs_wide_store(" + o.wide_at + ", 1u);",
            take_wide,
            "ATOMIC_STORE_U32(" + o.narrow_at + ", 1u);"};
  return {"ATOMIC_ADD_U32(" + o.at + ", 1u);",
          "limbs_take_sum(" + o.at + ", 1u, " + o.limbs + ");",
          "limbs_wide_add(" + o.wide_to + ", " + limb + ", 0u);",
          collect,
          "limbs_wide_add(" + o.wide_at + ", 1u, 0u);",
          take_wide,
          "ATOMIC_ADD_U32(" + o.narrow_at + ", 1u);"};
}

LimbStatements sum_in_limbs(const LimbOperands& o) {
  return sum(o, word_sum(o, "limbs_"), word_sum(o, "limbs_wide_"),
             o.mine + " = (i64)" + low_word(o) + ";");
}

LimbStatements wide_sum_in_limbs(const LimbOperands& o) {
  return sum(
      o, word_sum(o, "limbs_"), word_sum(o, "limbs_wide_"),
      o.mine + ".low = " + low_word(o) + "; " + o.mine + ".high = (i64)(i32)(" + o.limbs + ")[2];");
}

LimbStatements rounded_sum_in_limbs(const LimbOperands& o) {
  return sum(o, float_sum(o, "limbs_"), float_sum(o, "limbs_wide_"),
             o.mine + " = limbs_f64(" + o.limbs + ", " + o.count + ", " + o.lowest + ");");
}

// Only the neutral value has the word 0.
LimbStatements extreme_in_limbs(const LimbOperands& o) {
  const std::string complement = is_maximum(o.a) ? "" : "~";
  if (is_wide_extreme(o.a)) return wide_extreme(o, complement);
  const std::string limb = "limbs[" + o.first + "]",
                    word = complement + order_word(o.a.type, o.value);
  return {"ATOMIC_MAX_U32(" + o.at + ", " + word + ");",
          "limbs_take_maximum(" + o.at + ", " + o.limbs + ");",
          "limbs_wide_maximum(" + o.wide_to + ", " + limb + ");",
          "if (" + limb + " == 0u) " + o.mine + " = " + constant_literal(neutral_of(o.a)) +
              "; else " + o.mine + " = " + of_order_word(o.a.type, "(" + complement + limb + ")") +
              ";",
          "limbs_wide_maximum(" + o.wide_at + ", " + word + ");",
          limb + " = (u32)*(" + o.wide_at + ");",
          "ATOMIC_MAX_U32(" + o.narrow_at + ", " + word + ");"};
}

}  // namespace penstock::plan
