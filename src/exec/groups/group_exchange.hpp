// Exchanges the groups that several devices have of their shares of rows. Each device then merges
// the groups of a range of keys: final groups, in the order of the devices.
//
// Samples of the keys give the bounds of ranges. Each device divides its groups by them
// (kernels/group_parts.kc), copies the groups of its range out of the other devices' memory, and
// merges them in the order of the shares.
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "exec/groups/group_merge.hpp"
#include "exec/groups/sums_exchange.hpp"
#include "table/exchange/joint_rows.hpp"

namespace penstock::plan {

// From so many groups of all shares on they are exchanged. The host merges fewer in less time.
constexpr std::uint64_t min_exchanged_groups = 1 << 15;

class GroupExchange {
 public:
  explicit GroupExchange(Shares shares) : collective_(shares), sums_(shares), joint_rows_(shares) {}

  // Waits for the other shares, as long as all may have groups. `groups`: null if the share's
  // groups are not in device memory. They become all groups of the share's range of keys. Returns
  // false to all shares, and changes nothing, in these cases: a share has left or has no groups
  // there; there are few groups; keys are strings (codes differ); programs differ; or a range may
  // not fit its device.
  // `base`: where the share's program begins in the plan, which tells programs of a step apart.
  Result<bool> exchange(std::size_t share, const MergePlace& place, const TileProgram& program,
                        StepId base, GroupsOnDevice* groups, RunReport& report);
  // Exchanges sums before groups are made of them.
  SumsExchange& sums() { return sums_; }
  // Downloads the rows of ranges, once they are sorted.
  JointRows& joint_rows() { return joint_rows_; }
  // Call when a share has ended: the other shares then wait for it no more.
  void leave(std::size_t share);

 private:
  Collective collective_;
  SumsExchange sums_;
  JointRows joint_rows_;
};

// The exchanges of a step's programs: each program has groups of its own.
class GroupExchanges {
 public:
  explicit GroupExchanges(Shares shares) : shares_(shares), has_left_(shares.count) {}
  GroupExchange& of_program(std::size_t number);
  void leave(std::size_t share);

 private:
  const Shares shares_;
  std::mutex mutex_;
  std::vector<bool> has_left_;
  std::deque<GroupExchange> programs_;
};

// The place of a run among the shares of a group-by.
struct GroupShare {
  std::shared_ptr<GroupExchanges> exchanges;
  std::size_t number = 0, program = 0;
  StepId base = no_step;   // the base of its programs
  bool has_range = false;  // set by a run: its rows are all groups of a range of keys

  GroupExchange& others() const { return exchanges->of_program(program); }
};

}  // namespace penstock::plan
