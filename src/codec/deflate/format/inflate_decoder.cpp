#include "codec/deflate/format/inflate_decoder.hpp"

#include <algorithm>
#include <array>

#include "codec/deflate/format/decode_fast.hpp"

namespace penstock::deflate {
namespace {

// The same loop compiled twice: BMI2's shifts, which leave flags and CL alone, make it a fifth
// faster.
template <class Sink> FastStop run_plain(FastState& state, Sink& sink) {
  return decode_fast(state, sink);
}
#if defined(__x86_64__)
template <class Sink> [[gnu::target("bmi,bmi2")]] FastStop run_bmi2(FastState& state, Sink& sink) {
  return decode_fast(state, sink);
}
const bool has_bmi2 = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
template <class Sink> FastStop run_fast(FastState& state, Sink& sink) {
  return has_bmi2 ? run_bmi2(state, sink) : run_plain(state, sink);
}
#else
template <class Sink> FastStop run_fast(FastState& state, Sink& sink) {
  return run_plain(state, sink);
}
#endif

// Returns the entry of the next bits. Zeros stand for bits after the end of the input.
Entry careful_entry(BitInput& in, const Entry* table, unsigned table_bits) {
  const Entry entry = table[low_bits(in.word, table_bits)];
  if ((entry & (literal_entry | special_entry | end_entry | no_symbol_entry)) != special_entry)
    return entry;
  const unsigned second_bits = entry >> code_bits_at & 15;
  if (in.bits < table_bits)
    return special_entry | no_symbol_entry | 63;  // more bits than the input has
  in.take(table_bits);
  return table[(entry >> value_at) + low_bits(in.word, second_bits)];
}
// Returns a length or a distance, and takes its bits.
std::size_t careful_value(BitInput& in, Entry entry) {
  const std::uint64_t before = in.word;
  in.take(entry & 0xff);
  return (entry >> value_at) + (low_bits(before, entry & 0xff) >> (entry >> code_bits_at & 15));
}

// Input that is decoded before literals are paired: a block of a hundred bytes is not worth it.
constexpr std::ptrdiff_t input_before_pairs = 256;

}  // namespace

std::string_view message(ErrorCode error) {
  switch (error) {
    case ErrorCode::none: return "nothing is wrong";
    case ErrorCode::truncated: return "the input ends inside the stream";
    case ErrorCode::block_type: return "a block of the reserved type 3";
    case ErrorCode::stored_length:
      return "a stored block whose length does not agree with its complement";
    case ErrorCode::symbol_counts:
      return "a code of more than 286 literals and lengths, or of more than 30 distances";
    case ErrorCode::precode: return "the code of the code lengths is over-subscribed or incomplete";
    case ErrorCode::repeat_of_nothing:
      return "a code length repeats the one before it, and there is none";
    case ErrorCode::repeat_too_long: return "a code length is repeated beyond the last symbol";
    case ErrorCode::no_end_of_block: return "a code without the end of the block";
    case ErrorCode::literal_code:
      return "the code of literals and lengths is over-subscribed or incomplete";
    case ErrorCode::distance_code: return "the code of distances is over-subscribed or incomplete";
    case ErrorCode::literal_symbol: return "bits that are no literal and no length";
    case ErrorCode::distance_symbol: return "bits that are no distance";
    case ErrorCode::too_far: return "a distance that reaches before the first byte";
  }
  return "unknown";
}

Decoder::Decoder(std::span<const std::byte> input, std::uint64_t bit_position)
    : in_(reinterpret_cast<const std::uint8_t*>(input.data()), input.size(), bit_position) {}

Decoder::Decoder(const Decoder& other, std::uint64_t bit_position) : Decoder(other) {
  in_ = BitInput(in_.begin, static_cast<std::size_t>(in_.end - in_.begin), bit_position);
  blocks_begun_ = 0;
}

Status Decoder::error(std::uint64_t blocks_before) const {
  return {error_ == ErrorCode::truncated ? Code::truncated : Code::corrupt,
          "Deflate block " + std::to_string(blocks_before + blocks_begun_) + ", byte " +
              std::to_string(error_bit_ / 8) + ", bit " + std::to_string(error_bit_ % 8) + ": " +
              std::string(message(error_))};
}

template <class Sink>
Decoder::Stop Decoder::run(Sink& sink, std::uint64_t boundary_bit, std::uint64_t symbol_bit) {
  symbol_bit_ = symbol_bit;
  for (;;) {
    if (error_ != ErrorCode::none) return Stop::error;
    switch (state_) {
      case State::between_blocks:
        if (in_.position() >= boundary_bit) return Stop::boundary;
        blocks_begun_++;
        begin_block();
        break;
      case State::in_stored:
        if (!copy_stored(sink) && error_ == ErrorCode::none) return Stop::output_full;
        break;
      case State::in_coded:
        if (!decode_block(sink) && error_ == ErrorCode::none)
          return in_.position() >= symbol_bit ? Stop::symbol : Stop::output_full;
        break;
      case State::after_last: return Stop::end_of_stream;
    }
  }
}
template Decoder::Stop Decoder::run(ByteSink&, std::uint64_t, std::uint64_t);
template Decoder::Stop Decoder::run(MarkerSink&, std::uint64_t, std::uint64_t);
template Decoder::Stop Decoder::run(TokenSink&, std::uint64_t, std::uint64_t);

void Decoder::begin_block() {
  block_bit_ = in_.position();
  if (const ErrorCode error = read_header(); error != ErrorCode::none) failed(error, block_bit_);
}

ErrorCode Decoder::read_header() {
  in_.fill();
  if (in_.bits < 3) return ErrorCode::truncated;
  is_last_ = in_.taken(1) != 0;
  switch (static_cast<BlockType>(in_.taken(2))) {
    case BlockType::stored: return begin_stored();
    case BlockType::fixed: uses_fixed_ = true; break;
    case BlockType::dynamic:
      uses_fixed_ = false;
      if (const ErrorCode error = read_codes(); error != ErrorCode::none) return error;
      break;
    case BlockType::reserved: return ErrorCode::block_type;
  }
  state_ = State::in_coded;
  return ErrorCode::none;
}

ErrorCode Decoder::begin_stored() {
  in_.to_byte();
  in_.fill();
  if (in_.bits < 32) return ErrorCode::truncated;
  const unsigned length = in_.taken(16), complement = in_.taken(16);
  if ((length ^ complement) != 0xffff) return ErrorCode::stored_length;
  in_.to_byte();
  stored_left_ = length;
  state_ = State::in_stored;
  return ErrorCode::none;
}

ErrorCode Decoder::read_codes() {
  in_.fill();
  if (in_.bits < 14) return ErrorCode::truncated;
  const unsigned literal_count = 257 + in_.taken(5), distance_count = 1 + in_.taken(5),
                 precode_count = 4 + in_.taken(4);
  if (literal_count > valid_literal_symbols || distance_count > valid_distance_symbols)
    return ErrorCode::symbol_counts;
  std::array<std::uint8_t, precode_symbols> precode_bits{};
  for (unsigned i = 0; i < precode_count; i++) {
    if (in_.bits < 3) in_.fill();
    if (in_.bits < 3) return ErrorCode::truncated;
    precode_bits[precode_order[i]] = static_cast<std::uint8_t>(in_.taken(3));
  }
  PrecodeTable precode;
  if (!build_precode(precode_bits, precode)) return ErrorCode::precode;
  const unsigned count = literal_count + distance_count;
  for (unsigned done = 0; done < count;) {
    if (in_.bits < 14) in_.fill();
    const Entry entry = precode[low_bits(in_.word, precode_table_bits)];
    const unsigned symbol = entry >> value_at, symbol_bits = entry & 0xff;
    const unsigned extra = symbol < 16    ? 0
                           : symbol == 16 ? 2
                           : symbol == 17 ? 3
                                          : 7;  // section 3.2.7
    if (in_.bits < symbol_bits + extra) return ErrorCode::truncated;
    in_.take(symbol_bits);
    if (symbol < 16) {
      code_bits_[done++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    if (symbol == 16 && done == 0) return ErrorCode::repeat_of_nothing;
    const unsigned repeats = in_.taken(extra) + (symbol == 18 ? 11 : 3);
    if (repeats > count - done) return ErrorCode::repeat_too_long;
    std::fill_n(code_bits_.data() + done, repeats,
                symbol == 16 ? code_bits_[done - 1] : std::uint8_t{0});
    done += repeats;
  }
  if (code_bits_[end_of_block] == 0) return ErrorCode::no_end_of_block;
  if (!build_literals({code_bits_.data(), literal_count}, tables_)) return ErrorCode::literal_code;
  if (!build_distances({code_bits_.data() + literal_count, distance_count}, tables_))
    return ErrorCode::distance_code;
  literal_count_ = literal_count;
  has_pairs_ = false;
  return ErrorCode::none;
}

// Copies a stored block. Returns whether the block is done.
template <class Sink> bool Decoder::copy_stored(Sink& sink) {
  const auto in_left = static_cast<std::uint64_t>(in_.end - in_.at);
  const std::uint64_t count = sink.stored(in_.at, std::min(stored_left_, in_left));
  in_.at += count;
  stored_left_ -= count;
  if (stored_left_ == 0) {
    state_ = is_last_ ? State::after_last : State::between_blocks;
    return true;
  }
  return count == in_left && failed(ErrorCode::truncated, in_.position());
}

// Returns where the fast loop must stop: a turn takes at most 81 bits, and has to end before the
// symbol at which to stop.
const std::uint8_t* Decoder::fast_input_end() const {
  constexpr std::ptrdiff_t turn_bytes = 16;
  std::ptrdiff_t bytes = in_.end - in_.begin - fast_input_bytes;
  if (symbol_bit_ / 8 < static_cast<std::uint64_t>(in_.end - in_.begin))
    bytes = std::min(bytes, static_cast<std::ptrdiff_t>(symbol_bit_ / 8) - turn_bytes);
  return in_.begin + std::max<std::ptrdiff_t>(bytes, 0);
}

// Decodes a block's codes. Returns true when the block is done; false if the output is full, the
// symbol to stop at was reached, or an error was found.
template <class Sink> bool Decoder::decode_block(Sink& sink) {
  const std::uint8_t* const in_end = fast_input_end();
  while (in_.at < in_end && sink.has_capacity()) {
    const bool has_pairs = uses_fixed_ || has_pairs_;
    FastState state{in_.at,
                    has_pairs ? in_end : in_.at + std::min(in_end - in_.at, input_before_pairs),
                    in_.word, in_.bits, uses_fixed_ ? &fixed_tables() : &tables_};
    const FastStop end = run_fast(state, sink);
    in_.at = state.in, in_.bits = state.bits, in_.word = low_bits(state.word, state.bits);
    switch (end) {
      case FastStop::slack_used_up: break;
      case FastStop::block_ended:
        state_ = is_last_ ? State::after_last : State::between_blocks;
        return true;
      case FastStop::literal_symbol: return failed(ErrorCode::literal_symbol, in_.position());
      case FastStop::distance_symbol: return failed(ErrorCode::distance_symbol, in_.position());
      case FastStop::too_far: return failed(ErrorCode::too_far, in_.position());
    }
    if (has_pairs || !sink.has_capacity()) break;
    pair_literals({code_bits_.data(), literal_count_}, tables_);
    has_pairs_ = true;
  }
  return decode_careful(sink);
}

// Decodes symbol by symbol, with all checks.
template <class Sink> bool Decoder::decode_careful(Sink& sink) {
  const DecodeTables& tables = uses_fixed_ ? fixed_tables() : tables_;
  while (in_.position() < symbol_bit_) {
    BitInput in = in_;
    in.fill();
    const Entry entry = careful_entry(in, tables.literals.data(), literal_table_bits);
    const unsigned bits = entry & literal_entry ? entry >> first_bits_at & 15
                                                : entry & 0xff;  // of two literals the first one
    if (bits > in.bits) return failed(ErrorCode::truncated, in_.position());
    if (!(entry & literal_entry) && entry & no_symbol_entry)
      return failed(ErrorCode::literal_symbol, in.position());
    if (!(entry & literal_entry) && entry & end_entry) {
      in.take(bits);
      in_ = in;
      state_ = is_last_ ? State::after_last : State::between_blocks;
      return true;
    }
    if (!sink.fits(1)) return false;
    if (entry & literal_entry) {
      in.take(bits);
      sink.literal(static_cast<std::uint8_t>(entry >> 8));
    } else if (!careful_match(sink, in, entry, tables)) {
      return false;
    }
    in_ = in;
  }
  return false;
}

template <class Sink>
bool Decoder::careful_match(Sink& sink, BitInput& in, Entry entry, const DecodeTables& tables) {
  const std::size_t length = careful_value(in, entry);
  in.fill();
  entry = careful_entry(in, tables.distances.data(), distance_table_bits);
  if ((entry & 0xff) > in.bits) return failed(ErrorCode::truncated, in_.position());
  if (entry & no_symbol_entry) return failed(ErrorCode::distance_symbol, in.position());
  const std::size_t distance = careful_value(in, entry);
  if (!sink.fits(length)) return false;
  return sink.match_exactly(length, distance) || failed(ErrorCode::too_far, in.position());
}

}  // namespace penstock::deflate
