#include "codec/deflate/host/marker_segment.hpp"

#include <algorithm>
#include <array>

namespace penstock::deflate {

MarkerSegment::MarkerSegment(std::span<const std::byte> input, SegmentResources& resources)
    : HostSegment(input, resources.reads),
      symbols(resources.speculative.take()),
      byte_checksum(resources.checksum),
      resources_(resources) {
  set_markers(symbols_begin() - window_bytes);
}

MarkerSegment::~MarkerSegment() {
  resources_.speculative.give(std::move(symbols));
  resources_.bytes.give(std::move(bytes));
}

void MarkerSegment::clear() {
  resources_.bytes.give(std::move(bytes));
  bytes = nullptr;
  symbol_count = byte_count = 0;
  byte_checksum = RunningChecksum(resources_.checksum);
}

Decoder::Stop MarkerSegment::decode(std::uint64_t boundary_bit, std::uint64_t symbol_bit) {
  Decoder::Stop stop;
  if (!bytes) {
    std::uint16_t* const at = symbols_begin() + symbol_count;
    MarkerSink sink =
        MarkerSink::with_slack(symbols_begin() - window_bytes, at, at + resources_.sizes.step);
    stop = decoder->run(sink, boundary_bit, symbol_bit);
    symbol_count += static_cast<std::size_t>(sink.at - at);
    if (stop == Decoder::Stop::output_full && !has_markers({sink.at - window_bytes, window_bytes}))
      begin_bytes();
  } else {
    std::uint8_t* const at = bytes_begin() + byte_count;
    ByteSink sink =
        ByteSink::with_slack(bytes_begin() - window_bytes, at, at + resources_.sizes.step);
    stop = decoder->run(sink, boundary_bit, symbol_bit);
    byte_count += static_cast<std::size_t>(sink.at - at);
    byte_checksum.add(std::as_bytes(std::span(at, sink.at)));
  }
  return stop;
}

void MarkerSegment::begin_bytes() {
  bytes = resources_.bytes.take();
  const std::uint16_t* const last = symbols_begin() + symbol_count - window_bytes;
  const auto byte_of = [](std::uint16_t symbol) { return static_cast<std::uint8_t>(symbol); };
  std::transform(last, last + window_bytes, bytes_begin() - window_bytes, byte_of);
}

void MarkerSegment::next_window(const std::uint8_t* window, std::uint8_t* next) const {
  std::array<std::uint8_t, window_bytes> result;
  if (!bytes) {
    const auto* const all = reinterpret_cast<const std::uint16_t*>(symbols.get());
    ByteOfSymbol(window).resolve({all + symbol_count, window_bytes}, result.data());
  } else {
    const auto* const all = reinterpret_cast<const std::uint8_t*>(bytes.get());
    std::copy_n(all + byte_count, window_bytes, result.data());
  }
  std::copy(result.begin(), result.end(), next);
}

}  // namespace penstock::deflate
