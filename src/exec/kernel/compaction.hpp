// Compaction: stores the rows that pass the filters, in their order.
//
// Five algorithms, each with a kernel template of its name: `store` (no filter), `look_back` and
// `one_pass` (one pass over memory), `tile_private` (every tile compacts into a segment of its own,
// then the gaps are closed) and `count_scan_write` (rows are evaluated twice).
#pragma once
#include <optional>

#include "exec/kernel/tile_strategy.hpp"

namespace penstock::plan {

// The final place of rows: columns in the order of output_buffers(), and the place of a chunk's
// first row, a multiple of four below 2^32.
struct StoredRows {
  std::vector<BufferPointer> columns;
  std::uint64_t first_row = 0;
};

struct Compaction {
  std::uint64_t capacity_rows = 0;
  std::vector<BufferPointer> outputs;   // in the order of output_buffers()
  std::vector<BufferPointer> segments;  // tile_private: the same, before the gaps are closed
  BufferPointer tile_counts, tile_starts, kept_count;
  // Set if the place is known before the chunk's rows are stored: `outputs` are not written then.
  std::optional<StoredRows> stays;

  Status prepare(const TileContext& kernel, std::uint64_t row_count);
  Status enqueue(const TileContext& kernel, const TileLaunch& launch) const;

 private:
  Status prepare_outputs(const TileContext& kernel, std::vector<BufferPointer>& buffers,
                         std::uint64_t row_count) const;
  Status enqueue_store(const TileContext& kernel, const TileLaunch& launch) const;
  Status enqueue_look_back(const TileContext& kernel, const TileLaunch& launch) const;
  Status enqueue_one_pass(const TileContext& kernel, const TileLaunch& launch) const;
  Status enqueue_tile_private(const TileContext& kernel, const TileLaunch& launch) const;
  Status enqueue_count_scan_write(const TileContext& kernel, const TileLaunch& launch) const;
  Status enqueue_scan(const TileLaunch& launch, std::uint32_t tiles) const;
};

}  // namespace penstock::plan
