// The cases of `penstock bench fsst` that match strings by their codes or decode selected rows.
#pragma once
#include "bench/bench_table.hpp"
#include "penstock/fsst/matcher.hpp"

namespace penstock::bench {

// A column on a device, and the strings that it was encoded from.
struct MatchedColumn {
  std::shared_ptr<Device> device;
  Queue& queue;
  const Column& strings;
  const fsst::EncodedStrings& encoded;
  const fsst::DeviceStrings& device_strings;
};

// Returns "like '%google%'", "= constant", "prefix 'http://%'", "decode a tenth of rows".
std::vector<std::string> matching_names();
// Times one of them by every variant that fits, each compared with the strings first. `work`: the
// case's name. Rows to decode are selected by a bitmap, at random. Rates are of their output;
// shares of copy count what must be read and written for them.
Status measure_matching(const MatchedColumn& column, const std::string& name,
                        const std::string& work, const BenchOptions& options, Figures& figures);

}  // namespace penstock::bench
