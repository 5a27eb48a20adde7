#include "cli/commands.hpp"

#include "bench/bench_commands.hpp"

namespace penstock::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = [] {
    std::vector<Command> rows = {
        {"query", "Answer a SELECT statement over files, or several of a file of SQL",
         declare_query},
        {"shell",
         "Answer statements as they are typed, or from a pipe, on a device that stays open",
         declare_shell},
        {"profile",
         "Run a query and report what took its time: kernels, transfers, compilers, waits",
         declare_profile},
        {"emit", "Print the kernels of a SELECT statement for a target; needs no device",
         declare_emit},
        {"encode",
         "Compress columns of strings and numbers into an Arrow IPC file that queries read",
         declare_encode},
        {"decompress",
         "Decompress and check gzip, zlib, zstd, lz4 and framed snappy files, in parallel",
         declare_decompress},
        {"compress", "Compress files to gzip, zstd or lz4, in parallel", declare_compress},
        {"video",
         "Score a distorted video against its reference: SSIM, CAMBI, CIEDE2000 and others",
         declare_video},
        {"devices",
         "List every device with its traits and measured copy bandwidth, or its kernels' variants",
         declare_devices},
        {"tune", "Measure the policies of kernels on a device, and store the faster ones",
         declare_tune},
        {"cache", "Show or clear the cache of compiled kernels and tuned policies", declare_cache},
        {"completion", "Print the completion script of a shell, or a manual page",
         declare_completion},
    };
    rows.insert(rows.end(), bench::bench_commands().begin(), bench::bench_commands().end());
    return rows;
  }();
  return table;
}

}  // namespace penstock::cli
