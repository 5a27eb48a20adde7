#include "table/sort/rows_download.hpp"

#include <algorithm>

#include "device/allocate.hpp"
#include "table/rows/gather_on_device.hpp"
#include "table/sort/key_ranges.hpp"

namespace penstock::plan {
namespace {

// A piece takes 2.4 ms over a link of 55 GB/s. Smaller ones were slower (docs/lab/sort.md), and
// with fewer than four hardly anything is left to be sorted while one leaves.
constexpr std::uint64_t piece_bytes = std::uint64_t{128} << 20;
constexpr std::uint64_t min_pieces = 4;

}  // namespace

std::uint64_t rows_of_piece(const Traits& traits, std::uint64_t row_count,
                            std::uint64_t bytes_per_row, std::uint64_t batch_rows) {
  if (batch_rows == 0 && (traits.is_cpu || traits.unified_memory)) return 0;
  const std::uint64_t least = row_count / max_key_ranges + 1;
  const std::uint64_t rows =
      batch_rows > 0 ? batch_rows : piece_bytes / std::max<std::uint64_t>(bytes_per_row, 1);
  return row_count / min_pieces >= rows ? std::max(rows, least) : 0;
}

Status RowsDownload::begin(const DeviceRows& rows) {
  for (Piece& piece : pieces_)
    for (const std::uint32_t number : columns_) {
      const DeviceColumn& column = rows.columns[number];
      DeviceColumn& to = piece.columns.emplace_back(DeviceColumn{column.type, nullptr, nullptr});
      const std::uint64_t width = width_bytes(column.type);
      PENSTOCK_ASSIGN(to.values, device::allocate(device_, piece_rows_ * width));
      if (!column.validity) continue;
      PENSTOCK_ASSIGN(to.validity, device::allocate(device_, piece_rows_));
    }
  PENSTOCK_ASSIGN(downloads_, device_.queue());
  return {};
}

Status RowsDownload::gather(RowKernels& kernels, Queue& queue, const DeviceRows& rows,
                            const BufferPointer& order, std::uint64_t first, std::uint64_t count,
                            const Piece& to) {
  const GatherNumbers ordered{count, order, {}, first};
  for (std::size_t i = 0; i < columns_.size(); i++) {
    const DeviceColumn& from = rows.columns[columns_[i]];
    const auto width = static_cast<std::uint32_t>(width_bytes(from.type));
    PENSTOCK_TRY(
        gather_elements(kernels, queue, ordered, *from.values, *to.columns[i].values, width));
    if (from.validity)
      PENSTOCK_TRY(
          gather_elements(kernels, queue, ordered, *from.validity, *to.columns[i].validity, 1));
  }
  return {};
}

Status RowsDownload::download(const Piece& piece, std::uint64_t count) {
  for (std::size_t i = 0; i < columns_.size(); i++) {
    const DeviceColumn& from = piece.columns[i];
    const std::uint64_t width = width_bytes(from.type);
    PENSTOCK_TRY(downloads_->download(to_[i].values->data() + next_row_ * width, *from.values,
                                      count * width));
    if (from.validity)
      PENSTOCK_TRY(
          downloads_->download(to_[i].validity->data() + next_row_, *from.validity, count));
  }
  next_row_ += count;
  return {};
}

Status RowsDownload::append(RowKernels& kernels, Queue& queue, const DeviceRows& rows,
                            const BufferPointer& order, std::uint64_t count) {
  if (!downloads_) PENSTOCK_TRY(begin(rows));
  for (std::uint64_t first = 0; first < count; first += piece_rows_) {
    const std::uint64_t rows_now = std::min(piece_rows_, count - first);
    Piece& piece = pieces_[piece_count_++ % pieces_.size()];
    if (piece.is_downloaded) PENSTOCK_TRY(queue.wait_for(*piece.is_downloaded));
    PENSTOCK_TRY(gather(kernels, queue, rows, order, first, rows_now, piece));
    PENSTOCK_ASSIGN(const auto gathered, queue.record());
    PENSTOCK_TRY(queue.flush());
    PENSTOCK_TRY(downloads_->wait_for(*gathered));
    PENSTOCK_TRY(download(piece, rows_now));
    PENSTOCK_ASSIGN(piece.is_downloaded, downloads_->record());
    PENSTOCK_TRY(downloads_->flush());
  }
  return {};
}

Status RowsDownload::finish() { return downloads_ ? downloads_->finish() : Status(); }

}  // namespace penstock::plan
