// Text of a Deflate stream's pieces, made on a device: units, then windows, then text
// (kernels/deflate_pieces.kc, deflate_windows.kc), and its CRC-32 or Adler-32 there, too. Pieces
// are taken in batches, so that units, three bytes or so for each of text, need not have room for
// all.
#pragma once
#include "codec/batch/run_checksums.hpp"
#include "codec/deflate/device/segment_finder.hpp"

namespace penstock::deflate {

struct OutputBatch {
  std::size_t piece_count = 0;
  std::uint64_t output_bytes = 0;
  std::uint32_t checksum = 0;  // of the batch's text
  StreamError error;           // the text is worth nothing then
};

class PieceOutputs {
 public:
  // `batch_unit_bytes`: of memory for units; 0: what suits the device. A piece that wants more has
  // a batch of its own. `checksum`: CRC-32 or Adler-32.
  static Result<std::unique_ptr<PieceOutputs>> build(
      std::shared_ptr<Device> device, std::uint64_t batch_unit_bytes = 0,
      batch::Checksum checksum = batch::Checksum::crc32);
  // How many pieces, from `first` on, the next batch has, and their text.
  OutputBatch next_batch(const MeasuredStream& stream, std::size_t first) const;
  // Takes the memory for that batch, which decode() would take, before it is timed.
  Status reserve_batch(const MeasuredStream& stream, std::size_t first);
  // Makes the text of that batch, which follows the batch before of the same stream, into `text`
  // from `output_at` on; `text` has whole 16s behind it. Waits for the device. Code::no_memory or
  // Code::capacity where a piece has more text than there is memory for.
  Result<OutputBatch> decode(Queue& queue, const StreamPieces& pieces, const MeasuredStream& stream,
                             std::size_t first, const std::shared_ptr<Buffer>& output,
                             std::uint64_t output_at);

 private:
  void make_tables(std::span<const DevicePiece> pieces);
  Status upload_tables(Queue& queue);
  Status enqueue_units(Queue& queue, const StreamPieces& pieces, std::uint32_t piece_count);
  Status enqueue_windows(Queue& queue, std::uint32_t piece_count);
  Status enqueue_output(Queue& queue, std::uint32_t piece_count, const Buffer& output,
                        std::uint64_t output_at, std::uint64_t output_bytes);
  Result<std::uint32_t> checksum(Queue& queue, const std::shared_ptr<Buffer>& output,
                                 std::uint64_t output_at, std::uint64_t output_bytes);
  Result<StreamError> chunk_status(std::span<const DevicePiece> pieces) const;

  std::shared_ptr<Device> device_;
  batch::GroupPolicy unit_policy_, window_policy_;
  std::shared_ptr<Program> units_program_, windows_program_;
  batch::Checksum checksum_ = batch::Checksum::crc32;
  std::optional<batch::RunChecksums> checksums_;
  std::uint64_t batch_unit_bytes_ = 0;
  std::shared_ptr<Buffer> scratch_, spans_, places_, order_, units_, results_, windows_,
      other_windows_;
  std::shared_ptr<Buffer> carried_;  // the window behind the batch before
  batch::RunBatch runs_;
  // What queues copy from and to: it stays where a call ends early.
  HostArray<PieceSpan> host_spans_;
  HostArray<std::uint64_t> host_places_;
  HostArray<std::uint32_t> host_order_;  // in which pieces are taken
  HostArray<PieceResult> piece_results_;
  HostArray<std::uint64_t> run_offsets_, run_sizes_, run_checksums_;
};

}  // namespace penstock::deflate
