// The cases of `penstock bench fsst` that match strings by their codes, and that decode some rows
// only.
#pragma once
#include "bench/bench_table.hpp"
#include "penstock/fsst/matcher.hpp"

namespace penstock::bench {

// A column on a device, and the strings that it encodes.
struct MatchedColumn {
  std::shared_ptr<Device> device;
  Queue& queue;
  const Column& texts;
  const fsst::EncodedStrings& strings;
  const fsst::DeviceStrings& there;
};

// "like '%google%'", "= constant", "prefix 'http://%'", "decode a tenth of rows".
std::vector<std::string> matching_names();
// Measures one of them by every variant that fits. Each is compared with the strings before it is
// timed. `work` is the case's name. Rows to decode are chosen by a random bitmap. Rates are of
// their decoded bytes, shares of the bytes that must be read and written for them.
Status measure_matching(const MatchedColumn& column, const std::string& name,
                        const std::string& work, const BenchOptions& options, Figures& figures);

}  // namespace penstock::bench
