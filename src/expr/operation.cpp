#include "expr/operation.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace penstock {
bool can_fault(const Graph& graph, NodeId node) { return expr::faultable(graph, node)[node]; }

namespace expr {

bool can_fault_itself(Op op) {
  switch (row_of(op).kind) {
    case OperationKind::arithmetic:
    case OperationKind::sign:
    case OperationKind::bits:
    case OperationKind::shift:
    case OperationKind::complement:
    case OperationKind::cast:
    case OperationKind::function:
    case OperationKind::rounding:
    case OperationKind::power:
    case OperationKind::date_part:
    case OperationKind::date_start:
    case OperationKind::epoch:
    case OperationKind::requirement:
    case OperationKind::half:
    case OperationKind::custom: return true;
    case OperationKind::comparison:
    case OperationKind::connective:
    case OperationKind::negation:
    case OperationKind::null_test:
    case OperationKind::selection:
    case OperationKind::list:
    case OperationKind::leaf: break;
  }
  return false;
}

std::int64_t first_with_start(Op op) {
  static const auto firsts = [] {
    std::array<std::int64_t, static_cast<std::size_t>(Op::custom)> all{};
    for (std::size_t i = 0; i < all.size(); i++) {
      if (!is_date_start(static_cast<Op>(i))) continue;
      const auto start = row_of(static_cast<Op>(i)).of_date;
      std::int64_t days = min_timestamp_days;
      while (start && start(days, 0) < min_timestamp_days) days++;
      all[i] = days * microseconds_per_day;
    }
    return all;
  }();
  return firsts[static_cast<std::size_t>(op)];
}

Range stored_range(Type type) {
  if (type.kind == Kind::boolean) return {0, 1};
  const auto ones = ~static_cast<unsigned __int128>(0) >> (128 - 8 * width_bytes(type));
  if (is_integer(type) && !is_signed(type)) return {0, static_cast<Int128>(ones)};
  const auto maximum = static_cast<Int128>(ones >> 1);
  return {-maximum - 1, maximum};
}

Range range_of(Type type) {
  switch (type.kind) {
    case Kind::boolean:
    case Kind::timestamp:
    case Kind::int8:
    case Kind::int16:
    case Kind::int32:
    case Kind::int64:
    case Kind::uint8:
    case Kind::uint16:
    case Kind::uint32:
    case Kind::uint64: return stored_range(type);
    case Kind::date32: return {-max_date_days, max_date_days};
    case Kind::decimal: {
      const Int128 limit = power_of_ten(type.precision) - 1;
      return {-limit, limit};
    }
    case Kind::int128: {  // its ends stand for what 128 bits do not hold
      const Range stored = stored_range(type);
      return {stored.minimum + 1, stored.maximum - 1};
    }
    case Kind::float32:
    case Kind::float64:
    case Kind::string: break;  // not asked
  }
  return stored_range({Kind::int64});
}

bool cast_can_fault(Type from, Type to) {
  if (is_float(to)) return from.kind == Kind::float64 && to.kind == Kind::float32;
  if (to.kind == Kind::boolean || from.kind == Kind::timestamp) return false;
  if (is_float(from)) return true;
  if (from.kind == Kind::date32) return to.kind == Kind::timestamp;
  if (to.kind == Kind::decimal || from.kind == Kind::decimal) {
    // Digits before the point, and one more where rounding can carry (9.9 -> 10).
    const Range source = range_of(from), target = range_of(to);
    const int drop = from.kind == Kind::decimal ? from.scale : 0,
              gain = to.kind == Kind::decimal ? to.scale : 0;
    if (gain >= drop) {
      const Int128 power = power_of_ten(gain - drop);
      return source.maximum > target.maximum / power || source.minimum < target.minimum / power;
    }
    const Int128 unit = power_of_ten(drop - gain);
    return (source.maximum + unit / 2) / unit > target.maximum ||
           (source.minimum - unit / 2) / unit < target.minimum;
  }
  return range_of(from).minimum < range_of(to).minimum ||
         range_of(from).maximum > range_of(to).maximum;
}

OwnFaults own_faults(const Graph& graph, const Node& node) {
  const auto input = [&](std::size_t i) { return graph.at(node.inputs[i]).type; };
  switch (node.op) {
    case Op::add:
    case Op::subtract:
      if (node.type.kind == Kind::decimal)
        return {false, node.type.precision <= std::max(input(0).precision, input(1).precision)};
      if (node.type.kind == Kind::date32) return {false, true};
      return {false, is_whole(node.type) && input(0).kind != Kind::date32};
    case Op::multiply:
      if (node.type.kind == Kind::decimal)
        return {false, input(0).precision + input(1).precision > node.type.precision};
      return {false, is_whole(node.type)};
    case Op::integer_divide: return {true, is_signed(node.type)};
    case Op::modulo: return {!is_float(node.type), is_whole(node.type) && is_signed(node.type)};
    case Op::negate: return {false, is_whole(node.type)};
    case Op::absolute: return {false, is_whole(node.type) && is_signed(node.type)};
    case Op::from_halves: return {false, true};
    case Op::shift_left: return {false, true};
    case Op::cast: return {false, cast_can_fault(input(0), node.type)};
    case Op::require: return {true, false};
    // An infinite date has no parts.
    default:
      return {false,
              is_date_part(node.op) || is_date_start(node.op) || node.op == Op::epoch_microseconds};
  }
}

std::vector<bool> faultable(const Graph& graph, NodeId last) {
  std::vector<bool> result(last + 1);
  for (NodeId id = 0; id <= last; id++) {
    const Node& node = graph.at(id);
    const OwnFaults own = own_faults(graph, node);
    result[id] = own.invalid || own.overflow ||
                 std::any_of(node.inputs.begin(), node.inputs.end(),
                             [&](NodeId input) { return result[input]; });
  }
  return result;
}

std::vector<bool> reachable(const Graph& graph, std::span<const NodeId> roots) {
  std::vector<bool> result(graph.size());
  for (NodeId root : roots) result[root] = true;
  for (std::size_t id = graph.size(); id-- > 0;)  // inputs stand before their node
    if (result[id])
      for (NodeId input : graph.at(static_cast<NodeId>(id)).inputs) result[input] = true;
  return result;
}

std::vector<std::uint32_t> columns_read(const Graph& graph, std::span<const NodeId> roots) {
  const std::vector<bool> needed = reachable(graph, roots);
  std::set<std::uint32_t> columns;
  for (NodeId id = 0; id < graph.size(); id++)
    if (needed[id] && graph.at(id).op == Op::column) columns.insert(graph.at(id).payload);
  return {columns.begin(), columns.end()};
}

}  // namespace expr
}  // namespace penstock
