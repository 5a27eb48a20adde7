#include "io/batch_input.hpp"

#include <algorithm>
#include <future>
#include <new>
#include <system_error>
#include <vector>

namespace penstock::io {
namespace {

// Below it a read is a description or a short column, not worth memory that may be pinned.
constexpr std::int64_t least_batch_bytes = 64 << 10;
constexpr std::int64_t least_piece_bytes = 4 << 20;

class BatchBuffer final : public arrow::Buffer {
 public:
  BatchBuffer(std::shared_ptr<std::byte> memory, std::int64_t bytes)
      : Buffer(reinterpret_cast<const std::uint8_t*>(memory.get()), bytes), memory_(std::move(memory)) {}
  std::byte* memory() const { return memory_.get(); }

 private:
  std::shared_ptr<std::byte> memory_;
};

}  // namespace

arrow::Result<std::shared_ptr<BatchInput>> BatchInput::open(const std::string& path, std::shared_ptr<BatchMemory> memory) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const std::int64_t bytes, file->GetSize());
  return std::shared_ptr<BatchInput>(new BatchInput(std::move(file), bytes, std::move(memory)));
}

std::shared_ptr<BatchInput> BatchInput::part(std::int64_t first, std::int64_t bytes) const {
  const std::int64_t from = std::clamp<std::int64_t>(first, 0, bytes_);
  std::shared_ptr<BatchInput> part(new BatchInput(file_, std::clamp<std::int64_t>(bytes, 0, bytes_ - from), memory_));
  part->first_ = first_ + from;
  part->threads_ = threads_;
  return part;
}

arrow::Status BatchInput::Seek(std::int64_t position) {
  if (position < 0 || position > bytes_) return arrow::Status::IOError("a position outside the file");
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

arrow::Result<std::int64_t> BatchInput::ReadAt(std::int64_t position, std::int64_t bytes, void* out) {
  ARROW_RETURN_NOT_OK(fill(position, bytes, static_cast<std::byte*>(out)));
  return bytes;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> BatchInput::ReadAt(std::int64_t position, std::int64_t bytes) {
  if (position < 0 || bytes < 0 || position > bytes_ || bytes > bytes_ - position)      // before memory is taken for it
    return arrow::Status::IOError("the file ends within a message");
  if (bytes < least_batch_bytes) {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(bytes));
    ARROW_RETURN_NOT_OK(fill(position, bytes, reinterpret_cast<std::byte*>(buffer->mutable_data())));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }
  try {
    auto buffer = std::make_shared<BatchBuffer>(memory_->take(static_cast<std::uint64_t>(bytes)), bytes);
    ARROW_RETURN_NOT_OK(fill(position, bytes, buffer->memory()));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("no memory for ", bytes, " bytes of a record batch");
  }
}

arrow::Status BatchInput::fill(std::int64_t position, std::int64_t bytes, std::byte* out) {
  if (position < 0 || bytes < 0 || position > bytes_ || bytes > bytes_ - position)
    return arrow::Status::IOError("the file ends within a message");
  const std::int64_t pieces = std::clamp<std::int64_t>(bytes / least_piece_bytes, 1, static_cast<std::int64_t>(threads_));
  const auto piece = [=, this](std::int64_t index) {
    const std::int64_t first = bytes / pieces * index, last = index + 1 == pieces ? bytes : first + bytes / pieces;
    return fill_piece(position + first, last - first, out + first);
  };
  std::vector<std::future<arrow::Status>> others;      // which wait for their threads when they go
  arrow::Status status;
  try {
    for (std::int64_t index = 1; index < pieces; index++) others.push_back(std::async(std::launch::async, piece, index));
    status = piece(0);
    for (auto& other : others) status &= other.get();
  } catch (const std::system_error&) {      // no more threads
    others.clear();
    status = fill_piece(position, bytes, out);
  }
  return status;
}

arrow::Status BatchInput::fill_piece(std::int64_t position, std::int64_t bytes, std::byte* out) {
  if (bytes == 0) return {};
  ARROW_ASSIGN_OR_RAISE(const std::int64_t count, file_->ReadAt(first_ + position, bytes, out));
  if (count != bytes) return arrow::Status::IOError("the file was shortened while it was read");
  return {};
}

}  // namespace penstock::io
