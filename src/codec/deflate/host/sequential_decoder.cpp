#include "codec/deflate/host/sequential_decoder.hpp"

#include <algorithm>

#include "codec/deflate/format/markers.hpp"

namespace penstock::deflate {

// Works in runs that are still in the first-level cache when their checksum is computed.
void OutputSlice::resolve() {
  constexpr std::size_t run = 8192;
  const ByteOfSymbol table(window->data());
  const auto* const symbols = reinterpret_cast<const std::uint16_t*>(begin());
  for (std::size_t at = 0; at < count; at += run) {
    const std::size_t current = std::min(run, count - at);
    table.resolve({symbols + at, current}, begin() + at);
    checksum.add(bytes().subspan(at, current));
  }
  window.reset();
}

SequentialDecoder::SequentialDecoder(std::span<const std::byte> input, SegmentResources& resources)
    : decoder_(std::make_unique<Decoder>(input, 0)), resources_(resources) {}

std::shared_ptr<OutputSlice> SequentialDecoder::begin_slice() {
  auto slice =
      std::make_shared<OutputSlice>(resources_.bytes, resources_.bytes.take(), resources_.checksum);
  slice->offset = window_bytes;
  const auto known =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(produced_bytes_, window_bytes));
  std::copy(window_.end() - known, window_.end(), slice->begin() - known);
  return slice;
}

Decoder::Stop SequentialDecoder::step(OutputSlice& slice, std::uint64_t boundary_bit,
                                      std::uint64_t symbol_bit) {
  std::uint8_t* const at = slice.begin() + slice.count;
  std::uint8_t* const end =
      at + std::min(resources_.sizes.step, resources_.sizes.slice - slice.count);
  std::uint8_t* current = at;
  Decoder::Stop stop = Decoder::Stop::output_full;
  if (executing_) {
    current = executing_->execute(at, end);
    if (executing_->is_executed()) executing_.reset();
  } else {
    const auto known = static_cast<std::ptrdiff_t>(
        std::min<std::uint64_t>(produced_bytes_, slice.count + window_bytes));
    ByteSink sink = ByteSink::with_slack(at - known, at, end);
    const std::uint64_t last_bit = resources_.reads.last_bit(decoder_->bit_position());
    stop = decoder_->run(sink, std::min(boundary_bit, last_bit), std::min(symbol_bit, last_bit));
    current = sink.at;
    produced_bytes_ += static_cast<std::uint64_t>(current - at);
  }
  slice.checksum.add(std::as_bytes(std::span(at, current)));
  slice.count += static_cast<std::size_t>(current - at);
  return stop;
}

void SequentialDecoder::end_slice(OutputSlice& slice) {
  const auto known =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(produced_bytes_, window_bytes));
  std::copy_n(slice.begin() + slice.count - known, known, window_.end() - known);
}

void SequentialDecoder::take_decoder(HostSegment& segment) {
  blocks_before_ += decoder_->blocks_begun();
  decoder_ = std::move(segment.decoder);
}

void SequentialDecoder::adopt(std::unique_ptr<TokenSegment> segment) {
  take_decoder(*segment);
  produced_bytes_ += segment->output_bytes();
  executing_ = std::move(segment);
}

void SequentialDecoder::adopt(MarkerSegment& segment,
                              std::deque<std::shared_ptr<OutputSlice>>& output) {
  auto resolved =
      std::make_shared<OutputSlice>(resources_.speculative, Buffer(), resources_.checksum);
  resolved->window = std::make_unique<Window>(window_);
  resolved->state = OutputSlice::State::symbols;
  resolved->offset = window_bytes * sizeof(std::uint16_t);
  resolved->count = segment.symbol_count;
  segment.next_window(window_.data(), window_.data());
  resolved->buffer = std::move(segment.symbols);
  if (resolved->count > 0) output.push_back(std::move(resolved));
  if (segment.byte_count > 0) {
    auto slice = std::make_shared<OutputSlice>(resources_.bytes, Buffer(), resources_.checksum);
    slice->offset = window_bytes;
    slice->count = segment.byte_count;
    slice->checksum = segment.byte_checksum;
    slice->buffer = std::move(segment.bytes);
    output.push_back(std::move(slice));
  }
  produced_bytes_ += segment.symbol_count + segment.byte_count;
  take_decoder(segment);
}

}  // namespace penstock::deflate
