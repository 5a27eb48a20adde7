#include "exec/window/window_on_host.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/parallel.hpp"
#include "column/bits.hpp"
#include "column/concatenate.hpp"
#include "exec/window/framed_column.hpp"
#include "fuse/program/accumulators.hpp"
#include "table/rows/gather.hpp"
#include "table/rows/scan_rows.hpp"

namespace penstock::plan {
namespace {

using Positions = HostWindow::Positions;

bool ends_with_peers(const WindowCall& call) {
  const bool has_frame =
      call.function > WindowFunction::dense_rank && call.function < WindowFunction::lag;
  return has_frame && call.frame == WindowFrame::peers;
}
bool ends_with_partition(const WindowCall& call) {
  return call.frame == WindowFrame::partition || call.function == WindowFunction::lead;
}

bool same(std::span<const NormalizedKey> words, std::uint64_t a, std::uint64_t b) {
  for (const NormalizedKey& word : words)
    if (word.values[a] != word.values[b]) return false;
  return true;
}

// Returns whether one row has -0.0 and the other 0.0, which have equal words.
bool is_lower_zero(const Column& column, std::uint64_t lower, std::uint64_t upper) {
  if (!is_float(column.type)) return false;
  const double low = scalar_at(column, lower).real, high = scalar_at(column, upper).real;
  return low == 0 && high == 0 && std::signbit(low) && !std::signbit(high);
}

std::vector<std::uint32_t> ends_of(const std::vector<std::uint8_t>& begins) {
  std::vector<std::uint32_t> ends(begins.size());
  std::uint64_t end = begins.size() - 1;
  for (std::uint64_t i = begins.size(); i-- > 0;) {
    ends[i] = static_cast<std::uint32_t>(end);
    if (begins[i] != 0) end = i - 1;
  }
  return ends;
}

Positions find_positions(std::vector<std::uint64_t> rows, const OrderKeys& order,
                         const std::vector<WindowCall>& calls) {
  const std::uint64_t row_count = rows.size();
  Positions positions;
  positions.rows = std::move(rows);
  positions.partitions.resize(row_count, 1);
  positions.peers.resize(row_count, 1);
  const std::span<const NormalizedKey> all(order.words),
      of_partition = all.first(order.of_partition), of_order = all.subspan(order.of_partition);
  in_parallel(row_count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = std::max<std::uint64_t>(first, 1); i < last; i++) {
      positions.partitions[i] = !same(of_partition, positions.rows[i - 1], positions.rows[i]);
      positions.peers[i] =
          positions.partitions[i] != 0 || !same(of_order, positions.rows[i - 1], positions.rows[i]);
    }
  });
  positions.firsts.resize(row_count);
  for (std::uint64_t i = 1; i < row_count; i++)
    positions.firsts[i] =
        positions.partitions[i] != 0 ? static_cast<std::uint32_t>(i) : positions.firsts[i - 1];
  if (std::any_of(calls.begin(), calls.end(), ends_with_peers))
    positions.peer_ends = ends_of(positions.peers);
  if (std::any_of(calls.begin(), calls.end(), ends_with_partition))
    positions.partition_ends = ends_of(positions.partitions);
  return positions;
}

class WindowColumns {
 public:
  WindowColumns(const Table& table, const Positions& positions)
      : table_(table), positions_(positions) {}

  Result<Column> column(const WindowCall& call, Type type) const {
    switch (call.function) {
      case WindowFunction::row_number:
        return numbers([&](std::uint64_t i) { return i - positions_.firsts[i] + 1; });
      case WindowFunction::rank: return ranks();
      case WindowFunction::dense_rank: return dense_ranks();
      case WindowFunction::count_rows:
        return numbers([&](std::uint64_t i) { return end(call, i) - positions_.firsts[i] + 1; });
      case WindowFunction::count: return counts(call);
      case WindowFunction::sum:
      case WindowFunction::average: return sums(call, type);
      case WindowFunction::minimum:
      case WindowFunction::maximum: return extremes(call);
      case WindowFunction::first_value:
        return taken(call, [&](std::uint64_t i) { return positions_.firsts[i]; });
      case WindowFunction::last_value:
        return taken(call, [&](std::uint64_t i) { return end(call, i); });
      case WindowFunction::lag:
        return taken(call, [&](std::uint64_t i) {
          return i - positions_.firsts[i] >= call.distance ? i - call.distance : no_row;
        });
      case WindowFunction::lead:
        return taken(call, [&](std::uint64_t i) {
          return positions_.partition_ends[i] - i >= call.distance ? i + call.distance : no_row;
        });
      case WindowFunction::nth_value:
      case WindowFunction::concatenation: break;  // framed_column() has them
    }
    return Status(Code::internal, "an unknown window function");
  }

 private:
  std::uint64_t row_count() const { return table_.row_count; }

  std::uint64_t end(const WindowCall& call, std::uint64_t i) const {
    switch (call.frame) {
      case WindowFrame::rows: return i;
      case WindowFrame::partition: return positions_.partition_ends[i];
      case WindowFrame::peers: break;
    }
    return positions_.peer_ends[i];
  }

  // Calls write(position, row) for every position, in threads.
  template <class Write> void for_each_position(const Write& write) const {
    for_rows(row_count(), [&](std::uint64_t i) { write(i, positions_.rows[i]); });
  }

  template <class Value> Column numbers(const Value& value) const {
    LargeVector<std::int64_t> values(row_count());
    for_each_position([&](std::uint64_t i, std::uint64_t row) {
      values[row] = static_cast<std::int64_t>(value(i));
    });
    Column column;
    column.type = {Kind::int64};
    column.row_count = row_count();
    column.values = Bytes::own(std::move(values));
    return column;
  }

  Column ranks() const {
    std::vector<std::uint32_t> begins(row_count());  // of peers
    for (std::uint64_t i = 1; i < row_count(); i++)
      begins[i] = positions_.peers[i] != 0 ? static_cast<std::uint32_t>(i) : begins[i - 1];
    return numbers([&](std::uint64_t i) { return begins[i] - positions_.firsts[i] + 1; });
  }

  Column dense_ranks() const {
    std::vector<std::int64_t> counts(positions_.peers.begin(), positions_.peers.end());
    static_cast<void>(
        running_sums<std::int64_t>(counts, positions_.partitions));  // no more than there are rows
    return numbers([&](std::uint64_t i) { return counts[i]; });
  }

  // Counts of values that are not NULL from the beginning of the partition to a position.
  class Present {
   public:
    Present(const WindowColumns& columns, const Column& column) : positions_(columns.positions_) {
      if (column.validity.empty()) return;
      counts_.resize(column.row_count);
      columns.for_each_position(
          [&](std::uint64_t i, std::uint64_t row) { counts_[i] = column.is_valid(row); });
      static_cast<void>(running_sums<std::int64_t>(counts_, positions_.partitions));
    }
    std::uint64_t at(std::uint64_t i) const {
      return counts_.empty() ? i - positions_.firsts[i] + 1
                             : static_cast<std::uint64_t>(counts_[i]);
    }

   private:
    const Positions& positions_;
    LargeVector<std::int64_t> counts_;  // none where every value is present
  };

  Column counts(const WindowCall& call) const {
    const Present present(*this, table_.columns[call.column]);
    return numbers([&](std::uint64_t i) { return present.at(end(call, i)); });
  }

  Result<Column> sums(const WindowCall& call, Type type) const {
    const Column& column = table_.columns[call.column];
    switch (column.type.kind) {
      case Kind::float32:
        return sum<double>(
            call, type, [&](std::uint64_t row) { return double{column.values.as<float>()[row]}; });
      case Kind::float64:
        return sum<double>(call, type,
                           [&](std::uint64_t row) { return column.values.as<double>()[row]; });
      case Kind::boolean:
        return sum<Int128>(call, type,
                           [&](std::uint64_t row) { return Int128{column.boolean(row)}; });
      case Kind::int8: return integers<std::int8_t>(call, type);
      case Kind::uint8: return integers<std::uint8_t>(call, type);
      case Kind::int16: return integers<std::int16_t>(call, type);
      case Kind::uint16: return integers<std::uint16_t>(call, type);
      case Kind::int32:
      case Kind::date32: return integers<std::int32_t>(call, type);
      case Kind::uint32: return integers<std::uint32_t>(call, type);
      case Kind::uint64: return integers<std::uint64_t>(call, type);
      case Kind::int128: return integers<Int128>(call, type);
      case Kind::decimal:
        if (width_bytes(column.type) == 16) return integers<Int128>(call, type);
        break;
      case Kind::int64:
      case Kind::timestamp:
      case Kind::string: break;
    }
    return integers<std::int64_t>(call, type);
  }

  template <class T> Result<Column> integers(const WindowCall& call, Type type) const {
    const std::byte* values = table_.columns[call.column].values.data;
    const auto value_at = [values](std::uint64_t row) {
      T value;  // 16 bytes may lie on 8
      std::memcpy(&value, values + row * sizeof(T), sizeof(T));
      return value;
    };
    // Most sums fit 64 bits, which are half as much to move.
    if constexpr (sizeof(T) <= 8 && !std::is_same_v<T, std::uint64_t>) {
      Result<Column> narrow = sum<std::int64_t>(call, type, value_at);
      if (narrow.ok() || narrow.status().code() != Code::overflow) return narrow;
    }
    return sum<Int128>(call, type, value_at);
  }

  template <class Sum, class Value>
  Result<Column> sum(const WindowCall& call, Type type, const Value& value) const {
    const Column& column = table_.columns[call.column];
    LargeVector<Sum> values(row_count());
    for_each_position([&](std::uint64_t i, std::uint64_t row) {
      values[i] = column.is_valid(row) ? static_cast<Sum>(value(row)) : Sum{0};
    });
    return running<Sum>(call, type, std::move(values));
  }

  // Adds up values by position, 0 for NULL. Reading them is a function of its own, compiled once
  // for every type of column.
  template <class Sum>
  Result<Column> running(const WindowCall& call, Type type, LargeVector<Sum> sums) const {
    const Column& column = table_.columns[call.column];
    if (!running_sums<Sum>(sums, positions_.partitions)) return sum_too_large();
    const Present present(*this, column);
    if (call.function == WindowFunction::sum) {
      using Shown = std::conditional_t<std::is_same_v<Sum, double>, double, Int128>;
      return results<Shown>(call, type, present, [&](std::uint64_t at) { return Shown{sums[at]}; });
    }
    const Accumulator accumulator{sum_kind(column.type), 0, column.type, nullptr, 0};
    return results<double>(call, type, present, [&](std::uint64_t at) {
      Partial partial;
      if constexpr (std::is_same_v<Sum, double>)
        partial = std::bit_cast<std::uint64_t>(sums[at]);
      else
        partial = sums[at];
      return average_of(accumulator, partial, present.at(at), false);
    });
  }

  // NULL where a frame has no value.
  template <class T, class Value>
  Column results(const WindowCall& call, Type type, const Present& present,
                 const Value& value) const {
    LargeVector<T> values(row_count());
    LargeVector<std::uint8_t> valid(row_count());
    for_each_position([&](std::uint64_t i, std::uint64_t row) {
      const std::uint64_t at = end(call, i);
      valid[row] = present.at(at) > 0;
      values[row] = valid[row] != 0 ? value(at) : T{};
    });
    Column column;
    column.type = type;
    column.row_count = row_count();
    column.values = Bytes::own(std::move(values));
    column.validity =
        column::make_bits(row_count(), [&](std::uint64_t row) { return valid[row] != 0; });
    return column;
  }

  // Finds the position of the least or greatest value so far, the first of equal ones. -0.0 is
  // below 0.0.
  Column extremes(const WindowCall& call) const {
    const Column& column = table_.columns[call.column];
    const bool of_maximum = call.function == WindowFunction::maximum;
    const std::vector<NormalizedKey> words =
        normalized_keys(table_, {{call.column, of_maximum, false}});
    const auto is_before = [&](std::uint64_t a, std::uint64_t b) {
      for (const NormalizedKey& word : words)
        if (word.values[a] != word.values[b]) return word.values[a] < word.values[b];
      return of_maximum ? is_lower_zero(column, b, a) : is_lower_zero(column, a, b);
    };
    std::vector<std::uint64_t> best(row_count());
    for_wanted_rows(0, row_count(), [&](std::uint64_t i) {
      best[i] = i == 0 || positions_.partitions[i] != 0 ? no_row : best[i - 1];
      const std::uint64_t row = positions_.rows[i];
      if (column.is_valid(row) && (best[i] == no_row || is_before(row, positions_.rows[best[i]])))
        best[i] = i;
    });
    return taken(call, [&](std::uint64_t i) { return best[end(call, i)]; });
  }

  // Gathers the value of the row at a position, if there is one; otherwise the call's default of
  // the row itself.
  template <class Position>
  Column taken(const WindowCall& call, const Position& position_of) const {
    std::vector<std::uint64_t> rows(row_count());
    for_each_position([&](std::uint64_t i, std::uint64_t row) {
      const std::uint64_t position = position_of(i);
      rows[row] = position != no_row ? positions_.rows[position]
                  : call.otherwise   ? row_count() + row
                                     : no_row;
    });
    const Column& column = table_.columns[call.column];
    if (!call.otherwise) return gather_or_null(column, std::move(rows));
    return gather_or_null(
        column::concatenate(column.type, std::array{column, table_.columns[*call.otherwise]}),
        std::move(rows));
  }

  const Table& table_;
  const Positions& positions_;
};

}  // namespace

OrderKeys words_of(const Table& table, const Window& window) {
  std::vector<SortKey> partition;
  for (const std::uint32_t column : window.partition) partition.push_back({column, false, false});
  OrderKeys found{normalized_keys(table, partition), 0, window.order};
  found.of_partition = found.words.size();
  std::vector<NormalizedKey> of_order = normalized_keys(table, window.order);
  std::move(of_order.begin(), of_order.end(), std::back_inserter(found.words));
  return found;
}

HostWindow::HostWindow(const Table& table, std::vector<std::uint64_t> rows, const OrderKeys& order,
                       const std::vector<WindowCall>& calls)
    : table_(table),
      positions_(find_positions(std::move(rows), order, calls)),
      order_(order.order) {}

Result<Column> HostWindow::column(const WindowCall& call, Type type) const {
  if (has_own_frame(call)) return framed_column(table_, positions_, order_, call, type);
  return WindowColumns(table_, positions_).column(call, type);
}

}  // namespace penstock::plan
