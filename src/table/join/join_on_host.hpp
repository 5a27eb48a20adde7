// Joins on the host, for right sides in which keys repeat: a left row becomes as many rows as it
// finds, which a kernel's lookup cannot yield. device_pairs.hpp does so on a device.
#pragma once
#include "base/huge_page_allocator.hpp"
#include "penstock/steps.hpp"
#include "table/join/build_side.hpp"

namespace penstock::plan {

// Row numbers of the left side and, beside each, of the right side.
struct Pairs {
  LargeVector<std::uint64_t> left;
  LargeVector<std::uint32_t> right;
};

// The rows of a join, in the order of the left rows, then of the right ones. A scan gathers the
// columns of a batch when it is read, so that rows which a filter drops never stand in memory
// together.
class JoinedRows final : public TableSource {
 public:
  JoinedRows(const Step& step, Table left, std::shared_ptr<const BuildSide> right, Pairs pairs)
      : schema_(step.schema),
        left_columns_(step.left_columns),
        left_(std::move(left)),
        right_(std::move(right)),
        pairs_(std::move(pairs)) {}
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return pairs_.left.size(); }
  std::string describe() const override { return "join"; }
  // The source outlives the stream.
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override;
  // Returns all rows. Only the columns in `wanted` (empty: all) get values.
  Table table(const Columns& wanted) const;
  Column gathered(std::uint32_t column, std::uint64_t first, std::uint64_t count) const;

 private:
  Schema schema_;
  std::uint32_t left_columns_;
  Table left_;
  std::shared_ptr<const BuildSide> right_;
  Pairs pairs_;
};

Result<std::shared_ptr<JoinedRows>> join_on_host(const Step& step, Table left,
                                                 std::shared_ptr<const BuildSide> right,
                                                 StringPool& strings);

}  // namespace penstock::plan
