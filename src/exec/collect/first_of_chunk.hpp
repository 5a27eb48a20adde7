// Selects, of the rows that a kernel kept of a chunk, the candidates for an ORDER BY with a limit:
// only these are downloaded. It matters for the first chunks, which no bound narrows yet.
#pragma once
#include <memory>
#include <optional>

#include "exec/collect/collector.hpp"
#include "table/sort/first_rows.hpp"

namespace penstock::plan {

// From this many rows of a chunk on they are selected on the device.
constexpr std::uint64_t min_selected_rows = 1 << 15;

class FirstOfChunk {
 public:
  // Begins to compile. Null if the host selects: on a CPU, or if the first key of the order is a
  // string, or a column that the host gathers.
  static std::unique_ptr<FirstOfChunk> begin(const MergePlace& place, const TileProgram& program);
  // Puts the selected rows, in their order, in the place of the chunk's. Leaves the chunk unchanged
  // if it has few rows, too many are tied, or memory is too small. Waits.
  Status narrow(Chunk& chunk);
  // Gives the chunk its memory back. Call when the rows were taken.
  void restore(Chunk& chunk);
  void add_to(RunReport& report) const;

 private:
  FirstOfChunk(const MergePlace& place, const TileProgram& program)
      : place_(place), program_(program), buffers_(output_buffers(program)) {}
  bool can_order(const SortKey& key) const;
  std::optional<std::size_t> buffer_of(BufferRole role, std::uint32_t column) const;
  Status divide(const std::vector<BufferPointer>& outputs, std::uint64_t count, const SortKey& key);
  Result<bool> select(const std::vector<BufferPointer>& outputs, std::uint64_t count);
  Result<std::vector<std::uint32_t>> selected_rows();
  // Returns false where memory is short.
  Result<bool> gather(std::vector<BufferPointer>& outputs, const std::vector<std::uint32_t>& rows);

  MergePlace place_;
  const TileProgram& program_;
  const std::vector<ColumnBuffer> buffers_;
  std::unique_ptr<FirstRows> rows_;
  std::unique_ptr<Queue> queue_;
  std::vector<BufferPointer> outputs_;  // of the chunk that is narrowed; else none
  std::uint64_t count_ = 0;             // of its rows
};

}  // namespace penstock::plan
