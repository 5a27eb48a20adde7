// The case of `penstock bench fsst` that encodes.
#pragma once
#include "bench/bench_fsst_matching.hpp"

namespace penstock::cli {

constexpr const char* encoding_name = "encode";

// By every variant that fits, with the tables of the column's row groups, each compared with the
// host's codes before it is timed. Rates are of text; what is moved: text, codes and both offsets.
// The host, which also trains its tables, is timed beside them.
Status measure_encoding(const MatchedColumn& column, const std::string& work,
                        const BenchOptions& options, Figures& figures);

}  // namespace penstock::cli
