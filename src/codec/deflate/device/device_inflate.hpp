// Decodes the segments of a Deflate stream on a device: to marker symbols, then windows, then bytes
// (kernels/deflate_segments.kc, deflate_windows.kc), and computes their CRC-32 or Adler-32.
// Segments are taken in batches, so that symbols, which need some three bytes per byte of output,
// need not all fit into memory.
#pragma once
#include "codec/batch/run_checksums.hpp"
#include "codec/deflate/device/segment_finder.hpp"

namespace penstock::deflate {

struct OutputBatch {
  std::size_t segment_count = 0;
  std::uint64_t output_bytes = 0;
  std::uint32_t checksum = 0;  // of the batch's output
  StreamError error;           // the output is invalid where there is one
};

class SegmentDecoder {
 public:
  // `batch_symbol_bytes`: memory for symbols; 0: chosen for the device. A segment that needs more
  // has a batch of its own. `checksum`: CRC-32 or Adler-32.
  static Result<std::unique_ptr<SegmentDecoder>> build(
      std::shared_ptr<Device> device, std::uint64_t batch_symbol_bytes = 0,
      batch::Checksum checksum = batch::Checksum::crc32);
  // Returns the number of segments of the next batch, from `first` on, and their output size.
  OutputBatch next_batch(const MeasuredStream& stream, std::size_t first) const;
  // Reserves the memory of that batch, so that decode() allocates nothing while it is timed.
  Status reserve_batch(const MeasuredStream& stream, std::size_t first);
  // Decodes that batch, which follows the batch before of the same stream, to `output` from
  // `output_at` on. `output` must be writable in whole 16s. Waits for the device. Returns
  // Code::no_memory or Code::capacity if a segment has more output than there is memory for.
  Result<OutputBatch> decode(Queue& queue, const SegmentFinder& segments,
                             const MeasuredStream& stream, std::size_t first,
                             const std::shared_ptr<Buffer>& output, std::uint64_t output_at);

 private:
  void make_tables(std::span<const DeviceSegment> segments);
  Status upload_tables(Queue& queue);
  Status enqueue_symbols(Queue& queue, const SegmentFinder& segments, std::uint32_t segment_count);
  Status enqueue_windows(Queue& queue, std::uint32_t segment_count);
  Status enqueue_output(Queue& queue, std::uint32_t segment_count, const Buffer& output,
                        std::uint64_t output_at, std::uint64_t output_bytes);
  Result<std::uint32_t> checksum(Queue& queue, const std::shared_ptr<Buffer>& output,
                                 std::uint64_t output_at, std::uint64_t output_bytes);
  Result<StreamError> chunk_status(std::span<const DeviceSegment> segments) const;

  std::shared_ptr<Device> device_;
  batch::GroupPolicy symbol_policy_, window_policy_;
  std::shared_ptr<Program> symbols_program_, windows_program_;
  batch::Checksum checksum_ = batch::Checksum::crc32;
  std::optional<batch::RunChecksums> checksums_;
  std::uint64_t batch_symbol_bytes_ = 0;
  std::shared_ptr<Buffer> scratch_, spans_, offsets_, order_, symbols_, results_, windows_,
      previous_windows_;
  std::shared_ptr<Buffer> carried_;  // the window after the batch before
  batch::RunBatch runs_;
  // The source and destination of queue copies; they outlive a call that returns early.
  HostArray<SegmentSpan> host_spans_;
  HostArray<std::uint64_t> host_offsets_;
  HostArray<std::uint32_t> host_order_;  // the order in which segments are taken
  HostArray<SegmentResult> segment_results_;
  HostArray<std::uint64_t> run_offsets_, run_sizes_, run_checksums_;
};

}  // namespace penstock::deflate
