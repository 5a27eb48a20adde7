#include "codec/deflate/host/token_piece.hpp"

#include <algorithm>

namespace penstock::deflate {

// Texts and binaries have a match in 8 to 12 bytes; where there are more of them the piece ends
// sooner. Runs of literals that are split need a token each.
std::size_t TokenPiece::token_count(const PieceSizes& sizes) {
  return sizes.piece / 5 + sizes.step + literal_bytes(sizes) / longest_run + 64;
}

TokenPiece::TokenPiece(std::span<const std::byte> input, PieceResources& resources)
    : Piece(input), resources_(resources), buffer_(resources.ahead.take()) {}

void TokenPiece::clear() {
  sink_ = {literals(), literals(), literals(), tokens(), tokens()};
  next_token_ = tokens();
  next_literal_ = literals();
}

bool TokenPiece::has_capacity() const {
  return static_cast<std::size_t>(sink_.at - literals()) < resources_.sizes.piece &&
         output_bytes() < resources_.sizes.piece &&
         static_cast<std::size_t>(sink_.token - tokens()) < resources_.sizes.piece / 5;
}

// A token in eight literals or fewer ends the step, too: of the longest matches that is 2 MB.
Decoder::Stop TokenPiece::step(std::uint64_t boundary_bit, std::uint64_t symbol_bit) {
  sink_.end = sink_.at + resources_.sizes.step;
  sink_.token_end = sink_.token + resources_.sizes.step / 8;
  last_stop = decoder->run(sink_, boundary_bit, symbol_bit);
  return last_stop;
}

std::uint8_t* TokenPiece::execute(std::uint8_t* at, const std::uint8_t* end) {
  const Token* token = next_token_;
  const std::uint8_t* literal = next_literal_;
  while (token < sink_.token && at < end) {
    const Token now = *token++;
    const std::size_t run = now >> token_run_at;
    copy16(at, literal);
    for (std::size_t done = 16; done < run; done += 16) copy16(at + done, literal + done);
    at += run;
    literal += run;
    if (run == longest_run) [[unlikely]]
      continue;
    const std::size_t length = (now >> token_length_at & 0xff) + 3, distance = (now & 0x7fff) + 1;
    copy_match(at, distance, length);
    at += length;
  }
  next_token_ = token;
  if (token == sink_.token && at < end) {  // literals behind the last match
    const auto left = std::min<std::ptrdiff_t>(sink_.at - literal, end - at);
    at = std::copy_n(literal, left, at);
    literal += left;
  }
  next_literal_ = literal;
  return at;
}

}  // namespace penstock::deflate
