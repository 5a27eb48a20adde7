// Emits groups by keys of known ranges: a row's slot from its keys and back, and how ranges are
// found. See kernels/group_dense.kc.
#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/dense_ranges.hpp"

namespace penstock::plan {
namespace {

// A key among the program's outputs.
struct DenseKey {
  Type type;
  bool is_nullable = false, is_narrow = false, is_signed = false;
  std::string value, base, extent;
};

DenseKey dense_key(const TileProgram& program, std::uint32_t i) {
  const Node& node = program.graph->at(program.outputs[i].root);
  const std::string number = std::to_string(i);
  return {
      node.type,       node.nullable,   is_narrow_key(node.type), expr::is_sign_extended(node.type),
      result_value(i), "base" + number, "extent" + number};
}

// "digit" is the key's offset in its range; a key outside the range has `extent` or more.
std::string digit_statements(const DenseKey& key) {
  const std::string base = "ranges->" + key.base, extent = "ranges->" + key.extent;
  std::string text = key.is_narrow ? "  digit = (u32)" + key.value + " - " + base + ";\n"
                                   : "  distance = " + to_word(key.type, key.value) + " - " + base +
                                         ";\n  digit = distance < " + extent +
                                         " ? (u32)distance : " + extent + ";\n";
  if (!key.is_nullable)
    return text + "  outside |= (u32)(digit >= " + extent + ");\n  slot = slot * " + extent +
           " + digit;\n";
  const std::string valid = key.value + "_valid";
  return text + "  outside |= (u32)(digit >= " + extent + ") & " + valid + ";\n  digit = " + valid +
         " != 0u ? digit : " + extent + ";\n  slot = slot * (" + extent + " + 1u) + digit;\n";
}

std::string slot_function(const TileProgram& program) {
  std::string body = "  u32 slot = 0, outside = 0, digit;\n";
  bool has_wide_keys = false;
  for (std::uint32_t i = 0; i < program.key_count; i++)
    has_wide_keys |= !dense_key(program, i).is_narrow;
  if (has_wide_keys) body += "  u64 distance;\n";
  for (std::uint32_t i = 0; i < program.key_count; i++)
    body += digit_statements(dense_key(program, i));
  return "#define NO_SLOT 0xffffffffu\n" + function_source(
                                               "u32 dense_slot(const PRIVATE PipelineResult* "
                                               "result, const PRIVATE DenseRanges* ranges)",
                                               body + "  return outside != 0u ? NO_SLOT : slot;\n");
}

// The keys' words as key_function() writes them.
std::string key_of_slot_function(const TileProgram& program) {
  std::string body = "  u64 nulls = 0;\n  u32 digit;\n";
  for (std::uint32_t i = program.key_count; i-- > 0;) {
    const DenseKey key = dense_key(program, i);
    const std::string extent = "ranges->" + key.extent,
                      count = key.is_nullable ? "(" + extent + " + 1u)" : extent;
    const std::string word = "words[" + std::to_string(i) + "]",
                      sum = "ranges->" + key.base + " + digit";
    const std::string narrow =
        key.is_signed ? "(u64)(i64)(i32)(" + sum + ")" : "(u64)(" + sum + ")";
    body += "  digit = slot % " + count + ";\n  slot /= " + count + ";\n  " + word + " = " +
            (key.is_narrow ? narrow : sum) + ";\n";
    if (key.is_nullable)
      body += "  if (digit == " + extent + ") { " + word + " = 0; nulls |= (u64)1 << " +
              std::to_string(i) + "; }\n";
  }
  return function_source(
      "void dense_key(u32 slot, const PRIVATE DenseRanges* ranges, PRIVATE u64* words)",
      body + "  words[" + std::to_string(program.key_words() - 1) + "] = nulls;\n");
}

// The words of the buffer, in the order of DenseTable::words.
std::string ranges_struct(const TileProgram& program) {
  std::string fields, load;
  std::uint32_t word = 0;
  const auto field = [&](const std::string& type, const std::string& name) {
    fields += " " + type + " " + name + ";";
    load += "  to->" + name + " = (" + type + ")words[" + std::to_string(word++) + "];\n";
  };
  for (std::uint32_t i = 0; i < program.key_count; i++) {
    const DenseKey key = dense_key(program, i);
    field(key.is_narrow ? "u32" : "u64", key.base);
    field("u32", key.extent);
  }
  for (const std::size_t i : float_sums(program)) field("i32", lowest_name(i));
  return "typedef struct {" + fields + " } DenseRanges;\n" +
         function_source("void dense_ranges_load(GLOBAL const u64* words, PRIVATE DenseRanges* to)",
                         load);
}

// Returns a key's word in the order of its values.
std::string ordered_word(const DenseKey& key) {
  const std::string word = to_word(key.type, key.value);
  return key.is_signed ? "((" + word + ") ^ (u64)1 << 63)" : word;
}

std::string see_function(const TileProgram& program) {
  std::string body = "  u64 word;\n";
  std::uint32_t index = 0;
  const auto maximum = [&](const std::string& value) {
    const std::string at = "maxima[" + std::to_string(index++) + "]";
    return "word = " + value + "; if (word > " + at + ") " + at + " = word; ";
  };
  for (std::uint32_t i = 0; i < program.key_count; i++) {
    const DenseKey key = dense_key(program, i);
    const std::string word = ordered_word(key),
                      guard = key.is_nullable ? "if (" + key.value + "_valid != 0u) " : "";
    body += "  " + guard + "{ " + maximum("~(" + word + ")");
    body += maximum(word) + "}\n";
  }
  for (const std::size_t i : float_sums(program)) {
    const auto argument = static_cast<std::size_t>(program.accumulators[i].argument);
    const std::string value = result_value(argument);
    const bool is_wide = program.accumulators[i].type.kind == Kind::float64;
    const std::string guard = program.graph->at(program.outputs[argument].root).nullable
                                  ? "if (" + value + "_valid != 0u) "
                                  : "";
    body += "  " + guard + "{ " +
            maximum(is_wide ? "BITS_F64(" + value + ") << 1 >> 53"
                            : "(u64)(BITS_F32(" + value + ") << 1 >> 24)") +
            "}\n";
  }
  return function_source(
      "void ranges_see(const PRIVATE PipelineResult* result, PRIVATE u64* maxima)",
      body + "  (void)word;\n");
}

}  // namespace

std::string dense_functions(const TileProgram& program) {
  return ranges_struct(program) + slot_function(program) + key_of_slot_function(program) +
         see_function(program);
}

}  // namespace penstock::plan
