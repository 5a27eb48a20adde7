// Emits how a row is loaded out of pages: column -> value becomes page, index -> value.
#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/program/own_codes.hpp"
#include "fuse/program/string_calls.hpp"

namespace penstock::plan {
namespace {

// Returns a stored value as a value of the column's type.
std::string converted(Type type, bool is_wide, const std::string& stored) {
  if (type.kind == Kind::float32) return "F32_OF_BITS(" + stored + ")";
  if (type.kind == Kind::float64) return "F64_OF_BITS(" + stored + ")";
  const std::string word = kernel_type(type);
  // Decimals of few digits may be stored in 32 bits.
  return (word == "i64" && !is_wide ? "(i64)(i32)" : "(" + word + ")") + stored;
}

// Returns the value of a string, or of a column that is derived from a paged one.
std::string value_by_entry(const TileProgram& program, const PagedLoad& load,
                           std::uint32_t column) {
  const std::string name = "c" + std::to_string(load.column), own = "c" + std::to_string(column);
  if (!load.is_text) return own + "_entries[" + name + "_stored]";
  std::string text = text_function(program.derived[column - program.first_derived()])->expression;
  replace_all(text, "$BYTES", name + "_bytes");
  replace_all(text, "$TEXT", name + "_stored");
  replace_all(text, "$WORDS", own + "_constants");
  return "(" + text + ")";
}

// Returns the assignments of the fields that come from a paged column: its own, and its functions.
// `row` is "in->" or "in[k].".
std::string assignments(const TileProgram& program, const PagedLoad& load, const std::string& row) {
  const std::string name = "c" + std::to_string(load.column);
  std::string text;
  for (const std::uint32_t column : program.device_columns) {
    if (program.root_of(column) != load.column) continue;
    const Field& field = program.source_schema[column];
    const std::string to = row + "c" + std::to_string(column);
    const bool has_entry =
        column != load.column ||
        (field.type.kind == Kind::string && !load.is_text && !has_own_codes(program, column));
    const std::string value =
        has_entry ? "(" + kernel_type(field.type) + ")" + value_by_entry(program, load, column)
                  : converted(field.type, load.is_wide, name + "_stored");
    text += " " + to + " = " + value + ";";
    if (field.nullable) text += " " + to + "_valid = " + name + "_present;";
  }
  return text;
}

// "const PageFour32 c0_load = page_load_4_32(c0_bytes, c0_index, (u32)row);"
std::string load_statement(const PagedLoad& load, bool is_four) {
  const std::string name = "c" + std::to_string(load.column), width = load.is_wide ? "64" : "32";
  return std::string("  const Page") + (is_four ? "Four" : "One") + width + " " + name +
         "_load = page_load_" + (is_four ? "4_" : "1_") + width + "(" + name + "_bytes, " + name +
         "_index, (u32)row);\n";
}

// Returns the values that were loaded for a row, under the names that assignments() uses.
std::string loaded_row(const PagedLoad& load, const std::string& row) {
  const std::string name = "c" + std::to_string(load.column), width = load.is_wide ? "64" : "32";
  return " const u" + width + " " + name + "_stored = " + name + "_load.values[" + row +
         "]; const u32 " + name + "_present = " + name + "_load.present >> " + row +
         " & 1u; (void)" + name + "_present;";
}

std::string fields(const TileProgram& program) {
  std::string text;
  for (const std::uint32_t column : program.device_columns) {
    const Field& field = program.source_schema[column];
    const std::string name = "c" + std::to_string(column);
    text += " " + kernel_type(field.type) + " " + name + ";";
    if (field.nullable) text += " u32 " + name + "_valid;";
  }
  return text.empty() ? " u32 unused;" : text;
}

}  // namespace

std::string page_load_functions(const TileProgram& program) {
  std::string one, four;
  for (const PagedLoad& load : program.paged) {
    if (load.is_late) continue;
    one += load_statement(load, false) + " " + loaded_row(load, "0u") + "\n " +
           assignments(program, load, "in->") + "\n";
    four += load_statement(load, true) + "  UNROLL for (u32 k = 0; k < 4u; k++) {" +
            loaded_row(load, "k") + "\n   " + assignments(program, load, "in[k].") + " }\n";
  }
  if (one.empty()) one = four = "  (void)row; (void)in;\n";  // all of them are late
  const std::string parameters =
      "(" + column_declarations(program) + "u64 row, PRIVATE PipelineRow* in)";
  return "typedef struct {" + fields(program) + " } PipelineRow;\n\n" +
         function_source("void pipeline_load" + parameters, one) +
         "// Four rows from a multiple of four on.\n" +
         function_source("void pipeline_load_4" + parameters, four);
}

}  // namespace penstock::plan
