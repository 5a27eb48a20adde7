#include "exec/physical/join_operator.hpp"

#include "exec/physical/scan_operator.hpp"
#include "table/join/join_on_host.hpp"

namespace penstock::plan {

std::string JoinOperator::name() const {
  return inputs_.left_there ? "pairs on the device, else join on the host" : "join on the host";
}

std::vector<OperatorInput> JoinOperator::inputs() const {
  return {{build_->role(), &build_->input()}, {"left side: ", inputs_.left.get()}};
}

Result<Rows> JoinOperator::run(const RowsWanted& wanted) {
  if (!run_.sides.contains(join())) PENSTOCK_TRY(build_->run());
  std::optional<Table> left;
  const bool is_in_buckets = run_.is_in_buckets(join());
  if (run_.sides.at(join())->on_device || is_in_buckets) {
    if (wanted.takes_pairs && inputs_.left_there) {
      PENSTOCK_ASSIGN(auto pairs, make_pairs(left));
      if (pairs) return Rows(std::move(pairs));
    }
    const std::string why = "pairs are not made on " + run_.opener.name() +
                            ": its left side does not stay there, or memory or parameters are "
                            "short";
    PENSTOCK_TRY(is_in_buckets ? move_buckets(run_, join(), why)
                               : move_right_side(run_, join(), why));
  }
  if (!left) { PENSTOCK_ASSIGN(left, inputs_.left->run_to_host()); }
  const HostSpan span(run_.recorder(), "join on the host");
  PENSTOCK_ASSIGN(const auto joined,
                  join_on_host(step(), std::move(*left), run_.sides.at(join()), run_.strings));
  if (wanted.takes_source) return Rows(std::shared_ptr<TableSource>(joined));
  return Rows(joined->table(inputs_.wanted));
}

// Half of what is left is for the left side, where the right one takes partitions of the rest.
// `left_here` gets the left rows where they came to the host.
Result<std::shared_ptr<PairedRows>> JoinOperator::make_pairs(std::optional<Table>& left_here) {
  const std::uint64_t left_bytes =
      run_.bytes_left_for_sides() / (run_.is_in_buckets(join()) ? 2 : 1);
  PENSTOCK_ASSIGN(Rows rows, inputs_.left_there->run({left_bytes}));
  PENSTOCK_ASSIGN(auto there, device_table(run_, step().inputs[0], rows, left_bytes));
  if (!there) {
    left_here = std::get<Table>(std::move(rows));
    return std::shared_ptr<PairedRows>();
  }
  const DeviceRows left = spread_rows(left_step().schema, there->columns, std::move(there->rows));
  Columns keys;
  for (const JoinKey& key : step().join_keys) keys.push_back(key.left);
  PENSTOCK_ASSIGN(auto pairs, pairs_of({left, std::move(keys), step().join_kind}));
  if (!pairs) {
    PENSTOCK_ASSIGN(left_here, run_.download(left_step(), left, there->columns));
    return pairs;
  }
  run_.pair_bytes += pairs->bytes();
  return pairs;
}

// Returns null where memory is too small.
Result<std::shared_ptr<PairedRows>> JoinOperator::pairs_of(PairedLeft left) {
  const HostSpan span(run_.recorder(), "pairs of a join on the device");
  const std::shared_ptr<const BuildSide>& side = run_.sides.at(join());
  const std::uint64_t left_bytes = bytes_on_device(left.rows);
  if (!side->buckets) {
    PENSTOCK_ASSIGN(auto pairs, DevicePairs::count(std::move(left.rows), left.keys, side, left.kind,
                                                   run_.bytes_left_for_sides(left_bytes)));
    if (!pairs) return std::shared_ptr<PairedRows>();
    return std::make_shared<PairedRows>(std::move(*pairs), step());
  }
  const std::uint64_t counted_bytes =
      left.rows.row_count * DevicePairs::bytes_per_left_row(left.keys.size());
  auto partitions =
      JoinPartitions::choose(join(), side, run_.plan.step(step().inputs[1]).schema,
                             run_.bytes_left_for_sides(left_bytes + counted_bytes), true);
  if (!partitions) return std::shared_ptr<PairedRows>();
  note_partitions(run_, *partitions);
  return std::make_shared<PairedRows>(std::move(left), std::move(*partitions), step());
}

}  // namespace penstock::plan
