#include "bench/bench_commands.hpp"

namespace penstock::cli {

std::span<const Command> bench_commands() {
  static constexpr Command table[] = {
      {"bench pipelines", "Time fused pipelines over rows on the device, beside peers",
       declare_bench_pipelines},
      {"bench sort", "Time the radix sort of keys on the device, beside peers", declare_bench_sort},
      {"bench groups", "Time group-bys of one to many keys on the device, beside peers",
       declare_bench_groups},
      {"bench scan", "Time running sums on the device, beside peers", declare_bench_scan},
      {"bench fsst", "Time FSST strings decoded on the device, by every variant that fits",
       declare_bench_fsst},
      {"bench codecs",
       "Time batches of LZ4, Snappy, Deflate, zlib and gzip chunks decoded on the device, by every "
       "variant that fits",
       declare_bench_codecs},
      {"bench streams", "Time one Deflate stream, as gzip's files are, decoded on the device",
       declare_bench_streams},
      {"bench windows", "Time window functions, their sums by the device and by the host",
       declare_bench_windows},
  };
  return table;
}

}  // namespace penstock::cli
