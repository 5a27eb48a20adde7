// Both sides are sorted together by keys and the compared column. A running maximum of the right
// rows' numbers then stands in each left row: it is the last right row before it.
#include "relation/as_of_join.hpp"

#include <utility>

#include "relation/shape.hpp"

namespace penstock::relation {
namespace {

class AsOf {
 public:
  AsOf(RelationGraph& relations, const AsOfJoin& join, RelationId left, RelationId right)
      : relations_(relations), join_(join), left_(left), right_(right) {}

  Result<RelationId> joined() {
    if (join_.type != JoinType::inner && join_.type != JoinType::left)
      return Status(Code::unsupported, "an ASOF join other than INNER and LEFT");
    PENSTOCK_ASSIGN(const RelationId numbered, numbered_right());
    PENSTOCK_ASSIGN(const RelationId left_rows, of_left());
    PENSTOCK_ASSIGN(const RelationId right_rows, of_right(numbered));
    PENSTOCK_ASSIGN(const RelationId both_sides, relations_.append({left_rows, right_rows}));
    PENSTOCK_ASSIGN(const RelationId placed, relations_.window(both_sides, running_maximum()));
    PENSTOCK_ASSIGN(const RelationId with_partner, left_alone(placed));
    const std::uint32_t partner = width(with_partner) - 1, number = width(numbered) - 1;
    PENSTOCK_ASSIGN(const RelationId pairs,
                    relations_.join(with_partner, numbered, {join_.type, {{partner, number}}}));
    return columns_of(
        pairs, both(columns_from(0, width(left_)), columns_from(partner + 1, width(right_))));
  }

 private:
  const Schema& schema(RelationId id) const { return relations_.at(id).schema; }
  std::uint32_t width(RelationId id) const { return static_cast<std::uint32_t>(schema(id).size()); }
  bool looks_back() const {
    return join_.comparison == Op::greater_equal || join_.comparison == Op::greater;
  }
  // A right row of an equal value is a partner only if it comes before the left row.
  std::int8_t side_of_left() const {
    return join_.comparison == Op::greater_equal || join_.comparison == Op::less_equal ? 1 : 0;
  }
  // Columns behind the left ones where both sides stand: the keys, the value, the side, the number.
  std::uint32_t first_key() const { return width(left_); }
  std::uint32_t value() const {
    return first_key() + static_cast<std::uint32_t>(join_.keys.size());
  }
  std::uint32_t side() const { return value() + 1; }
  std::uint32_t number() const { return value() + 2; }

  Result<RelationId> columns_of(RelationId input, const ColumnList& columns) {
    Builder rows(schema(input));
    std::vector<Projection> kept;
    for (const std::uint32_t column : columns)
      kept.push_back({rows.schema()[column].name, rows.column(column)});
    return relations_.project(input, rows.graph(), std::move(kept));
  }

  // Right rows that may be a partner, with their numbers in the order of the value.
  Result<RelationId> numbered_right() {
    Builder rows(schema(right_));
    PENSTOCK_ASSIGN(NodeId is_none, rows.unary(Op::is_null, rows.column(join_.right)));
    for (const RelationKey& key : join_.keys) {
      if (key.null_is_equal) continue;
      PENSTOCK_ASSIGN(const NodeId has_none, rows.unary(Op::is_null, rows.column(key.right)));
      PENSTOCK_ASSIGN(is_none, rows.binary(Op::or_, is_none, has_none));
    }
    PENSTOCK_ASSIGN(const NodeId can_match, rows.unary(Op::not_, is_none));
    PENSTOCK_ASSIGN(const RelationId kept, relations_.filter(right_, rows.graph(), can_match));
    Window window;
    window.order = {{join_.right, !looks_back()}};
    window.calls.push_back({WindowFunction::row_number, 0, WindowFrame::rows, 1, "number"});
    return relations_.window(kept, std::move(window));
  }

  Result<RelationId> of_left() {
    Builder rows(schema(left_));
    std::vector<Projection> columns;
    for (std::uint32_t i = 0; i < width(left_); i++)
      columns.push_back({rows.schema()[i].name, rows.column(i)});
    for (const RelationKey& key : join_.keys) columns.push_back({"key", rows.column(key.left)});
    columns.push_back({"value", rows.column(join_.left)});
    columns.push_back({"side", rows.literal(Scalar::of(side_of_left()))});
    columns.push_back({"number", rows.literal(Scalar::null_of({Kind::int64}))});
    return relations_.project(left_, rows.graph(), std::move(columns));
  }

  Result<RelationId> of_right(RelationId numbered) {
    Builder rows(schema(numbered));
    std::vector<Projection> columns;
    for (const Field& field : schema(left_))
      columns.push_back({field.name, rows.literal(Scalar::null_of(field.type))});
    for (const RelationKey& key : join_.keys) columns.push_back({"key", rows.column(key.right)});
    columns.push_back({"value", rows.column(join_.right)});
    const auto side = static_cast<std::int8_t>(1 - side_of_left());
    columns.push_back({"side", rows.literal(Scalar::of(side))});
    columns.push_back({"number", rows.column(width(numbered) - 1)});
    return relations_.project(numbered, rows.graph(), std::move(columns));
  }

  // A left row whose value is NULL comes first and so has no partner.
  Window running_maximum() const {
    Window window;
    for (std::uint32_t i = first_key(); i < value(); i++) window.partition.push_back(i);
    window.order = {{value(), !looks_back(), true}, {side()}};
    window.calls.push_back({WindowFunction::maximum, number(), WindowFrame::rows, 1, "partner"});
    return window;
  }

  Result<RelationId> left_alone(RelationId placed) {
    Builder rows(schema(placed));
    PENSTOCK_ASSIGN(const NodeId is_left, rows.binary(Op::equal, rows.column(side()),
                                                      rows.literal(Scalar::of(side_of_left()))));
    PENSTOCK_ASSIGN(const RelationId kept, relations_.filter(placed, rows.graph(), is_left));
    return columns_of(kept, both(columns_from(0, width(left_)), {number() + 1}));
  }

  RelationGraph& relations_;
  const AsOfJoin& join_;
  const RelationId left_, right_;
};

}  // namespace

Result<RelationId> as_of_join(RelationGraph& relations, RelationId left, RelationId right,
                              const AsOfJoin& join) {
  return AsOf(relations, join, left, right).joined();
}

}  // namespace penstock::relation
