// Emits accumulators in limbs of 32 bits, which the threads of a group add to atomically
// (kernels/limbs.kc). They are exact, so that no order matters.
#include <algorithm>

#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/codegen/limb_statements.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/dense_ranges.hpp"

namespace penstock::plan {
namespace {

// A count that only says whether there is a value need not count.
bool is_only_seen(const TileProgram& program, std::size_t accumulator) {
  for (const AggregateResult& result : program.results) {
    const Finish finish = row_of(result.function).finish;
    const bool counts = finish == Finish::counts || finish == Finish::average;
    if (counts && result.count == accumulator) return false;
  }
  return true;
}

LimbOperands operands(const TileProgram& program, std::size_t index, std::uint32_t limb,
                      bool is_dense, std::uint32_t narrow_word) {
  const Accumulator& a = program.accumulators[index];
  const std::string first = std::to_string(limb) + "u";
  return {a,
          std::to_string(limb_count(a, is_dense)) + "u",
          first,
          "at + " + first,
          "at + " + first + " * stride",
          "to + " + first + " * stride",
          "limbs + " + first,
          "at + " + std::to_string(narrow_word) + "u",
          "mine->a" + std::to_string(index),
          is_dense ? "ranges->" + lowest_name(index) : "(-80)",
          a.argument >= 0 ? result_value(static_cast<std::size_t>(a.argument)) : "",
          is_dense && is_only_seen(program, index)};
}

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
  return std::none_of(
      program.accumulators.begin(), program.accumulators.end(), [](const Accumulator& a) {
        return is_wide_extreme(a) || (is_rounded_sum(a) && a.type.kind != Kind::float32);
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
        is_rounded_sum(a) ? limb_count(a, true) - 2 : 0;  // limbs_narrow.kc
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
        row_of(a).in_limbs(operands(program, i, layout.firsts[i], is_dense, word));
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
