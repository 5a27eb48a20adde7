// Training of a symbol table, bottom up (FSST, VLDB 2020, section 4.3).
//
// Each generation encodes a sample with the current table and counts symbols and pairs of adjacent
// symbols. The next table has the symbols and concatenated pairs with the greatest gain: count
// times length. The first generation begins without symbols.
//
// Compression ratios of URLs, log lines and TPC-H comments: the paper's five
// generations 2.08, 2.59, 2.93; eight 2.16, 2.88, 3.16. Nine, and samples of twice the size, are
// within 2 % of eight. Half the sample cost 3 to 10 % of the ratios of five generations.
#include <algorithm>
#include <cstring>
#include <vector>

#include "codec/fsst/host/symbol_matcher.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint64_t sample_bytes = 1 << 14;
constexpr std::uint64_t max_sample_string_bytes =
    512;  // at most, of one string, so that a long one does not fill the sample
constexpr std::uint32_t generations = 8;
constexpr std::uint32_t min_count =
    5;  // rarer symbols of a full sample are noise and would crowd out others
constexpr std::uint32_t symbol_base =
    256;  // ids in the counts: a byte without a symbol is 0 to 255, symbol n is 256 + n
constexpr std::uint32_t symbol_id_count = symbol_base + max_symbols;
constexpr std::uint32_t pairs_per_row = 512;  // one more than ids, so that a row is whole words
constexpr std::uint32_t single_byte_weight =
    8;  // a symbol of one byte saves the escape wherever the byte occurs in future strings

struct Symbol {
  std::uint64_t bytes = 0;
  std::uint32_t length = 0;
};

Symbol concatenated(Symbol first, Symbol second) {
  const std::uint32_t length = std::min(first.length + second.length, max_symbol_bytes);
  return {low_bytes(first.bytes | second.bytes << (8 * first.length), length), length};
}

// Samples strings evenly over the input, and a part of each long one.
std::vector<std::string_view> sample_of(std::span<const std::string_view> strings) {
  std::uint64_t all_bytes = 0;
  for (const std::string_view string : strings)
    all_bytes += std::min<std::uint64_t>(string.size(), max_sample_string_bytes);
  std::vector<std::string_view> sample;
  std::uint64_t sampled = 0, random = 0x9e3779b97f4a7c15;
  const std::uint64_t step_bytes =
      std::max<std::uint64_t>(all_bytes / sample_bytes, 1);  // string bytes per byte of sample
  std::uint64_t bytes_before = 0;
  for (const std::string_view string : strings) {
    const std::uint64_t bytes = std::min<std::uint64_t>(string.size(), max_sample_string_bytes);
    bytes_before += bytes;
    if (bytes == 0 || sampled * step_bytes >= bytes_before) continue;
    random = random * 6364136223846793005u + 1442695040888963407u;
    sample.push_back(string.substr((random >> 33) % (string.size() - bytes + 1), bytes));
    sampled += bytes;
  }
  return sample;
}

class Trainer {
 public:
  explicit Trainer(std::vector<std::string_view> sample)
      : sample_(std::move(sample)),
        min_(min_of(sample_)),
        single_(symbol_id_count),
        pairs_(symbol_id_count * pairs_per_row),
        candidates_(candidate_slots) {}

  SymbolTable train() {
    for (std::uint32_t generation = 0; generation < generations; generation++) {
      count(generation);
      select_symbols(generation);
    }
    return table();
  }

 private:
  struct Candidate {
    Symbol symbol;
    std::uint32_t gain = 0;
    // Orders by gain. Ties are broken in any fixed order, so that training is deterministic.
    bool operator<(const Candidate& other) const {
      if (gain != other.gain) return gain < other.gain;
      if (symbol.length != other.symbol.length) return symbol.length < other.symbol.length;
      return symbol.bytes < other.symbol.bytes;
    }
  };
  static constexpr std::uint32_t candidate_slots = 1 << 15;
  static constexpr std::uint32_t max_candidates = candidate_slots / 2;

  // Returns the smallest count that matters; 1 for a small sample.
  static std::uint32_t min_of(const std::vector<std::string_view>& sample) {
    std::uint64_t bytes = 0;
    for (const std::string_view string : sample) bytes += string.size();
    return static_cast<std::uint32_t>(1 + (min_count - 1) * std::min(bytes, sample_bytes) /
                                              sample_bytes);
  }

  Symbol symbol(std::uint32_t at) const {
    return at < symbol_base ? Symbol{at, 1} : symbols_[at - symbol_base];
  }

  // Counts symbols and pairs of adjacent symbols in the sample. Also counts the first byte of a
  // long symbol, so that shorter symbols can come back.
  void count(std::uint32_t generation) {
    std::ranges::fill(single_, std::uint16_t{0});
    std::ranges::fill(pairs_, std::uint16_t{0});
    const bool counts_pairs = generation + 1 < generations;
    for (const std::string_view string : sample_) count_string(string, counts_pairs);
  }

  void count_string(std::string_view string, bool counts_pairs) {
    std::uint32_t previous = symbol_id_count;
    for (std::uint64_t at = 0; at < string.size();) {
      const std::uint64_t left = string.size() - at;
      const Match match = left >= 8 ? matcher_->find(load_word(string.data() + at))
                                    : find_at_end(string.substr(at));
      const std::uint32_t byte = static_cast<unsigned char>(string[at]);
      const std::uint32_t code = match.is_escape() ? byte : symbol_base + match.code();
      count_symbol(previous, code, counts_pairs);
      if (match.length() > 1) count_symbol(previous, byte, counts_pairs);
      previous = code;
      at += match.length();
    }
  }
  Match find_at_end(std::string_view rest) const {
    std::uint64_t word = 0;
    std::memcpy(&word, rest.data(), rest.size());
    return matcher_->find_at_end(word, static_cast<std::uint32_t>(rest.size()));
  }
  void count_symbol(std::uint32_t previous, std::uint32_t code, bool counts_pairs) {
    single_[code]++;
    if (counts_pairs && previous < symbol_id_count) pairs_[previous * pairs_per_row + code]++;
  }

  void select_symbols(std::uint32_t generation) {
    for (const std::uint32_t slot : used_) candidates_[slot] = Candidate{};
    used_.clear();
    for (std::uint32_t first = 0; first < symbol_id_count; first++) {
      if (single_[first] < min_) continue;
      const Symbol symbol_first = symbol(first);
      offer(symbol_first, single_[first] * (symbol_first.length == 1 ? single_byte_weight : 1));
      if (symbol_first.length == max_symbol_bytes || generation + 1 == generations) continue;
      offer_pairs(first, symbol_first);
    }
    select_best();
  }

  void offer_pairs(std::uint32_t first, Symbol symbol_first) {
    const std::uint16_t* const counts = &pairs_[first * pairs_per_row];
    for (std::uint32_t second = 0; second < symbol_id_count; second++) {
      // Few pairs occur in a sample: four zero counts are skipped at once.
      if (second % 4 == 0 && load_word(counts + second) == 0)
        second += 3;
      else if (counts[second] >= min_)
        offer(concatenated(symbol_first, symbol(second)), counts[second]);
    }
  }

  // Adds to the gain of a symbol, which several pairs may form (open addressing).
  void offer(Symbol symbol, std::uint32_t times) {
    std::uint64_t slot =
        (symbol.bytes * 0x9e3779b97f4a7c15 ^ symbol.length) >> 17 & (candidate_slots - 1);
    for (;; slot = (slot + 1) & (candidate_slots - 1)) {
      Candidate& candidate = candidates_[slot];
      if (candidate.gain == 0) {
        if (used_.size() == max_candidates) return;
        used_.push_back(static_cast<std::uint32_t>(slot));
        candidate.symbol = symbol;
      } else if (candidate.symbol.bytes != symbol.bytes ||
                 candidate.symbol.length != symbol.length) {
        continue;
      }
      candidate.gain += times * symbol.length;
      return;
    }
  }

  void select_best() {
    std::vector<Candidate> best;
    best.reserve(used_.size());
    for (const std::uint32_t slot : used_) best.push_back(candidates_[slot]);
    std::make_heap(best.begin(), best.end());
    *matcher_ = Matcher();
    symbols_.clear();
    while (!best.empty() && symbols_.size() < max_symbols) {
      std::pop_heap(best.begin(), best.end());
      const Symbol symbol = best.back().symbol;
      best.pop_back();
      if (matcher_->add(symbol.bytes, symbol.length, static_cast<std::uint32_t>(symbols_.size())))
        symbols_.push_back(symbol);
    }
  }

  // Returns the symbols in the order of the serialized format: two bytes first, with prefixes of
  // longer symbols last among them; then 3 to 8 bytes; then 1.
  SymbolTable table() {
    const auto begins_longer = [this](Symbol symbol) {
      return std::ranges::any_of(symbols_, [&](Symbol other) {
        return other.length > 2 && (other.bytes & 0xffff) == symbol.bytes;
      });
    };
    const auto rank = [&](Symbol symbol) {
      return symbol.length == 1
                 ? 18
                 : 2 * symbol.length + (symbol.length == 2 && begins_longer(symbol) ? 1 : 0);
    };
    std::ranges::stable_sort(symbols_, {}, rank);
    SymbolTable table;
    table.symbol_count = static_cast<std::uint32_t>(symbols_.size());
    for (std::uint32_t code = 0; code < table.symbol_count; code++) {
      table.symbols[code] = symbols_[code].bytes;
      table.lengths[code] = static_cast<std::uint8_t>(symbols_[code].length);
    }
    return table;
  }

  std::vector<std::string_view> sample_;
  std::uint32_t min_;
  std::vector<Symbol> symbols_;
  std::unique_ptr<Matcher> matcher_ = std::make_unique<Matcher>();
  std::vector<std::uint16_t> single_, pairs_;  // a count is at most the sample's size in bytes
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> used_;
};

}  // namespace

SymbolTable train(std::span<const std::string_view> strings) {
  return Trainer(sample_of(strings)).train();
}

}  // namespace penstock::fsst
