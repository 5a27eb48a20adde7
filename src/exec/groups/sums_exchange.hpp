// Adds up the sums that several devices keep of their shares of rows (tile_strategy.hpp). Each
// device then has the sums of a part of the keys: a reduce-scatter.
//
// This needs neither groups nor their order. A device copies the slots of its part out of the other
// devices' tables, limb by limb, and adds them to its own (kernels/group_sums.kc).
#pragma once
#include <vector>

#include "exec/groups/group_merge.hpp"
#include "exec/kernel/exec_kernels.hpp"
#include "exec/kernel/tile_strategy.hpp"
#include "table/exchange/collective.hpp"

namespace penstock::plan {

class SumsExchange {
 public:
  explicit SumsExchange(Shares shares) : collective_(shares) {}

  // The sums of a share are all that its launches left: null if they left groups.
  struct Share {
    std::size_t number = 0;
    StepId base = no_step;  // where the program begins in the plan
    const TileProgram& program;
    const Policy& policy;  // of the kernel that collects the sums
    std::vector<KeptSums>* sums;
    RowKernels* kernels;  // begin_kernels(); there where sums are
  };
  // Begins to compile what an exchange launches.
  static RowKernels begin_kernels(std::shared_ptr<Device> device) {
    return {std::move(device), exec_kernels("group_sums")};
  }
  // Waits for the other shares, as long as all may have sums. These become one table: the sums of
  // all rows, for the share's part of the keys. Returns false to all shares, and changes nothing,
  // in these cases: a share has left or has no sums; union_of() or the kernels do not take the
  // union of their tables; it is much larger than the tables; or a part does not fit.
  Result<bool> exchange(const Share& share, const MergePlace& place, RunReport& report);
  // Call when a share has ended: the others then wait for it no more.
  void leave(std::size_t share) { collective_.leave(share); }

 private:
  Collective collective_;
};

}  // namespace penstock::plan
