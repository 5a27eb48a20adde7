#include "bench/tuning/tuned_work.hpp"

namespace penstock::bench {

std::span<const TunedFamily> tuned_families() {
  static constexpr TunedFamily rows[] = {
      {"compact", "float32 rows, of which a tenth passes", open_filter},
      {"reduce", "the sum of float32 rows, of which half pass", open_sum},
      {"group", "the sum of float32 rows by 1000 keys", open_groups},
      {"radix_sort", "keys of 32 bits", open_sort},
      {"radix_sort", "keys of 64 bits with values of 32 bits", open_sort_of_rows},
      {"scan", "sums of 32 bits", open_scan},
      {"fsst_decode", "page addresses", open_fsst},
      {"lz4_decode", "text in chunks of 64 KiB", open_lz4},
      {"vif_tiles", "a frame of 1920 by 1080", open_vif}};
  return rows;
}

}  // namespace penstock::bench
