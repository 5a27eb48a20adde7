// Feeds a tile kernel with rows that another step has left in device memory, a part at a time.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "exec/scan/chunk_source.hpp"
#include "fuse/program/tile_program.hpp"
#include "table/rows/device_rows.hpp"

namespace penstock::plan {

// Rows in device memory, with a place for each column of the schema. Only kernels read them.
class ResidentRows final : public TableSource {
 public:
  ResidentRows(std::shared_ptr<RowKernels> kernels, Schema schema, std::vector<DeviceRows> parts)
      : kernels_(std::move(kernels)), schema_(std::move(schema)), parts_(std::move(parts)) {}
  const std::vector<DeviceRows>& parts() const { return parts_; }
  RowKernels& kernels() const { return *kernels_; }
  std::uint64_t bytes() const;
  // Returns the rows of all parts as one; nothing where a second copy takes more than
  // `limit_bytes`. Waits.
  Result<std::optional<DeviceRows>> joined(std::uint64_t limit_bytes) const;
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override;
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    return Status(Code::internal, "rows in device memory are read by kernels alone");
  }
  std::string describe() const override { return "rows in device memory"; }

 private:
  std::shared_ptr<RowKernels> kernels_;
  Schema schema_;
  std::vector<DeviceRows> parts_;
};

// The program reads no column that the host would gather: see read_pairs().
class ResidentScan final : public ChunkSource {
 public:
  // All of these outlive the scan. Functions of strings are computed here, once for each part.
  static Result<std::unique_ptr<ChunkSource>> open(const ResidentRows& rows,
                                                   const TileProgram& program, StringPool& strings);
  Result<bool> next(ChunkMemory& memory, Queue& compute) override;
  Status check(ChunkMemory& memory) override;
  std::vector<KernelReport> take_code_reports() override { return {}; }
  std::uint64_t bytes_uploaded() const override { return bytes_uploaded_; }
  double read_seconds() const override { return 0; }

 private:
  ResidentScan(const ResidentRows& rows, const TileProgram& program)
      : rows_(rows), program_(program) {}
  Status find_columns(StringPool& strings);

  const ResidentRows& rows_;
  const TileProgram& program_;
  std::vector<std::vector<DeviceColumn>> columns_;  // by part, beside the program's device_columns
  std::size_t part_ = 0;
  std::uint64_t taken_ = 0, bytes_uploaded_ = 0;
};

}  // namespace penstock::plan
