#include "plan/codegen/describe_parameters.hpp"

#include "plan/codegen/emit_pipeline_parts.hpp"
#include "plan/fusion/kernel_parameters.hpp"

namespace penstock::plan {
namespace {

struct Known {
  std::string_view kernel, parameter, text;  // kernel "": of all others
};

constexpr std::string_view in_tiles = "one for each tile of PIPELINE_TILE_ROWS rows";
constexpr std::string_view any_number = "any number; each takes tiles of PIPELINE_TILE_ROWS rows";
constexpr std::string_view layout_of_ranges =
    "u64[PIPELINE_RANGE_WORDS], made of what pipeline_ranges found, by "
    "src/plan/variants/dense_ranges.cpp";
constexpr std::string_view layout_of_entries =
    "u64: entries, each PIPELINE_KEY_WORDS words of the key, then PIPELINE_ACCUMULATOR_WORDS";
constexpr std::string_view partition_numbers =
    "u32[3 * PIPELINE_PARTITIONS + 1], of which the first 2 * PIPELINE_PARTITIONS are 0 first";

constexpr Known known[] = {
    {"", "row_count", "rows of the source, at most 2^31"},
    {"", "first_fault",
     "u32[1], ~0 first: then the least number of a fault that a row has, such as an overflow"},
    {"", "overflowed",
     "u32[1], 0 first: not 0 where the kernel's tables did not do, and nothing else counts"},
    {"", "scalars", "u64, a word for each constant of the statement"},
    {"", "kept_count", "u64[1], the rows that pass"},
    {"", "results", layout_of_entries},
    {"", "ranges", layout_of_ranges},
    {"", "partitions", partition_numbers},
    {"", "is_kept", "1 where the table goes on from the launch before, otherwise 0"},
    {"", "tile_count", "tiles of PIPELINE_TILE_ROWS rows, the last of which may have fewer"},
    {"", "tile_starts", "u64, for each tile the rows kept before it"},
    {"", "tile_counts", "u32, for each tile the rows kept in it"},

    {"pipeline_reduce", "groups", any_number},
    {"pipeline_reduce", "scratch", "u64[groups * GROUP_SIZE * PIPELINE_ACCUMULATOR_WORDS]"},

    {"pipeline_store_all", "groups", any_number},
    {"pipeline_store_all", "rows_and_place",
     "rows of the source; above 32 bits the outputs' first row, a multiple of four"},

    {"pipeline_look_back", "groups",
     "no more than run at once, as they wait for one another, or tiles of PIPELINE_TILE_ROWS rows"},
    {"pipeline_look_back", "tile_counts", "u32, one for each tile and 8 more, 0 first"},
    {"pipeline_one_pass", "groups", any_number},
    {"pipeline_one_pass", "tile_counts", "u32, one for each tile and one more, 0 first"},

    {"pipeline_count", "groups", in_tiles},
    {"pipeline_scan", "groups", "1, after the kernel that counts"},
    {"pipeline_write", "groups", "one for each tile of PIPELINE_TILE_ROWS rows, after the scan"},
    {"pipeline_compact", "groups", any_number},
    {"pipeline_close", "groups", "any number, after the scan"},

    {"pipeline_ranges", "groups", "any number, at most the tiles that are read"},
    {"pipeline_ranges", "found", "u64[groups * PIPELINE_RANGE_WORDS], maxima that the host joins"},
    {"pipeline_ranges", "stride", "1 reads all tiles, n one of n"},

    {"pipeline_group", "groups", any_number},
    {"pipeline_group", "slots", "slots of the table, by the ranges"},
    {"pipeline_group", "parts", "1, or how many groups have a part of the slots each"},
    {"pipeline_group", "copies", "of the table in local memory"},
    {"pipeline_group", "table",
     "the sums of all slots or positions, 0 first; the limbs of each are defined above"},
    {"pipeline_group", "used_positions", "u32[1], 0 first"},
    {"pipeline_group", "positions", "2 * PIPELINE_SLOTS, a power of two"},
    {"pipeline_group", "used_slots", "u32, 0 first: how many entries there are in each result"},
    {"pipeline_group", "all_positions", "u32[groups * 2 * PIPELINE_SLOTS]"},
    {"pipeline_group", "all_keys", "u64[groups * PIPELINE_SLOTS * PIPELINE_KEY_WORDS]"},
    {"pipeline_group", "all_accumulators",
     "u64[groups * PIPELINE_SLOTS * GROUP_SIZE * PIPELINE_ACCUMULATOR_WORDS]"},
    {"pipeline_group", "states", "u32[3 * groups], 0 before the first launch"},
    {"pipeline_group", "all_entries",
     "u64, PIPELINE_SLOTS entries of each group, which stay from launch to launch"},
    {"pipeline_group", "moved", "u32[groups], how many entries a group moved to the results"},
    {"pipeline_group", "capacity", "entries of a group that the results hold"},
    {"pipeline_group", "sums_are_full", "1 where 2^31 rows were added since sums were emptied"},
    {"pipeline_group", "heads", "u16, of the records"},
    {"pipeline_group", "words", "u32, of the records"},

    {"pipeline_group_collect", "groups", "any number, after pipeline_group"},
    {"pipeline_group_collect", "table", "what pipeline_group added up"},
    {"pipeline_group_collect", "used_slots", "u32[1], 0 first: how many entries there are"},
    {"pipeline_group_collect", "slots", "as of pipeline_group"},
    {"pipeline_group_collect", "positions", "as of pipeline_group"},

    {"pipeline_partition_count", "groups", "any number, the first launch"},
    {"pipeline_partition", "groups", "any number, after pipeline_partition_count"},
    {"pipeline_partition", "heads", "u16[row_count + 3], written"},
    {"pipeline_partition", "words", "u32[(row_count + 3) * PIPELINE_RECORD_WORDS], written"},
    {"pipeline_partition", "table", "u64, the sums of all slots, 0 before the first launch"},

    {"pipeline_group_kept_count", "groups", "as many as of pipeline_group_kept_collect"},
    {"pipeline_group_kept_count", "table", "what launches with is_kept added up"},
    {"pipeline_group_kept_count", "counts", "u32[groups]"},
    {"pipeline_group_kept_collect", "groups", "any number, after pipeline_group_kept_count"},
    {"pipeline_group_kept_collect", "table", "what launches with is_kept added up"},
    {"pipeline_group_kept_collect", "counts", "of pipeline_group_kept_count"},
    {"pipeline_group_kept_collect", "used_slots", "u32[1]: how many entries there are"},
};

std::string_view word_of(AccumulatorKind kind) {
  switch (kind) {
    case AccumulatorKind::count: return "count";
    case AccumulatorKind::sum_i64: return "sum (i64)";
    case AccumulatorKind::sum_i128: return "sum (two words, the lower first)";
    case AccumulatorKind::sum_f64: return "sum (bits of an f64)";
    case AccumulatorKind::minimum: return "minimum";
    case AccumulatorKind::maximum: return "maximum";
    case AccumulatorKind::custom: return "of a reduction of the program's own";
  }
  return "";
}

// "word 0: sum (bits of an f64) of price; word 1: count of rows"
std::string words_of(const TileProgram& program) {
  std::string text;
  for (const Accumulator& accumulator : program.accumulators) {
    const std::string of =
        accumulator.argument < 0
            ? "rows"
            : text_of(*program.graph,
                      program.outputs[static_cast<std::size_t>(accumulator.argument)].root,
                      program.source_schema);
    text += (text.empty() ? "word " : "; word ") + std::to_string(accumulator.word) + ": " +
            std::string(word_of(accumulator.kind)) + " of " + of;
  }
  return text;
}

std::string column_of(const ColumnBuffer& buffer, const TileProgram& program) {
  const std::string name =
      buffer.index < program.source_schema.size() ? program.source_schema[buffer.index].name : "";
  switch (buffer.role) {
    case BufferRole::values:
      return buffer.element_type() +
             (buffer.is_bits ? "[(row_count + 7) / 8], a bit of each row, the lowest first: column "
                             : "[row_count], at a multiple of four elements: column ") +
             name;
    case BufferRole::validity:
      return "u8[(row_count + 7) / 8], a bit of each row, the lowest first: 0 where column " +
             name + " is NULL";
    case BufferRole::page_bytes:
    case BufferRole::page_index:
      return "pages of column " + name + ", by src/codec/pages/kernels/page_limits.h";
    case BufferRole::entries: return "for each number of a string of column " + name + " its value";
    case BufferRole::constants: return "constants of a function of column " + name;
    default: return "of the table of a join, by src/plan/codegen/join_layout.hpp";
  }
}

std::string output_of(const ColumnBuffer& buffer, const TileProgram& program) {
  switch (buffer.role) {
    case BufferRole::row_numbers: return "u32[row_count], the numbers of the rows that pass";
    case BufferRole::found_rows: return "u32[row_count], the rows that a join found";
    case BufferRole::validity:
      return "u8[row_count], 0 where " + program.outputs[buffer.index].name + " is NULL";
    default:
      return buffer.element_type() + "[row_count], " + program.outputs[buffer.index].name +
             " of the rows that pass";
  }
}

}  // namespace

ParameterDescriptions::ParameterDescriptions(const TileProgram& program) {
  for (const ColumnBuffer& buffer : input_buffers(program))
    of_statement_[buffer.name('c')] = column_of(buffer, program);
  for (const ColumnBuffer& buffer : lookup_buffers(program))
    of_statement_[buffer.name('c')] = column_of(buffer, program);
  for (const ColumnBuffer& buffer : output_buffers(program)) {
    of_statement_[buffer.name('o')] = output_of(buffer, program);
    of_statement_[buffer.name('s')] = output_of(buffer, program) + ", tile by tile";
  }
  const std::vector<Scalar>& constants = program.graph->parameters;
  for (std::uint32_t i = 0; i < constants.size(); i++)
    of_statement_[parameter_name(i)] = "a constant, " + text_of(constants[i]) + " in the statement";
  of_statement_["partials"] =
      "u64[groups * PIPELINE_ACCUMULATOR_WORDS], of each group in order, to be joined: " +
      words_of(program);
}

std::string ParameterDescriptions::of(std::string_view kernel, std::string_view parameter) const {
  for (const Known& one : known)
    if (one.kernel == kernel && one.parameter == parameter) return std::string(one.text);
  if (const auto found = of_statement_.find(parameter); found != of_statement_.end())
    return found->second;
  for (const Known& one : known)
    if (one.kernel.empty() && one.parameter == parameter) return std::string(one.text);
  return "";
}

}  // namespace penstock::plan
