#include "bench/bench_commands.hpp"

namespace penstock::bench {

std::span<const Command> bench_commands() {
  static constexpr Command table[] = {
      {"bench", "Time kernels, codecs, files and statements, beside other programs", nullptr},
      {"bench pipelines", "Time fused pipelines over rows on the device", declare_bench_pipelines},
      {"bench sort", "Time the radix sort of keys on the device", declare_bench_sort},
      {"bench groups", "Time GROUP BY with one to many keys on the device", declare_bench_groups},
      {"bench scan", "Time prefix sums on the device", declare_bench_scan},
      {"bench fsst", "Time decoding FSST strings on the device, by every variant that fits",
       declare_bench_fsst},
      {"bench light", "Time a filter and a sum over numbers in light encodings on the device",
       declare_bench_light},
      {"bench codecs",
       "Time batches of LZ4, Snappy, Deflate, zlib, gzip and Zstandard chunks on the device, by "
       "every variant that fits",
       declare_bench_codecs},
      {"bench streams",
       "Time decoding what ordinary files contain (one Deflate stream, one frame) on the device",
       declare_bench_streams},
      {"bench windows", "Time window functions, summed on the device and on the host",
       declare_bench_windows},
      {"bench video", "Time features of video on the device: frames a second", declare_bench_video},
      {"bench parquet", "Time reading Parquet columns as Arrow arrays in the device's memory",
       declare_bench_parquet},
      {"bench tpch",
       "Time statements of TPC-H by a new process, a running one and from the device's memory",
       declare_bench_tpch},
      {"bench cold",
       "Time the first answer to a statement, with an empty cache, and the second, beside DuckDB's",
       declare_bench_cold},
      {"bench devices", "Time statements and batches of chunks on one device and on several",
       declare_bench_devices},
      {"bench portability",
       "Time every family of kernels on every device, and how portable their speed is",
       declare_bench_portability},
  };
  return table;
}

}  // namespace penstock::bench
