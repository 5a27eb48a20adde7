#include "fuse/codegen/parameter_texts.hpp"

#include <optional>

namespace penstock::plan {
namespace {

struct Known {
  std::string_view kernel, parameter, text;  // kernel "": all other kernels
  std::optional<Algorithm> only = {};        // of the templates that have a kernel of that name
};

constexpr Algorithm dense = Algorithm::group_dense, partitioned = Algorithm::group_partitioned,
                    kept = Algorithm::group_kept, local = Algorithm::group_local,
                    global = Algorithm::group_global;
constexpr std::string_view
    in_tiles = "one for each tile of PIPELINE_TILE_ROWS rows",
    any_number = "any number; each takes tiles of PIPELINE_TILE_ROWS rows",
    as_before = "as the launch before left it",
    overflow_as_before =
        "u32[1], as the launch before left it; not 0: the results of this launch do not count",
    of_dense_ranges =
        "u64[PIPELINE_RANGE_WORDS], made of what pipeline_ranges found, by "
        "src/fuse/variants/dense_ranges.cpp",
    of_partitioned_ranges =
        "u64[PIPELINE_RANGE_WORDS + 7], made of what pipeline_ranges found, by "
        "src/fuse/variants/dense_ranges.cpp; then PartitionShape::words() of "
        "src/fuse/variants/partition_layout.cpp";

// The first row that fits a parameter counts.
constexpr Known known[] = {
    {"pipeline_reduce", "groups", any_number},
    {"pipeline_reduce", "scratch", "u64[groups * GROUP_SIZE * PIPELINE_ACCUMULATOR_WORDS]"},

    {"pipeline_store_all", "groups", any_number},
    {"pipeline_store_all", "rows_and_place",
     "in the lower 32 bits the rows of the source, row_count in sizes; above them the first row in "
     "the outputs, a multiple of four, and 0 if there is o_rows. Outputs hold both together, and "
     "begin at a multiple of four elements"},

    {"pipeline_look_back", "groups",
     "at most 32 * PIPELINE_WINDOW + 1, and no more than run at once, as they wait for one "
     "another"},
    {"pipeline_look_back", "tile_counts", "u32, one for each tile of PIPELINE_TILE_ROWS, 0 first"},
    {"pipeline_one_pass", "groups", any_number},
    {"pipeline_one_pass", "tile_counts",
     "u32, one for each tile of PIPELINE_TILE_ROWS rows and one more, 0 first"},

    {"pipeline_count", "groups", in_tiles},
    {"pipeline_scan", "groups", "1, after the kernel that counts"},
    {"pipeline_write", "groups", "one for each tile of PIPELINE_TILE_ROWS rows, after the scan"},
    {"pipeline_compact", "groups", any_number},
    {"pipeline_close", "groups", "any number, after the scan"},

    {"pipeline_ranges", "groups", "any number, at most the tiles that are read"},
    {"pipeline_ranges", "found", "u64[groups * PIPELINE_RANGE_WORDS], maxima that the host joins"},
    {"pipeline_ranges", "sketches",
     "u32[2 * PIPELINE_REGISTERS], 0 first: see src/fuse/variants/distinct_sketch.hpp"},
    {"pipeline_ranges", "stride", "1 reads all tiles, n one of n"},

    {"pipeline_group", "groups", "a multiple of parts; as many as parts take the same tiles",
     dense},
    {"pipeline_group", "groups",
     "shares * parts, the words 5 and 4 after the first PIPELINE_RANGE_WORDS of ranges; after "
     "pipeline_partition",
     partitioned},
    {"pipeline_group", "groups", "any number, the same in all launches: each has a table", kept},
    {"pipeline_group", "groups", any_number},
    {"pipeline_group", "slots", "slots of the table, by the ranges"},
    {"pipeline_group", "parts", "slots / PIPELINE_SLOTS, rounded up; 1 if PIPELINE_IN_GLOBAL"},
    {"pipeline_group", "copies",
     "1, or by dense_shape() of src/fuse/variants/group_attempts.cpp a power of two of which all "
     "copies fit local memory",
     dense},
    {"pipeline_group", "table", "u64[slots * PIPELINE_LIMBS], 0 first", dense},
    {"pipeline_group", "table", "as pipeline_partition left it", partitioned},
    {"pipeline_group", "table",
     "u32, 0 first: for each position the words of its key and limbs, "
     "global_position_words() of src/fuse/variants/group_policies.cpp",
     global},
    {"pipeline_group", "used_positions", "u32[1], 0 first"},
    {"pipeline_group", "positions", "twice the slots, a power of two", global},
    {"pipeline_group", "table_slots",
     "at most PIPELINE_SLOTS, a power of two: local_table() of "
     "src/fuse/variants/group_policies.cpp",
     local},
    {"pipeline_group", "table_positions", "of local_table(), at most PIPELINE_POSITIONS", local},
    {"pipeline_group", "copies", "of local_table(): all of them fit PIPELINE_LIMB_WORDS", local},
    {"pipeline_group", "table_slots", "slots of each group's table, a power of two"},
    {"pipeline_group", "used_slots", "u32[1], 0 first: entries in the results", partitioned},
    {"pipeline_group", "used_slots", "u32[groups]: entries of each group"},
    {"pipeline_group", "all_positions",
     "u32[groups * 2 * PIPELINE_SLOTS], which stay from launch to launch", kept},
    {"pipeline_group", "all_positions", "u32[groups * 2 * table_slots]"},
    {"pipeline_group", "all_keys", "u64[groups * table_slots * PIPELINE_KEY_WORDS]"},
    {"pipeline_group", "all_accumulators",
     "u64[groups * table_slots * GROUP_SIZE * PIPELINE_ACCUMULATOR_WORDS]"},
    {"pipeline_group", "states", "u32[3 * groups], 0 before the first launch"},
    {"pipeline_group", "all_entries",
     "u64, PIPELINE_SLOTS entries of each group, which stay from launch to launch; after the last "
     "one the first states[g] entries of group g are groups, too"},
    {"pipeline_group", "moved", "u32[groups]: how many entries each group has in the results"},
    {"pipeline_group", "capacity", "entries of a group that the results hold"},
    {"pipeline_group", "sums_are_full",
     "1 where the rows of this launch, and of those since the tables were emptied, are more than "
     "2^31: they are emptied first; otherwise 0"},
    {"pipeline_group", "heads", as_before},
    {"pipeline_group", "words", as_before},
    {"pipeline_group", "partitions", as_before},
    {"pipeline_group", "overflowed", overflow_as_before, partitioned},

    {"pipeline_group_collect", "groups", "any number, after pipeline_group with is_kept 0",
     partitioned},
    {"pipeline_group_collect", "groups", "any number, after pipeline_group"},
    {"pipeline_group_collect", "table", "as pipeline_group left it"},
    {"pipeline_group_collect", "partitions", as_before},
    {"pipeline_group_collect", "used_slots",
     "u32[1], as pipeline_group left it: entries are added to those", partitioned},
    {"pipeline_group_collect", "used_slots", "u32[1], 0 first: entries in the results"},
    {"pipeline_group_collect", "slots", "as of pipeline_group"},
    {"pipeline_group_collect", "positions", "as of pipeline_group"},

    {"pipeline_partition_count", "groups", "any number, the first launch"},
    {"pipeline_partition_count", "row_count", "rows of the source, at least 1 and at most 2^31"},
    {"pipeline_partition_count", "partitions",
     "u32[3 * PIPELINE_PARTITIONS + 1], of which the first 2 * PIPELINE_PARTITIONS are 0 first"},
    {"pipeline_partition", "groups", "any number, after pipeline_partition_count"},
    {"pipeline_partition", "partitions", as_before},
    {"pipeline_partition", "heads", "u16[row_count + 3], at a multiple of four elements"},
    {"pipeline_partition", "words",
     "u32[(row_count + 3) * PIPELINE_RECORD_WORDS], at a multiple of four elements"},
    {"pipeline_partition", "table",
     "u64[slots * PIPELINE_LIMBS], 0 before the first launch; with is_kept 1 it is then left as it "
     "is"},
    {"pipeline_partition", "overflowed", overflow_as_before},

    {"pipeline_group_kept_count", "groups", "as many as of pipeline_group_kept_collect"},
    {"pipeline_group_kept_count", "table", "what launches with is_kept 1 added up"},
    {"pipeline_group_kept_count", "counts", "u32[groups]"},
    {"pipeline_group_kept_collect", "groups", "any number, after pipeline_group_kept_count"},
    {"pipeline_group_kept_collect", "table", "what launches with is_kept 1 added up"},
    {"pipeline_group_kept_collect", "counts", "of pipeline_group_kept_count"},
    {"pipeline_group_kept_collect", "used_slots", "u32[1]: entries in the results"},
    {"pipeline_group_kept_collect", "row_count", "the rows of all launches together"},

    {"", "ranges", of_partitioned_ranges, partitioned},
    {"", "ranges", of_dense_ranges},
    {"", "row_count", "rows of the source, at most 2^31"},
    {"", "first_fault",
     "u32[1], ~0 first: then the least number of a fault that a row has, such as an overflow"},
    {"", "overflowed",
     "u32[1], 0 first; not 0: a table was too small or does not hold a value, and the results do "
     "not count"},
    {"", "kept_count", "u64[1], 0 first if row_count is 0: the rows that pass"},
    {"", "is_kept",
     "1 in every launch of several that add to one table, the first too, where all sums are exact; "
     "0: the launch is on its own"},
    {"", "tile_count", "tiles of PIPELINE_TILE_ROWS rows, the last of which may have fewer"},
    {"", "tile_starts", "u64, for each tile the rows kept before it"},
    {"", "tile_counts", "u32, for each tile the rows kept in it"},

    // Each is followed by what an entry is.
    {"", "results", "groups * table_slots entries, entry s of group g at s * groups + g", local},
    {"", "results", "groups * capacity entries, those of group g from g * capacity on", kept},
    {"", "results", "as many entries as slots or rows, whichever are fewer", dense},
    {"", "results", "as many entries as slots or rows, whichever are fewer", partitioned},
    {"", "results", "positions / 2 entries", global},
    {"", "results", "groups * table_slots entries, those of group g from g * table_slots on"},
};

}  // namespace

std::string_view parameter_text(Algorithm algorithm, std::string_view kernel,
                                std::string_view parameter) {
  for (const Known& one : known)
    if ((one.kernel == kernel || one.kernel.empty()) && one.parameter == parameter &&
        (!one.only || *one.only == algorithm))
      return one.text;
  return "";
}

}  // namespace penstock::plan
