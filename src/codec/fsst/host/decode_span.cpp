#include "codec/fsst/host/decode_span.hpp"

#include <algorithm>

namespace penstock::fsst {
namespace {

// Decodes a block of eight codes without a branch per code. Each symbol is stored as a whole 8-byte
// word, and the next symbol overwrites its unused end. The number of codes that count is decided
// later.
constexpr std::uint64_t block_codes = 8, block_output_bytes = block_codes * max_symbol_bytes;

// Stores the symbols of eight codes and the start of each symbol's output. Returns their total
// size.
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

// Stores the literal of an escape at span.at. Returns false for a code without a symbol, an escape
// at the end, or a full output.
inline bool store_literal(Span& span, std::uint16_t* starts, std::uint64_t tile_offset) {
  if (special_at(span.at, span.end) != Special::literal || span.out == span.out_end) return false;
  starts[0] = static_cast<std::uint16_t>(tile_offset);
  starts[1] = TileStarts::inside;
  *span.out++ = span.at[1];
  span.at += 2;
  return true;
}

// Stores one code, where less than a block of output is left.
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
  Span local = span;  // a copy without aliases stays in registers
  bool is_valid = true;
  while (local.at < tile_end && is_valid) {
    std::uint16_t* const starts = tile.output_starts + (local.at - tile_begin);
    const auto tile_offset = static_cast<std::uint64_t>(local.out - tile_out);
    if (static_cast<std::uint64_t>(local.out_end - local.out) < block_output_bytes) {
      is_valid = store_one(table, local, starts, tile_offset);
      continue;
    }
    const auto left = static_cast<std::uint64_t>(tile_end - local.at);
    const bool is_readable =
        local.buffer_end - local.at >= static_cast<std::ptrdiff_t>(block_codes);
    const std::uint64_t codes = is_readable
                                    ? load_codes(local.at)
                                    : load_last_codes(local.at, std::min(left, block_codes - 1));
    std::uint64_t special = table.special(codes);
    const std::uint64_t string_bytes = store_block(table, codes, local.out, starts, tile_offset);
    if (left >= block_codes && special == 0) [[likely]] {
      local.at += block_codes, local.out += string_bytes;
      continue;
    }
    // Only the codes before the first escape or error, and before the tile's end, count.
    if (left < block_codes) special &= (std::uint64_t{1} << 8 * left) - 1;
    const std::uint64_t count = special != 0 ? first_byte_of(special) : left;
    local.out += count == block_codes ? string_bytes : starts[count] - tile_offset;
    local.at += count;
    if (special != 0)
      is_valid =
          store_literal(local, starts + count, static_cast<std::uint64_t>(local.out - tile_out));
  }
  tile.output_starts[local.at - tile_begin] = static_cast<std::uint16_t>(local.out - tile_out);
  span = local;
  return is_valid;
}

}  // namespace penstock::fsst
