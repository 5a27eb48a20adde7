// A decoder of one Deflate stream that can stop anywhere and go on into another sink, and so in
// another thread.
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

  // Begins with a block's header at a bit of the input, which must outlive the decoder.
  Decoder(std::span<const std::byte> input, std::uint64_t bit_position);
  // Begins inside the block of Huffman codes that `other` is in, at any bit of it.
  Decoder(const Decoder& other, std::uint64_t bit_position);

  // Decodes until the sink is full, the stream has ended, a block begins at or behind
  // `boundary_bit`, or inside a block a symbol does at or behind `symbol_bit`.
  template <class Sink>
  Stop run(Sink& sink, std::uint64_t boundary_bit = UINT64_MAX,
           std::uint64_t symbol_bit = UINT64_MAX);

  std::uint64_t bit_position() const { return in_.position(); }
  std::uint64_t bytes_used() const { return (in_.position() + 7) / 8; }  // at the end of the stream
  std::uint64_t blocks_begun() const { return blocks_begun_; }
  // The block's first bit, while inside of one of Huffman codes.
  std::optional<std::uint64_t> block_bit() const {
    return place_ == Place::in_coded ? std::optional(block_bit_) : std::nullopt;
  }
  // After Stop::fault. Blocks are counted from `blocks_before`.
  Status error(std::uint64_t blocks_before = 0) const;

 private:
  enum class Place : std::uint8_t { between_blocks, in_stored, in_coded, after_last };
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
  Place place_ = Place::between_blocks;
  bool is_last_ = false, uses_fixed_ = false, has_pairs_ = false;
  ErrorCode error_ = ErrorCode::none;
  // Of the block, where it is dynamic: the bits of each symbol's code, literals first, and the
  // tables.
  std::array<std::uint8_t, valid_literal_symbols + valid_distance_symbols> code_bits_;
  unsigned literal_count_ = 0;
  DecodeTables tables_;
};

}  // namespace penstock::deflate
