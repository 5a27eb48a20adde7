// The decoder's inner loop.
#pragma once
#include "codec/fsst/format/code_reader.hpp"

namespace penstock::fsst {

constexpr std::uint32_t tile_code_bytes = 4096;

// Where the text of each code of a tile begins, counts from the tile's; `inside` for an escape's
// second byte.
struct TileStarts {
  static constexpr std::uint16_t inside = 0xffff;
  std::uint16_t text[tile_code_bytes + 16];
};

struct Span {
  const std::uint8_t* at;  // where decoding stands
  std::uint8_t* out;
  const std::uint8_t* end;         // codes that may be read as codes: the row's or the piece's
  const std::uint8_t* buffer_end;  // of the memory that holds them
  std::uint8_t* out_end;           // nothing is written here or behind it
};

// Decodes from span.at to tile_end, or one byte further where an escape lies across it; at most a
// tile. False, at the code, when it is not sound or its text does not fit.
bool decode_tile(const CodeTable& table, Span& span, const std::uint8_t* tile_end,
                 TileStarts& starts);

}  // namespace penstock::fsst
