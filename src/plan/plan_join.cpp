// Adds joins: casts their keys to common types, and names the columns that they yield.
#include <array>

#include "plan/join_keys.hpp"

namespace penstock {
namespace {

Status wrong(JoinKind kind, std::string message, Code code = Code::invalid) {
  return Status(code, std::string(name_of(kind)) + ": " + std::move(message));
}

Schema joined(const Schema& left, const Schema& right, JoinKind kind) {
  Schema schema = left;
  if (!yields_right_columns(kind)) return schema;
  for (Field field : right) {
    field.nullable |= kind == JoinKind::left;
    schema.push_back(std::move(field));
  }
  return schema;
}

bool meets_as_signed(Type unsigned_type, Type signed_type) {
  return unsigned_type.kind == Kind::uint64 &&
         (signed_type.kind == Kind::int8 || signed_type.kind == Kind::int16 ||
          signed_type.kind == Kind::int32 || signed_type.kind == Kind::int64);
}

// "'id' (BIGINT) and 'key' (DATE)"
std::string pair_of(const Field& left, const Field& right) {
  return "'" + left.name + "' (" + name_of(left.type) + ") and '" + right.name + "' (" +
         name_of(right.type) + ")";
}

}  // namespace

namespace plan {

Result<Type> join_key_type(JoinKind kind, const Field& left, const Field& right) {
  // Equal in HUGEINT is equal in BIGINT: a UBIGINT beyond it becomes NULL, which equals nothing.
  // But for NOT IN a NULL means more.
  if (kind != JoinKind::not_in &&
      (meets_as_signed(left.type, right.type) || meets_as_signed(right.type, left.type)))
    return type_of<std::int64_t>();
  const Result<Type> type =
      left.type == right.type ? Result<Type>(left.type) : common_type(left.type, right.type);
  return type.ok() ? type : wrong(kind, "the keys " + pair_of(left, right) + " cannot be compared");
}

Result<NodeId> cast_join_key(Builder& rows, std::uint32_t column, Type type) {
  const NodeId value = rows.column(column);
  if (!meets_as_signed(rows.type(value), type)) return rows.cast(value, type);
  PENSTOCK_ASSIGN(
      const NodeId is_beyond,
      rows.binary(Op::greater, value, rows.literal(Scalar::of(std::uint64_t{INT64_MAX}))));
  PENSTOCK_ASSIGN(const NodeId cast, rows.cast(value, type));
  return rows.select(is_beyond, rows.literal(Scalar::null_of(type)), cast);
}

}  // namespace plan

std::string_view name_of(JoinKind kind) {
  constexpr std::array<std::string_view, 5> names = {"inner join", "left join", "semi join",
                                                     "anti join", "not in"};
  return names[static_cast<std::size_t>(kind)];
}

// Adds a map that yields the input's columns and, after them, some of them again as other types;
// adds nothing if there are none.
Result<StepId> Plan::with_casts(StepId input,
                                const std::vector<std::pair<std::uint32_t, Type>>& casts) {
  if (casts.empty()) return input;
  Builder rows(steps_[input].schema);
  std::vector<Projection> columns;
  for (std::uint32_t i = 0; i < rows.schema().size(); i++)
    columns.push_back({rows.schema()[i].name, rows.column(i)});
  for (const auto& [column, type] : casts) {
    PENSTOCK_ASSIGN(const NodeId cast, plan::cast_join_key(rows, column, type));
    columns.push_back({rows.schema()[column].name, cast});
  }
  return map(input, rows.graph(), std::move(columns));
}

Result<StepId> Plan::join(StepId left, StepId right, JoinKind kind, std::vector<JoinKey> keys) {
  if (left >= steps_.size() || right >= steps_.size())
    return wrong(kind, "an input is not a step of this plan");
  if (keys.empty()) return wrong(kind, "it has no keys");
  const Schema left_schema = steps_[left].schema, right_schema = steps_[right].schema;
  std::vector<std::pair<std::uint32_t, Type>> left_casts, right_casts;
  for (JoinKey& key : keys) {
    if (key.left >= left_schema.size())
      return wrong(kind, "its left input has no column " + std::to_string(key.left));
    if (key.right >= right_schema.size())
      return wrong(kind, "its right input has no column " + std::to_string(key.right));
    const Field &of_left = left_schema[key.left], &of_right = right_schema[key.right];
    PENSTOCK_ASSIGN(const Type type, plan::join_key_type(kind, of_left, of_right));
    if (width_bytes(type) > 8)  // relations have two keys in place of it
      return wrong(kind,
                   "keys of " + name_of(type) + " (" + pair_of(of_left, of_right) +
                       ") are not supported; cast both to BIGINT",
                   Code::unsupported);
    const auto cast = [&](std::uint32_t& column, const Schema& schema, auto& casts) {
      if (schema[column].type == type) return;
      casts.emplace_back(column, type);
      column = static_cast<std::uint32_t>(schema.size() + casts.size() - 1);
    };
    cast(key.left, left_schema, left_casts);
    cast(key.right, right_schema, right_casts);
  }
  PENSTOCK_ASSIGN(left, with_casts(left, left_casts));
  PENSTOCK_ASSIGN(right, with_casts(right, right_casts));
  Step step;
  step.kind = StepKind::join;
  step.inputs = {left, right};
  step.schema = joined(left_schema, right_schema, kind);
  step.join_kind = kind;
  step.join_keys = std::move(keys);
  step.left_columns = static_cast<std::uint32_t>(left_schema.size());
  step.right_columns = static_cast<std::uint32_t>(step.schema.size() - left_schema.size());
  return add(std::move(step));
}

}  // namespace penstock
