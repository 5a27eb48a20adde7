// Marker symbols (pugz, rapidgzip): output of a segment with an unknown window (sinks.hpp), and its
// conversion to bytes once the window is known.
//
// Each of the 65536 symbols has an entry in the table, so no symbol reads outside of it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/deflate/format/deflate_format.hpp"

namespace penstock::deflate {

constexpr std::uint16_t marker = 0x8000;

// Fills a window with its own markers: bytes 0 to 32767.
void set_markers(std::uint16_t* window);

bool has_markers(std::span<const std::uint16_t> symbols);

// Maps symbols to bytes, and markers to bytes of a window. It uses a table of all symbols, since a
// branch on each symbol is mispredicted often.
class ByteOfSymbol {
 public:
  explicit ByteOfSymbol(const std::uint8_t* window);  // window_bytes of it
  // `out` may overlap the beginning of `symbols`.
  void resolve(std::span<const std::uint16_t> symbols, std::uint8_t* out) const;

 private:
  std::array<std::uint8_t, 65536> bytes_;  // entries 256 to 32767 are no symbols, and not set
};

}  // namespace penstock::deflate
