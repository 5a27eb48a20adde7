#include "plan/devices/right_side_shares.hpp"

#include <algorithm>

#include "plan/devices/row_range_source.hpp"
#include "plan/devices/split_rows.hpp"
#include "plan/fusion/kernel_steps.hpp"
#include "plan/variants/variants.hpp"

namespace penstock::plan {

class SideFinder {
 public:
  SideFinder(const Plan& plan, StepId result, std::uint64_t min_rows)
      : plan_(plan), consumers_(count_consumers(plan, {result})), min_rows_(min_rows) {}

  // Fusing tells the columns that are looked up. It is left out where no source is large enough.
  Status visit(StepId last, const Columns& wanted) {
    const StepId base = chain_base(plan_, last, consumers_);
    if (!has_candidate(last, base)) return {};
    PENSTOCK_ASSIGN(const std::vector<TileProgram> programs,
                    fuse_chain(plan_, base, last, wanted, {}));
    for (std::size_t i = 0; i < programs[0].lookups.size(); i++) {
      const StepId join = programs[0].lookups[i].step;
      const StepId right = plan_.step(join).inputs[1];
      const Columns columns = columns_looked_up(plan_.step(join), programs, i);
      if (has_no_kernel(plan_, right) && plan_.step(right).kind != StepKind::source) continue;
      const StepId right_base = chain_base(plan_, right, consumers_);
      if (is_candidate(right, right_base) && !has_strings(right, columns))
        sides_.push_back({join, right_base});
      PENSTOCK_TRY(visit(right, columns_kept(plan_, right, columns, consumers_)));
    }
    return {};
  }
  std::vector<RightSideShares::Side> take() { return std::move(sides_); }

 private:
  // Returns whether a join of a chain, or one below its right sides, may be split.
  bool has_candidate(StepId id, StepId base) const {
    for (; id != base; id = plan_.step(id).inputs[0]) {
      const Step& step = plan_.step(id);
      if (step.kind != StepKind::join) continue;
      const StepId right = step.inputs[1], right_base = chain_base(plan_, right, consumers_);
      if (is_candidate(right, right_base) || has_candidate(right, right_base)) return true;
    }
    return false;
  }
  bool is_candidate(StepId right, StepId base) const {
    const auto& source = plan_.step(base).source;
    return source && source->can_be_scanned_again() && consumers_[right] == 1 &&
           consumers_[base] == 1 && source->row_count().value_or(0) >= min_rows_;
  }
  bool has_strings(StepId right, const Columns& columns) const {
    return std::ranges::any_of(columns, [&](std::uint32_t column) {
      return plan_.step(right).schema[column].type.kind == Kind::string;
    });
  }

  const Plan& plan_;
  const std::vector<std::uint32_t> consumers_;
  const std::uint64_t min_rows_;
  std::vector<RightSideShares::Side> sides_;
};

Result<RightSideShares> RightSideShares::find(const Plan& plan, const Cut& cut,
                                              const RunOptions& options,
                                              const std::vector<std::shared_ptr<Device>>& devices) {
  RightSideShares shares;
  const bool are_kept = std::ranges::all_of(devices, [&](const std::shared_ptr<Device>& device) {
    return device && keeps_rows_on_device(device->traits(), options.intermediate_rows);
  });
  if (devices.size() < 2 || !are_kept || !are_of_one_kind(devices)) return shares;
  const bool is_asked_for = options.intermediate_rows == IntermediateRows::device;
  const Step& step = plan.step(cut.step);
  const StepId last = step.kind == StepKind::order_by ? step.inputs[0] : cut.step;
  SideFinder finder(plan, cut.step, is_asked_for ? 1 : min_split_side_rows);
  PENSTOCK_TRY(finder.visit(last, {}));
  shares.sides_ = finder.take();
  return shares;
}

// A source without rows has nothing that a kernel could leave in device memory.
void RightSideShares::begin(const Plan& plan, std::span<const double> weights) {
  std::set<StepId> joins;
  rows_.clear();
  exchange_.reset();
  for (const Side& side : sides_) {
    const TableSource& source = *plan.step(side.base).source;
    std::vector<RowRange> shares = split_rows(source, {0, *source.row_count()}, weights);
    const auto is_empty = [](RowRange share) { return share.begin == share.end; };
    if (std::ranges::any_of(shares, is_empty)) continue;
    joins.insert(side.join);
    rows_[side.base] = std::move(shares);
  }
  if (!joins.empty())
    exchange_ = std::make_shared<RightSideExchange>(weights.size(), std::move(joins));
}

Plan RightSideShares::plan_of_share(const Plan& plan, std::size_t share) const {
  Plan of_share = plan;
  for (const auto& [base, rows] : rows_)
    of_share.replace_source(base, row_range_source(plan.step(base).source, rows[share]));
  return of_share;
}

}  // namespace penstock::plan
