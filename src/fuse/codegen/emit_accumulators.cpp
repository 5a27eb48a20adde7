// Emits accumulators in registers: cleared, given a row, merged, and stored as 64-bit words. The
// host's half is accumulators.cpp.
#include <algorithm>

#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/codegen/register_statements.hpp"
#include "fuse/program/accumulators.hpp"

namespace penstock::plan {
namespace {

RegisterOperands operands(const TileProgram& program, std::size_t index) {
  const Accumulator& a = program.accumulators[index];
  const std::string name = "a" + std::to_string(index);
  RegisterOperands o{name, "mine->" + name, "other->" + name, "", "keep"};
  if (a.argument < 0) return o;
  const auto argument = static_cast<std::size_t>(a.argument);
  o.value = result_value(argument);
  if (program.graph->at(program.outputs[argument].root).nullable)
    o.keep += " & " + o.value + "_valid";
  return o;
}

void add_words(const Accumulator& a, const RegisterOperands& o, RegisterStatements& statements) {
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
  statements.store = "to" + at(0) + " = " + to_word(value_type(a), o.mine) + ";";
  statements.load = o.mine + " = " + of_word(value_type(a), "from" + at(0)) + ";";
}

bool is_float_extreme(const Accumulator& a) { return is_float(a.type) && is_extreme(a); }

std::string custom_functions(const TileProgram& program) {
  std::string text;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    if (!is_custom(a)) continue;
    const std::string type = kernel_type(a.type), name = "a" + std::to_string(i);
    text += "FUNCTION " + type + " " + name + "_combine(" + type + " a, " + type + " b)\n{\n  " +
            a.custom->body + "\n}\n";
    text += "#define " + name + "_neutral " + constant_literal(neutral_of(a)) + "\n";
  }
  return text;
}

// Statements that store and load it as 64-bit words, `stride` words apart.
std::string word_functions(const std::string& space, const std::string& put, const std::string& get,
                           const RegisterStatements& all) {
  return function_source("void accumulators_" + put + "(" + space +
                             " u64* to, u64 stride, const PRIVATE Accumulators* mine)",
                         all.store + "  (void)to; (void)stride;\n") +
         function_source("void accumulators_" + get + "(const " + space +
                             " u64* from, u64 stride, PRIVATE Accumulators* mine)",
                         all.load + "  (void)from; (void)stride;\n");
}

// Appends the statement that adds a row, to those under `condition` where that is its own too.
void append_kept(const RegisterOperands& o, const RegisterStatements& one, std::string& condition,
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
  RegisterStatements all;
  for (std::size_t i = 0; i < program.accumulators.size(); i++) {
    const Accumulator& a = program.accumulators[i];
    const RegisterOperands o = operands(program, i);
    RegisterStatements one = row_of(a).in_registers(a, o);
    add_words(a, o, one);
    append_kept(o, one, condition, all.add_kept);
    fields += " " + kernel_type(value_type(a)) + " " + o.name + ";";
    for (const auto part :
         {&RegisterStatements::clear, &RegisterStatements::add, &RegisterStatements::merge,
          &RegisterStatements::store, &RegisterStatements::load})
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
