#include "relation/statistics/statistics.hpp"

#include <algorithm>

namespace penstock::relation {

Status Statistics::add(const StatisticCall& call) {
  switch (call.function) {
    case Statistic::quantile: return add_quantile(call);
    case Statistic::discrete_quantile: return add_discrete_quantile(call);
    case Statistic::mode: return add_mode(call);
    case Statistic::first: return add_first(call);
    case Statistic::concatenation: return add_concatenation(call);
    case Statistic::list: return add_list(call);
    case Statistic::absolute_deviation: return add_absolute_deviation(call);
    case Statistic::entropy: return add_entropy(call);
    case Statistic::reduction: return add_reduction(call);
    default: break;
  }
  return call.function < Statistic::population_covariance ? add_moment(call) : add_pair(call);
}

Result<RelationId> Statistics::finish_rows() {
  if (!products_.empty()) { PENSTOCK_ASSIGN(rows_, with_means()); }
  return rows_;
}

Result<NodeId> Statistics::value(std::size_t statistic, Builder& groups,
                                 std::uint32_t first) const {
  const Added& added = added_[statistic];
  return added.value(groups, first + added.first_call);
}

ColumnList Statistics::partition(const Counted& counted, const ColumnList& more) const {
  ColumnList columns = keys_;
  if (counted) columns.push_back(*counted);
  return both(std::move(columns), more);
}

Result<std::uint32_t> Statistics::windowed(Window window) {
  const std::uint32_t first = width();
  PENSTOCK_ASSIGN(rows_, relations_.window(rows_, std::move(window)));
  return first;
}

// The rows that count have these values, and pass the call's condition. The first row of each
// distinct value counts.
Result<Statistics::Counted> Statistics::counted(const StatisticCall& call,
                                                const ColumnList& present) {
  const CountedKey key{present, call.condition ? std::int64_t{*call.condition} : -1, call.distinct};
  if (const auto known = counted_.find(key); known != counted_.end()) return known->second;
  Counted result = call.condition;
  const bool has_nulls =
      std::ranges::any_of(present, [&](std::uint32_t column) { return schema()[column].nullable; });
  if (has_nulls || call.condition) {
    const auto counts = [&](Builder& rows) -> Result<NodeId> {
      NodeId all = rows.literal(Scalar::of(true));
      if (call.condition) {
        PENSTOCK_ASSIGN(all, rows.variadic(Op::coalesce, {rows.column(*call.condition),
                                                          rows.literal(Scalar::of(false))}));
      }
      for (const std::uint32_t column : present) {
        PENSTOCK_ASSIGN(const NodeId is_null, rows.unary(Op::is_null, rows.column(column)));
        PENSTOCK_ASSIGN(const NodeId is_there, rows.unary(Op::not_, is_null));
        PENSTOCK_ASSIGN(all, rows.binary(Op::and_, all, is_there));
      }
      return all;
    };
    PENSTOCK_ASSIGN(result, computed(counts));
  }
  if (call.distinct) {
    Window window;
    window.partition = partition(result, call.arguments);
    window.calls.push_back({WindowFunction::row_number, 0, WindowFrame::rows, 1, "number"});
    PENSTOCK_ASSIGN(const std::uint32_t number, windowed(std::move(window)));
    const auto counts = [&](Builder& rows) -> Result<NodeId> {
      PENSTOCK_ASSIGN(
          const NodeId is_first,
          rows.binary(Op::equal, rows.column(number), rows.literal(Scalar::of(std::int64_t{1}))));
      return result ? rows.binary(Op::and_, rows.column(*result), is_first)
                    : Result<NodeId>(is_first);
    };
    PENSTOCK_ASSIGN(result, computed(counts));
  }
  counted_[key] = result;
  return result;
}

Result<Statistics::Ranked> Statistics::ranked(const Counted& counted,
                                              const std::vector<SortKey>& order) {
  for (const KnownRanks& known : ranks_)
    if (known.counted == counted && known.order == order) return known.ranked;
  Window window;
  window.partition = partition(counted);
  window.order = order;
  window.calls = {{WindowFunction::row_number, 0, WindowFrame::rows, 1, "number"},
                  {WindowFunction::count_rows, 0, WindowFrame::partition, 1, "count"}};
  PENSTOCK_ASSIGN(const std::uint32_t first, windowed(std::move(window)));
  ranks_.push_back({counted, order, {first, first + 1}});
  return ranks_.back().ranked;
}

Result<std::uint32_t> Statistics::picked(const Counted& counted, std::uint32_t column) {
  if (!counted) return column;
  return picked(counted, column,
                [&](Builder& rows) -> Result<NodeId> { return rows.column(*counted); });
}

}  // namespace penstock::relation
