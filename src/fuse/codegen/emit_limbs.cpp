// Emits accumulators in limbs of 32 bits, which the threads of a group add to atomically
// (kernels/limbs.kc). They are exact, so that no order matters.
#include <algorithm>

#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/dense_ranges.hpp"

namespace penstock::plan {
namespace {

bool is_signed_word(Type type) { return is_signed(type) || type.kind == Kind::date32; }

// Returns a word in the order of the values. A maximum keeps the largest word; a minimum keeps the
// largest complement.
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

// Statements of one accumulator: add a row's value to limbs at `at`; add limbs at `at` to the
// registers at `limbs`; move the registers to the wide limbs at `to`; read the accumulator from
// them. `add_wide` and `take_wide` are `add` and `take` for wide limbs.
struct LimbStatements {
  std::string add, take, move, collect, add_wide, take_wide;
  std::string add_narrow;  // to the word at `at`, and to wide limbs at `to` what it does not hold
};

// A count that only says whether there is a value need not count.
bool is_only_seen(const TileProgram& program, std::size_t accumulator) {
  for (const AggregateResult& result : program.results) {
    const bool counts = result.function == Aggregate::count ||
                        result.function == Aggregate::count_rows ||
                        result.function == Aggregate::average;
    if (counts && result.count == accumulator) return false;
  }
  return true;
}

class LimbSource {
 public:
  LimbSource(const TileProgram& program, std::size_t index, std::uint32_t limb, bool is_dense,
             std::uint32_t narrow_word = 0)
      : a_(program.accumulators[index]),
        count_(std::to_string(limb_count(a_, is_dense)) + "u"),
        first_(std::to_string(limb) + "u"),
        at_("at + " + first_),
        wide_at_("at + " + first_ + " * stride"),
        wide_to_("to + " + first_ + " * stride"),
        limbs_("limbs + " + first_),
        narrow_at_("at + " + std::to_string(narrow_word) + "u"),
        mine_("mine->a" + std::to_string(index)),
        lowest_(is_dense ? "ranges->" + lowest_name(index) : "(-80)") {
    is_only_seen_ = is_dense && is_only_seen(program, index);
    if (a_.argument >= 0) value_ = result_value(static_cast<std::size_t>(a_.argument));
  }

  LimbStatements statements() const {
    switch (a_.kind) {
      case AccumulatorKind::count: return count();
      case AccumulatorKind::sum_i64:
        return sum(word_sum("limbs_"), word_sum("limbs_wide_"),
                   mine_ + " = (i64)" + low_word() + ";");
      case AccumulatorKind::sum_i128:
        return sum(word_sum("limbs_"), word_sum("limbs_wide_"),
                   mine_ + ".low = " + low_word() + "; " + mine_ + ".high = (i64)(i32)(" + limbs_ +
                       ")[2];");
      case AccumulatorKind::sum_f64:
        return sum(float_sum("limbs_"), float_sum("limbs_wide_"),
                   mine_ + " = limbs_f64(" + limbs_ + ", " + count_ + ", " + lowest_ + ");");
      case AccumulatorKind::minimum: return extreme("~");
      case AccumulatorKind::maximum: return extreme("");
      case AccumulatorKind::custom: break;
    }
    return {};
  }

 private:
  std::string low_word() const { return "((u64)(" + limbs_ + ")[1] << 32 | (" + limbs_ + ")[0])"; }

  LimbStatements sum(const std::string& add, const std::string& add_wide,
                     const std::string& collect) const {
    return {add,
            "limbs_take_sum(" + at_ + ", " + count_ + ", " + limbs_ + ");",
            "limbs_wide_move(" + limbs_ + ", " + count_ + ", " + wide_to_ + ", stride);",
            collect,
            add_wide,
            "limbs_wide_take(" + wide_at_ + ", stride, " + count_ + ", " + limbs_ + ");",
            narrow_sum()};
  }

  std::string narrow_sum() const {
    const std::string to = "(" + narrow_at_ + ", " + wide_to_ + ", stride, to, ";
    if (a_.kind == AccumulatorKind::sum_f64)
      return a_.type.kind == Kind::float32 ? "outside |= limbs_narrow_add_f32" + to + count_ +
                                                 ", " + lowest_ + ", " + value_ + ");"
                                           : "";
    return "limbs_narrow_add_word" + to + word_and_sign() + ");";
  }

  LimbStatements count() const {
    const std::string limb = "limbs[" + first_ + "]";
    const std::string take_wide = limb + " = (u32)*(" + wide_at_ + ");",
                      collect = mine_ + " = (i64)" + limb + ";";
    if (is_only_seen_)  // a row that came to the slot may have no value
      return {"ATOMIC_STORE_U32(" + at_ + ", 1u);",
              "limbs_take_maximum(" + at_ + ", " + limbs_ + ");",
              "if (" + limb + " != 0u) limbs_wide_store(" + wide_to_ + ", 1u);",
              collect,
              "limbs_wide_store(" + wide_at_ + ", 1u);",
              take_wide,
              "ATOMIC_STORE_U32(" + narrow_at_ + ", 1u);"};
    return {"ATOMIC_ADD_U32(" + at_ + ", 1u);",
            "limbs_take_sum(" + at_ + ", 1u, " + limbs_ + ");",
            "limbs_wide_add(" + wide_to_ + ", " + limb + ", 0u);",
            collect,
            "limbs_wide_add(" + wide_at_ + ", 1u, 0u);",
            take_wide,
            "ATOMIC_ADD_U32(" + narrow_at_ + ", 1u);"};
  }

  std::string word_and_sign() const {
    const bool is_unsigned = a_.type.kind == Kind::uint64 || a_.type.kind == Kind::uint32;
    return is_unsigned ? "(u64)" + value_ + ", 0u"
                       : "(u64)(i64)" + value_ + ", (u32)((i64)" + value_ + " < 0)";
  }
  std::string word_sum(const std::string& prefix) const {
    const std::string to = prefix == "limbs_" ? at_ + ", " + count_ : wide_at_ + ", stride";
    return prefix + "add_word(" + to + ", " + word_and_sign() + ");";
  }

  std::string float_sum(const std::string& prefix) const {
    const std::string width = a_.type.kind == Kind::float32 ? "32(" : "64(";
    return "outside |= " + prefix + "add_f" + width +
           (prefix == "limbs_" ? at_ : wide_at_ + ", stride") + ", " + count_ + ", " + lowest_ +
           ", " + value_ + ");";
  }

  // Only the neutral value has the word 0.
  LimbStatements extreme(const std::string& complement) const {
    if (is_wide_extreme(a_)) return wide_extreme(complement);
    const std::string limb = "limbs[" + first_ + "]",
                      word = complement + order_word(a_.type, value_);
    return {"ATOMIC_MAX_U32(" + at_ + ", " + word + ");",
            "limbs_take_maximum(" + at_ + ", " + limbs_ + ");",
            "limbs_wide_maximum(" + wide_to_ + ", " + limb + ");",
            "if (" + limb + " == 0u) " + mine_ + " = " + constant_literal(neutral_of(a_)) +
                "; else " + mine_ + " = " + of_order_word(a_.type, "(" + complement + limb + ")") +
                ";",
            "limbs_wide_maximum(" + wide_at_ + ", " + word + ");",
            limb + " = (u32)*(" + wide_at_ + ");",
            "ATOMIC_MAX_U32(" + narrow_at_ + ", " + word + ");"};
  }

  // Two limbs, which are one word of 64 bits for an atomic. No narrow slot has them.
  LimbStatements wide_extreme(const std::string& complement) const {
    const std::string word = complement + wide_order_word(a_.type, value_),
                      seen = "limbs_word(" + limbs_ + ")";
    return {"limbs_maximum_word(" + at_ + ", " + word + ");",
            "limbs_take_maximum_word(" + at_ + ", " + limbs_ + ");",
            "limbs_wide_maximum_word(" + wide_to_ + ", " + seen + ");",
            "if (" + seen + " == 0u) " + mine_ + " = " + constant_literal(neutral_of(a_)) +
                "; else " + mine_ + " = " +
                of_wide_order_word(a_.type, "(" + complement + seen + ")") + ";",
            "limbs_wide_maximum_word(" + wide_at_ + ", " + word + ");",
            "limbs_wide_take_word(" + wide_at_ + ", " + limbs_ + ");",
            ""};
  }

  const Accumulator& a_;
  std::string count_, first_, at_, wide_at_, wide_to_, limbs_, narrow_at_, mine_, lowest_, value_;
  bool is_only_seen_ = false;
};

bool has_nullable_argument(const TileProgram& program, const Accumulator& a) {
  return a.argument >= 0 &&
         program.graph->at(program.outputs[static_cast<std::size_t>(a.argument)].root).nullable;
}

// Returns a function that says of a limb's number whether it is one of `limbs`.
std::string limb_set_function(const std::string& name, const std::vector<std::uint32_t>& limbs) {
  std::vector<std::uint32_t> words(1);
  for (const std::uint32_t limb : limbs) {
    words.resize(std::max<std::size_t>(words.size(), limb / 32 + 1));
    words[limb / 32] |= std::uint32_t{1} << limb % 32;
  }
  std::string word = "0u";
  for (std::size_t i = words.size(); i-- > 0;)
    word = "w < " + std::to_string(32 * (i + 1)) + "u ? " + std::to_string(words[i]) + "u : (" +
           word + ")";
  return function_source("u32 " + name + "(u32 w)", "  return (" + word + ") >> (w & 31u) & 1u;\n");
}

// Returns functions that say which limbs of a dense table are the highest of a signed sum, and
// which are maxima: 1 of 32 bits, 2 the first limb of 64 bits, 4 its second.
std::string limb_kind_functions(const TileProgram& program) {
  const LimbLayout layout = limb_layout(program, true);
  std::vector<std::uint32_t> tops, maxima, firsts, seconds;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    const std::uint32_t limb = layout.firsts[i], count = limb_count(a, true);
    if (is_wide_extreme(a)) {
      firsts.push_back(limb);
      seconds.push_back(limb + 1);
    } else if (count > 1) {
      tops.push_back(limb + count - 1);
    } else if (a.kind != AccumulatorKind::count || is_only_seen(program, i)) {
      maxima.push_back(limb);
    }
  }
  if (layout.has_own_seen) maxima.push_back(layout.seen);
  const std::string kinds = limb_set_function("limb_is_top", tops);
  if (firsts.empty()) return kinds + limb_set_function("limb_is_maximum", maxima);
  return kinds + limb_set_function("limb_is_narrow_maximum", maxima) +
         limb_set_function("limb_is_first", firsts) + limb_set_function("limb_is_second", seconds) +
         function_source("u32 limb_is_maximum(u32 w)",
                         "  return limb_is_narrow_maximum(w) | limb_is_first(w) << 1 | "
                         "limb_is_second(w) << 2;\n");
}

}  // namespace

// Returns whether an accumulator needs no word of a narrow slot: it says no more than that the slot
// has a row.
static bool is_implied(const TileProgram& program, std::size_t index) {
  const Accumulator& a = program.accumulators[index];
  return a.kind == AccumulatorKind::count && is_only_seen(program, index) &&
         !has_nullable_argument(program, a);
}

// Returns whether some word of a narrow slot tells that the slot has a row: by its value, or by the
// note that is made when it becomes 0.
static bool is_seen_by_words(const TileProgram& program) {
  for (std::size_t i = 0; i < program.accumulators.size(); i++)
    if (!is_implied(program, i) && !has_nullable_argument(program, program.accumulators[i]))
      return true;
  return false;
}

std::uint32_t narrow_words(const TileProgram& program) {
  std::uint32_t words = !is_seen_by_words(program);
  for (std::size_t i = 0; i < program.accumulators.size(); i++) words += !is_implied(program, i);
  return words;
}

// Returns the function that says in global memory that a slot has a row. A limb that counts rows
// says so by itself.
static std::string narrow_see_function(const TileProgram& program) {
  const LimbLayout layout = limb_layout(program, true);
  std::vector<std::uint32_t> limbs;
  for (std::size_t i = 0; i < program.accumulators.size(); i++)
    if (is_implied(program, i)) limbs.push_back(layout.firsts[i]);
  if (layout.has_own_seen) limbs.push_back(layout.seen);
  std::string body;
  for (const std::uint32_t seen : limbs)
    body += "  limbs_wide_store(slot + " + std::to_string(seen) + "u * stride, 1u);\n";
  return function_source("void narrow_see(GLOBAL ATOMIC_U64* slot, u64 stride)",
                         body + "  (void)slot; (void)stride;\n");
}

bool has_narrow_sums(const TileProgram& program) {
  return std::none_of(program.accumulators.begin(), program.accumulators.end(),
                      [](const Accumulator& a) {
                        return is_wide_extreme(a) ||
                               (a.kind == AccumulatorKind::sum_f64 && a.type.kind != Kind::float32);
                      });
}

// Returns the function that says to which limb a word of a narrow slot belongs.
static std::string narrow_limb_function(const TileProgram& program) {
  const LimbLayout layout = limb_layout(program, true);
  std::string body;
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    const std::uint32_t window =
        a.kind == AccumulatorKind::sum_f64 ? limb_count(a, true) - 2 : 0;  // limbs_narrow.kc
    if (!is_implied(program, i))
      body += "  if (w == " + std::to_string(word++) + "u) return " +
              std::to_string(layout.firsts[i] + window) + "u;\n";
  }
  return function_source("u32 narrow_limb(u32 w)", body + "  return PIPELINE_SEEN;\n");
}

std::string limb_functions(const TileProgram& program, const LimbUse& use) {
  const bool is_dense = use.is_dense, is_wide = has_wide_extremes(program);
  const LimbLayout layout = limb_layout(program, is_dense);
  LimbStatements all;
  all.add = all.add_wide = all.add_narrow = "  u32 outside = 0;\n";
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    std::string guard;
    if (has_nullable_argument(program, a))
      guard = "if (" + result_value(static_cast<std::size_t>(a.argument)) + "_valid != 0u) ";
    const LimbStatements one =
        LimbSource(program, i, layout.firsts[i], is_dense, word).statements();
    if (!is_implied(program, i)) {
      all.add_narrow += "  " + guard + one.add_narrow + "\n";
      word++;
    }
    for (const auto part : {&LimbStatements::add, &LimbStatements::add_wide})
      all.*part += "  " + guard + one.*part + "\n";
    for (const auto part : {&LimbStatements::take, &LimbStatements::move, &LimbStatements::collect,
                            &LimbStatements::take_wide})
      all.*part += "  " + one.*part + "\n";
  }
  if (layout.has_own_seen) {
    const std::string seen = std::to_string(layout.seen) + "u";
    all.add += "  ATOMIC_STORE_U32(at + " + seen + ", 1u);\n";
    all.add_wide += "  limbs_wide_store(at + " + seen + " * stride, 1u);\n";
    all.move += "  limbs_wide_store(to + " + seen + " * stride, 1u);\n";
  }
  if (!is_seen_by_words(program))
    all.add_narrow += "  ATOMIC_STORE_U32(at + " + std::to_string(word) + "u, 1u);\n";
  const std::string ranges = is_dense ? ", const PRIVATE DenseRanges* ranges" : "",
                    ignored = is_dense ? " (void)ranges;" : "";
  const std::string row = ", const PRIVATE PipelineResult* result" + ranges + ")";
  const std::string added = "  (void)at; (void)result;" + ignored + "\n  return outside;\n",
                    unused = "  (void)at; (void)limbs;\n";
  std::string text = template_source("limbs_order limbs limbs_read") +
                     (is_wide ? template_source("limbs_extremes") : "") +
                     function_source("u32 limbs_add(LOCAL ATOMIC_U32* at" + row, all.add + added) +
                     function_source("void limbs_take(LOCAL ATOMIC_U32* at, PRIVATE u32* limbs)",
                                     all.take + unused) +
                     function_source("void limbs_collect(PRIVATE u32* limbs" + ranges +
                                         ", PRIVATE Accumulators* mine)",
                                     all.collect + "  (void)limbs; (void)mine;" + ignored + "\n");
  for (const char* type : {" ATOMIC_U32*", " ATOMIC_U64*"})
    replace_all(text, std::string("LOCAL") + type, use.space + type);
  if (!is_dense) return text;
  text +=
      limb_kind_functions(program) + template_source("limbs_wide") +
      (is_wide ? template_source("limbs_wide_extremes") : "") +
      function_source(
          "void limbs_move(const PRIVATE u32* limbs, GLOBAL ATOMIC_U64* to, u64 stride)",
          all.move + "  (void)limbs; (void)to; (void)stride;\n") +
      function_source("void limbs_take_wide(GLOBAL const u64* at, u64 stride, PRIVATE u32* limbs)",
                      all.take_wide + unused + "  (void)stride;\n");
  if (use.is_narrow)
    return text + narrow_see_function(program) + template_source("limbs_narrow") +
           narrow_limb_function(program) +
           function_source(
               "u32 limbs_add_narrow(LOCAL ATOMIC_U32* at, GLOBAL ATOMIC_U64* to, "
               "u64 stride" +
                   row,
               all.add_narrow + "  (void)to; (void)stride;\n" + added);
  if (!use.in_global) return text;
  return text + function_source("u32 limbs_add_wide(GLOBAL ATOMIC_U64* at, u64 stride" + row,
                                "  (void)stride;\n" + all.add_wide + added);
}

}  // namespace penstock::plan
