// The inner loop of host decoding (as FSST: table lookups and unconditional 8-byte stores).
//
// Safe on hostile input: 8-byte stores are used only while a whole block of output is left, 8-byte
// loads only while the buffer has eight bytes. Lengths come from a validated table.
#pragma once
#include "codec/fsst/format/code_reader.hpp"

namespace penstock::fsst {

constexpr std::uint32_t tile_code_bytes = 4096;

// The start of each code's output in a tile, relative to the tile's output; `inside` for the second
// byte of an escape.
struct TileStarts {
  static constexpr std::uint16_t inside = 0xffff;
  std::uint16_t output_starts[tile_code_bytes + 16];
};

struct Span {
  const std::uint8_t* at;  // the next code
  std::uint8_t* out;
  const std::uint8_t* end;         // of the codes to decode: the row's or the segment's
  const std::uint8_t* buffer_end;  // of the memory that holds them
  std::uint8_t* out_end;           // nothing is written here or after it
};

// Decodes from span.at to tile_end, at most one tile, or one byte further if an escape crosses
// tile_end. Returns false, with span.at at the code, if it is invalid or its output does not fit.
bool decode_tile(const CodeTable& table, Span& span, const std::uint8_t* tile_end,
                 TileStarts& starts);

}  // namespace penstock::fsst
