// A segment (host_segment.hpp) of literals and match tokens. Its matches are copied once the output
// before it is known.
#pragma once
#include "codec/deflate/host/host_segment.hpp"

namespace penstock::deflate {

class TokenSegment final : public HostSegment {
 public:
  static std::size_t buffer_bytes(const SegmentSizes& sizes) {
    return literal_bytes(sizes) + token_count(sizes) * sizeof(Token);
  }

  TokenSegment(std::span<const std::byte> input, SegmentResources& resources);
  ~TokenSegment() override { resources_.speculative.give(std::move(buffer_)); }
  bool has_capacity() const override;
  std::uint64_t output_bytes() const {
    return sink_.match_bytes + static_cast<std::uint64_t>(sink_.at - literals());
  }

  // Appends output at `at` until `end` or later, or until all is done. 32 KiB of output must be
  // before `at`. Up to execute_slack bytes may be written after `end`.
  std::uint8_t* execute(std::uint8_t* at, const std::uint8_t* end);
  bool is_executed() const { return next_token_ == sink_.token && next_literal_ == sink_.at; }

 private:
  static std::size_t literal_bytes(const SegmentSizes& sizes) {
    return sizes.segment + sizes.step + 64;
  }
  static std::size_t token_count(const SegmentSizes& sizes);
  void clear() override;
  Decoder::Stop decode(std::uint64_t boundary_bit, std::uint64_t symbol_bit) override;
  std::uint8_t* literals() const {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(buffer_.get()));
  }
  Token* tokens() const {
    return reinterpret_cast<Token*>(literals() + literal_bytes(resources_.sizes) / sizeof(Token) *
                                                     sizeof(Token));
  }

  SegmentResources& resources_;
  Buffer buffer_;  // literals, then tokens
  TokenSink sink_{};
  const Token* next_token_ = nullptr;
  const std::uint8_t* next_literal_ = nullptr;
};

// A token's literals and match, and the excess of wide copies.
constexpr std::size_t execute_slack = longest_run + max_match_bytes + 64;

}  // namespace penstock::deflate
