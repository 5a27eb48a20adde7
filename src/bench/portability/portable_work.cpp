#include "bench/portability/portable_work.hpp"

namespace penstock::bench {

// Decoders and sorts move their bytes several times, or are bound by instructions: no copy bounds
// them. Nor does it bound a CPU, where all is judged by the best (portability_score.cpp).
std::span<const PortableFamily> portable_families() {
  static constexpr PortableFamily families[] = {{"filter", Efficiency::of_copy, true},
                                                {"map"},
                                                {"reduce"},
                                                {"group-by", Efficiency::of_best},
                                                {"scan", Efficiency::of_copy, true},
                                                {"sort", Efficiency::of_best, true},
                                                {"FSST", Efficiency::of_best, true},
                                                {"LZ4", Efficiency::of_best, true},
                                                {"Snappy", Efficiency::of_best},
                                                {"Zstandard", Efficiency::of_best},
                                                {"Deflate", Efficiency::of_best},
                                                {"light encodings", Efficiency::of_best},
                                                {"pages", Efficiency::of_best},
                                                {"video", Efficiency::of_best}};
  return families;
}

// Rows fill a GPU for 0.1 ms or longer, and two cores for some milliseconds.
const std::vector<PortableBench>& portable_benches() {
  static const std::vector<PortableBench> benches = {
      {measure_pipelines,
       1 << 28,
       1 << 23,
       {{"filter", "map-filter-map 50%", "compact"},
        {"filter", "map-filter-map 10%", "compact"},
        {"filter", "map-filter-map 1%", "compact"},
        {"map", "map-map", "compact"},
        {"reduce", "filter-sum 50%", "reduce"}}},
      {measure_scans,
       1 << 27,
       1 << 23,
       {{"scan", "inclusive f32", "scan"}, {"scan", "inclusive u64", "scan"}}},
      {measure_sorts,
       1 << 26,
       1 << 21,
       {{"sort", "sort u32", "radix_sort"}, {"sort", "sort u32 and u32", "radix_sort"}}},
      {measure_fsst,
       2'000'000,
       100'000,
       {{"FSST", "decode, addresses", "fsst_decode"},
        {"FSST", "like '%google%', addresses", "fsst_match"}}},
      {measure_codecs,
       8192,
       256,
       {{"LZ4", "lz4, text", "lz4_decode"},
        {"Snappy", "snappy, text", "snappy_decode"},
        {"Zstandard", "zstd, text", "zstd_decode"},
        {"Deflate", "deflate, text", "deflate_decode"}}},
      {measure_groups,
       1 << 26,
       1 << 22,
       {{"group-by", "50 keys", "group"}, {"group-by", "10000 keys", "group"}}},
      {measure_light,
       1 << 26,
       1 << 22,
       {{"light encodings", "packed 12 bits"},
        {"light encodings", "unpack 12 bits"},
        {"light encodings", "delta"},
        {"light encodings", "runs"},
        {"light encodings", "dictionary"}}},
      {measure_parquet,
       1 << 23,
       1 << 18,
       {{"pages", "int64 plain none, resident"}, {"pages", "int64 dictionary snappy, resident"}},
       5},
      {measure_video, 96, 8, {{"video", "psnr, resident"}, {"video", "float_ssim, resident"}}, 3}};
  return benches;
}

std::span<const VariantStep> variant_steps() {
  static constexpr VariantStep steps[] = {
      {"one pass in place of three phases", "map-filter-map 10%", "compact_count_scan_write",
       "compact_one_pass"},
      {"look-back through bulk copies", "map-filter-map 10%", "compact_one_pass",
       "compact_look_back"},
      {"tables in local memory", "50 keys", "group_dense_global", "group_dense"},
      {"narrow tables in local memory", "10000 keys", "group_dense_global", "group_dense_narrow"},
      {"tables in local memory", "10000 keys", "group_dense_global", "group_dense"},
      {"partitions: a phase more", "10000 keys", "group_dense_global", "group_dense_partitioned"},
      {"large tiles in local memory", "inclusive f32", "scan_tiles_least", "scan_tiles_large"},
      {"large tiles in local memory", "inclusive f32", "scan_tiles_least", "scan_tiles_medium"},
      {"sub-groups and more local memory", "sort u32", "sort_counts", "sort_masks_small"},
      {"large tiles in local memory", "sort u32", "sort_masks_small", "sort_masks_large"},
      {"codes staged in local memory", "decode, addresses", "fsst_decode_rows",
       "fsst_decode_tiles"},
      {"warps' spans in place of tiles", "decode, addresses", "fsst_decode_tiles",
       "fsst_decode_spans"},
      {"candidates before rows", "like '%google%', addresses", "fsst_match_rows",
       "fsst_match_candidates"},
      {"speculation by lanes, windows in local memory", "lz4, text", "lz4_decode_thread",
       "lz4_decode_warp"},
      {"phases: measuring, then copying", "lz4, text", "lz4_decode_warp", "lz4_decode_segments"},
      {"speculation by lanes, windows in local memory", "snappy, text", "snappy_decode_thread",
       "snappy_decode_warp"},
      {"phases: finding, then decoding", "snappy, text", "snappy_decode_warp",
       "snappy_decode_segments"},
      {"output by warps in local memory", "zstd, text", "zstd_decode_thread", "zstd_decode_warp"},
      {"speculation by lanes, windows in local memory", "deflate, text", "deflate_decode_thread",
       "deflate_decode_warp"}};
  return steps;
}

}  // namespace penstock::bench
