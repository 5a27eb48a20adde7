// Emits the records of groups in partitions: the values that a row takes to its partition, as words
// of 32 bits, and back. See kernels/group_partitions.kc.
#include <algorithm>

#include "expr/emit.hpp"
#include "fuse/codegen/emit_pipeline_parts.hpp"
#include "fuse/variants/partition_layout.hpp"

namespace penstock::plan {
namespace {

std::string word(std::uint32_t index) { return "words[" + std::to_string(index) + "]"; }

// Statements that write a value from word `at` on, and that read it.
struct FieldSource {
  std::string put, take;
};
FieldSource field_source(const RecordField& field, std::uint32_t at) {
  const std::string value = result_value(field.output), low = word(at), high = word(at + 1);
  if (field.words() == 2)
    return {"  wide = " + to_word(field.type, value) + ";\n  " + low + " = (u32)wide;\n  " + high +
                " = (u32)(wide >> 32);\n",
            "  wide = (u64)" + high + " << 32 | " + low + ";\n  " + value + " = " +
                of_word(field.type, "wide") + ";\n"};
  if (field.type.kind == Kind::float32)
    return {"  " + low + " = BITS_F32(" + value + ");\n",
            "  " + value + " = F32_OF_BITS(" + low + ");\n"};
  return {"  " + low + " = (u32)" + value + ";\n",
          "  " + value + " = (" + kernel_type(field.type) + ")" + low + ";\n"};
}

}  // namespace

// The values, then words of a bit for each argument that may be NULL.
std::string record_functions(const TileProgram& program) {
  const std::vector<RecordField> fields = record_fields(program);
  std::string put, take;
  std::uint32_t index = 0, nullable = 0;
  if (std::any_of(fields.begin(), fields.end(),
                  [](const RecordField& field) { return field.words() == 2; }))
    put = take = "  u64 wide;\n";
  for (const RecordField& field : fields) {
    if (!field.has_value) continue;
    const FieldSource text = field_source(field, index);
    put += text.put;
    take += text.take;
    index += field.words();
  }
  for (const RecordField& field : fields) {
    if (!field.is_nullable) continue;
    const std::string valid = result_value(field.output) + "_valid",
                      bit = std::to_string(nullable % 32) + "u";
    const std::string bits = word(index + nullable / 32);
    put += "  " + bits + (nullable % 32 == 0 ? " = " : " |= ") + valid + " << " + bit + ";\n";
    take += "  " + valid + " = " + bits + " >> " + bit + " & 1u;\n";
    nullable++;
  }
  const std::string unused = "  (void)words; (void)result;\n";
  return function_source(
             "void record_put(const PRIVATE PipelineResult* result, PRIVATE u32* words)",
             put + unused) +
         function_source(
             "void record_take(const PRIVATE u32* words, PRIVATE PipelineResult* result)",
             take + unused);
}

}  // namespace penstock::plan
