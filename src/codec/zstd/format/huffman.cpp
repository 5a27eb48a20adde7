#include "codec/zstd/format/huffman.hpp"

#include <algorithm>
#include <bit>

#include "codec/zstd/format/fse.hpp"
#include "codec/zstd/format/zstd_bits.hpp"

namespace penstock::zstd {
namespace {

constexpr unsigned largest_described = 255;  // the last symbol's weight follows from all other
                                             // weights

// Two interleaved states. The stream ends where a state has not enough bits to go on, and the
// other's symbol is the last. Streams too short for the two first states are corrupt, as for
// libzstd since 1.5.7 (earlier it read zeros).
const char* read_fse_weights(std::span<const Byte> from, HuffmanWeights& tree) {
  Distribution distribution;
  std::size_t table_bytes = 0;
  if (const char* error =
          read_distribution(from, weight_log, largest_code_bits + 2, distribution, table_bytes))
    return error;
  std::array<FseState, 1u << weight_log> states;
  for_each_state(distribution, [&](unsigned at, const FseState& state) { states[at] = state; });
  BackwardBits bits(from.subspan(table_bytes));
  if (bits.left() < 2 * distribution.accuracy_log)
    return "the Huffman tree's weights have no two states to begin with";
  unsigned state[2] = {bits.take(distribution.accuracy_log), 0};
  state[1] = bits.take(distribution.accuracy_log);
  unsigned count = 0;
  for (unsigned turn = 0;; turn ^= 1) {
    if (count + 2 > largest_described) return "the Huffman tree has more than 255 weights";
    const FseState& at = states[state[turn]];
    tree.weights[count++] = at.symbol;
    if (bits.left() < at.next_bits) {
      tree.weights[count++] = states[state[turn ^ 1]].symbol;
      break;
    }
    state[turn] = at.next_base + bits.take(at.next_bits);
  }
  tree.symbol_count = static_cast<std::uint16_t>(count);
  return nullptr;
}

void read_plain_weights(std::span<const Byte> from, unsigned count, HuffmanWeights& tree) {
  for (unsigned symbol = 0; symbol < count; symbol++)
    tree.weights[symbol] = symbol % 2 == 0 ? from[symbol / 2] >> 4 : from[symbol / 2] & 15;
  tree.symbol_count = static_cast<std::uint16_t>(count);
}

// Computes the last weight, which completes the sum of all to a power of two.
const char* complete(HuffmanWeights& tree, unsigned largest_bits) {
  unsigned sum = 0;
  for (unsigned symbol = 0; symbol < tree.symbol_count; symbol++) {
    if (tree.weights[symbol] > largest_code_bits + 1)
      return "a weight of the Huffman tree is larger than the format has";
    sum += (1u << tree.weights[symbol]) >> 1;
  }
  if (sum == 0) return "the Huffman tree has no weights";
  const unsigned code_bits = static_cast<unsigned>(std::bit_width(sum));
  if (code_bits > largest_bits)
    return largest_bits == largest_code_bits ? "the Huffman tree has codes of more than 11 bits"
                                             : "the Huffman tree has codes of more than 12 bits";
  const unsigned rest = (1u << code_bits) - sum;
  if (!std::has_single_bit(rest)) return "no last weight completes the Huffman tree";
  tree.weights[tree.symbol_count++] = static_cast<std::uint8_t>(std::bit_width(rest));
  tree.code_bits = static_cast<std::uint8_t>(code_bits);
  const auto longest =
      std::count(tree.weights.begin(), tree.weights.begin() + tree.symbol_count, 1);
  return longest < 2 || longest % 2 != 0 ? "the Huffman tree's longest codes are no pairs"
                                         : nullptr;
}

}  // namespace

const char* read_weights(std::span<const Byte> from, unsigned largest_bits, HuffmanWeights& tree,
                         std::size_t& used_bytes) {
  if (from.empty()) return "the Huffman tree's description is cut short";
  const unsigned head = from[0], plain_count = head < 128 ? 0 : head - 127;
  const std::size_t bytes = head < 128 ? head : (plain_count + 1) / 2;
  if (bytes + 1 > from.size()) return "the Huffman tree's description is cut short";
  used_bytes = bytes + 1;
  tree.weights.fill(0);
  if (head >= 128)
    read_plain_weights(from.subspan(1, bytes), plain_count, tree);
  else if (const char* error = read_fse_weights(from.subspan(1, bytes), tree))
    return error;
  return complete(tree, largest_bits);
}

void fill_one(const HuffmanWeights& tree, HuffmanTable& table) {
  std::array<std::uint32_t, largest_dictionary_code_bits + 1>
      index{};  // of the next symbol of each weight
  for (unsigned symbol = 0; symbol < tree.symbol_count; symbol++)
    index[tree.weights[symbol]] += (1u << tree.weights[symbol]) >> 1;
  std::uint32_t at = 0;
  for (unsigned weight = 1; weight <= tree.code_bits; weight++) {
    const std::uint32_t entries = index[weight];
    index[weight] = at;
    at += entries;
  }
  for (unsigned symbol = 0; symbol < tree.symbol_count; symbol++) {
    const unsigned weight = tree.weights[symbol];
    if (weight == 0) continue;
    const std::uint32_t entries = (1u << weight) >> 1;
    std::fill_n(table.one.begin() + index[weight], entries,
                static_cast<std::uint16_t>((tree.code_bits + 1 - weight) | symbol << 8));
    index[weight] += entries;
  }
  table.code_bits = tree.code_bits;
  table.has_two = false;
}

void fill_two(HuffmanTable& table) {
  const unsigned size = 1u << table.code_bits;
  for (unsigned at = 0; at < size;) {
    const unsigned first = table.one[at], bits = first & 255, rest_bits = table.code_bits - bits,
                   symbol = first >> 8;
    // All indices that begin with this code: what follows it is looked up with its bits alone.
    for (unsigned rest = 0; rest < 1u << rest_bits; rest++) {
      const unsigned second = table.one[rest << bits], second_bits = second & 255;
      table.two[at + rest] = second_bits <= rest_bits ? (bits + second_bits) | 2u << 8 |
                                                            symbol << 16 | (second >> 8) << 24
                                                      : bits | 1u << 8 | symbol << 16;
    }
    at += 1u << rest_bits;
  }
  table.has_two = true;
}

}  // namespace penstock::zstd
