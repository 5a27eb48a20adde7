#include "codec/deflate/host/sequential_decoder.hpp"

#include <algorithm>

#include "codec/deflate/format/markers.hpp"

namespace penstock::deflate {

// In runs that are still in the first-level cache when they are summed.
void Segment::resolve() {
  constexpr std::size_t run = 8192;
  const ByteOfSymbol table(window->data());
  const auto* const symbols = reinterpret_cast<const std::uint16_t*>(begin());
  for (std::size_t at = 0; at < count; at += run) {
    const std::size_t now = std::min(run, count - at);
    table.resolve({symbols + at, now}, begin() + at);
    checksum.add(bytes().subspan(at, now));
  }
  window.reset();
}

Front::Front(std::span<const std::byte> input, PieceResources& resources)
    : decoder_(std::make_unique<Decoder>(input, 0)), resources_(resources) {}

std::shared_ptr<Segment> Front::begin_segment() {
  auto segment =
      std::make_shared<Segment>(resources_.bytes, resources_.bytes.take(), resources_.checksum);
  segment->offset = window_bytes;
  const auto known =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(produced_bytes_, window_bytes));
  std::copy(window_.end() - known, window_.end(), segment->begin() - known);
  return segment;
}

Decoder::Stop Front::step(Segment& segment, std::uint64_t boundary_bit, std::uint64_t symbol_bit) {
  std::uint8_t* const at = segment.begin() + segment.count;
  std::uint8_t* const end =
      at + std::min(resources_.sizes.step, resources_.sizes.segment - segment.count);
  std::uint8_t* now = at;
  Decoder::Stop stop = Decoder::Stop::output_full;
  if (executing_) {
    now = executing_->execute(at, end);
    if (executing_->is_executed()) executing_.reset();
  } else {
    const auto known = static_cast<std::ptrdiff_t>(
        std::min<std::uint64_t>(produced_bytes_, segment.count + window_bytes));
    ByteSink sink = ByteSink::with_slack(at - known, at, end);
    stop = decoder_->run(sink, boundary_bit, symbol_bit);
    now = sink.at;
    produced_bytes_ += static_cast<std::uint64_t>(now - at);
  }
  segment.checksum.add(std::as_bytes(std::span(at, now)));
  segment.count += static_cast<std::size_t>(now - at);
  return stop;
}

void Front::end_segment(Segment& segment) {
  const auto known =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(produced_bytes_, window_bytes));
  std::copy_n(segment.begin() + segment.count - known, known, window_.end() - known);
}

void Front::take_decoder(Piece& piece) {
  blocks_before_ += decoder_->blocks_begun();
  decoder_ = std::move(piece.decoder);
}

void Front::adopt(std::unique_ptr<TokenPiece> piece) {
  take_decoder(*piece);
  produced_bytes_ += piece->output_bytes();
  executing_ = std::move(piece);
}

void Front::adopt(MarkerPiece& piece, std::deque<std::shared_ptr<Segment>>& output) {
  auto resolved = std::make_shared<Segment>(resources_.ahead, Buffer(), resources_.checksum);
  resolved->window = std::make_unique<Window>(window_);
  resolved->state = Segment::State::symbols;
  resolved->offset = window_bytes * sizeof(std::uint16_t);
  resolved->count = piece.symbol_count;
  piece.next_window(window_.data(), window_.data());
  resolved->buffer = std::move(piece.symbols);
  if (resolved->count > 0) output.push_back(std::move(resolved));
  if (piece.byte_count > 0) {
    auto segment = std::make_shared<Segment>(resources_.bytes, Buffer(), resources_.checksum);
    segment->offset = window_bytes;
    segment->count = piece.byte_count;
    segment->checksum = piece.byte_checksum;
    segment->buffer = std::move(piece.bytes);
    output.push_back(std::move(segment));
  }
  produced_bytes_ += piece.symbol_count + piece.byte_count;
  take_decoder(piece);
}

}  // namespace penstock::deflate
