// State that the operators of a run share: the device, strings, the report, right sides of joins,
// and the place of the run among runs on several devices.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/aggregate/partial_columns.hpp"
#include "exec/groups/group_exchange.hpp"
#include "exec/kernel/lookup_memory.hpp"
#include "exec/physical/device_opener.hpp"
#include "exec/physical/right_side_exchange.hpp"
#include "exec/profile/recording.hpp"
#include "exec/scan/paged_scan.hpp"
#include "exec/scan/resident_rows.hpp"
#include "penstock/run.hpp"
#include "table/exchange/row_exchange.hpp"

namespace penstock::plan {

// The place of a run among runs on several devices. A null member stands for no exchange.
struct ShareOfRun {
  std::size_t number = 0;
  std::shared_ptr<RowExchange> sorted_rows = {};
  std::shared_ptr<GroupExchanges> groups = {};
  std::shared_ptr<JointRows> joint_rows = {};  // rows in the order of the source
  std::shared_ptr<RightSideExchange> right_sides = {};
  // The groups that are needed, if the share gets all rows of its groups.
  std::optional<TopK> first_groups = {};
};

// The inputs of a run.
struct RunInputs {
  std::shared_ptr<Device> device;     // null: opened as the options say
  std::map<StepId, Table> rows = {};  // of steps that are not computed
  ShareOfRun share = {};
};

// A reason to plan anew. It ends the operators that run; the next plan goes on with the rows that
// this one has computed.
struct Replan {
  std::string reason;
  StepId repeated = no_step;  // a join: keys of its right side repeat
};

struct RunState {
  // All arguments but `inputs` outlive it.
  RunState(const Plan& of, const std::vector<StepId>& of_results, const RunOptions& by,
           RunInputs inputs);

  const std::shared_ptr<Device>& device() const { return opener.get(); }  // null until it is open
  Recording* recorder() const { return recording.get(); }
  // Returns the traits of the device, or of a GPU that is expected; nothing where another device
  // is.
  std::optional<Traits> expected_traits() const;
  // Waits for the device. The first call that has it also calls `when_open`.
  Status open_device();
  // Ends the operators that run. The driver makes a new plan.
  Status ask_for_new_plan(Replan why);
  // Returns the kernels that keep rows in device memory, and make tables and pairs of them.
  const std::shared_ptr<RowKernels>& row_kernels();
  Result<std::shared_ptr<pages::PageDecoder>> page_decoder();
  bool leaves_partials(StepId step) const { return step != no_step && step == partial_step; }

  // Right sides and pairs may take a quarter of the device's memory.
  std::uint64_t bytes_of_sides() const;
  std::uint64_t bytes_left_for_sides(std::uint64_t besides_bytes = 0) const;
  std::string limit_of_right_sides() const;  // for notes
  bool is_in_buckets(StepId join) const;     // its right side is on the host by buckets
  // Returns whether keys of a right side repeat, so that a lookup cannot yield the join's rows.
  bool has_repeated_keys(StepId join) const;

  // Downloads columns, by number, of a step's rows.
  Result<Table> download(const Step& step, const DeviceRows& rows, const Columns& columns);
  // Pins what was read before the device was open.
  void pin_read_ahead();

  const Plan& plan;
  const std::vector<StepId>& results;
  const RunOptions& options;
  std::vector<std::uint32_t> consumers;  // by step
  std::shared_ptr<Recording> recording;  // null unless a profile is asked for
  DeviceOpener opener;
  std::function<Status()> when_open;
  bool expects_gpu = true;  // plans for a GPU that is not open yet, where the options name one
  std::optional<Replan> replan;
  StringPool strings;
  RunReport report;
  // The reason why kernels cannot read some pages, if their headers did not tell.
  Status refusal;
  std::map<StepId, Table> known;  // the rows of steps that are given, or shared and computed
  // The rows of shared steps in device memory.
  std::map<StepId, std::shared_ptr<ResidentRows>> known_there;
  std::map<StepId, std::shared_ptr<TableSource>> held;  // rows of sources that are read once
  BuildSides sides;                                     // by join
  std::uint64_t pair_bytes = 0;                         // in device memory

  ShareOfRun share;
  GroupShare group_share;
  StepId partial_step = no_step;       // an aggregate that leaves partials
  std::vector<PartialTable> partials;  // of it
  bool is_next_in_order = false;       // the share's rows are a range of all shares' rows

  // The order in which pages are read ahead, for all scans.
  const std::shared_ptr<pages::ReadingOrder> reading_order =
      std::make_shared<pages::ReadingOrder>();
  std::vector<std::weak_ptr<PinnedSlabs>> not_pinned;

 private:
  std::shared_ptr<RowKernels> row_kernels_;
  std::shared_ptr<pages::PageDecoder> page_decoder_;
  Task<void> pinning_;
};

}  // namespace penstock::plan
