#include "codec/deflate/host/token_segment.hpp"

#include <algorithm>

namespace penstock::deflate {

// Returns the capacity in tokens. Text and binaries have a match in 8 to 12 bytes; with more of
// them the segment ends sooner. Long runs of literals need a token for each part.
std::size_t TokenSegment::token_count(const SegmentSizes& sizes) {
  return sizes.segment / 5 + sizes.step + literal_bytes(sizes) / longest_run + 64;
}

TokenSegment::TokenSegment(std::span<const std::byte> input, SegmentResources& resources)
    : HostSegment(input, resources.reads),
      resources_(resources),
      buffer_(resources.speculative.take()) {}

void TokenSegment::clear() {
  sink_ = {literals(), literals(), literals(), tokens(), tokens()};
  next_token_ = tokens();
  next_literal_ = literals();
}

bool TokenSegment::has_capacity() const {
  return static_cast<std::size_t>(sink_.at - literals()) < resources_.sizes.segment &&
         output_bytes() < resources_.sizes.segment &&
         static_cast<std::size_t>(sink_.token - tokens()) < resources_.sizes.segment / 5;
}

// A token per eight literals or more ends the step too: with the longest matches that is 2 MB.
Decoder::Stop TokenSegment::decode(std::uint64_t boundary_bit, std::uint64_t symbol_bit) {
  sink_.end = sink_.at + resources_.sizes.step;
  sink_.token_end = sink_.token + resources_.sizes.step / 8;
  return decoder->run(sink_, boundary_bit, symbol_bit);
}

std::uint8_t* TokenSegment::execute(std::uint8_t* at, const std::uint8_t* end) {
  const Token* token = next_token_;
  const std::uint8_t* literal = next_literal_;
  while (token < sink_.token && at < end) {
    const Token current = *token++;
    const std::size_t run = current >> token_run_at;
    copy16(at, literal);
    for (std::size_t done = 16; done < run; done += 16) copy16(at + done, literal + done);
    at += run;
    literal += run;
    if (run == longest_run) [[unlikely]]
      continue;
    const std::size_t length = (current >> token_length_at & 0xff) + 3,
                      distance = (current & 0x7fff) + 1;
    copy_match(at, distance, length);
    at += length;
  }
  next_token_ = token;
  if (token == sink_.token && at < end) {  // literals after the last match
    const auto left = std::min<std::ptrdiff_t>(sink_.at - literal, end - at);
    at = std::copy_n(literal, left, at);
    literal += left;
  }
  next_literal_ = literal;
  return at;
}

}  // namespace penstock::deflate
