#include "table/join/join_partitions.hpp"

#include <numeric>

namespace penstock::plan {
namespace {

// Buffers have a least size, and a table its header.
constexpr std::uint64_t bytes_of_no_rows = 1024;

// Returns nothing if one bucket takes more than the limit.
std::optional<std::vector<BucketRange>> ranges_of(const BucketedRows& rows,
                                                  std::uint64_t bytes_per_row,
                                                  std::uint64_t limit_bytes) {
  std::vector<BucketRange> ranges;
  std::uint64_t bytes = 0;
  const auto rows_of_buckets = rows.rows_of_buckets();
  for (std::uint32_t bucket = 0; bucket < rows_of_buckets.size(); bucket++) {
    const std::uint64_t more = rows_of_buckets[bucket] * bytes_per_row;
    if (ranges.empty() || bytes + more > limit_bytes) {
      ranges.push_back({bucket, bucket});
      bytes = bytes_of_no_rows;
    }
    bytes += more;
    if (bytes > limit_bytes) return {};
    ranges.back().last = bucket + 1;
  }
  return ranges;
}

struct Partition {
  DeviceRows rows;
  DeviceJoinTable table;
};
Result<Partition> partition_of(const BucketedRows& from, const Columns& columns,
                               TableRequest request) {
  RowKernels& kernels = *from.kernels();
  Partition made;
  PENSTOCK_ASSIGN(const auto queue, kernels.device().queue());
  PENSTOCK_ASSIGN(made.rows, from.upload(*queue, request.part->buckets, columns));
  PENSTOCK_TRY(queue->finish());
  const std::uint64_t limit = request.limit_bytes;
  request.limit_bytes -= std::min(bytes_on_device(made.rows), limit);
  PENSTOCK_ASSIGN(auto table, build_join_table(kernels, made.rows, request));
  if (!table || (request.wants_pairs && !table->order))
    return Status(Code::no_memory, "a partition of " + std::to_string(made.rows.row_count) +
                                       " rows of a join's right side, and its table, do not fit " +
                                       std::to_string(limit) + " bytes of device memory");
  made.table = std::move(*table);
  return made;
}

}  // namespace

std::optional<JoinPartitions> JoinPartitions::choose(StepId join,
                                                     std::shared_ptr<const BuildSide> side,
                                                     Schema right, std::uint64_t limit_bytes,
                                                     bool wants_pairs) {
  const BucketedRows& rows = *side->buckets;
  auto ranges = ranges_of(
      rows,
      device_bytes_per_row(rows.schema()) + table_bytes_per_row(rows.keys().size(), wants_pairs),
      limit_bytes);
  if (!ranges) return {};
  JoinPartitions chosen(join, std::move(side), std::move(right), limit_bytes, wants_pairs);
  chosen.ranges_ = std::move(*ranges);
  return chosen;
}

Result<std::shared_ptr<const BuildSide>> JoinPartitions::side_of(std::size_t partition) {
  const BucketedRows& rows = *side_->buckets;
  Columns every(rows.schema().size());
  std::iota(every.begin(), every.end(), 0u);
  PENSTOCK_ASSIGN(Partition made,
                  partition_of(rows, every,
                               {rows.keys(), limit_bytes_, wants_pairs_,
                                TableRequest::Part{ranges_[partition], rows.row_count() > 0,
                                                   rows.has_nulls()}}));
  made_.bytes += made.table.bytes;
  made_.launches += made.table.launches;
  made_.device_seconds += made.table.device_seconds;
  bytes_uploaded_ += made.rows.row_count * device_bytes_per_row(rows.schema());
  auto side = std::make_shared<BuildSide>();
  side->rows.row_count = made.rows.row_count;
  side->on_device =
      DeviceSide{rows.kernels(), spread_rows(right_, side_->bucketed_columns, std::move(made.rows)),
                 std::move(made.table)};
  return std::shared_ptr<const BuildSide>(std::move(side));
}

void JoinPartitions::add_to(RunReport& report) const {
  side_->buckets->kernels()->add_to(report, "join_table",
                                    {made_.launches, made_.bytes, made_.device_seconds});
  report.bytes_uploaded += bytes_uploaded_;
}

Result<std::optional<bool>> keys_repeat(const BucketedRows& rows, std::uint64_t limit_bytes) {
  Schema keys;
  for (const std::uint32_t key : rows.keys()) keys.push_back(rows.schema()[key]);
  const auto ranges = ranges_of(
      rows, device_bytes_per_row(keys) + table_bytes_per_row(keys.size(), false), limit_bytes);
  if (!ranges) return std::optional<bool>();
  Columns places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  for (const BucketRange& range : *ranges) {
    PENSTOCK_ASSIGN(
        const Partition made,
        partition_of(rows, rows.keys(), {places, limit_bytes, false, TableRequest::Part{range}}));
    if (made.table.repeated_rows > 0) return std::optional(true);
  }
  return std::optional(false);
}

}  // namespace penstock::plan
