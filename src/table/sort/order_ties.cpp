// Orders rows by a few keys at a time: later ones only of rows that the earlier ones leave equal.
// Strings are ranked to be compared, and the first key often decides most rows. TPC-DS 12 spent 40
// % of its time on the ranks of 20,000 groups by five keys, of which it shows a hundred.
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "table/rows/gather.hpp"
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {
namespace {

using Words = std::vector<NormalizedKey>;

// Places of the order whose rows are equal so far.
struct Ties {
  std::uint64_t first = 0, end = 0;
};

// A string key begins a batch: all others are cheap, and share words.
std::vector<std::vector<SortKey>> batches_of(const Table& table, const std::vector<SortKey>& keys) {
  std::vector<std::vector<SortKey>> batches(1);
  for (const SortKey& key : keys) {
    const bool is_string = table.columns[key.column].type.kind == Kind::string;
    if (is_string && !batches.back().empty()) batches.emplace_back();
    batches.back().push_back(key);
  }
  return batches;
}

// < 0, 0, > 0
int compare(const Words& words, std::uint64_t a, std::uint64_t b) {
  for (const NormalizedKey& word : words)
    if (word.values[a] != word.values[b]) return word.values[a] < word.values[b] ? -1 : 1;
  return 0;
}

class OrderOfTies {
 public:
  OrderOfTies(const Table& table, std::uint64_t limit)
      : table_(table),
        limit_(std::min(limit, table.row_count)),
        order_(table.row_count),
        ties_{{0, table.row_count}} {
    std::iota(order_.begin(), order_.end(), std::uint64_t{0});
  }

  void sort_by(const std::vector<SortKey>& batch) {
    const bool is_first = !std::exchange(has_sorted_, true);
    Words words = is_first ? normalized_keys(table_, batch) : words_of_ties(batch);
    if (is_first && limit_ < table_.row_count / 2) leave_out_later_rows(words);
    const std::vector<std::uint64_t> sorted = order_on_host(words, row_count(), row_count());
    place(words, sorted);
  }
  bool is_decided() const { return ties_.empty(); }

  std::vector<std::uint64_t> take() {
    order_.resize(limit_);
    return std::move(order_);
  }

 private:
  std::uint64_t row_count() const {
    std::uint64_t count = 0;
    for (const Ties& ties : ties_) count += ties.end - ties.first;
    return count;
  }

  // Keeps the rows that the words do not put behind the limit, in their order.
  void leave_out_later_rows(Words& words) {
    const std::uint64_t last = order_on_host(words, order_.size(), limit_).back();
    std::erase_if(order_, [&](std::uint64_t row) { return compare(words, row, last) > 0; });
    for (NormalizedKey& word : words) {
      for (std::size_t i = 0; i < order_.size(); i++) word.values[i] = word.values[order_[i]];
      word.values.resize(order_.size());
    }
    ties_ = {{0, order_.size()}};
  }

  // The number of its ties, then the keys, for each row that is equal to another one.
  Words words_of_ties(std::vector<SortKey> batch) const {
    std::vector<std::uint64_t> rows;
    NormalizedKey number{{}, static_cast<std::uint32_t>(std::bit_width(ties_.size()))};
    for (std::size_t i = 0; i < ties_.size(); i++)
      for (std::uint64_t place = ties_[i].first; place < ties_[i].end; place++) {
        rows.push_back(order_[place]);
        number.values.push_back(i);
      }
    Table keys;
    keys.row_count = rows.size();
    for (SortKey& key : batch) {
      keys.columns.push_back(gather(table_.columns[key.column], rows));
      key.column = static_cast<std::uint32_t>(keys.columns.size() - 1);
    }
    Words words = normalized_keys(keys, batch);
    words.insert(words.begin(), std::move(number));
    return words;
  }

  // Puts the rows at the places of their ties, and finds the ties that are left before the limit.
  void place(const Words& words, const std::vector<std::uint64_t>& sorted) {
    std::vector<std::uint64_t> rows;
    rows.reserve(sorted.size());
    for (const Ties& ties : ties_)
      for (std::uint64_t place = ties.first; place < ties.end; place++)
        rows.push_back(order_[place]);
    std::vector<Ties> left;
    std::size_t at = 0;
    for (const Ties& ties : ties_) {
      for (std::uint64_t place = ties.first; place < ties.end; place++, at++) {
        order_[place] = rows[sorted[at]];
        const bool is_tied = place > ties.first && compare(words, sorted[at - 1], sorted[at]) == 0;
        if (is_tied && (left.empty() || left.back().end != place))
          left.push_back({place - 1, place});
        if (is_tied) left.back().end = place + 1;
      }
    }
    std::erase_if(left, [&](const Ties& ties) { return ties.first >= limit_; });
    ties_ = std::move(left);
  }

  const Table& table_;
  const std::uint64_t limit_;
  std::vector<std::uint64_t> order_;
  std::vector<Ties> ties_;
  bool has_sorted_ = false;
};

}  // namespace

std::vector<std::uint64_t> order_on_host(const Table& table, const std::vector<SortKey>& keys,
                                         std::uint64_t limit) {
  const auto batches = batches_of(table, keys);
  if (batches.size() == 1 || limit == 0)
    return order_on_host(normalized_keys(table, keys), table.row_count, limit);
  OrderOfTies order(table, limit);
  for (const std::vector<SortKey>& batch : batches)
    if (!order.is_decided()) order.sort_by(batch);
  return order.take();
}

}  // namespace penstock::plan
