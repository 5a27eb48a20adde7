// The table of benches. A row here is the whole registration of a bench.
#pragma once
#include <span>

#include "terminal/command.hpp"

namespace penstock::bench {
using namespace terminal;

std::span<const Command> bench_commands();

Action declare_bench_pipelines(Arguments& arguments);
Action declare_bench_sort(Arguments& arguments);
Action declare_bench_groups(Arguments& arguments);
Action declare_bench_scan(Arguments& arguments);
Action declare_bench_fsst(Arguments& arguments);
Action declare_bench_light(Arguments& arguments);
Action declare_bench_codecs(Arguments& arguments);
Action declare_bench_streams(Arguments& arguments);
Action declare_bench_windows(Arguments& arguments);
Action declare_bench_video(Arguments& arguments);
Action declare_bench_parquet(Arguments& arguments);
Action declare_bench_tpch(Arguments& arguments);
Action declare_bench_cold(Arguments& arguments);
Action declare_bench_devices(Arguments& arguments);
Action declare_bench_portability(Arguments& arguments);

}  // namespace penstock::bench
