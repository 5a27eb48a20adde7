// The case of `penstock bench fsst` that encodes.
#pragma once
#include "bench/bench_fsst_matching.hpp"

namespace penstock::bench {

constexpr const char* encoding_name = "encode";

// Measures every variant that fits, with the tables of the column's row groups. Each is compared
// with the host's codes before it is timed. Rates are of decoded bytes; bytes moved are those of
// strings, codes and both offsets. The host, which also trains its tables, is timed too.
Status measure_encoding(const MatchedColumn& column, const std::string& work,
                        const BenchOptions& options, Figures& figures);

}  // namespace penstock::bench
