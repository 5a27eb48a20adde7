// Emits lookups: finds the keys of a row, as words, in a table (join_layout.hpp), and loads the
// columns of the row found there.
#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "table/join/join_layout.hpp"

namespace penstock::plan {
namespace {

std::string number(std::size_t value) { return std::to_string(value); }
std::string word(std::size_t index) { return "table[" + number(index) + "]"; }
std::string key_name(std::size_t i) { return "key" + number(i); }

std::string key_parameters(const Lookup& lookup) {
  std::string parameters = "u64 " + key_name(0);
  for (std::size_t k = 1; k < lookup.keys.size(); k++) parameters += ", u64 " + key_name(k);
  return parameters;
}

// Returns a statement for each key but the first, which mixes it into `name`.
std::string mix_statements(const Lookup& lookup, const std::string& name) {
  std::string text;
  for (std::size_t k = 1; k < lookup.keys.size(); k++)
    text += "  " + name + " = (" + name + " ^ " + name +
            " >> 29) * ((u64)0xBF58476Du << 32 | 0x1CE4E5B9u) + " + key_name(k) + ";\n";
  return text;
}

// Spelled as in join_table.cpp and join_words.kc, which it must agree with.
std::string find_function(const Lookup& lookup, std::size_t i) {
  const std::string words = number(lookup.keys.size());
  const std::string hash =
      "  u64 at = key0 - " + word(header_base) + ";\n" + mix_statements(lookup, "at");
  std::string same;
  for (std::size_t k = 0; k < lookup.keys.size(); k++)
    same += (k > 0 ? " && " : "") + ("keys[" + number(k) + "] == ") + key_name(k);
  return function_source(
      "u32 lookup" + number(i) + "_find(GLOBAL const u32* positions, GLOBAL const u64* table, " +
          key_parameters(lookup) + ")",
      hash + "  at = at * " + word(header_factor) + " >> (u32)" + word(header_shift) + ";\n" +
          "  const u64 last = " + word(header_last_position) +
          ";\n  if (at > last) return NO_ROW;\n" +
          "  for (;;) {\n    const u32 entry = positions[at];\n    if (entry == 0u) return "
          "NO_ROW;\n" +
          "    if (" + word(header_is_exact) + " != 0) return entry - 1u;\n" +
          "    GLOBAL const u64* keys = table + " + number(header_words) +
          "u + (u64)(entry - 1u) * " + words + "u;\n" + "    if (" + same +
          ") return entry - 1u;\n    at = at == last ? 0 : at + 1;\n  }\n");
}

// Spelled as in join_words.kc, which it must agree with.
std::string bucket_function(const Lookup& lookup, std::size_t i) {
  const std::string mix =
      "  mixed = (mixed ^ mixed >> 32) * ((u64)0xD6E8FEB8u << 32 | 0x6659FD93u);\n";
  return function_source("u32 lookup" + number(i) + "_bucket(" + key_parameters(lookup) + ")",
                         "  u64 mixed = key0;\n" + mix_statements(lookup, "mixed") + mix + mix +
                             "  return (u32)(mixed >> 32) % " + number(JOIN_BUCKET_COUNT) + "u;\n");
}

// Drops the rows of other partitions. Rows with a NULL key are of the first one.
std::string bucket_statements(std::size_t i, const std::string& table, const std::string& valid,
                              const std::string& words) {
  const std::string bucket = "bucket" + number(i),
                    buckets = table + "[" + number(header_buckets) + "]";
  return "  const u32 " + bucket + " = " + valid + " != 0u ? lookup" + number(i) + "_bucket(" +
         words + ") : 0u;\n  keep &= (u32)(" + bucket + " - (u32)" + buckets + " < (u32)(" +
         buckets + " >> 32));\n";
}

// Returns the statement that updates `keep` after a lookup.
std::string keep_statement(const Lookup& lookup, const std::string& row, const std::string& table,
                           const std::string& valid) {
  switch (lookup.kind) {
    case JoinKind::left: return "";
    case JoinKind::inner:
    case JoinKind::semi: return "  keep &= (u32)(" + row + " != NO_ROW);\n";
    case JoinKind::anti: return "  keep &= (u32)(" + row + " == NO_ROW);\n";
    case JoinKind::not_in: break;
  }
  const auto flag = [&](std::size_t index) {
    return "(u32)(" + table + "[" + number(index) + "] == 0)";
  };
  return "  keep &= (u32)(" + row + " == NO_ROW) & (" + valid + " | " + flag(header_has_rows) +
         ") & " + flag(header_has_nulls) + ";\n";
}

std::string load_statement(const TileProgram& program, std::uint32_t column,
                           const std::string& row) {
  const Field& field = program.source_schema[column];
  const std::string type = kernel_type(field.type), name = column_of_lookup(column),
                    from = "c" + number(column);
  const auto choose = [&](const std::string& value, const std::string& otherwise) {
    return " = " + row + " != NO_ROW ? " + value + " : " + otherwise + ";\n";
  };
  const bool is_bits = field.type.kind == Kind::boolean;
  const std::string value =
      is_bits ? "bit_at(" + from + ", " + row + ")" : "(" + type + ")" + from + "[" + row + "]";
  std::string text = "  const " + type + " " + name + choose(value, zero_constant(field.type));
  if (expr::is_wide(field.type))  // structs have no ?: on all targets
    text = "  I128 " + name + " = " + zero_constant(field.type) + ";\n  if (" + row +
           " != NO_ROW) " + name + " = load_I128(" + from + ", " + row + ");\n";
  if (field.nullable)
    text +=
        "  const u32 " + name + "_valid" + choose("bit_at(" + from + "_valid, " + row + ")", "0u");
  return text;
}

}  // namespace

std::string lookup_functions(const TileProgram& program) {
  if (program.lookups.empty()) return "";
  std::string text = "#define NO_ROW 0xffffffffu\n";
  for (std::size_t i = 0; i < program.lookups.size(); i++) {
    text += find_function(program.lookups[i], i);
    if (program.lookups[i].is_partitioned) text += bucket_function(program.lookups[i], i);
  }
  return text;
}

std::string lookup_declarations(const TileProgram& program) {
  std::string text;
  for (const ColumnBuffer& buffer : lookup_buffers(program))
    text += "GLOBAL const " + buffer.element_type() + "* " + buffer.name('c') + ", ";
  return text;
}

std::string lookup_statements(const TileProgram& program, std::size_t i,
                              std::span<const Emission::Root> keys) {
  const Lookup& lookup = program.lookups[i];
  const std::string row = found_row(i), table = "table" + number(i);
  std::string valid, words;
  for (std::size_t k = 0; k < keys.size(); k++) {
    if (keys[k].valid != "1u") valid += (valid.empty() ? "" : " & ") + keys[k].valid;
    words += (words.empty() ? "" : ", ") +
             key_word(program.graph->at(lookup.keys[k]).type, keys[k].value);
  }
  if (valid.empty()) valid = "1u";
  std::string text =
      lookup.is_partitioned ? bucket_statements(i, table, "(" + valid + ")", words) : "";
  text += "  const u32 " + row + " = (keep & " + valid + ") != 0u ? lookup" + number(i) +
          "_find(positions" + number(i) + ", " + table + ", " + words + ") : NO_ROW;\n";
  text += keep_statement(lookup, row, table, "(" + valid + ")");
  for (const std::uint32_t column : lookup.device_columns)
    text += load_statement(program, column, row);
  return text;
}

}  // namespace penstock::plan
