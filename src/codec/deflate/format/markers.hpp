// Symbols of a piece whose window was not known while it was decoded (sinks.hpp), and what becomes
// of them once it is.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/deflate/format/deflate_format.hpp"

namespace penstock::deflate {

constexpr std::uint16_t marker = 0x8000;

// The window that stands for itself: markers of bytes 0 to 32767.
void set_markers(std::uint16_t* window);

bool has_markers(std::span<const std::uint16_t> symbols);

// Each symbol's byte, markers standing for those of a window: by a table of all symbols, as a
// branch on each would go wrong often.
class ByteOfSymbol {
 public:
  explicit ByteOfSymbol(const std::uint8_t* window);  // window_bytes of it
  // `out` may be where the symbols begin.
  void resolve(std::span<const std::uint16_t> symbols, std::uint8_t* out) const;

 private:
  std::array<std::uint8_t, 65536> bytes_;  // those of 256 to 32767 are no symbols, and not set
};

}  // namespace penstock::deflate
