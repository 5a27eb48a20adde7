// A join by partitions: the rows of its right side do not fit device memory together, so a range of
// buckets is there at a time (bucketed_rows.hpp). Kernels read the left rows once for each range,
// and each time take the rows with keys in its buckets.
#pragma once
#include "table/join/build_side.hpp"

namespace penstock::plan {

class JoinPartitions {
 public:
  // Chooses the fewest ranges of buckets that keep to a limit with their rows and table, and with
  // an order for pairs if they are wanted. Returns nothing if the rows of one bucket do not fit.
  static std::optional<JoinPartitions> choose(StepId join, std::shared_ptr<const BuildSide> side,
                                              Schema right, std::uint64_t limit_bytes,
                                              bool wants_pairs);
  StepId join() const { return join_; }
  std::size_t count() const { return ranges_.size(); }
  std::uint64_t row_count() const { return side_->buckets->row_count(); }
  // Uploads the rows of a partition and makes their table. Waits. Nothing may hold the one before.
  Result<std::shared_ptr<const BuildSide>> side_of(std::size_t partition);
  // Adds an entry for the tables of all partitions, and the bytes uploaded.
  void add_to(RunReport& report) const;

 private:
  JoinPartitions(StepId join, std::shared_ptr<const BuildSide> side, Schema right,
                 std::uint64_t limit_bytes, bool wants_pairs)
      : join_(join),
        side_(std::move(side)),
        right_(std::move(right)),
        limit_bytes_(limit_bytes),
        wants_pairs_(wants_pairs) {}

  StepId join_;
  std::shared_ptr<const BuildSide> side_;
  Schema right_;  // of the right step
  std::uint64_t limit_bytes_;
  bool wants_pairs_;
  std::vector<BucketRange> ranges_;
  DeviceJoinTable made_;  // the sums of all tables' launches, seconds and bytes
  std::uint64_t bytes_uploaded_ = 0;
};

// Returns whether keys repeat; nothing if the keys of one bucket do not fit the limit. Waits:
// uploads the keys, and makes tables of them.
Result<std::optional<bool>> keys_repeat(const BucketedRows& rows, std::uint64_t limit_bytes);

}  // namespace penstock::plan
