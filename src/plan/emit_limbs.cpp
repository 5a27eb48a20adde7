// Accumulators in limbs of 32 bits, which the items of a group add to atomically (kernels/limbs.kc): exact, so that no order matters.
#include <algorithm>

#include "expr/emit.hpp"
#include "plan/accumulators.hpp"
#include "plan/dense_ranges.hpp"
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

// Statements of one accumulator: a row's value into limbs at `at`; limbs at `at` into those at `limbs`, in registers, or at `to`, in
// global memory; and from registers into the accumulator.
struct LimbStatements { std::string add, take, move, collect; };

class LimbText {
 public:
  LimbText(const TileProgram& program, std::size_t index, std::uint32_t limb, bool is_dense)
      : a_(program.accumulators[index]), count_(std::to_string(limb_count(a_, is_dense)) + "u"), first_(std::to_string(limb) + "u"),
        at_("at + " + first_), limbs_("limbs + " + first_), mine_("mine->a" + std::to_string(index)),
        lowest_(is_dense ? "ranges->" + lowest_name(index) : "(-80)") {
    if (a_.argument >= 0) value_ = result_value(static_cast<std::size_t>(a_.argument));
  }

  LimbStatements statements() const {
    const std::string limbs_0 = "limbs[" + first_ + "]";
    switch (a_.kind) {
      case AccumulatorKind::count:
        return {"ATOMIC_ADD_U32(" + at_ + ", 1u);", take_sum(), "ATOMIC_ADD_U32(to + " + first_ + ", ATOMIC_LOAD_U32(" + at_ + "));",
                mine_ + " = (i64)" + limbs_0 + ";"};
      case AccumulatorKind::sum_i64: return {add_word(), take_sum(), move_sum(), mine_ + " = (i64)" + low_word() + ";"};
      case AccumulatorKind::sum_i128:
        return {add_word(), take_sum(), move_sum(),
                mine_ + ".low = " + low_word() + "; " + mine_ + ".high = (i64)(i32)(" + limbs_ + ")[2];"};
      case AccumulatorKind::sum_f64:
        return {std::string("outside |= limbs_add_f") + (a_.type.kind == Kind::float32 ? "32(" : "64(") + at_ + ", " + count_ + ", " +
                    lowest_ + ", " + value_ + ");",
                take_sum(), move_sum(), mine_ + " = limbs_f64(" + limbs_ + ", " + count_ + ", " + lowest_ + ");"};
      case AccumulatorKind::minimum: return extreme("~");
      case AccumulatorKind::maximum: return extreme("");
      case AccumulatorKind::custom: break;
    }
    return {};
  }

 private:
  std::string take_sum() const { return "limbs_take_sum(" + at_ + ", " + count_ + ", " + limbs_ + ");"; }
  std::string move_sum() const { return "limbs_move_sum(" + at_ + ", " + count_ + ", to + " + first_ + ");"; }
  std::string low_word() const { return "((u64)(" + limbs_ + ")[1] << 32 | (" + limbs_ + ")[0])"; }

  std::string add_word() const {
    const bool is_unsigned = a_.type.kind == Kind::uint64 || a_.type.kind == Kind::uint32;
    const std::string word = is_unsigned ? "(u64)" + value_ : "(u64)(i64)" + value_;
    return "limbs_add_word(" + at_ + ", " + count_ + ", " + word + ", " + (is_unsigned ? "0u" : "(u32)((i64)" + value_ + " < 0)") + ");";
  }

  // No value's word is 0 but the neutral one's.
  LimbStatements extreme(const std::string& complement) const {
    const std::string word = "limbs[" + first_ + "]";
    return {"ATOMIC_MAX_U32(" + at_ + ", " + complement + order_word(a_.type, value_) + ");",
            "limbs_take_maximum(" + at_ + ", " + limbs_ + ");",
            "ATOMIC_MAX_U32(to + " + first_ + ", ATOMIC_LOAD_U32(" + at_ + "));",
            "if (" + word + " == 0u) " + mine_ + " = " + constant_text(neutral_of(a_)) + "; else " + mine_ + " = " +
                of_order_word(a_.type, "(" + complement + word + ")") + ";"};
  }

  const Accumulator& a_;
  std::string count_, first_, at_, limbs_, mine_, lowest_, value_;
};

// The limb that tells whether a row came to a slot: a count of rows where there is one, else one behind the others.
int row_count_limb(const TileProgram& program, bool is_dense) {
  std::uint32_t limb = 0;
  for (const Accumulator& a : program.accumulators) {
    if (a.kind == AccumulatorKind::count && a.argument < 0) return static_cast<int>(limb);
    limb += limb_count(a, is_dense);
  }
  return -1;
}

}  // namespace

// A dense table's floats have a lowest bit that suits them, so that a limb less is wide enough for narrow ones.
std::uint32_t limb_count(const Accumulator& a, bool is_dense) {
  switch (a.kind) {
    case AccumulatorKind::sum_i64: return 2;
    case AccumulatorKind::sum_i128: return 3;
    case AccumulatorKind::sum_f64: return is_dense && a.type.kind == Kind::float32 ? 4 : 5;
    case AccumulatorKind::count: case AccumulatorKind::minimum: case AccumulatorKind::maximum: case AccumulatorKind::custom: break;
  }
  return 1;
}

std::uint32_t limb_count(const TileProgram& program, bool is_dense) {
  std::uint32_t limbs = 0;
  for (const Accumulator& a : program.accumulators) limbs += limb_count(a, is_dense);
  return std::max(1u, limbs + (is_dense && row_count_limb(program, true) < 0));
}

std::uint32_t seen_limb(const TileProgram& program) {
  const int limb = row_count_limb(program, true);
  return limb >= 0 ? static_cast<std::uint32_t>(limb) : limb_count(program, true) - 1;
}

bool has_limbs(const TileProgram& program) {
  for (const Accumulator& a : program.accumulators) {
    const bool is_extreme = a.kind == AccumulatorKind::minimum || a.kind == AccumulatorKind::maximum;
    if (a.kind == AccumulatorKind::custom || (is_extreme && !is_narrow(a.type))) return false;
  }
  return true;
}

std::string limb_functions(const TileProgram& program, const LimbSpaces& spaces) {
  const bool is_dense = spaces.is_dense;
  std::string add = "  u32 outside = 0;\n", take, move, collect;
  std::uint32_t limb = 0;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    std::string guard;
    if (a.argument >= 0 && program.graph->at(program.outputs[static_cast<std::size_t>(a.argument)].root).nullable)
      guard = "if (" + result_value(static_cast<std::size_t>(a.argument)) + "_valid != 0u) ";
    const LimbStatements statements = LimbText(program, i, limb, is_dense).statements();
    add += "  " + guard + statements.add + "\n";
    take += "  " + statements.take + "\n";
    move += "  " + statements.move + "\n";
    collect += "  " + statements.collect + "\n";
    limb += limb_count(a, is_dense);
  }
  if (is_dense && row_count_limb(program, true) < 0) {
    add += "  ATOMIC_STORE_U32(at + " + std::to_string(limb) + "u, 1u);\n";
    move += "  ATOMIC_STORE_U32(to + " + std::to_string(limb) + "u, 1u);\n";
  }
  const std::string ranges = is_dense ? ", const PRIVATE DenseRanges* ranges" : "", ignored = is_dense ? " (void)ranges;" : "";
  const std::string add_at = spaces.add + " ATOMIC_U32* at", take_at = spaces.take + " ATOMIC_U32* at";
  std::string text = "#define LIMB_SPACE " + spaces.add + "\n#define TAKE_SPACE " + spaces.take + "\n" + skeleton_text("limbs limbs_read") +
                     function_text("u32 limbs_add(" + add_at + ", const PRIVATE PipelineResult* result" + ranges + ")",
                                   add + "  (void)at; (void)result;" + ignored + "\n  return outside;\n") +
                     function_text("void limbs_take(" + take_at + ", PRIVATE u32* limbs)", take + "  (void)at; (void)limbs;\n") +
                     function_text("void limbs_collect(PRIVATE u32* limbs" + ranges + ", PRIVATE Accumulators* mine)",
                                   collect + "  (void)limbs; (void)mine;" + ignored + "\n");
  if (is_dense)
    text += skeleton_text("limbs_move") +
            function_text("void limbs_move(LOCAL ATOMIC_U32* at, GLOBAL ATOMIC_U32* to)", move + "  (void)at; (void)to;\n");
  return text;
}

}  // namespace penstock::plan
