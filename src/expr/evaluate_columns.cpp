#include "expr/evaluate_columns.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "expr/integers.hpp"
#include "expr/lanes.hpp"
#include "expr/operation.hpp"
#include "expr/result_column.hpp"
#include "expr/string_functions.hpp"
#include "expr/value.hpp"

namespace penstock::expr {
namespace {

// A function of lists takes microseconds for each row, or more.
constexpr std::size_t rows_of_functions_between_checks = 32;

// Computes the nodes of a batch of rows.
class Batch {
 public:
  Batch(const Graph& graph, std::span<const NodeId> roots, const Table& rows)
      : graph_(graph), rows_(rows), needed_(reachable(graph, roots)), lanes_(graph.size()) {}

  void compute(std::uint64_t first, std::size_t count) {
    for (NodeId id = 0; id < graph_.size(); id++) {
      if (!needed_[id]) continue;
      lanes_[id].begin(graph_.at(id).type, count);
      compute_node(id, first);
    }
  }
  const Lane& lane(NodeId id) const { return lanes_[id]; }

 private:
  const Lane& input(const Node& node, std::size_t i) const { return lanes_[node.inputs[i]]; }

  void compute_node(NodeId id, std::uint64_t first) {
    const Node& node = graph_.at(id);
    Lane& lane = lanes_[id];
    switch (node.op) {
      case Op::column: return load_lane(rows_.columns[node.payload], first, lane);
      case Op::parameter: return repeat(graph_.parameters[node.payload], lane);
      case Op::and_:
      case Op::or_: return connect(node, lane);
      case Op::is_null: return test_null(node, lane);
      case Op::select: return select(node, lane);
      case Op::coalesce: return coalesce(node, lane);
      case Op::least:
      case Op::greatest: return extreme(node, lane);
      default: return strict(node, lane);
    }
  }

  static void repeat(const Scalar& value, Lane& lane) {
    if (value.is_null) {
      std::ranges::fill(lane.states, LaneState::null);
      return;
    }
    std::ranges::fill(lane.integers, value.integer);
    std::ranges::fill(lane.reals, value.real);
    std::ranges::fill(lane.texts, value.text);
  }

  void connect(const Node& node, Lane& lane) const {
    const Lane &a = input(node, 0), &b = input(node, 1);
    const Int128 deciding = node.op == Op::or_ ? 1 : 0;
    for (std::size_t i = 0; i < lane.states.size(); i++) {
      const bool decides = (a.states[i] == LaneState::present && a.integers[i] == deciding) ||
                           (b.states[i] == LaneState::present && b.integers[i] == deciding);
      lane.integers[i] = decides ? deciding : 1 - deciding;
      if (!decides) lane.states[i] = std::max(a.states[i], b.states[i]);
    }
  }

  void test_null(const Node& node, Lane& lane) const {
    const Lane& a = input(node, 0);
    for (std::size_t i = 0; i < lane.states.size(); i++) {
      lane.integers[i] = a.states[i] == LaneState::null;
      if (a.states[i] == LaneState::fault) lane.states[i] = LaneState::fault;
    }
  }

  void select(const Node& node, Lane& lane) const {
    const Lane& condition = input(node, 0);
    for (std::size_t i = 0; i < lane.states.size(); i++) {
      if (condition.states[i] == LaneState::fault) {
        lane.states[i] = LaneState::fault;
        continue;
      }
      const bool is_true = condition.states[i] == LaneState::present && condition.integers[i] != 0;
      lane.copy(i, input(node, is_true ? 1 : 2));
    }
  }

  void coalesce(const Node& node, Lane& lane) const {
    for (std::size_t i = 0; i < lane.states.size(); i++) {
      std::size_t from = 0;
      while (from + 1 < node.inputs.size() && input(node, from).states[i] == LaneState::null)
        from++;
      lane.copy(i, input(node, from));
    }
  }

  void extreme(const Node& node, Lane& lane) const {
    for (std::size_t i = 0; i < lane.states.size(); i++) {
      const Lane* best = nullptr;
      for (std::size_t k = 0; k < node.inputs.size(); k++) {
        const Lane& next = input(node, k);
        if (next.states[i] == LaneState::null) continue;
        if (next.states[i] == LaneState::fault) {
          best = &next;
          break;
        }
        const int order = best ? compare(next.scalar(i), best->scalar(i)) : 0;
        if (!best || (node.op == Op::least ? order < 0 : order > 0)) best = &next;
      }
      lane.copy(i, best ? *best : input(node, 0));
    }
  }

  // A NULL input makes the result NULL, whatever the others are.
  void strict(const Node& node, Lane& lane) const {
    for (std::size_t k = 0; k < node.inputs.size(); k++) {
      const std::vector<LaneState>& states = input(node, k).states;
      for (std::size_t i = 0; i < states.size(); i++)
        if (states[i] == LaneState::null || lane.states[i] == LaneState::present)
          lane.states[i] = states[i];
    }
    if (!compute_numbers(node, lane) && !compute_texts(node, lane)) apply_each(node, lane);
  }

  bool compute_texts(const Node& node, Lane& lane) const {
    if (node.op != Op::custom || graph_.custom_functions[node.payload]->name != "concat")
      return false;
    concatenate(input(node, 0).texts, input(node, 1).texts, lane);
    return true;
  }

  // A text for each row took two allocations and three copies of each text.
  static void concatenate(const std::vector<std::string_view>& a,
                          const std::vector<std::string_view>& b, Lane& lane) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < lane.texts.size(); i++)
      if (lane.states[i] == LaneState::present) bytes += a[i].size() + b[i].size();
    lane.joined.clear();
    lane.joined.reserve(bytes);  // so that views of it stay
    for (std::size_t i = 0; i < lane.texts.size(); i++) {
      if (lane.states[i] != LaneState::present) continue;
      const std::size_t begin = lane.joined.size();
      lane.joined.append(a[i]).append(b[i]);
      lane.texts[i] = std::string_view(lane.joined).substr(begin);
    }
  }

  void apply_each(const Node& node, Lane& lane) const {
    std::vector<Scalar> values(node.inputs.size());
    for (std::size_t i = 0; i < lane.states.size(); i++) {
      if (lane.states[i] != LaneState::present) continue;
      if (i % rows_of_functions_between_checks == 0) check_cancelled();
      for (std::size_t k = 0; k < values.size(); k++) input(node, k).load(i, values[k]);
      EvaluatedScalar result = apply(graph_, node, values);
      if (result.fault == Code::ok)
        lane.set(i, std::move(result.value));
      else
        lane.states[i] = LaneState::fault;
    }
  }

  // Returns whether the operation is one of those with a loop.
  bool compute_numbers(const Node& node, Lane& lane) const {
    if (node.inputs.empty()) return false;
    const Lane& a = input(node, 0);
    const Lane& b = input(node, node.inputs.size() > 1 ? 1 : 0);
    if (is_comparison(node.op)) return compare_lanes(node.op, a, b, lane);
    if (node.op == Op::cast) return cast(a, lane);
    if (node.op == Op::not_) {
      for (std::size_t i = 0; i < lane.integers.size(); i++) lane.integers[i] = a.integers[i] == 0;
      return true;
    }
    if (node.type.kind == Kind::float64) return compute_reals(node, a, b, lane);
    const bool is_moment = node.type.kind == Kind::date32 || node.type.kind == Kind::timestamp ||
                           a.type.kind == Kind::date32;
    if (is_moment || lane.integers.empty() || a.integers.empty() || b.integers.empty())
      return false;
    switch (node.op) {
      case Op::add:
        return within_range(
            lane, [&](std::size_t i) { return bounded_sum(a.integers[i], b.integers[i]); });
      case Op::subtract:
        return within_range(
            lane, [&](std::size_t i) { return bounded_difference(a.integers[i], b.integers[i]); });
      case Op::multiply:
        return within_range(
            lane, [&](std::size_t i) { return bounded_product(a.integers[i], b.integers[i]); });
      case Op::high_half:
        return within_range(lane, [&](std::size_t i) { return a.integers[i] >> 64; });
      case Op::low_half:
        return within_range(
            lane, [&](std::size_t i) { return Int128{static_cast<std::uint64_t>(a.integers[i])}; });
      case Op::from_halves:
        return within_range(
            lane, [&](std::size_t i) { return joined_halves(a.integers[i], b.integers[i]); });
      case Op::negate:
        return within_range(lane,
                            [&](std::size_t i) { return bounded_difference(0, a.integers[i]); });
      default: return false;
    }
  }

  template <class F> static bool within_range(Lane& lane, F value_of) {
    const Range range = range_of(lane.type);
    for (std::size_t i = 0; i < lane.integers.size(); i++) {
      if (lane.states[i] != LaneState::present) continue;
      const Int128 value = value_of(i);
      if (value < range.minimum || value > range.maximum) lane.states[i] = LaneState::fault;
      lane.integers[i] = value;
    }
    return true;
  }

  static bool compute_reals(const Node& node, const Lane& a, const Lane& b, Lane& lane) {
    if (a.reals.empty() || b.reals.empty()) return false;
    const OperationRow& row = row_of(node.op);
    if (node.inputs.size() == 1 && row.of_float.of_f64) {
      for (std::size_t i = 0; i < lane.reals.size(); i++)
        if (lane.states[i] == LaneState::present) lane.reals[i] = row.of_float.of_f64(a.reals[i]);
      return true;
    }
    if (node.inputs.size() != 2 || !row.of_floats.of_f64) return false;
    for (std::size_t i = 0; i < lane.reals.size(); i++)
      if (lane.states[i] == LaneState::present)
        lane.reals[i] = row.of_floats.of_f64(a.reals[i], b.reals[i]);
    return true;
  }

  template <class F> static bool compare_by(Op op, Lane& lane, F order) {
    for (std::size_t i = 0; i < lane.integers.size(); i++)
      if (lane.states[i] == LaneState::present) lane.integers[i] = holds(op, order(i));
    return true;
  }

  static bool compare_lanes(Op op, const Lane& a, const Lane& b, Lane& lane) {
    const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
    if (!a.texts.empty() && !b.texts.empty())
      return compare_by(op, lane, [&](std::size_t i) { return order(a.texts[i], b.texts[i]); });
    if (!a.reals.empty() && !b.reals.empty())
      return compare_by(op, lane,
                        [&](std::size_t i) { return order_of_floats(a.reals[i], b.reals[i]); });
    if (a.integers.empty() || b.integers.empty()) return false;
    const int gain = scale_of(b.type) - scale_of(a.type);
    if (gain == 0)
      return compare_by(op, lane,
                        [&](std::size_t i) { return order(a.integers[i], b.integers[i]); });
    // A product that is bounded is beyond all values of the other side.
    const Int128 of_a = power_of_ten(std::max(gain, 0)), of_b = power_of_ten(std::max(-gain, 0));
    return compare_by(op, lane, [&](std::size_t i) {
      return order(bounded_product(a.integers[i], of_a), bounded_product(b.integers[i], of_b));
    });
  }

  static bool cast(const Lane& from, Lane& lane) {
    if (from.type.kind == Kind::date32 || from.type.kind == Kind::timestamp) return false;
    if (lane.type.kind == Kind::float64 && !from.integers.empty()) return cast_to_real(from, lane);
    if (from.integers.empty() || lane.integers.empty() || lane.type.kind == Kind::boolean)
      return false;
    const int gain = scale_of(lane.type) - scale_of(from.type);
    if (gain < 0) return false;
    const Int128 power = power_of_ten(gain);
    return within_range(lane, [&](std::size_t i) {
      return gain == 0 ? from.integers[i] : bounded_product(from.integers[i], power);
    });
  }

  static bool cast_to_real(const Lane& from, Lane& lane) {
    const double power = static_cast<double>(power_of_ten(scale_of(from.type)));
    constexpr int exact_powers = 22;
    const Int128 exact = Int128{1} << 53;
    const bool is_decimal = from.type.kind == Kind::decimal;
    for (std::size_t i = 0; i < lane.reals.size(); i++) {
      if (lane.states[i] != LaneState::present) continue;
      const Int128 count = from.integers[i];
      const bool divides_once =
          scale_of(from.type) <= exact_powers && count <= exact && count >= -exact;
      lane.reals[i] = !is_decimal    ? static_cast<double>(count)
                      : divides_once ? static_cast<double>(count) / power
                                     : cast_value(from.scalar(i), lane.type).value.real;
    }
    return true;
  }

  const Graph& graph_;
  const Table& rows_;
  const std::vector<bool> needed_;
  std::vector<Lane> lanes_;
};

bool calls_users_functions(const Graph& graph) {
  return !std::ranges::all_of(graph.custom_functions,
                              [](const auto& function) { return is_string_function(*function); });
}

void keep_least(std::atomic<std::uint64_t>& least, std::uint64_t value) {
  for (std::uint64_t known = least; value < known && !least.compare_exchange_weak(known, value);) {}
}

Status fault_of_row(const Graph& graph, std::span<const NodeId> roots, const Table& rows,
                    std::uint64_t row) {
  std::vector<Scalar> values(rows.columns.size());
  for (const std::uint32_t column : columns_read(graph, roots))
    values[column] = scalar_at(rows.columns[column], row);
  for (const Evaluated& result : evaluate(graph, roots, values))
    if (result.fault != Code::ok)
      return fault_status(graph, result.fault_node, result.fault, rows.schema());
  return Status(Code::internal, "a fault that is not found again");
}

}  // namespace

Result<std::vector<Column>> evaluate_columns(const Graph& graph, std::span<const NodeId> roots,
                                             const Table& rows) {
  std::deque<ResultColumn> results;
  for (const NodeId root : roots) results.emplace_back(graph.at(root).type, rows.row_count);
  std::atomic<std::uint64_t> first_fault{rows.row_count};
  const std::uint64_t batches = (rows.row_count + batch_rows - 1) / batch_rows;
  // A user's function is called by one thread.
  const std::uint64_t min_batches =
      calls_users_functions(graph) ? std::max<std::uint64_t>(batches, 1) : 4;
  in_parallel(batches, min_batches, [&](std::uint64_t begin, std::uint64_t end) {
    Batch batch(graph, roots, rows);
    for (std::uint64_t number = begin; number < end; number++) {
      check_cancelled();
      const std::uint64_t first = number * batch_rows;
      const auto count = static_cast<std::size_t>(std::min(batch_rows, rows.row_count - first));
      batch.compute(first, count);
      for (std::size_t i = 0; i < roots.size(); i++) {
        const Lane& lane = batch.lane(roots[i]);
        const auto fault = std::ranges::find(lane.states, LaneState::fault);
        if (fault != lane.states.end())
          keep_least(first_fault, first + static_cast<std::uint64_t>(fault - lane.states.begin()));
        results[i].write(lane, first);
      }
    }
  });
  if (first_fault < rows.row_count) return fault_of_row(graph, roots, rows, first_fault);
  std::vector<Column> columns;
  for (ResultColumn& result : results) columns.push_back(result.finish());
  return columns;
}

}  // namespace penstock::expr
