// Feeds a tile kernel: takes batches from a source, and brings the columns the kernel reads to the device.
//
// A column that lives on the device is passed as it is; where device and host share memory it is wrapped without a copy;
// otherwise it goes through pinned staging on a queue of its own, so that the upload of one chunk overlaps the kernel of the
// one before. Strings travel as codes of the run's StringPool.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "plan/tile_kernel.hpp"

namespace penstock::plan {

// One chunk's memory in flight, reused for later chunks.
struct ChunkMemory {
  Table batch;                                         // keeps wrapped memory alive, and is what strings are gathered from
  std::vector<Column> encoded;                         // codes of string columns
  ChunkInput input;
  std::vector<std::shared_ptr<HostBuffer>> staging;
  std::vector<std::shared_ptr<Buffer>> uploaded;
};

class ChunkStream {
 public:
  ~ChunkStream() { if (uploads_) static_cast<void>(uploads_->finish()); }   // uploads read the chunks' staging memory
  static Result<std::unique_ptr<ChunkStream>> open(std::shared_ptr<Device> device, const TileProgram& program,
                                                   const TableSource& source, std::uint64_t chunk_rows, StringPool& strings);
  // Reads the next batch and enqueues its upload; `compute` will wait for it on the device. False at the end.
  Result<bool> next(ChunkMemory& memory, Queue& compute);

  std::uint64_t bytes_uploaded() const { return bytes_uploaded_; }
  double read_seconds() const { return read_seconds_; }   // spent waiting for the source

 private:
  ChunkStream(std::shared_ptr<Device> device, const TileProgram& program, StringPool& strings)
      : device_(std::move(device)), program_(program), strings_(strings) {}
  Result<std::shared_ptr<Buffer>> bring(ChunkMemory& memory, std::size_t index, const std::byte* data, std::uint64_t bytes);
  Result<std::shared_ptr<Buffer>> all_present(std::uint64_t row_count, Queue& compute);
  Status bring_column(ChunkMemory& memory, Queue& compute, std::size_t& index, const Column& column, bool has_validity);

  std::shared_ptr<Device> device_;
  const TileProgram& program_;
  StringPool& strings_;
  std::unique_ptr<BatchStream> batches_;
  std::unique_ptr<Queue> uploads_;
  std::shared_ptr<Buffer> ones_;                       // the validity of a nullable column that has no NULL in a batch
  std::uint64_t bytes_uploaded_ = 0;
  double read_seconds_ = 0;
};

}  // namespace penstock::plan
