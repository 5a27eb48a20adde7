#include "fuse/codegen/describe_parameters.hpp"

#include "fuse/codegen/emit_light_loads.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/codegen/parameter_texts.hpp"
#include "fuse/program/accumulator_row.hpp"
#include "fuse/program/kernel_parameters.hpp"
#include "fuse/program/light_loads.hpp"

namespace penstock::plan {
namespace {

std::string word_of(const Accumulator& accumulator) {
  const std::string bits = accumulator.type.kind == Kind::float64   ? " (bits of an f64)"
                           : accumulator.type.kind == Kind::float32 ? " (bits of an f32)"
                                                                    : "";
  return std::string(row_of(accumulator).text) + (is_extreme(accumulator) ? bits : "");
}

// "word 0: sum (bits of an f64) of price; word 1: count of rows"
std::string words_of(const TileProgram& program) {
  std::string text;
  for (const Accumulator& accumulator : program.accumulators) {
    const auto argument = static_cast<std::size_t>(std::max(accumulator.argument, 0));
    const std::string of =
        accumulator.argument < 0
            ? "rows"
            : text_of(*program.graph, program.outputs[argument].root, program.source_schema);
    text += (text.empty() ? "word " : "; word ") + std::to_string(accumulator.word) + ": " +
            word_of(accumulator) + " of " + of;
  }
  return text;
}

// Returns how memory holds values of a type, if not as their SQL value.
std::string passed_as(Type type) {
  switch (type.kind) {
    case Kind::string: return ", as numbers: equal strings have equal ones, constants too";
    case Kind::decimal: return ", times 10^" + std::to_string(type.scale);
    case Kind::date32: return ", as days since 1970";
    case Kind::timestamp: return ", as microseconds since 1970";
    default: return "";
  }
}

std::string constant_of(const Scalar& value) {
  const std::string text = "a constant, " + text_of(value) + " in the statement";
  switch (value.type.kind) {
    case Kind::string: return text + ", passed as its number";
    case Kind::boolean: return text + ", passed as 0 or 1";
    case Kind::decimal:
    case Kind::date32:
    case Kind::timestamp:
      return text + ", passed as " + text_of(Scalar::of(Type{Kind::int128}, value.integer));
    default: return text;
  }
}

// "u64[2 * row_count]"
std::string elements_of(const ColumnBuffer& buffer, const std::string& rows) {
  return buffer.element_type() + (buffer.is_wide() ? "[2 * " : "[") + rows + "]";
}

// `rows`: how many the column has.
std::string column_of(const ColumnBuffer& buffer, const TileProgram& program,
                      const std::string& rows, bool is_aligned) {
  const std::string name =
      buffer.index < program.source_schema.size() ? program.source_schema[buffer.index].name : "";
  const std::string bits = "u8[(" + rows + " + 7) / 8], a bit of each row, the lowest first: ";
  switch (buffer.role) {
    case BufferRole::values:
      if (buffer.is_bits) return bits + "column " + name;
      return elements_of(buffer, rows) + (is_aligned ? ", at a multiple of four elements" : "") +
             ": column " + name + passed_as(buffer.type);
    case BufferRole::validity: return bits + "0 where column " + name + " is NULL";
    case BufferRole::page_bytes:
    case BufferRole::page_index:
      return program.paged.empty()
                 ? "column " + name + " in a light encoding, by " +
                       "src/codec/light/kernels/light_limits.h"
                 : "pages of column " + name + ", by src/codec/pages/kernels/page_limits.h";
    case BufferRole::entries: return "for each number of a string of column " + name + " its value";
    case BufferRole::constants: return "constants of a function of column " + name;
    default: return "of the table of a join, by src/table/join/join_layout.hpp";
  }
}

std::string output_of(const ColumnBuffer& buffer, const TileProgram& program) {
  switch (buffer.role) {
    case BufferRole::row_numbers: return "u32[row_count], the numbers of the rows that pass";
    case BufferRole::found_rows:
      return "u32[row_count], of each row that passes the row that a join found, ~0 where none";
    case BufferRole::validity:
      return "u8[row_count], 0 where " + program.outputs[buffer.index].name + " is NULL";
    default:
      return elements_of(buffer, "row_count") + ", " + program.outputs[buffer.index].name +
             " of the rows that pass" + passed_as(buffer.type);
  }
}

}  // namespace

ParameterDescriptions::ParameterDescriptions(const TileProgram& program, Algorithm algorithm)
    : algorithm_(algorithm) {
  for (const ColumnBuffer& buffer : input_buffers(program))
    of_statement_[buffer.name('c')] = column_of(buffer, program, "row_count", true);
  for (const ColumnBuffer& buffer : lookup_buffers(program))
    of_statement_[buffer.name('c')] = column_of(buffer, program, "rows of the joined table", false);
  for (const ColumnBuffer& buffer : output_buffers(program)) {
    of_statement_[buffer.name('o')] = output_of(buffer, program);
    of_statement_[buffer.name('s')] = output_of(buffer, program) + ", tile by tile";
  }
  const std::vector<Scalar>& constants = program.graph->parameters;
  std::string all;
  std::uint32_t words = 0;
  for (std::uint32_t i = 0; i < constants.size(); i++) {
    const bool is_wide = expr::is_wide(constants[i].type);
    of_statement_[parameter_name(i)] =
        constant_of(constants[i]) + (is_wide ? ", its lower 64 bits" : "");
    of_statement_[parameter_name(i) + "_high"] = constant_of(constants[i]) + ", its upper 64 bits";
    all += (all.empty() ? "" : "; ") + std::to_string(words) + ": " + constant_of(constants[i]);
    words += scalar_words(constants[i].type);
  }
  of_statement_["scalars"] =
      "u64[" + std::to_string(words) + "], a word each, two for 128 bits: " + all;
  of_statement_["partials"] =
      "u64[groups * PIPELINE_ACCUMULATOR_WORDS], of each group in order, to be joined: " +
      words_of(program);
  entry_ =
      ". An entry is u64[PIPELINE_KEY_WORDS] of the key, then "
      "u64[PIPELINE_ACCUMULATOR_WORDS]: " +
      words_of(program);
}

std::string ParameterDescriptions::of(std::string_view kernel, std::string_view parameter) const {
  if (const auto found = of_statement_.find(parameter); found != of_statement_.end())
    return found->second;
  const std::string text(parameter_text(algorithm_, kernel, parameter));
  return parameter == "results" && !text.empty() ? text + entry_ : text;
}

}  // namespace penstock::plan
