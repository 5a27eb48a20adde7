#include "io/arrow/batch_input.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "base/exception_boundary.hpp"
#include "base/streaming_copy.hpp"

namespace penstock::io {
namespace {

// A shorter read is a description or a short column, not worth memory that may be pinned.
constexpr std::int64_t min_batch_bytes = 64 << 10;
constexpr std::int64_t part_bytes = 1 << 20;  // large enough for a thread to be woken
// A read into memory outside the caches fetches each line before it fills it. Reads go to a block
// that fits a core's second-level cache, and from there to the device's memory by stores that pass
// the caches. 15 threads then read 46 GB/s beside uploads, directly 33 to 43; 8 threads 34 and 26
// (a 16-core host; blocks of 128 and 256 KiB: level).
constexpr std::int64_t block_bytes = 64 << 10;

class BatchBuffer final : public arrow::Buffer {
 public:
  BatchBuffer(std::shared_ptr<std::byte> memory, std::int64_t bytes)
      : Buffer(reinterpret_cast<const std::uint8_t*>(memory.get()), bytes),
        memory_(std::move(memory)) {}
  std::byte* memory() const { return memory_.get(); }

 private:
  std::shared_ptr<std::byte> memory_;
};

}  // namespace

arrow::Result<std::shared_ptr<BatchInput>> BatchInput::open(const std::string& path,
                                                            std::shared_ptr<BatchMemory> memory) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const std::int64_t bytes, file->GetSize());
  return std::shared_ptr<BatchInput>(new BatchInput(std::move(file), bytes, std::move(memory)));
}

std::shared_ptr<BatchInput> BatchInput::part(std::int64_t first, std::int64_t bytes) const {
  const std::int64_t from = std::clamp<std::int64_t>(first, 0, bytes_);
  std::shared_ptr<BatchInput> part(
      new BatchInput(file_, std::clamp<std::int64_t>(bytes, 0, bytes_ - from), memory_));
  part->first_ = first_ + from;
  part->workers_ = workers_;
  return part;
}

arrow::Status BatchInput::Seek(std::int64_t position) {
  if (position < 0 || position > bytes_)
    return arrow::Status::IOError("a position outside the file");
  position_ = position;
  return {};
}

arrow::Result<std::int64_t> BatchInput::Read(std::int64_t bytes, void* out) {
  bytes = std::clamp<std::int64_t>(bytes, 0, bytes_ - position_);
  ARROW_RETURN_NOT_OK(fill(position_, bytes, static_cast<std::byte*>(out)));
  position_ += bytes;
  return bytes;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> BatchInput::Read(std::int64_t bytes) {
  bytes = std::clamp<std::int64_t>(bytes, 0, bytes_ - position_);
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, bytes));
  position_ += bytes;
  return buffer;
}

arrow::Result<std::int64_t> BatchInput::ReadAt(std::int64_t position, std::int64_t bytes,
                                               void* out) {
  ARROW_RETURN_NOT_OK(fill(position, bytes, static_cast<std::byte*>(out)));
  return bytes;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> BatchInput::ReadAt(std::int64_t position,
                                                                 std::int64_t bytes) {
  if (position < 0 || bytes < 0 || position > bytes_ ||
      bytes > bytes_ - position)  // before memory is taken for it
    return arrow::Status::IOError("the file ends within a message");
  if (bytes < min_batch_bytes) {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(bytes));
    ARROW_RETURN_NOT_OK(
        fill(position, bytes, reinterpret_cast<std::byte*>(buffer->mutable_data())));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }
  try {
    auto buffer =
        std::make_shared<BatchBuffer>(memory_->take(static_cast<std::uint64_t>(bytes)), bytes);
    ARROW_RETURN_NOT_OK(fill(position, bytes, buffer->memory()));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("no memory for ", bytes, " bytes of a record batch");
  }
}

arrow::Status BatchInput::fill(std::int64_t position, std::int64_t bytes, std::byte* out) {
  if (position < 0 || bytes < 0 || position > bytes_ || bytes > bytes_ - position)
    return arrow::Status::IOError("the file ends within a message");
  if (!workers_ || bytes <= part_bytes) return fill_part(position, bytes, out);
  return fill_parts(position, bytes, out);
}

arrow::Status BatchInput::fill_parts(std::int64_t position, std::int64_t bytes, std::byte* out) {
  const std::int64_t parts = (bytes + part_bytes - 1) / part_bytes;
  std::mutex mutex;
  arrow::Status failed;
  const auto read_part = [&](std::uint64_t index) -> Status {
    const std::int64_t first = part_bytes * static_cast<std::int64_t>(index);
    arrow::Status part =
        fill_part(position + first, std::min(part_bytes, bytes - first), out + first);
    if (part.ok()) return {};
    const std::lock_guard lock(mutex);
    failed = std::move(part);
    return {Code::io, failed.message()};
  };
  const Status read = catch_exceptions(
      [&] { return workers_->begin(static_cast<std::uint64_t>(parts), read_part).wait(); });
  if (read.ok() || !failed.ok()) return failed;
  // Memory was short, or the system has no thread: this one reads.
  return read.code() == Code::no_memory ? arrow::Status::OutOfMemory("no memory for a read")
                                        : fill_part(position, bytes, out);
}

arrow::Status BatchInput::fill_part(std::int64_t position, std::int64_t bytes, std::byte* out) {
  if (!memory_->has_source() || bytes < 2 * block_bytes) return read_exactly(position, bytes, out);
  std::vector<std::byte> block(block_bytes);
  for (std::int64_t at = 0; at < bytes; at += block_bytes) {
    const std::int64_t count = std::min(block_bytes, bytes - at);
    ARROW_RETURN_NOT_OK(read_exactly(position + at, count, block.data()));
    copy_past_caches(out + at, block.data(), static_cast<std::size_t>(count));
  }
  return {};
}

arrow::Status BatchInput::read_exactly(std::int64_t position, std::int64_t bytes, std::byte* out) {
  if (bytes == 0) return {};
  ARROW_ASSIGN_OR_RAISE(const std::int64_t count, file_->ReadAt(first_ + position, bytes, out));
  if (count != bytes) return arrow::Status::IOError("the file was shortened while it was read");
  return {};
}

}  // namespace penstock::io
