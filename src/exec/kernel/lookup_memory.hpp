// The buffers of joins' build sides that kernels read.
#pragma once
#include <map>
#include <memory>

#include "fuse/program/kernel_parameters.hpp"
#include "table/join/build_side.hpp"

namespace penstock::plan {

using BuildSides = std::map<StepId, std::shared_ptr<const BuildSide>>;  // by the join

// The buffers of a program's lookups in the order of lookup_buffers(), made once, and read by the
// kernels of all chunks.
class LookupMemory {
 public:
  Status upload(Device& device, const TileProgram& program, const BuildSides& sides,
                StringPool& strings);
  // Drop the buffers of a lookup with its side on the device, and take other ones instead.
  void release(std::size_t lookup);
  Status renew(Device& device, const TileProgram& program, std::size_t lookup,
               const BuildSides& sides, StringPool& strings);
  const std::vector<std::shared_ptr<Buffer>>& buffers() const { return buffers_; }
  std::uint64_t bytes_uploaded() const { return bytes_uploaded_; }

 private:
  Result<Column> column_of(const TileProgram& program, const BuildSides& sides,
                           std::uint32_t column);
  Status upload_column(Device& device, const TileProgram& program, const BuildSides& sides,
                       std::uint32_t column, StringPool& strings);
  Status upload_lookup(Device& device, const TileProgram& program, const Lookup& lookup,
                       const BuildSides& sides, StringPool& strings);
  Status upload_bytes(Device& device, const void* data, std::uint64_t bytes);
  Status take_from_device(Device& device, const TileProgram& program, const Lookup& lookup,
                          const DeviceSide& side, StringPool& strings,
                          std::vector<BufferPointer>& to);

  std::vector<Column> held_;  // wrapped, or still being uploaded
  std::vector<std::vector<std::uint32_t>> codes_;
  std::vector<std::shared_ptr<Buffer>> buffers_;
  std::vector<std::size_t> first_buffers_;  // by lookup, and the number of all
  std::unique_ptr<Queue> uploads_;          // the last: its end waits for work on the memory above
  std::uint64_t bytes_uploaded_ = 0;
};

// Returns a column of a lookup's table; it must not be a derived one.
const Column& build_column(const TileProgram& program, const BuildSides& sides,
                           std::uint32_t column);

}  // namespace penstock::plan
