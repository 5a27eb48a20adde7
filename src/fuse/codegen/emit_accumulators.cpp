// Emits accumulators in registers: cleared, given a row, merged, and stored as 64-bit words. The
// host's half is accumulators.cpp.
#include <algorithm>

#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/program/accumulators.hpp"

namespace penstock::plan {
namespace {

// The names that an accumulator's statements read: itself, another one of its kind, a row's value,
// and whether the row counts.
struct Operands {
  std::string mine, other, value, keep;
};
// Statements of one accumulator. `add` has no branch, so that a CPU's compiler vectorises it.
// `add_kept`, if not empty, is for rows that count: a GPU has a condition for every instruction.
struct Statements {
  std::string clear, add, merge, store, load, add_kept;
};

Operands operands(const TileProgram& program, std::size_t index) {
  const Accumulator& a = program.accumulators[index];
  const std::string name = "a" + std::to_string(index);
  Operands o{"mine->" + name, "other->" + name, "", "keep"};
  if (a.argument < 0) return o;
  const auto argument = static_cast<std::size_t>(a.argument);
  o.value = result_value(argument);
  if (program.graph->at(program.outputs[argument].root).nullable)
    o.keep += " & " + o.value + "_valid";
  return o;
}

std::string value_or_zero(const Operands& o, const std::string& type) {
  return "(" + o.keep + ") ? (" + type + ")" + o.value + " : (" + type + ")0";
}

Statements sum_statements(const Operands& o, const std::string& zero, const std::string& added,
                          const std::string& one) {
  return {o.mine + " = " + zero + ";",
          o.mine + " += " + added + ";",
          o.mine + " += " + o.other + ";",
          "",
          "",
          o.mine + " += " + one + ";"};
}
Statements sum_of_values(const Operands& o, const std::string& type) {
  return sum_statements(o, "(" + type + ")0", value_or_zero(o, type), "(" + type + ")" + o.value);
}

Statements wide_sum_statements(const Accumulator& a, const Operands& o) {
  const std::string narrow =
      a.type.kind == Kind::uint64 || a.type.kind == Kind::uint32 ? "u64" : "i64";
  const auto added = [&](const std::string& value) {
    return o.mine + " = i128_add(" + o.mine + ", i128_of_" + narrow + "(" + value + "));";
  };
  return {o.mine + " = i128_of_i64(0);",
          added(value_or_zero(o, narrow)),
          o.mine + " = i128_add(" + o.mine + ", " + o.other + ");",
          "",
          "",
          added("(" + narrow + ")" + o.value)};
}

std::string less(const Accumulator& a, const std::string& x, const std::string& y) {
  if (!is_float(a.type)) return "(" + x + " < " + y + ")";
  return "is_below_" + kernel_type(a.type) + "(" + x + ", " + y + ") != 0u";
}

Statements extreme_statements(const Accumulator& a, const Operands& o) {
  const auto better = [&](const std::string& x) {
    return a.kind == AccumulatorKind::minimum ? less(a, x, o.mine) : less(a, o.mine, x);
  };
  return {o.mine + " = " + constant_literal(neutral_of(a)) + ";",
          "if ((" + o.keep + ") && " + better(o.value) + ") " + o.mine + " = " + o.value + ";",
          "if (" + better(o.other) + ") " + o.mine + " = " + o.other + ";",
          "",
          "",
          ""};
}

Statements custom_statements(const std::string& name, const Operands& o) {
  const std::string combined = o.mine + " = " + name + "_combine(" + o.mine + ", ";
  return {o.mine + " = " + name + "_neutral;",
          "if (" + o.keep + ") " + combined + o.value + ");",
          combined + o.other + ");",
          "",
          "",
          ""};
}

// Returns the type of the accumulator's value if that is one word.
Type word_type(const Accumulator& a) {
  switch (a.kind) {
    case AccumulatorKind::count:
    case AccumulatorKind::sum_i64: return {Kind::int64};
    case AccumulatorKind::sum_f64: return {Kind::float64};
    case AccumulatorKind::sum_i128: return {Kind::int128};
    case AccumulatorKind::minimum:
    case AccumulatorKind::maximum:
    case AccumulatorKind::custom: break;
  }
  return a.type;
}

void add_words(const Accumulator& a, const Operands& o, Statements& statements) {
  const auto at = [&](std::uint32_t word) {
    return "[(u64)" + std::to_string(a.word + word) + "u * stride]";
  };
  if (word_count(a) == 2) {
    statements.store =
        "to" + at(0) + " = " + o.mine + ".low; to" + at(1) + " = (u64)" + o.mine + ".high;";
    statements.load =
        o.mine + ".low = from" + at(0) + "; " + o.mine + ".high = (i64)from" + at(1) + ";";
    return;
  }
  statements.store = "to" + at(0) + " = " + to_word(word_type(a), o.mine) + ";";
  statements.load = o.mine + " = " + of_word(word_type(a), "from" + at(0)) + ";";
}

Statements statements_without_words(const TileProgram& program, std::size_t index,
                                    const Operands& o) {
  const Accumulator& a = program.accumulators[index];
  switch (a.kind) {
    case AccumulatorKind::count: return sum_statements(o, "0", "(i64)(" + o.keep + ")", "1");
    case AccumulatorKind::sum_i64: return sum_of_values(o, "i64");
    case AccumulatorKind::sum_f64: return sum_of_values(o, "f64");
    case AccumulatorKind::sum_i128: return wide_sum_statements(a, o);
    case AccumulatorKind::minimum:
    case AccumulatorKind::maximum: return extreme_statements(a, o);
    case AccumulatorKind::custom: return custom_statements("a" + std::to_string(index), o);
  }
  return {};
}

bool is_float_extreme(const Accumulator& a) {
  return is_float(a.type) &&
         (a.kind == AccumulatorKind::minimum || a.kind == AccumulatorKind::maximum);
}

std::string custom_functions(const TileProgram& program) {
  std::string text;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    if (a.kind != AccumulatorKind::custom) continue;
    const std::string type = kernel_type(a.type), name = "a" + std::to_string(i);
    text += "FUNCTION " + type + " " + name + "_combine(" + type + " a, " + type + " b)\n{\n  " +
            a.custom->body + "\n}\n";
    text += "#define " + name + "_neutral " + constant_literal(neutral_of(a)) + "\n";
  }
  return text;
}

// Statements that store and load it as 64-bit words, `stride` words apart.
std::string word_functions(const std::string& space, const std::string& put, const std::string& get,
                           const Statements& all) {
  return function_source("void accumulators_" + put + "(" + space +
                             " u64* to, u64 stride, const PRIVATE Accumulators* mine)",
                         all.store + "  (void)to; (void)stride;\n") +
         function_source("void accumulators_" + get + "(const " + space +
                             " u64* from, u64 stride, PRIVATE Accumulators* mine)",
                         all.load + "  (void)from; (void)stride;\n");
}

// Appends the statement that adds a row. It joins the ones under `condition` if its own condition
// is the same.
void append_kept(const Operands& o, const Statements& one, std::string& condition,
                 std::string& text) {
  const std::string wanted = one.add_kept.empty() ? std::string() : o.keep;
  if (wanted != condition && !condition.empty()) text += "  }\n";
  if (wanted != condition && !wanted.empty()) text += "  if ((" + wanted + ") != 0u) {\n";
  text += "  " + (wanted.empty() ? one.add : one.add_kept) + "\n";
  condition = wanted;
}

}  // namespace

std::string accumulator_functions(const TileProgram& program) {
  std::string fields, condition;
  Statements all;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Operands o = operands(program, i);
    Statements one = statements_without_words(program, i, o);
    add_words(program.accumulators[i], o, one);
    append_kept(o, one, condition, all.add_kept);
    fields +=
        " " + kernel_type(word_type(program.accumulators[i])) + " a" + std::to_string(i) + ";";
    for (const auto part : {&Statements::clear, &Statements::add, &Statements::merge,
                            &Statements::store, &Statements::load})
      all.*part += "  " + one.*part + "\n";
  }
  if (!condition.empty()) all.add_kept += "  }\n";
  if (fields.empty()) {
    fields = " u32 none;";
    all.clear = all.add = all.add_kept = all.merge = all.load = "  (void)mine;\n";
    all.store = "  to[0] = 0;\n" + all.load;  // the word that every entry has, which the host reads
  }
  const std::string order = std::ranges::any_of(program.accumulators, is_float_extreme)
                                ? template_source("extremes") + "\n"
                                : std::string();
  return order + custom_functions(program) + "typedef struct {" + fields + " } Accumulators;\n\n" +
         function_source("void accumulators_clear(PRIVATE Accumulators* mine)", all.clear) +
         function_source(
             "void accumulators_add(PRIVATE Accumulators* mine, const PRIVATE PipelineResult* "
             "result, u32 keep)",
             "#if GROUP_SIZE == 1\n" + all.add + "#else\n" + all.add_kept +
                 "#endif\n  (void)result; (void)keep;\n") +
         function_source(
             "void accumulators_merge(PRIVATE Accumulators* mine, const PRIVATE Accumulators* "
             "other)",
             all.merge + "  (void)other;\n") +
         "// As 64-bit words, `stride` words apart.\n" +
         word_functions("GLOBAL", "store", "load", all) + "#if GROUP_SIZE == 1\n" +
         word_functions("PRIVATE", "put", "get", all) + "#endif\n\n";
}

}  // namespace penstock::plan
