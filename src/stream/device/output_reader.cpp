#include "stream/device/output_reader.hpp"

#include <algorithm>

namespace penstock::stream {
namespace {

constexpr std::uint64_t part_bytes = 32 << 20;

}  // namespace

void OutputReader::begin(std::shared_ptr<Buffer> output, std::uint64_t bytes) {
  output_ = std::move(output), bytes_ = bytes;
  requested_ = delivered_ = 0;
}

Result<std::span<const std::byte>> OutputReader::next() {
  if (queue_ == nullptr) { PENSTOCK_ASSIGN(queue_, session_.device()->queue()); }
  const std::uint64_t bytes = std::min(part_bytes, bytes_ - delivered_);
  if (bytes == 0) return std::span<const std::byte>();
  if (requested_ == delivered_) PENSTOCK_TRY(request());
  const Part& part = parts_[delivered_ / part_bytes % 2];
  PENSTOCK_TRY(part.end->wait());
  PENSTOCK_ASSIGN(const double seconds, part.end->seconds_since(*part.begin));
  session_.add({.bytes_out = bytes, .download_seconds = seconds});
  delivered_ += bytes;
  if (requested_ < bytes_) PENSTOCK_TRY(request());  // into the other memory
  return std::span<const std::byte>(part.memory->data(), bytes);
}

Status OutputReader::request() {
  const std::uint64_t bytes = std::min(part_bytes, bytes_ - requested_);
  Part& part = parts_[requested_ / part_bytes % 2];
  PENSTOCK_TRY(reserve(*session_.device(), bytes, part.memory));
  PENSTOCK_ASSIGN(part.begin, queue_->record());
  PENSTOCK_TRY(queue_->download(part.memory->data(), *output_, bytes, requested_));
  PENSTOCK_ASSIGN(part.end, queue_->record());
  requested_ += bytes;
  return queue_->flush();
}

}  // namespace penstock::stream
