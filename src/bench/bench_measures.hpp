// The measurements of single benches, for those that run several of them.
//
// Each opens nothing but the device that it is given, verifies a case before it times it, and
// returns figures of the cases that the options select, which are named as by the bench itself.
#pragma once
#include "bench/bench_table.hpp"

namespace penstock::bench {

using Measure = Result<Figures> (*)(const std::shared_ptr<Device>& device,
                                    const BenchOptions& options);

Result<Figures> measure_pipelines(const std::shared_ptr<Device>& device,
                                  const BenchOptions& options);
Result<Figures> measure_groups(const std::shared_ptr<Device>& device, const BenchOptions& options);
Result<Figures> measure_scans(const std::shared_ptr<Device>& device, const BenchOptions& options);
Result<Figures> measure_sorts(const std::shared_ptr<Device>& device, const BenchOptions& options);
Result<Figures> measure_fsst(const std::shared_ptr<Device>& device, const BenchOptions& options);
Result<Figures> measure_light(const std::shared_ptr<Device>& device, const BenchOptions& options);
// Chunks of 64 KiB, in rows.
Result<Figures> measure_codecs(const std::shared_ptr<Device>& device, const BenchOptions& options);
Result<Figures> measure_parquet(const std::shared_ptr<Device>& device, const BenchOptions& options);
// Kernels on frames of 1920 x 1080 in the device's memory, on a CPU too.
Result<Figures> measure_video(const std::shared_ptr<Device>& device, const BenchOptions& options);

}  // namespace penstock::bench
