// Emits how a row is loaded into registers, then evaluated once for every filter and output of the
// chain.
#include <algorithm>

#include "expr/emit.hpp"
#include "fuse/codegen/emit_light_loads.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"

namespace penstock::plan {
namespace {

// Returns whether UDFs are guarded: no UDF is called for a row that an earlier filter dropped, as
// its body may not end, or may read what does not exist.
bool guards_udfs(const TileProgram& program) {
  return !program.keeps_all_rows() && !program.graph->custom_functions.empty();
}

// Statements that read four rows of a buffer from a multiple of four on, and the value of row k of
// them. Bits are words in registers.
struct FourRows {
  std::string statements, value;
};
FourRows four_rows(const ColumnBuffer& buffer) {
  if (is_light(buffer)) return {light_four(buffer), light_value(buffer)};
  const std::string name = buffer.name('c'), element = buffer.element_type();
  if (buffer.is_wide()) {
    const std::string words = name + "_four", two = "LOAD_4(u64, " + words;
    return {"  u64 " + words + "[8];\n  " + two + ", " + name + " + 2u * row);\n  " + two +
                " + 4, " + name + " + 2u * row + 4u);\n",
            "words_I128(" + words + "[2u * k], " + words + "[2u * k + 1u])"};
  }
  if (!buffer.is_bits)
    return {"  " + element + " " + name + "_four[4];\n  LOAD_4(" + element + ", " + name +
                "_four, " + name + " + row);\n",
            "(" + buffer.register_type() + ")" + name + "_four[k]"};
  const std::string bits = buffer.role == BufferRole::validity
                               ? "c" + std::to_string(buffer.index) + "_present"
                               : name + "_bits";
  return {"  const u32 " + bits + " = (u32)" + name + "[row >> 3] >> (u32)(row & 7u);\n",
          bits + " >> k & 1u"};
}

std::string one_row(const ColumnBuffer& buffer) {
  if (is_light(buffer)) return light_row(buffer);
  const std::string name = buffer.name('c');
  if (buffer.is_wide()) return "load_I128(" + name + ", row)";
  return buffer.is_bits ? "bit_at(" + name + ", row)"
                        : "(" + buffer.register_type() + ")" + name + "[row]";
}

// Returns the type of a buffer's field in a row.
std::string field_type(const ColumnBuffer& buffer) {
  return is_light(buffer) ? kernel_type(buffer.type) : buffer.register_type();
}
std::string field_name(const ColumnBuffer& buffer) {
  return is_light(buffer) ? "c" + std::to_string(buffer.index) : buffer.name('c');
}

// Returns statements that read four rows of buffers, of a column and its validity in one loop.
// `row`: the place of row k.
std::string four_statements(std::span<const ColumnBuffer> buffers,
                            FourRows (*rows_of)(const ColumnBuffer&), const std::string& row) {
  std::string text, take;
  for (std::size_t i = 0; i < buffers.size(); i++) {
    const FourRows rows = rows_of(buffers[i]);
    text += rows.statements;
    take += " " + row + field_name(buffers[i]) + " = " + rows.value + ";";
    if (i + 1 < buffers.size() && buffers[i + 1].role == BufferRole::validity)
      continue;  // one loop per column
    text += "  UNROLL for (u32 k = 0; k < 4u; k++) {" + take + " }\n";
    take.clear();
  }
  return text;
}

// The same for a tile after its light columns were read.
FourRows four_rows_of_tile(const ColumnBuffer& buffer) {
  return is_light(buffer) ? FourRows{"", light_tile_value(buffer)} : four_rows(buffer);
}

// Returns the function that loads a thread's part of a whole tile: fours, with the fours of the
// group's other threads between them. `buffers`: none if pages are read, one four after another.
std::string tile_function(const TileProgram& program, std::span<const ColumnBuffer> buffers) {
  std::string names, body;
  for (const ColumnBuffer& buffer : input_buffers(program)) names += buffer.name('c') + ", ";
  const bool has_light = std::ranges::any_of(buffers, is_light);
  if (has_light) body = "  first += 4u * own;\n  own = 0u;\n";
  for (const ColumnBuffer& buffer : buffers)
    if (is_light(buffer)) body += light_tile(buffer);
  body +=
      "  UNROLL for (u32 v = 0; v < PIPELINE_VECTORS; v++) {\n"
      "  const u64 row = first + 4u * (u64)(v * GROUP_SIZE + own);\n" +
      (has_light ? four_statements(buffers, four_rows_of_tile, "in[v][k].") + "  (void)row;\n"
                 : "  pipeline_load_4(" + names + "row, in[v]);\n") +
      "  }\n";
  return "#if GROUP_SIZE > 1 && PIPELINE_VECTORS > 0\n// Loads the part of thread `own` in the "
         "whole tile from row `first` on.\n" +
         function_source("void pipeline_load_tile(" + column_declarations(program) +
                             "u64 first, u32 own, PRIVATE PipelineRow (*in)[4])",
                         body) +
         "#endif\n";
}

std::string result_struct(const TileProgram& program) {
  std::string text = "typedef struct {";
  for (const ColumnBuffer& field : result_fields(program))
    text += " " + field.register_type() + " " + field.name('o') + ";";
  return text + " u32 row; } PipelineResult;\n\n";
}

EmissionNames row_names(const TileProgram& program) {
  EmissionNames names;
  names.value = [&program](std::uint32_t column) {
    return program.lookup_of(column) < 0 ? "in->c" + std::to_string(column)
                                         : column_of_lookup(column);
  };
  names.valid = [&program, value = names.value](std::uint32_t column) {
    return program.source_schema[column].nullable ? value(column) + "_valid" : std::string();
  };
  names.parameter = [&program](std::uint32_t p) { return scalar_value(program, p); };
  names.parameter_valid = [&program](std::uint32_t p) {
    return std::string(program.graph->parameters[p].is_null ? "0u" : "");
  };
  return names;
}

// Returns the statement that notes a row's fault, which counts if the row has passed every
// predicate before it.
std::string fault_statement(const Emission::Root& root) {
  return root.fault == "0u" ? ""
                            : "  found = found == 0u && keep != 0u ? " + root.fault + " : found;\n";
}
std::string keep_statements(const Emission::Root& root) {
  return fault_statement(root) + "  keep &= (u32)" + root.value + " & (u32)" + root.valid + ";\n";
}

// Returns the statements of the outputs. Their roots are `roots`, in order.
std::string output_statements(const TileProgram& program, std::span<const Emission::Root> roots) {
  std::string text;
  std::size_t next = 0;
  for (const ColumnBuffer& field : result_fields(program)) {
    if (field.role == BufferRole::found_rows) {
      text += "  out->" + field.name('o') + " = " + found_row(field.index) + ";\n";
      continue;
    }
    const bool is_value = field.role == BufferRole::values;
    if (is_value) text += fault_statement(roots[next++]);
    text += "  out->" + field.name('o') + " = " +
            (is_value ? roots[next - 1].value : roots[next - 1].valid) + ";\n";
  }
  return text;
}

// A question about a row, in order: each predicate, and the keys of each lookup after the
// predicates of the steps before it.
struct Question {
  bool is_key = false;
  std::size_t lookup = 0;
  NodeId root = 0;
  bool is_last = true;
};
std::vector<Question> questions(const TileProgram& program) {
  std::vector<Question> questions;
  std::size_t next = 0;
  for (std::size_t i = 0; i <= program.predicates.size(); i++) {
    for (; next < program.lookups.size() && program.lookups[next].predicates_before == i; next++) {
      const std::vector<NodeId>& keys = program.lookups[next].keys;
      for (const NodeId& key : keys) questions.push_back({true, next, key, &key == &keys.back()});
    }
    if (i < program.predicates.size()) questions.push_back({false, 0, program.predicates[i]});
  }
  return questions;
}

// A CPU's thread has its own lanes: it leaves out the work that a dropped row does not need.
constexpr const char* exit_statement =
    "#if GROUP_SIZE == 1\n  if ((keep | found) == 0u) return 0u;\n#endif\n";

// Returns names with statements after each question's own, which must stay in order: a lookup asks
// only for rows that were kept so far.
EmissionNames names_in_order(const TileProgram& program, const std::vector<Question>& asked,
                             std::vector<Emission::Root>& keys) {
  EmissionNames names = row_names(program);
  if (guards_udfs(program)) names.custom_guard = "keep != 0u && found == 0u";
  names.after_root = [&](std::size_t i, const Emission::Root& root) {
    if (i >= asked.size()) return std::string();
    const std::string exit = i + 1 == asked.size() ? exit_statement : std::string();
    if (!asked[i].is_key) return keep_statements(root) + exit;
    keys.push_back(root);
    std::string text = fault_statement(root);
    if (!asked[i].is_last) return text;
    text += lookup_statements(program, asked[i].lookup, keys);
    keys.clear();
    return text + exit;
  };
  return names;
}

}  // namespace

std::string column_declarations(const TileProgram& program) {
  std::string text;
  for (const ColumnBuffer& buffer : input_buffers(program))
    text += "GLOBAL const " + buffer.element_type() + "* " + buffer.name('c') + ", ";
  return text;
}

std::string value_declarations(const TileProgram& program) {
  std::string text = lookup_declarations(program);
  if (packs_scalars(program)) return text + "GLOBAL const u64* scalars, ";
  for (std::uint32_t i = 0; i < program.graph->parameters.size(); i++)
    for (const ScalarParameter& scalar : scalar_parameters(program, i))
      if (is_used_parameter(program, i)) text += scalar.type + " " + scalar.name + ", ";
  return text;
}

std::vector<ColumnBuffer> result_fields(const TileProgram& program) {
  std::vector<ColumnBuffer> fields = output_buffers(program);
  std::erase_if(fields,
                [](const ColumnBuffer& buffer) { return buffer.role == BufferRole::row_numbers; });
  return fields;
}

std::string load_functions(const TileProgram& program) {
  const std::vector<ColumnBuffer> buffers = input_buffers(program);
  if (!program.paged.empty()) return page_load_functions(program) + tile_function(program, {});
  std::string fields, one;
  for (const ColumnBuffer& buffer : buffers) {
    const std::string name = field_name(buffer);
    fields += " " + field_type(buffer) + " " + name + ";";
    one += "  in->" + name + " = " + one_row(buffer) + ";\n";
  }
  const std::string ignore = buffers.empty() ? "  (void)row; (void)in;\n" : "";
  const std::string parameters =
      "(" + column_declarations(program) + "u64 row, PRIVATE PipelineRow* in)";
  return light_functions(buffers) + "typedef struct {" + fields +
         (buffers.empty() ? " u32 unused;" : "") + " } PipelineRow;\n\n" +
         function_source("void pipeline_load" + parameters, one + ignore) +
         "// Four rows from a multiple of four on.\n" +
         function_source("void pipeline_load_4" + parameters,
                         four_statements(buffers, four_rows, "in[k].") + ignore) +
         tile_function(program, buffers);
}

Result<std::string> select_function(const TileProgram& program) {
  const std::size_t count = program.lookups.empty() ? 0 : program.lookups[0].predicates_before;
  if (count == 0 || guards_udfs(program)) return std::string();
  PENSTOCK_ASSIGN(
      const Emission emission,
      emit(*program.graph, std::span(program.predicates).first(count), row_names(program)));
  std::string passes = "1u", faults = "0u";
  for (const Emission::Root& root : emission.roots) {
    passes += " & (u32)" + root.value + " & (u32)" + root.valid;
    if (root.fault != "0u") faults += " | " + root.fault;
  }
  return "#define PIPELINE_SELECTS 1\n" +
         function_source("u32 pipeline_may_pass(" + value_declarations(program) +
                             "const PRIVATE PipelineRow* in)",
                         scalar_loads(program) + emission.statements + "  (void)in;\n  return (" +
                             passes + ") | (u32)((" + faults + ") != 0u);\n");
}

Result<std::string> evaluate_function(const TileProgram& program, PipelineSource& result) {
  const std::vector<Question> asked = questions(program);
  std::vector<NodeId> roots;
  for (const Question& question : asked) roots.push_back(question.root);
  for (const Output& output : program.outputs)
    if (output.late_column < 0) roots.push_back(output.root);
  if (program.bound) roots.push_back(program.bound->passes);
  const bool in_order = guards_udfs(program) || !program.lookups.empty();
  std::vector<Emission::Root> keys;
  const EmissionNames names = in_order ? names_in_order(program, asked, keys) : row_names(program);
  PENSTOCK_ASSIGN(const Emission emission, emit(*program.graph, roots, names));
  result.faults = emission.faults;
  result.fault_codes = emission.fault_codes;

  const std::string begin = "  u32 keep = 1u, found = 0u;\n";
  std::string body = scalar_loads(program) +
                     (in_order ? begin + emission.statements : emission.statements + begin);
  for (std::size_t i = 0; !in_order && i < asked.size(); i++)
    body += keep_statements(emission.roots[i]);
  body += output_statements(program, std::span(emission.roots).subspan(asked.size()));
  if (program.bound)
    body += "  keep &= (u32)" + emission.roots.back().value + " & (u32)" +
            emission.roots.back().valid + ";\n";
  // No fault is 0, and 0 - 1 is NO_FAULT: hence a minimum, which compilers can vectorise.
  body +=
      "  *fault = found - 1u < *fault ? found - 1u : *fault;\n  (void)in; (void)out;\n  return "
      "keep;\n";
  return emission.functions + result_struct(program) +
         "// Evaluates one row: whether it is kept, its outputs, and the smallest fault number met "
         "so far.\n" +
         function_source(
             "u32 pipeline_evaluate(" + value_declarations(program) +
                 "const PRIVATE PipelineRow* in, PRIVATE PipelineResult* out, PRIVATE u32* fault)",
             body);
}

}  // namespace penstock::plan
