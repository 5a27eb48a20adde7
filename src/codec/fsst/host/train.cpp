// A symbol table from a sample, as the paper's section 4.3 says: start without symbols; again and
// again encode the sample, count symbols and pairs of neighbours, and make the next table of those
// symbols and joined pairs that gain most.
//
// Ratios of URLs, log lines and TPC-H comments: the paper's five generations 2.08, 2.59, 2.93;
// eight 2.16, 2.88, 3.16; nine, and samples of twice the size, within 2 % of eight. Half the sample
// cost 3 to 10 % of five generations' ratios.
#include <algorithm>
#include <cstring>
#include <vector>

#include "codec/fsst/host/symbol_matcher.hpp"

namespace penstock::fsst {
namespace {

constexpr std::uint64_t sample_bytes = 1 << 14;
constexpr std::uint64_t sample_piece_bytes =
    512;  // of one text at most, so that a long one does not fill the sample
constexpr std::uint32_t generations = 8;
constexpr std::uint32_t min_count =
    5;  // what stands in a full sample less often is noise, and would crowd the table
constexpr std::uint32_t symbol_base =
    256;  // counted as: bytes without a symbol 0 to 255, symbol n as 256 + n
constexpr std::uint32_t counted = symbol_base + max_symbols;
constexpr std::uint32_t pairs_per_row = 512;  // counted, and one more, so that a row is whole words
constexpr std::uint32_t single_byte_weight =
    8;  // a byte's symbol also saves the escape's second byte, in every text to come

struct Symbol {
  std::uint64_t bytes = 0;
  std::uint32_t length = 0;
};

Symbol joined(Symbol first, Symbol second) {
  const std::uint32_t length = std::min(first.length + second.length, max_symbol_bytes);
  return {low_bytes(first.bytes | second.bytes << (8 * first.length), length), length};
}

// Texts spread evenly over all of them, long ones by pieces of theirs.
std::vector<std::string_view> sample_of(std::span<const std::string_view> texts) {
  std::uint64_t all_bytes = 0;
  for (const std::string_view text : texts)
    all_bytes += std::min<std::uint64_t>(text.size(), sample_piece_bytes);
  std::vector<std::string_view> sample;
  std::uint64_t taken = 0, random = 0x9e3779b97f4a7c15;
  const std::uint64_t step_bytes =
      std::max<std::uint64_t>(all_bytes / sample_bytes, 1);  // of text for a byte of sample
  std::uint64_t passed = 0;
  for (const std::string_view text : texts) {
    const std::uint64_t bytes = std::min<std::uint64_t>(text.size(), sample_piece_bytes);
    passed += bytes;
    if (bytes == 0 || taken * step_bytes >= passed) continue;
    random = random * 6364136223846793005u + 1442695040888963407u;
    sample.push_back(text.substr((random >> 33) % (text.size() - bytes + 1), bytes));
    taken += bytes;
  }
  return sample;
}

class Trainer {
 public:
  explicit Trainer(std::vector<std::string_view> sample)
      : sample_(std::move(sample)),
        min_(min_of(sample_)),
        single_(counted),
        pairs_(counted * pairs_per_row),
        candidates_(candidate_slots) {}

  SymbolTable train() {
    for (std::uint32_t generation = 0; generation < generations; generation++) {
      count(generation);
      choose(generation);
    }
    return table();
  }

 private:
  struct Candidate {
    Symbol symbol;
    std::uint32_t gain = 0;
    // The greater gain first; of equal ones any order that is always the same.
    bool operator<(const Candidate& other) const {
      if (gain != other.gain) return gain < other.gain;
      if (symbol.length != other.symbol.length) return symbol.length < other.symbol.length;
      return symbol.bytes < other.symbol.bytes;
    }
  };
  static constexpr std::uint32_t candidate_slots = 1 << 15;
  static constexpr std::uint32_t max_candidates = candidate_slots / 2;

  // In a sample of few texts everything counts.
  static std::uint32_t min_of(const std::vector<std::string_view>& sample) {
    std::uint64_t bytes = 0;
    for (const std::string_view text : sample) bytes += text.size();
    return static_cast<std::uint32_t>(1 + (min_count - 1) * std::min(bytes, sample_bytes) /
                                              sample_bytes);
  }

  Symbol symbol(std::uint32_t at) const {
    return at < symbol_base ? Symbol{at, 1} : symbols_[at - symbol_base];
  }

  // How often each symbol stands in the sample, and each pair of neighbours. A long symbol's first
  // byte is counted as well, so that shorter symbols can come back.
  void count(std::uint32_t generation) {
    std::ranges::fill(single_, std::uint16_t{0});
    std::ranges::fill(pairs_, std::uint16_t{0});
    const bool pairs_too = generation + 1 < generations;
    for (const std::string_view text : sample_) count_text(text, pairs_too);
  }

  void count_text(std::string_view text, bool pairs_too) {
    std::uint32_t previous = counted;
    for (std::uint64_t at = 0; at < text.size();) {
      const std::uint64_t left = text.size() - at;
      const Match match =
          left >= 8 ? matcher_->find(load_word(text.data() + at)) : find_at_end(text.substr(at));
      const std::uint32_t byte = static_cast<unsigned char>(text[at]);
      const std::uint32_t code = match.is_escape() ? byte : symbol_base + match.code();
      note(previous, code, pairs_too);
      if (match.length() > 1) note(previous, byte, pairs_too);
      previous = code;
      at += match.length();
    }
  }
  Match find_at_end(std::string_view rest) const {
    std::uint64_t word = 0;
    std::memcpy(&word, rest.data(), rest.size());
    return matcher_->find_at_end(word, static_cast<std::uint32_t>(rest.size()));
  }
  void note(std::uint32_t previous, std::uint32_t code, bool pairs_too) {
    single_[code]++;
    if (pairs_too && previous < counted) pairs_[previous * pairs_per_row + code]++;
  }

  void choose(std::uint32_t generation) {
    for (const std::uint32_t slot : used_) candidates_[slot] = Candidate{};
    used_.clear();
    for (std::uint32_t first = 0; first < counted; first++) {
      if (single_[first] < min_) continue;
      const Symbol symbol_first = symbol(first);
      offer(symbol_first, single_[first] * (symbol_first.length == 1 ? single_byte_weight : 1));
      if (symbol_first.length == max_symbol_bytes || generation + 1 == generations) continue;
      offer_pairs(first, symbol_first);
    }
    take_best();
  }

  void offer_pairs(std::uint32_t first, Symbol symbol_first) {
    const std::uint16_t* const counts = &pairs_[first * pairs_per_row];
    for (std::uint32_t second = 0; second < counted; second++) {
      // Few pairs stand in a sample: four that do not are passed at once.
      if (second % 4 == 0 && load_word(counts + second) == 0)
        second += 3;
      else if (counts[second] >= min_)
        offer(joined(symbol_first, symbol(second)), counts[second]);
    }
  }

  // Adds up the gains of equal symbols, which several pairs may make.
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

  void take_best() {
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

  // In the serialized format's order: symbols of two bytes first, those that begin a longer one
  // behind the others; then 3 to 8; then 1.
  SymbolTable table() {
    const auto begins_longer = [this](Symbol symbol) {
      return std::ranges::any_of(symbols_, [&](Symbol other) {
        return other.length > 2 && (other.bytes & 0xffff) == symbol.bytes;
      });
    };
    const auto place = [&](Symbol symbol) {
      return symbol.length == 1
                 ? 18
                 : 2 * symbol.length + (symbol.length == 2 && begins_longer(symbol) ? 1 : 0);
    };
    std::ranges::stable_sort(symbols_, {}, place);
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
  std::vector<std::uint16_t> single_, pairs_;  // at most a count a byte of the sample
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> used_;
};

}  // namespace

SymbolTable train(std::span<const std::string_view> texts) {
  return Trainer(sample_of(texts)).train();
}

}  // namespace penstock::fsst
