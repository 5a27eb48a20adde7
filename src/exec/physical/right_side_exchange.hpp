// Right sides of joins that several devices read in shares. Every device then copies the rows of
// all shares out of the memory of the other devices, in the order of the shares.
//
// A file is so decompressed and filtered once, not once a device. Shares take the right sides in
// one order. If they do not, or if one restarts, the exchange is refused, and a run without it may
// succeed.
//
// Other right sides are read by key: each share reads the rows that its keys may match
// (exec/devices/rows_by_key.hpp). A key that repeats there makes pairs of rows in place of lookups,
// and all shares have to run the same. They tell one another whether keys repeat.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "penstock/steps.hpp"
#include "table/exchange/collect_rows.hpp"
#include "table/exchange/collective.hpp"
#include "table/rows/device_rows.hpp"

namespace penstock::plan {

class RightSideExchange {
 public:
  // `joins`: their right sides are read in shares. `by_key`: their right sides are read by key.
  RightSideExchange(Shares shares, std::set<StepId> joins, std::set<StepId> by_key)
      : joins_(std::move(joins)),
        by_key_(std::move(by_key)),
        collective_(shares),
        shares_(shares.count) {}

  bool takes(StepId join) const { return joins_.contains(join); }
  bool is_by_key(StepId join) const { return by_key_.contains(join); }

  // The rows that a share has of the right side of a join.
  struct Rows {
    StepId join = no_step;
    Columns columns;  // numbers in the right side, one for each of the rows
    DeviceRows rows;
    std::uint64_t limit_bytes = 0;  // that the rows of all may take
  };
  // Call before a share runs, also if it restarts. Code::cancelled, and was_refused() from then
  // on, if the share has taken part before.
  Status begin(std::size_t share);
  // Waits for the other shares. `own`: nothing if the share's rows are not in device memory.
  // Returns the rows of all shares. Code::cancelled for all shares, and was_refused() from then on,
  // if any share
  //   - has no rows there, or comes to another join,
  //   - has strings, whose codes differ between devices,
  //   - has a device that the rows of all do not fit.
  // Code::cancelled alone: another share has failed.
  Result<DeviceRows> all_rows(std::size_t share, const std::shared_ptr<Device>& device,
                              std::optional<Rows> own, RunReport& report);
  // Waits for the other shares, once for each join. Code::cancelled for all shares, and
  // was_refused() from then on, if keys of one repeat, or if one comes to another join.
  Status agree_on_keys(std::size_t share, StepId join, bool repeat);
  // Returns the join that refused the exchange, as its keys repeat; or no_step.
  StepId repeated_join() const { return repeated_join_; }
  // Returns whether a run without the exchange may succeed.
  bool was_refused() const { return was_refused_; }
  // Call when a share has ended: the others then wait for it no more.
  void leave(std::size_t share, bool has_succeeded);

 private:
  // Its own thread alone looks at it.
  struct Share {
    std::set<StepId> agreed;        // joins
    bool has_put_together = false;  // the rows of a right side
  };

  Status end(std::size_t share, const Agreement& how);

  const std::set<StepId> joins_, by_key_;
  Collective collective_;
  std::vector<Share> shares_;
  std::atomic<StepId> repeated_join_ = no_step;
  std::atomic<bool> was_refused_ = false;
};

}  // namespace penstock::plan
