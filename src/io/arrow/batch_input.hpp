// An Arrow input file that reads into the memory of batches. Buffers that Arrow passes on without a
// copy are then in the memory that the scan's user wants.
//
// Read, not mapped: a file that another program shortens while it is read is then an error, not a
// signal.
#pragma once
#include <arrow/buffer.h>
#include <arrow/io/file.h>

#include <memory>
#include <string>
#include <utility>

#include "base/piece_workers.hpp"
#include "io/common/batch_memory.hpp"

namespace penstock::io {

// Several threads may read at positions at once.
class BatchInput final : public arrow::io::RandomAccessFile {
 public:
  static arrow::Result<std::shared_ptr<BatchInput>> open(const std::string& path,
                                                         std::shared_ptr<BatchMemory> memory);
  // Makes an input of a part of the file.
  std::shared_ptr<BatchInput> part(std::int64_t first, std::int64_t bytes) const;
  // Cuts large reads into parts for these workers. Call it before anything is read.
  void read_by(std::shared_ptr<PieceWorkers> workers) { workers_ = std::move(workers); }

  using RandomAccessFile::ReadAt;
  arrow::Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }
  arrow::Result<std::int64_t> GetSize() override { return bytes_; }
  arrow::Result<std::int64_t> Tell() const override { return position_; }
  arrow::Status Seek(std::int64_t position) override;
  // Returns fewer bytes at the file's end, as streams do.
  arrow::Result<std::int64_t> Read(std::int64_t bytes, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t bytes) override;
  // Returns all bytes or an error: the file itself names the positions that are read.
  arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t bytes, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t position,
                                                       std::int64_t bytes) override;

 private:
  BatchInput(std::shared_ptr<arrow::io::ReadableFile> file, std::int64_t bytes,
             std::shared_ptr<BatchMemory> memory)
      : file_(std::move(file)), bytes_(bytes), memory_(std::move(memory)) {}
  arrow::Status fill(std::int64_t position, std::int64_t bytes, std::byte* out);
  arrow::Status fill_parts(std::int64_t position, std::int64_t bytes, std::byte* out);
  arrow::Status fill_part(std::int64_t position, std::int64_t bytes, std::byte* out);
  arrow::Status read_exactly(std::int64_t position, std::int64_t bytes, std::byte* out);

  const std::shared_ptr<arrow::io::ReadableFile> file_;
  std::int64_t first_ = 0;  // in the file
  const std::int64_t bytes_;
  const std::shared_ptr<BatchMemory> memory_;
  std::shared_ptr<PieceWorkers> workers_;
  std::int64_t position_ = 0;
};

}  // namespace penstock::io
