// The right sides of joins below a cut that devices read in shares. A device reads the rows that
// its keys may need (rows_by_key.hpp). Or it reads any, and the rows of all devices are put
// together in the memory of each (RightSideExchange). Devices read the other right sides whole.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "exec/devices/cuts.hpp"
#include "exec/devices/rows_by_key.hpp"
#include "exec/kernel/kept_programs.hpp"
#include "exec/physical/right_side_exchange.hpp"

namespace penstock::plan {

// A device reads a smaller source as fast as it would copy other devices' rows. Not measured.
constexpr std::uint64_t min_split_side_rows = 1 << 21;

class RightSideShares {
 public:
  // Finds joins with right sides that can be split: filters, maps and lookups of a source that
  // nothing else reads. It has at least min_split_side_rows in pages, unless rows are asked to stay
  // on devices. There are none if looked-up columns hold strings (codes differ from device to
  // device), or if devices keep no rows. Devices of several kinds may read right sides in another
  // order: there are none then, either. `known`: rows of earlier cuts.
  static RightSideShares find(const Plan& plan, const Cut& cut, const RunOptions& options,
                              const std::map<StepId, Table>& known,
                              const std::vector<std::shared_ptr<Device>>& devices);
  struct ShareOfCut {
    RowRange rows;  // of the cut's base
    double weight = 1;
  };
  // Splits the rows of each source by the keys of shares or by their weights. `awake_seconds`: the
  // time that shares spin while they wait for one another. Call before they run.
  void begin(const Plan& plan, StepId base, std::span<const ShareOfCut> shares,
             double awake_seconds);
  // Returns null if nothing is split.
  const std::shared_ptr<RightSideExchange>& exchange() const { return exchange_; }
  // Returns a plan with sources that only have the rows of a share.
  Plan plan_of_share(const Plan& plan, std::size_t share) const;
  // Returns whether devices that read everything may succeed after these failed.
  bool was_refused() const { return exchange_ && exchange_->was_refused(); }
  // Returns whether that was because keys of a join repeat. From then on begin() divides its right
  // side by weights, and a run may succeed. Several such joins are not expected in one statement.
  bool leaves_keys_out();

 private:
  using RowsBySource = std::map<StepId, std::vector<RowRange>>;

  bool are_large(std::span<const RowRange> shares) const;
  std::optional<std::vector<RowRange>> by_key(const Plan& plan, const JoinedSources& side,
                                              const RowsBySource& rows) const;
  KeptPrograms::SidesKey key_of(const Plan& plan, StepId base,
                                std::span<const ShareOfCut> shares) const;
  KeptPrograms::SplitSides split(const Plan& plan, StepId base,
                                 std::span<const ShareOfCut> shares) const;

  std::vector<JoinedSources> sides_;  // a join comes after the one with it in its right side
  std::shared_ptr<KeptPrograms> kept_;
  std::set<StepId> not_by_key_;  // joins
  std::uint64_t min_rows_of_share_ = 1;
  std::shared_ptr<const KeptPrograms::SplitSides> split_;  // null before begin()
  std::shared_ptr<RightSideExchange> exchange_;
};

}  // namespace penstock::plan
