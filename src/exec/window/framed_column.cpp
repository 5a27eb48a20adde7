#include "exec/window/framed_column.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>

#include "base/parallel.hpp"
#include "column/column_builders.hpp"
#include "column/concatenate.hpp"
#include "exec/window/window_frames.hpp"
#include "expr/value.hpp"
#include "fuse/program/accumulators.hpp"
#include "table/rows/gather.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t max_text_bytes = std::uint64_t{1} << 32;

FrameEnds ends_of_call(const WindowCall& call) {
  if (call.ends) return *call.ends;
  FrameEnds ends;
  if (call.frame == WindowFrame::peers) ends.last.kind = FrameEnd::Kind::peers;
  if (call.frame == WindowFrame::rows) ends.last.kind = FrameEnd::Kind::current_row;
  return ends;
}

// Combines ranges of values in logarithmic time: a binary tree, the leaves behind the inner nodes.
// Values keep their order.
template <class T> class RangeTree {
 public:
  using Combine = std::function<T(const T&, const T&)>;
  RangeTree(std::vector<T> values, T neutral, Combine combine)
      : size_(std::bit_ceil(std::max<std::size_t>(values.size(), 1))),
        nodes_(2 * size_, neutral),
        neutral_(neutral),
        combine_(std::move(combine)) {
    std::ranges::move(values, nodes_.begin() + static_cast<std::ptrdiff_t>(size_));
    for_wanted_rows(1, size_, [&](std::uint64_t made) {
      const std::size_t i = size_ - made;
      nodes_[i] = combine_(nodes_[2 * i], nodes_[2 * i + 1]);
    });
  }
  T of(PositionRange range) const {
    T left = neutral_, right = neutral_;
    std::size_t low = range.first + size_, high = std::max(range.first, range.end) + size_;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) left = combine_(left, nodes_[low++]);
      if (high % 2 == 1) right = combine_(nodes_[--high], right);
    }
    return combine_(left, right);
  }
  T of(const std::array<PositionRange, 3>& parts) const {
    return combine_(combine_(of(parts[0]), of(parts[1])), of(parts[2]));
  }

 private:
  std::size_t size_;
  std::vector<T> nodes_;
  T neutral_;
  Combine combine_;
};

class FramedColumn {
 public:
  FramedColumn(const Table& table, const HostWindow::Positions& positions,
               const std::vector<SortKey>& order, const WindowCall& call)
      : table_(table),
        positions_(positions),
        call_(call),
        frames_(table, positions, order, ends_of_call(call)) {}

  Result<Column> column(Type type) {
    switch (call_.function) {
      case WindowFunction::count_rows:
      case WindowFunction::count: return counts();
      case WindowFunction::sum:
      case WindowFunction::average: return sums(type);
      case WindowFunction::minimum:
      case WindowFunction::maximum: return extremes();
      case WindowFunction::concatenation: return texts();
      case WindowFunction::lag:
      case WindowFunction::lead: return neighbours();
      case WindowFunction::first_value: return values(0, true);
      case WindowFunction::last_value: return values(0, false);
      case WindowFunction::nth_value: return values(call_.distance - 1, true);
      default: return Status(Code::internal, "a window function without a frame");
    }
  }

 private:
  using Parts = std::array<PositionRange, 3>;
  std::uint64_t row_count() const { return table_.row_count; }
  const Column& input() const { return table_.columns[call_.column]; }
  bool is_valid(std::uint64_t position) const {
    return input().is_valid(positions_.rows[position]);
  }

  // Calls work(position) for each, while the window is wanted.
  template <class Work> void for_positions(const Work& work) const {
    for_wanted_rows(0, row_count(), work);
  }

  // The values before each position that are not NULL.
  const std::vector<std::uint32_t>& present() {
    if (!present_.empty()) return present_;
    present_.resize(row_count() + 1);
    const bool counts_rows = call_.function == WindowFunction::count_rows;
    for_positions([&](std::uint64_t i) {
      present_[i + 1] = present_[i] + (counts_rows || is_valid(i) ? 1 : 0);
    });
    return present_;
  }
  std::uint64_t present_in(const Parts& parts) {
    std::uint64_t count = 0;
    for (const PositionRange& part : parts)
      if (part.size() > 0) count += present()[part.end] - present()[part.first];
    return count;
  }

  Column counts() {
    std::vector<std::int64_t> counts(row_count());
    for_positions([&](std::uint64_t i) {
      counts[positions_.rows[i]] = static_cast<std::int64_t>(present_in(frames_.at(i)));
    });
    return Column::from(std::move(counts));
  }

  template <class T> RangeTree<T> tree_of_sums() const {
    std::vector<T> values(row_count());
    for_positions([&](std::uint64_t i) {
      const Scalar value = scalar_at(input(), positions_.rows[i]);
      if (value.is_null) return;
      if constexpr (std::is_same_v<T, double>)
        values[i] = value.real;
      else
        values[i] = value.integer;
    });
    return RangeTree<T>(std::move(values), T{0}, added<T>);
  }

  // Sums of 128 bits wrap around, so that parts of a frame may, and its sum is right if it fits.
  template <class T> static T added(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, double>)
      return a + b;
    else
      return static_cast<T>(static_cast<unsigned __int128>(a) + static_cast<unsigned __int128>(b));
  }

  // Returns whether a frame's sum may be beyond 128 bits, by its rounded sum.
  bool may_overflow() {
    constexpr double limit = 1.7e38;  // 2^127
    std::vector<double> values(row_count());
    for_positions([&](std::uint64_t i) {
      const Scalar value = scalar_at(input(), positions_.rows[i]);
      if (!value.is_null) values[i] = static_cast<double>(value.integer);
    });
    const RangeTree<double> rounded(std::move(values), 0, added<double>);
    bool may = false;
    for_positions(
        [&](std::uint64_t i) { may = may || std::abs(rounded.of(frames_.at(i))) >= limit; });
    return may;
  }

  Result<Column> sums(Type type) {
    if (input().type.kind != Kind::string && width_bytes(input().type) > 8 && may_overflow())
      return sum_too_large();
    return is_float(input().type) ? sums_of<double>(type) : sums_of<Int128>(type);
  }

  template <class T> Column sums_of(Type type) {
    const RangeTree<T> tree = tree_of_sums<T>();
    const Accumulator accumulator{sum_kind(input().type), 0, input().type, nullptr, 0};
    std::vector<Scalar> results(row_count(), Scalar::null_of(type));
    for_positions([&](std::uint64_t i) {
      const Parts parts = frames_.at(i);
      const std::uint64_t count = present_in(parts);
      if (count == 0) return;
      const T sum = tree.of(parts);
      Partial partial;
      if constexpr (std::is_same_v<T, double>)
        partial = std::bit_cast<std::uint64_t>(sum);
      else
        partial = sum;
      results[positions_.rows[i]] =
          call_.function == WindowFunction::average
              ? Scalar::of(type, average_of(accumulator, partial, count, false))
              : Scalar::of(type, sum);
    });
    return column_of(type, results);
  }

  // The first of equal extremes is taken.
  Column extremes() {
    const int sign = call_.function == WindowFunction::maximum ? -1 : 1;
    std::vector<std::uint64_t> leaves(row_count(), no_row);
    for_positions([&](std::uint64_t i) {
      if (is_valid(i)) leaves[i] = i;
    });
    const auto better = [&](std::uint64_t a, std::uint64_t b) {
      if (a == no_row || b == no_row) return a == no_row ? b : a;
      const int order = expr::compare(scalar_at(input(), positions_.rows[a]),
                                      scalar_at(input(), positions_.rows[b]));
      return order * sign <= 0 ? a : b;
    };
    const RangeTree<std::uint64_t> tree(std::move(leaves), no_row, better);
    return taken([&](std::uint64_t i) { return tree.of(frames_.at(i)); });
  }

  // Gathers the value at a position, or NULL, or the call's default.
  template <class Position> Column taken(const Position& position_of) {
    std::vector<std::uint64_t> rows(row_count());
    for_positions([&](std::uint64_t i) {
      const std::uint64_t position = position_of(i), row = positions_.rows[i];
      rows[row] = position != no_row ? positions_.rows[position]
                  : call_.otherwise  ? row_count() + row
                                     : no_row;
    });
    if (!call_.otherwise) return gather_or_null(input(), std::move(rows));
    return gather_or_null(
        column::concatenate(input().type, std::array{input(), table_.columns[*call_.otherwise]}),
        std::move(rows));
  }

  // The positions of values that are not NULL.
  std::vector<std::uint64_t> present_positions() const {
    std::vector<std::uint64_t> positions;
    for (std::uint64_t i = 0; i < row_count(); i++)
      if (is_valid(i)) positions.push_back(i);
    return positions;
  }

  // Returns the position of a value of the frame, counted from one of its ends.
  std::uint64_t position_in(const Parts& parts, std::uint64_t number, bool from_first,
                            const std::vector<std::uint64_t>& known) const {
    for (std::size_t k = 0; k < parts.size(); k++) {
      const PositionRange part = parts[from_first ? k : parts.size() - 1 - k];
      PositionRange found = part;
      if (call_.ignores_nulls) {
        const auto place = [&](std::uint64_t position) {
          return static_cast<std::uint64_t>(std::ranges::lower_bound(known, position) -
                                            known.begin());
        };
        found = {place(part.first), place(std::max(part.first, part.end))};
      }
      if (number < found.size()) {
        const std::uint64_t at = from_first ? found.first + number : found.end - 1 - number;
        return call_.ignores_nulls ? known[at] : at;
      }
      number -= found.size();
    }
    return no_row;
  }

  Column values(std::uint64_t number, bool from_first) {
    const std::vector<std::uint64_t> known =
        call_.ignores_nulls ? present_positions() : std::vector<std::uint64_t>();
    return taken(
        [&](std::uint64_t i) { return position_in(frames_.at(i), number, from_first, known); });
  }

  // lag and lead count values that are not NULL. The row itself stands at distance 0.
  Column neighbours() {
    const std::vector<std::uint64_t> known = present_positions();
    const bool is_lead = call_.function == WindowFunction::lead;
    FrameEnds ends;
    const WindowFrames partitions(table_, positions_, order_, ends);
    return taken([&](std::uint64_t i) {
      if (call_.distance == 0) return i;
      const PositionRange all = partitions.at(i)[0];
      const PositionRange side =
          is_lead ? PositionRange{i + 1, all.end} : PositionRange{all.first, i};
      return position_in({side}, call_.distance - 1, is_lead, known);
    });
  }

  // Rows of one frame have one text of a dictionary.
  Result<Column> texts() {
    std::vector<std::string> texts;
    std::vector<std::int32_t> codes(row_count());
    std::vector<bool> valid(row_count());
    std::uint64_t bytes = 0;
    std::optional<PositionRange> last;
    for (std::uint64_t i = 0; i < row_count(); i++) {
      if (i % 64 == 0) check_cancelled();  // a frame's text may be long
      const Parts parts = frames_.at(i);
      const bool is_last = last && parts[1].size() + parts[2].size() == 0 &&
                           parts[0].first == last->first && parts[0].end == last->end;
      if (!is_last) {
        texts.push_back(text_of(parts));
        bytes += texts.back().size();
      }
      if (bytes > max_text_bytes)
        return Status(Code::capacity, "the texts of a window have more than 4 GiB");
      last = parts[0];
      codes[positions_.rows[i]] = static_cast<std::int32_t>(texts.size() - 1);
      valid[positions_.rows[i]] = present_in(parts) > 0;
    }
    Column column;
    column.type = {Kind::string};
    column.row_count = row_count();
    column.values = Bytes::own(std::move(codes));
    column::BitBuilder validity;
    for (const bool bit : valid) validity.push(bit);
    column.validity = validity.take();
    column.dictionary = std::make_shared<Column>(Column::from_strings(texts));
    return column;
  }

  std::string text_of(const Parts& parts) const {
    std::string text;
    for (const PositionRange& part : parts)
      for (std::uint64_t i = part.first; i < part.end; i++)
        if (is_valid(i)) text += input().string(positions_.rows[i]);
    return text;
  }

  const Table& table_;
  const HostWindow::Positions& positions_;
  const WindowCall& call_;
  const WindowFrames frames_;
  const std::vector<SortKey> order_;
  std::vector<std::uint32_t> present_;
};

}  // namespace

bool has_own_frame(const WindowCall& call) {
  return call.ends || call.ignores_nulls || call.function == WindowFunction::nth_value ||
         call.function == WindowFunction::concatenation;
}

Result<Column> framed_column(const Table& table, const HostWindow::Positions& positions,
                             const std::vector<SortKey>& order, const WindowCall& call, Type type) {
  if (table.row_count == 0) return column_of(type, {});
  return FramedColumn(table, positions, order, call).column(type);
}

}  // namespace penstock::plan
