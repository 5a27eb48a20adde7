#include "codec/fsst/host/decode_span.hpp"

#include <algorithm>

namespace penstock::fsst {
namespace {

// Eight symbols are stored whole, one over the other's unused end, before it is known how many of
// them count.
constexpr std::uint64_t block_codes = 8, block_output_bytes = block_codes * max_symbol_bytes;

// Stores the symbols of eight codes and where their texts begin. The text's size.
inline std::uint64_t store_block(const CodeTable& table, std::uint64_t codes, std::uint8_t* out,
                                 std::uint16_t* starts, std::uint64_t tile_offset) {
  std::uint64_t end = 0;
#pragma GCC unroll 8
  for (std::uint64_t i = 0; i < block_codes; i++, codes >>= 8) {
    starts[i] = static_cast<std::uint16_t>(tile_offset + end);
    std::memcpy(out + end, &table.symbols[codes & 255], max_symbol_bytes);
    end += table.lengths[codes & 255];
  }
  return end;
}

// An escape's literal at span.at; false for a code without a symbol, an escape at the end, and
// where no byte is left for the text.
inline bool store_literal(Span& span, std::uint16_t* starts, std::uint64_t tile_offset) {
  if (special_at(span.at, span.end) != Special::literal || span.out == span.out_end) return false;
  starts[0] = static_cast<std::uint16_t>(tile_offset);
  starts[1] = TileStarts::inside;
  *span.out++ = span.at[1];
  span.at += 2;
  return true;
}

// One code, where less than a block of output is left.
bool store_one(const CodeTable& table, Span& span, std::uint16_t* starts,
               std::uint64_t tile_offset) {
  if (*span.at >= table.symbol_count) return store_literal(span, starts, tile_offset);
  const std::uint32_t length = table.lengths[*span.at];
  if (length > static_cast<std::uint64_t>(span.out_end - span.out)) return false;
  starts[0] = static_cast<std::uint16_t>(tile_offset);
  std::memcpy(span.out, &table.symbols[*span.at], length);
  span.at++, span.out += length;
  return true;
}

}  // namespace

bool decode_tile(const CodeTable& table, Span& span, const std::uint8_t* tile_end,
                 TileStarts& tile) {
  const std::uint8_t* const tile_begin = span.at;
  std::uint8_t* const tile_out = span.out;
  Span now = span;  // a copy that nobody else sees, for registers
  bool is_valid = true;
  while (now.at < tile_end && is_valid) {
    std::uint16_t* const starts = tile.text + (now.at - tile_begin);
    const auto tile_offset = static_cast<std::uint64_t>(now.out - tile_out);
    if (static_cast<std::uint64_t>(now.out_end - now.out) < block_output_bytes) {
      is_valid = store_one(table, now, starts, tile_offset);
      continue;
    }
    const auto left = static_cast<std::uint64_t>(tile_end - now.at);
    const bool is_readable = now.buffer_end - now.at >= static_cast<std::ptrdiff_t>(block_codes);
    const std::uint64_t codes =
        is_readable ? load_codes(now.at) : load_last_codes(now.at, std::min(left, block_codes - 1));
    std::uint64_t special = table.special(codes);
    const std::uint64_t string_bytes = store_block(table, codes, now.out, starts, tile_offset);
    if (left >= block_codes && special == 0) [[likely]] {
      now.at += block_codes, now.out += string_bytes;
      continue;
    }
    // The codes that count: those in front of what is no symbol's, and of the tile's end.
    if (left < block_codes) special &= (std::uint64_t{1} << 8 * left) - 1;
    const std::uint64_t count = special != 0 ? first_byte_of(special) : left;
    now.out += count == block_codes ? string_bytes : starts[count] - tile_offset;
    now.at += count;
    if (special != 0)
      is_valid = store_literal(now, starts + count, static_cast<std::uint64_t>(now.out - tile_out));
  }
  tile.text[now.at - tile_begin] = static_cast<std::uint16_t>(now.out - tile_out);
  span = now;
  return is_valid;
}

}  // namespace penstock::fsst
