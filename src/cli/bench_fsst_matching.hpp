// The cases of `penstock bench fsst` that match texts by their codes.
#pragma once
#include "cli/bench_table.hpp"
#include "penstock/fsst_match.hpp"

namespace penstock::cli {

// A column on a device, and the texts that it was made of.
struct MatchedColumn {
  std::shared_ptr<Device> device;
  Queue& queue;
  const Column& texts;
  const fsst::EncodedStrings& strings;
  const fsst::DeviceStrings& there;
};

// "like '%google%'", "= constant", "prefix 'http://%'".
std::vector<std::string> matching_names();
// One of them by every variant that fits, each compared with the texts before it is timed; `work`: the case's name.
Status measure_matching(const MatchedColumn& column, const std::string& name, const std::string& work, const BenchOptions& options,
                        Figures& figures);

}  // namespace penstock::cli
