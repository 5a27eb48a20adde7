// The right sides of joins below a cut that devices read in shares, and put together in the memory
// of each (RightSideExchange). They read the other ones whole.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "plan/devices/cuts.hpp"
#include "plan/execution/right_side_exchange.hpp"

namespace penstock::plan {

// A device reads a smaller source as soon as it would copy the rows of others. Not measured.
constexpr std::uint64_t min_split_side_rows = 1 << 21;

class RightSideShares {
 public:
  // Finds joins whose right sides are filters, maps and lookups of a source that nothing else
  // reads, of at least min_split_side_rows in pages unless rows are asked to stay on devices. None
  // where looked-up columns hold strings, whose codes differ from device to device, and where
  // devices keep no rows or are of several kinds, which may read right sides in another order.
  // `known`: rows of cuts before this one.
  static RightSideShares find(const Plan& plan, const Cut& cut, const RunOptions& options,
                              const std::map<StepId, Table>& known,
                              const std::vector<std::shared_ptr<Device>>& devices);
  // Splits the rows of each source by the weights of shares, which wait awake for one another so
  // long. Call before these run.
  void begin(const Plan& plan, std::span<const double> weights, double awake_seconds);
  // Returns null where nothing is split.
  const std::shared_ptr<RightSideExchange>& exchange() const { return exchange_; }
  // Returns a plan whose sources have the rows of a share.
  Plan plan_of_share(const Plan& plan, std::size_t share) const;
  // Returns whether devices that read everything may succeed where these failed.
  bool was_refused() const { return exchange_ && exchange_->was_refused(); }

 private:
  struct Side {
    StepId join = no_step;
    StepId base = no_step;  // the source whose rows are split
  };
  friend class SideFinder;

  std::vector<Side> sides_;
  std::uint64_t min_rows_of_share_ = 1;
  std::map<StepId, std::vector<RowRange>> rows_;  // of sources, by share
  std::shared_ptr<RightSideExchange> exchange_;
};

}  // namespace penstock::plan
