// A decoder of one Deflate stream (RFC 1951). It can stop anywhere and continue into another sink,
// also on another thread.
//
// Hostile input: code lengths are checked as zlib checks them, and every distance, length and read
// is checked, in the fast loop by slack (decode_fast.hpp).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "codec/deflate/format/bit_input.hpp"
#include "codec/deflate/format/decode_tables.hpp"
#include "codec/deflate/format/sinks.hpp"
#include "penstock/status.hpp"

namespace penstock::deflate {

class Decoder {
 public:
  enum class Stop : std::uint8_t { output_full, boundary, symbol, end_of_stream, error };

  // Begins with a block header at a bit of the input, which must outlive the decoder.
  Decoder(std::span<const std::byte> input, std::uint64_t bit_position);
  // Begins at any bit inside the block of Huffman codes that `other` is in.
  Decoder(const Decoder& other, std::uint64_t bit_position);

  // Decodes until the sink is full, the stream has ended, a block begins at or after
  // `boundary_bit`, or a symbol inside a block does at or after `symbol_bit`.
  template <class Sink>
  Stop run(Sink& sink, std::uint64_t boundary_bit = UINT64_MAX,
           std::uint64_t symbol_bit = UINT64_MAX);

  std::uint64_t bit_position() const { return in_.position(); }
  std::uint64_t bytes_used() const { return (in_.position() + 7) / 8; }  // at the end of the stream
  std::uint64_t blocks_begun() const { return blocks_begun_; }
  // Returns the first bit of the current block, if that has Huffman codes.
  std::optional<std::uint64_t> block_bit() const {
    return state_ == State::in_coded ? std::optional(block_bit_) : std::nullopt;
  }
  // Returns the error after Stop::error. Blocks are counted from `blocks_before`.
  Status error(std::uint64_t blocks_before = 0) const;

 private:
  enum class State : std::uint8_t { between_blocks, in_stored, in_coded, after_last };
  void begin_block();
  ErrorCode read_header();
  ErrorCode begin_stored();
  ErrorCode read_codes();
  template <class Sink> bool copy_stored(Sink& sink);
  template <class Sink> bool decode_block(Sink& sink);
  template <class Sink> bool decode_careful(Sink& sink);
  template <class Sink>
  bool careful_match(Sink& sink, BitInput& in, Entry entry, const DecodeTables& tables);
  bool failed(ErrorCode error, std::uint64_t bit) {
    error_ = error, error_bit_ = bit;
    return false;
  }

  const std::uint8_t* fast_input_end() const;

  BitInput in_;
  std::uint64_t blocks_begun_ = 0, block_bit_ = 0, error_bit_ = 0;
  std::uint64_t symbol_bit_ = UINT64_MAX;  // where run() stops
  std::uint64_t stored_left_ = 0;
  State state_ = State::between_blocks;
  bool is_last_ = false, uses_fixed_ = false, has_pairs_ = false;
  ErrorCode error_ = ErrorCode::none;
  // For a dynamic block: the length of each symbol's code, literals first, and the tables.
  std::array<std::uint8_t, valid_literal_symbols + valid_distance_symbols> code_bits_;
  unsigned literal_count_ = 0;
  DecodeTables tables_;
};

}  // namespace penstock::deflate
