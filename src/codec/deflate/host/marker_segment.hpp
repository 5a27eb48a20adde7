// A segment (host_segment.hpp) of marker symbols. Once the last 32 KiB of them have no marker, the
// rest is decoded to bytes.
#pragma once
#include "codec/deflate/format/markers.hpp"
#include "codec/deflate/host/host_segment.hpp"

namespace penstock::deflate {

class MarkerSegment final : public HostSegment {
 public:
  static std::size_t buffer_bytes(const SegmentSizes& sizes) {
    return sizeof(std::uint16_t) * byte_buffer_bytes(sizes);
  }
  static std::size_t byte_buffer_bytes(const SegmentSizes& sizes) {
    return window_bytes + sizes.segment + sizes.step + output_slack;
  }

  MarkerSegment(std::span<const std::byte> input, SegmentResources& resources);
  ~MarkerSegment() override;
  bool has_capacity() const override {
    return symbol_count + byte_count < resources_.sizes.segment;
  }

  // Computes the 32 KiB before the segment's end from the 32 KiB before its beginning. Both may be
  // the same memory.
  void next_window(const std::uint8_t* window, std::uint8_t* next) const;

  // Symbols, and the bytes that follow them; each after a window.
  Buffer symbols, bytes;
  std::size_t symbol_count = 0, byte_count = 0;
  RunningChecksum byte_checksum;

 private:
  void clear() override;
  Decoder::Stop decode(std::uint64_t boundary_bit, std::uint64_t symbol_bit) override;
  void begin_bytes();
  std::uint16_t* symbols_begin() {
    return reinterpret_cast<std::uint16_t*>(symbols.get()) + window_bytes;
  }
  std::uint8_t* bytes_begin() {
    return reinterpret_cast<std::uint8_t*>(bytes.get()) + window_bytes;
  }
  SegmentResources& resources_;
};

}  // namespace penstock::deflate
