#include "stream/device/output_pieces.hpp"

#include <algorithm>

namespace penstock::stream {
namespace {

constexpr std::uint64_t piece_bytes = 32 << 20;

}  // namespace

void OutputPieces::begin(std::shared_ptr<Buffer> output, std::uint64_t bytes) {
  output_ = std::move(output), bytes_ = bytes;
  asked_ = given_ = 0;
}

Result<std::span<const std::byte>> OutputPieces::next() {
  if (queue_ == nullptr) { PENSTOCK_ASSIGN(queue_, run_.device()->queue()); }
  const std::uint64_t bytes = std::min(piece_bytes, bytes_ - given_);
  if (bytes == 0) return std::span<const std::byte>();
  if (asked_ == given_) PENSTOCK_TRY(ask());
  const Piece& piece = pieces_[given_ / piece_bytes % 2];
  PENSTOCK_TRY(piece.there->wait());
  PENSTOCK_ASSIGN(const double seconds, piece.there->seconds_since(*piece.asked));
  run_.add({.bytes_out = bytes, .download_seconds = seconds});
  given_ += bytes;
  if (asked_ < bytes_) PENSTOCK_TRY(ask());  // into the other memory
  return std::span<const std::byte>(piece.memory->data(), bytes);
}

Status OutputPieces::ask() {
  const std::uint64_t bytes = std::min(piece_bytes, bytes_ - asked_);
  Piece& piece = pieces_[asked_ / piece_bytes % 2];
  PENSTOCK_TRY(reserve(*run_.device(), bytes, piece.memory));
  PENSTOCK_ASSIGN(piece.asked, queue_->record());
  PENSTOCK_TRY(queue_->download(piece.memory->data(), *output_, bytes, asked_));
  PENSTOCK_ASSIGN(piece.there, queue_->record());
  asked_ += bytes;
  return queue_->flush();
}

}  // namespace penstock::stream
