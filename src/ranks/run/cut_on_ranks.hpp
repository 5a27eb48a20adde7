// One cut of a plan on all ranks: each computes the share of its rows, and rank 0 merges them.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "exec/devices/cuts.hpp"
#include "penstock/ranks.hpp"
#include "ranks/run/exchange.hpp"
#include "ranks/wire/share_bytes.hpp"

namespace penstock::ranks {

// A rank's state for all cuts.
struct RankRun {
  Communicator& communicator;
  const Plan& plan;
  const RunOptions& options;  // of this rank's device
  std::shared_ptr<Device> device;
  std::vector<std::string> hosts;      // by rank
  std::vector<double> weights;         // by rank
  std::map<StepId, Table> known = {};  // the rows of cuts before
  Status own_error = {};               // of this rank, told instead of its next share
};

// Gets what each rank reports of a cut; on rank 0 alone.
using TakeReport = std::function<void(std::uint32_t rank, plan::SharePart& parts, RunReport&)>;

// Computes a cut. Rank 0 keeps its rows in `known`. The other ranks do, too, if `all_need_rows`: a
// later cut may need them.
// An error of one rank ends the shares of all; every rank returns it, with the rank's name.
Status run_cut_on_ranks(RankRun& run, const plan::Cut& cut, bool all_need_rows,
                        const TakeReport& take_report);

}  // namespace penstock::ranks
