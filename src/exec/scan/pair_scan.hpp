// Feeds a tile kernel with pairs of a join that has repeated keys on the right. Ranges of pairs are
// made on the device, and the kernel's columns are gathered for them.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "exec/scan/chunk_stream.hpp"
#include "table/join/device_pairs.hpp"
#include "table/join/join_partitions.hpp"

namespace penstock::plan {

// The left side of a join, in device memory, with a place for each of its columns.
struct PairedLeft {
  DeviceRows rows;
  Columns keys;
  JoinKind kind = JoinKind::inner;
};

// The rows of such a join. Only kernels read them.
class PairedRows final : public TableSource {
 public:
  PairedRows(DevicePairs pairs, const Step& join)
      : pairs_(std::move(pairs)),
        schema_(join.schema),
        left_columns_(join.left_columns),
        figures_(pairs_->figures()) {}
  // Makes pairs of a partition at a time: there are none before begin_partition().
  PairedRows(PairedLeft left, JoinPartitions partitions, const Step& join)
      : left_(std::move(left)),
        partitions_(std::move(partitions)),
        schema_(join.schema),
        left_columns_(join.left_columns) {}
  JoinPartitions* partitions() { return partitions_ ? &*partitions_ : nullptr; }
  Status begin_partition(std::size_t partition);
  std::uint64_t bytes() const;  // of all partitions, without their right sides
  const DevicePairs& pairs() const { return *pairs_; }
  std::uint32_t left_columns() const { return left_columns_; }
  // Adds the figures of a scan's kernels to the figures of counting the pairs.
  void add(const KernelFigures& figures);
  void add_to(RunReport& report) const;
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override {
    return partitions_ ? std::nullopt : std::optional(pairs_->pair_count());
  }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    return Status(Code::internal, "pairs of a join are read by kernels alone");
  }
  std::string describe() const override { return std::string(name_of(StepKind::join)); }

 private:
  PairedLeft left_;  // if there are partitions
  std::optional<JoinPartitions> partitions_;
  std::optional<DevicePairs> pairs_;
  Schema schema_;
  std::uint32_t left_columns_;
  KernelFigures figures_;
};

// Makes kernels write all columns that they would leave to the host, which has no rows to gather
// from. Returns false if a kernel has too few parameters for that.
bool read_pairs(TileProgram& program);
// Returns how many pairs a chunk has, so that each chunk in flight stays within a sixteenth of the
// memory.
std::uint64_t pairs_per_chunk(const RunOptions& options, const Traits& traits,
                              const TileProgram& program);

class PairScan final : public ChunkSource {
 public:
  // All of these outlive the scan. `chunk_pairs`: at most.
  static Result<std::unique_ptr<ChunkSource>> open(PairedRows& rows, const TileProgram& program,
                                                   StringPool& strings, std::uint64_t chunk_pairs);
  Result<bool> next(ChunkMemory& memory, Queue& compute) override;
  Status check(ChunkMemory& memory) override;              // also frees the columns of its pairs
  std::vector<KernelReport> take_code_reports() override;  // none: the rows have one for all scans
  std::uint64_t bytes_uploaded() const override { return bytes_uploaded_; }
  double read_seconds() const override { return 0; }

 private:
  PairScan(PairedRows& rows, const TileProgram& program, std::uint64_t chunk_pairs)
      : rows_(rows), program_(program), chunk_pairs_(chunk_pairs) {}
  // A chunk's kernels, from their beginning.
  struct Launched {
    std::shared_ptr<Event> begun, done;
  };
  Status find_columns(StringPool& strings);
  Status make(ChunkMemory& memory, Queue& compute, std::uint64_t count);
  bool is_of_left(std::uint32_t column) const {
    return program_.root_of(column) < rows_.left_columns();
  }

  PairedRows& rows_;
  const TileProgram& program_;
  const std::uint64_t chunk_pairs_;
  std::vector<DeviceColumn> columns_;  // of one side, beside the program's device_columns
  std::deque<Launched> launched_;      // of chunks that are not done
  KernelFigures figures_;
  std::uint64_t taken_ = 0, bytes_uploaded_ = 0;
};

}  // namespace penstock::plan
