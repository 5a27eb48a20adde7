#include "exec/devices/merge_sorted.hpp"

#include <algorithm>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "table/rows/gather.hpp"
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {
namespace {

// Rows that one thread merges.
constexpr std::uint64_t rows_per_piece = 1 << 16;

class SortedRanges {
 public:
  SortedRanges(std::vector<NormalizedKey> words, std::span<const std::uint64_t> ends)
      : words_(std::move(words)), ends_(ends) {}

  // Returns the first rows in their order.
  LargeVector<std::uint64_t> merged(std::uint64_t limit) const {
    LargeVector<std::uint64_t> order(std::min(limit, ends_.back()));
    const std::vector<Cursors> pieces = split();
    in_parallel(pieces.size() - 1, 1, [&](std::uint64_t piece, std::uint64_t last) {
      for (; piece < last; piece++) merge(pieces[piece], pieces[piece + 1], order);
    });
    return order;
  }

 private:
  using Cursors = std::vector<std::uint64_t>;  // a row of each range

  std::uint64_t begin(std::size_t range) const { return range == 0 ? 0 : ends_[range - 1]; }

  bool less(std::uint64_t a, std::uint64_t b) const {
    for (const NormalizedKey& word : words_)
      if (word.values[a] != word.values[b]) return word.values[a] < word.values[b];
    return a < b;
  }

  // Returns for some rows of the longest range where each range goes on with rows after them.
  std::vector<Cursors> split() const {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < ends_.size(); i++)
      if (ends_[i] - begin(i) > ends_[longest] - begin(longest)) longest = i;
    const std::uint64_t count = ends_[longest] - begin(longest);
    std::vector<Cursors> pieces(1);
    for (std::size_t i = 0; i < ends_.size(); i++) pieces[0].push_back(begin(i));
    for (std::uint64_t at = rows_per_piece; at < count; at += rows_per_piece)
      pieces.push_back(cursors_at(begin(longest) + at));
    pieces.emplace_back(ends_.begin(), ends_.end());
    return pieces;
  }

  Cursors cursors_at(std::uint64_t row) const {
    Cursors cursors;
    for (std::size_t i = 0; i < ends_.size(); i++) {
      std::uint64_t first = begin(i), count = ends_[i] - first;
      while (count > 0) {
        const std::uint64_t half = count / 2;
        const bool is_before = less(first + half, row);
        first += is_before ? half + 1 : 0;
        count = is_before ? count - half - 1 : half;
      }
      cursors.push_back(first);
    }
    return cursors;
  }

  void merge(Cursors from, const Cursors& to, std::span<std::uint64_t> order) const {
    std::uint64_t at = 0, end = 0;
    for (std::size_t i = 0; i < from.size(); i++) {
      at += from[i] - begin(i);
      end += to[i] - begin(i);
    }
    end = std::min<std::uint64_t>(end, order.size());
    for (; at < end; at++) {
      std::size_t first = from.size();
      for (std::size_t i = 0; i < from.size(); i++)
        if (from[i] < to[i] && (first == from.size() || less(from[i], from[first]))) first = i;
      order[at] = from[first]++;
    }
  }

  const std::vector<NormalizedKey> words_;
  const std::span<const std::uint64_t> ends_;
};

}  // namespace

Table merge_sorted(const Table& rows, std::span<const std::uint64_t> ends,
                   const std::vector<SortKey>& keys, std::uint64_t limit) {
  return gather(rows, SortedRanges(normalized_keys(rows, keys), ends).merged(limit));
}

}  // namespace penstock::plan
