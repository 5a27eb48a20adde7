#include "cli/commands.hpp"

namespace penstock::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"query", "Answer a SELECT statement over a file", declare_query},
      {"profile", "Run a query and tell what took its time: kernels, transfers, compilers, waits",
       declare_profile},
      {"emit", "Print the kernels of a SELECT statement for a target; needs no device",
       declare_emit},
      {"encode", "Compress string columns of a table into an Arrow IPC file that queries read",
       declare_encode},
      {"decompress",
       "Decode gzip, zlib, zstd, lz4 and framed snappy files by several threads, checked",
       declare_decompress},
      {"compress", "Compress files to gzip, zstd or lz4 by several threads", declare_compress},
      {"devices", "List every device with its traits and measured copy bandwidth", declare_devices},
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
      {"cache", "Show or clear the cache of compiled kernels", declare_cache},
  };
  return table;
}

}  // namespace penstock::cli
