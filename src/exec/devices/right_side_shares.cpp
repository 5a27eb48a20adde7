#include "exec/devices/right_side_shares.hpp"

#include <algorithm>

#include "device/memory_budget.hpp"
#include "exec/devices/row_range_source.hpp"
#include "exec/devices/split_rows.hpp"
#include "fuse/program/fuse_chain.hpp"
#include "fuse/variants/variants.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {

class SideFinder {
 public:
  // `known`: steps with given rows; new chains begin there.
  SideFinder(const Plan& plan, StepId result, const std::map<StepId, Table>& known,
             const RunOptions& options, std::uint64_t min_rows, std::uint64_t limit_bytes)
      : plan_(plan),
        options_(options),
        consumers_(count_consumers(plan, {result})),
        min_rows_(min_rows),
        limit_bytes_(limit_bytes) {
    for (const auto& [step, rows] : known) consumers_[step]++;  // as in RunState
  }

  // Fusing finds the columns that are looked up. It is left out if no source is large enough.
  Status visit(StepId last, const Columns& wanted) {
    const StepId base = chain_base(plan_, last, consumers_);
    if (!has_candidate(last, base)) return {};
    bool was_fused = false;
    PENSTOCK_ASSIGN(const std::vector<TileProgram> programs,
                    programs_of_chain(plan_, {base, last, wanted, {}}, options_.kept_programs.get(),
                                      was_fused));
    for (std::size_t i = 0; i < programs[0].lookups.size(); i++) {
      const StepId join = programs[0].lookups[i].step;
      const StepId right = plan_.step(join).inputs[1];
      if (!keeps_columns(plan_.step(right).kind)) continue;
      const Columns columns = columns_looked_up(plan_.step(join), programs, i);
      if (is_candidate(right) && may_be_put_together(right, columns))
        sides_.push_back({join, base, chain_base(plan_, right, consumers_)});
      PENSTOCK_TRY(visit(right, columns_kept(plan_, right, columns, consumers_)));
    }
    return {};
  }
  std::vector<JoinedSources> take() { return std::move(sides_); }

 private:
  // Returns whether a join of a chain, or a join below its right sides, may be split.
  bool has_candidate(StepId id, StepId base) const {
    for (; id != base; id = plan_.step(id).inputs[0]) {
      const Step& step = plan_.step(id);
      if (step.kind != StepKind::join || !keeps_columns(plan_.step(step.inputs[1]).kind)) continue;
      const StepId right = step.inputs[1];
      if (is_candidate(right) || has_candidate(right, chain_base(plan_, right, consumers_)))
        return true;
    }
    return false;
  }
  // A source without pages may also decode the rows before a share's.
  bool is_candidate(StepId right) const {
    const StepId base = chain_base(plan_, right, consumers_);
    const auto& source = plan_.step(base).source;
    return source && source->can_be_scanned_again() && consumers_[right] == 1 &&
           consumers_[base] == 1 && source->row_count().value_or(0) >= min_rows_ &&
           (min_rows_ <= 1 || source->pages());
  }
  // Nothing tells how many rows a filter leaves.
  bool may_be_put_together(StepId right, const Columns& columns) const {
    const Step& step = plan_.step(right);
    Schema schema;
    for (const std::uint32_t column : columns) schema.push_back(step.schema[column]);
    const auto is_string = [](const Field& field) { return field.type.kind == Kind::string; };
    return std::ranges::none_of(schema, is_string) &&
           (step.kind != StepKind::source ||
            *step.source->row_count() * device_bytes_per_row(schema) <= limit_bytes_);
  }

  const Plan& plan_;
  const RunOptions& options_;
  std::vector<std::uint32_t> consumers_;
  const std::uint64_t min_rows_, limit_bytes_;
  std::vector<JoinedSources> sides_;
};

// A plan that cannot be fused here gives its error when it runs.
RightSideShares RightSideShares::find(const Plan& plan, const Cut& cut, const RunOptions& options,
                                      const std::map<StepId, Table>& known,
                                      const std::vector<std::shared_ptr<Device>>& devices) {
  RightSideShares shares;
  std::uint64_t limit_bytes = ~std::uint64_t{0};
  for (const std::shared_ptr<Device>& device : devices) {
    if (!device || !keeps_rows_on_device(device->traits(), options.intermediate_rows))
      return shares;
    limit_bytes =
        std::min(limit_bytes, device::MemoryBudget(device->traits(), options.memory_limit_bytes)
                                  .share_of(device::MemoryUse::right_sides));
  }
  if (devices.size() < 2 || !are_of_one_kind(devices)) return shares;
  shares.kept_ = options.kept_programs;
  const bool is_asked_for = options.intermediate_rows == IntermediateRows::device;
  shares.min_rows_of_share_ = is_asked_for ? 1 : min_device_join_rows;
  const Step& step = plan.step(cut.step);
  const StepId last = step.kind == StepKind::order_by ? step.inputs[0] : cut.step;
  SideFinder finder(plan, cut.step, known, options, is_asked_for ? 1 : min_split_side_rows,
                    limit_bytes);
  if (finder.visit(last, {}).ok()) shares.sides_ = finder.take();
  return shares;
}

// The host reads and hashes a source of few rows, and a source without rows has no chunk.
bool RightSideShares::are_large(std::span<const RowRange> shares) const {
  return std::ranges::all_of(
      shares, [&](const RowRange& share) { return share.end - share.begin >= min_rows_of_share_; });
}

// Returns the rows that shares read of a right side by their keys; nothing if they cannot.
std::optional<std::vector<RowRange>> RightSideShares::by_key(const Plan& plan,
                                                             const JoinedSources& side,
                                                             const RowsBySource& rows) const {
  const auto left = rows.find(side.left);
  if (left == rows.end() || not_by_key_.contains(side.join)) return std::nullopt;
  auto right = rows_by_key(plan, side, left->second);
  return right && are_large(*right) ? std::move(right) : std::nullopt;
}

KeptPrograms::SplitSides RightSideShares::split(const Plan& plan, StepId base,
                                                std::span<const ShareOfCut> shares) const {
  std::vector<double> weights;
  KeptPrograms::SplitSides sides;
  for (const ShareOfCut& share : shares) {
    weights.push_back(share.weight);
    sides.rows[base].push_back(share.rows);
  }
  for (const JoinedSources& side : sides_) {
    const TableSource& source = *plan.step(side.right).source;
    auto rows = by_key(plan, side, sides.rows);
    (rows ? sides.by_key : sides.joins).insert(side.join);
    if (!rows) rows = split_rows(source, {0, *source.row_count()}, weights);
    if (are_large(*rows))
      sides.rows[side.right] = std::move(*rows);
    else
      sides.joins.erase(side.join);
  }
  sides.rows.erase(base);
  return sides;
}

KeptPrograms::SidesKey RightSideShares::key_of(const Plan& plan, StepId base,
                                               std::span<const ShareOfCut> shares) const {
  KeptPrograms::SidesKey key;
  const auto add_source = [&](StepId source) {
    key.steps.push_back(source);
    key.rows.push_back(plan.step(source).source->identity());
  };
  add_source(base);
  for (const ShareOfCut& share : shares) key.shares.push_back(share.rows);
  for (const JoinedSources& side : sides_) {
    key.steps.insert(key.steps.end(), {side.join, side.left});
    add_source(side.right);
  }
  return key;
}

void RightSideShares::begin(const Plan& plan, StepId base, std::span<const ShareOfCut> shares,
                            double awake_seconds) {
  split_.reset();
  exchange_.reset();
  if (sides_.empty()) return;
  const KeptPrograms::SidesKey key = key_of(plan, base, shares);
  const bool may_keep = kept_ && std::ranges::count(key.rows, "") == 0;
  if (may_keep && not_by_key_.empty()) split_ = kept_->find_sides(key);
  if (!split_) {
    split_ = std::make_shared<const KeptPrograms::SplitSides>(split(plan, base, shares));
    if (may_keep) kept_->keep_sides(key, split_);
  }
  if (!split_->rows.empty())
    exchange_ = std::make_shared<RightSideExchange>(Shares{shares.size(), awake_seconds},
                                                    split_->joins, split_->by_key);
}

bool RightSideShares::leaves_keys_out() {
  const StepId repeated = exchange_ ? exchange_->repeated_join() : no_step;
  return repeated != no_step && not_by_key_.insert(repeated).second;
}

Plan RightSideShares::plan_of_share(const Plan& plan, std::size_t share) const {
  Plan of_share = plan;
  if (!split_) return of_share;
  for (const auto& [base, rows] : split_->rows)
    of_share.replace_source(base, row_range_source(plan.step(base).source, rows[share]));
  return of_share;
}

}  // namespace penstock::plan
