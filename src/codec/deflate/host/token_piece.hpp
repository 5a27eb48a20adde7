// A piece (speculative_piece.hpp) of literals and tokens, whose matches are copied once what stands
// before it is there.
#pragma once
#include "codec/deflate/host/speculative_piece.hpp"

namespace penstock::deflate {

class TokenPiece final : public Piece {
 public:
  static std::size_t buffer_bytes(const PieceSizes& sizes) {
    return literal_bytes(sizes) + token_count(sizes) * sizeof(Token);
  }

  TokenPiece(std::span<const std::byte> input, PieceResources& resources);
  ~TokenPiece() override { resources_.ahead.give(std::move(buffer_)); }
  Decoder::Stop step(std::uint64_t boundary_bit, std::uint64_t symbol_bit) override;
  bool has_capacity() const override;
  std::uint64_t output_bytes() const {
    return sink_.match_bytes + static_cast<std::uint64_t>(sink_.at - literals());
  }

  // Adds to what ends at `at` until that is at `end` or behind, or all is done. 32 KiB stand in
  // front, and some more may be written behind the end: execute_slack.
  std::uint8_t* execute(std::uint8_t* at, const std::uint8_t* end);
  bool is_executed() const { return next_token_ == sink_.token && next_literal_ == sink_.at; }

 private:
  static std::size_t literal_bytes(const PieceSizes& sizes) {
    return sizes.piece + sizes.step + 64;
  }
  static std::size_t token_count(const PieceSizes& sizes);
  void clear() override;
  std::uint8_t* literals() const {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(buffer_.get()));
  }
  Token* tokens() const {
    return reinterpret_cast<Token*>(literals() + literal_bytes(resources_.sizes) / sizeof(Token) *
                                                     sizeof(Token));
  }

  PieceResources& resources_;
  Buffer buffer_;  // literals, then tokens
  TokenSink sink_{};
  const Token* next_token_ = nullptr;
  const std::uint8_t* next_literal_ = nullptr;
};

// A token's literals and its match, and what wide copies write too much.
constexpr std::size_t execute_slack = longest_run + max_match_bytes + 64;

}  // namespace penstock::deflate
