// Rows that leave device memory in an order, piece by piece. A piece is gathered and then
// downloaded on a queue of its own, while the queue that gathers goes on.
#pragma once
#include <array>

#include "table/rows/host_columns.hpp"
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

// Returns how many rows a piece has; 0 if rows are downloaded as a whole. `batch_rows`: the rows of
// a piece that are asked for, on any device, or 0.
std::uint64_t rows_of_piece(const Traits& traits, std::uint64_t row_count,
                            std::uint64_t bytes_per_row, std::uint64_t batch_rows);

class RowsDownload {
 public:
  // One is gathered while another leaves, and one more waits: sorting takes longer at times.
  static constexpr std::size_t pieces_held = 3;

  // Columns of rows, by number, come to `to`, at first to row `first_row`. Both outlive it.
  RowsDownload(Device& device, const Columns& columns, const std::vector<HostColumn>& to,
               std::uint64_t first_row, std::uint64_t piece_rows)
      : device_(device),
        columns_(columns),
        to_(to),
        next_row_(first_row),
        piece_rows_(piece_rows) {}

  // Enqueues the first `count` rows of an order: u32, the row at a position. `kernels`: of a
  // program that includes kernels/gather.kc. `queue` may write the order and the rows.
  Status append(RowKernels& kernels, Queue& queue, const DeviceRows& rows,
                const BufferPointer& order, std::uint64_t count);
  Status finish();  // waits until all have come

 private:
  struct Piece {
    std::vector<DeviceColumn> columns;
    std::shared_ptr<Event> is_downloaded;  // null before the first use
  };

  Status begin(const DeviceRows& rows);
  Status gather(RowKernels& kernels, Queue& queue, const DeviceRows& rows,
                const BufferPointer& order, std::uint64_t first, std::uint64_t count,
                const Piece& to);
  Status download(const Piece& piece, std::uint64_t count);

  Device& device_;
  const Columns& columns_;
  const std::vector<HostColumn>& to_;
  std::uint64_t next_row_;
  const std::uint64_t piece_rows_;
  std::array<Piece, pieces_held> pieces_;
  std::size_t piece_count_ = 0;
  std::unique_ptr<Queue> downloads_;
};

}  // namespace penstock::plan
