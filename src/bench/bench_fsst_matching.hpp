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
  const fsst::DeviceStrings& device_strings;
};

// "like '%google%'", "= constant", "prefix 'http://%'", "decode a tenth of rows".
std::vector<std::string> matching_names();
// One of them by every variant that fits, each compared with the texts before it is timed; `work`:
// the case's name. Rows that are decoded are selected by a bitmap, at random; rates are of their
// text, shares of what must be read and written for them.
Status measure_matching(const MatchedColumn& column, const std::string& name,
                        const std::string& work, const BenchOptions& options, Figures& figures);

}  // namespace penstock::bench
