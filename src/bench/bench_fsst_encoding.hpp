// The encoding case of `penstock bench fsst`.
#pragma once
#include "bench/bench_fsst_matching.hpp"

namespace penstock::bench {

constexpr const char* encoding_name = "encode";

// Times every variant that fits, with the tables of the column's row groups. Codes are compared
// with the host's before they are timed. Rates are of string bytes; moved bytes are strings, codes
// and both offsets. The host, which also trains its tables, is timed beside them.
Status measure_encoding(const MatchedColumn& column, const std::string& work,
                        const BenchOptions& options, Figures& figures);

}  // namespace penstock::bench
