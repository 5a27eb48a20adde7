#include <algorithm>
#include <cstring>

#include "column/arrow_rows.hpp"
#include "column/nested/nested_column.hpp"

namespace penstock::column {
namespace {

Status import_tree(const ArrowRows& rows, const ArrowField& field, NestedColumn& to);

// Returns rows of a child array, counted from the child's own offset.
Result<ArrowRows> child_rows(const ArrowRows& rows, std::int64_t index, std::int64_t first,
                             std::int64_t count) {
  const ArrowArray* const child =
      rows.array.children != nullptr ? rows.array.children[index] : nullptr;
  if (child == nullptr || child->length < 0 || child->offset < 0 || first < 0 || count < 0 ||
      first > child->length - count)
    return Status(Code::invalid, "elements outside the array's child");
  return ArrowRows{*child, rows.owner, static_cast<std::uint64_t>(child->offset + first),
                   static_cast<std::uint64_t>(count)};
}

template <class Offset> Result<std::vector<std::int64_t>> offsets_of(const ArrowRows& rows) {
  std::vector<std::int64_t> offsets(rows.count + 1);
  if (rows.count == 0) return offsets;
  for (std::uint64_t row = 0; row <= rows.count; row++) {
    Offset offset;
    std::memcpy(&offset, rows.buffer(1) + (rows.first + row) * sizeof offset, sizeof offset);
    offsets[row] = static_cast<std::int64_t>(offset);
    if (offset < 0 || (row > 0 && offsets[row] < offsets[row - 1]))
      return Status(Code::invalid, "offsets of a list that fall");
  }
  return offsets;
}

Result<std::vector<std::int64_t>> fixed_offsets(const ArrowRows& rows, std::uint64_t size) {
  std::vector<std::int64_t> offsets(rows.count + 1);
  for (std::uint64_t row = 0; row <= rows.count; row++) {
    std::uint64_t offset = 0;
    if (__builtin_mul_overflow(rows.first + row, size, &offset) || offset > INT64_MAX)
      return Status(Code::invalid, "a list of too many elements");
    offsets[row] = static_cast<std::int64_t>(offset);
  }
  return offsets;
}

Status import_list(const ArrowRows& rows, const ArrowField& field, NestedColumn& to) {
  const bool is_fixed = field.layout == ArrowLayout::fixed_list;
  PENSTOCK_TRY(check_rows(rows, is_fixed ? 1 : 2));
  PENSTOCK_ASSIGN(to.offsets, is_fixed ? fixed_offsets(rows, field.fixed_bytes)
                              : field.layout == ArrowLayout::large_list
                                  ? offsets_of<std::int64_t>(rows)
                                  : offsets_of<std::int32_t>(rows));
  const std::int64_t first = to.offsets.front();
  PENSTOCK_ASSIGN(const ArrowRows elements, child_rows(rows, 0, first, to.offsets.back() - first));
  for (std::int64_t& offset : to.offsets) offset -= first;
  return import_tree(elements, field.children[0], to.children.emplace_back());
}

Status import_struct(const ArrowRows& rows, const ArrowField& field, NestedColumn& to) {
  PENSTOCK_TRY(check_rows(rows, 1));
  for (std::size_t i = 0; i < field.children.size(); i++) {
    PENSTOCK_ASSIGN(const ArrowRows child, child_rows(rows, static_cast<std::int64_t>(i),
                                                      static_cast<std::int64_t>(rows.first),
                                                      static_cast<std::int64_t>(rows.count)));
    PENSTOCK_TRY(import_tree(child, field.children[i], to.children.emplace_back()));
  }
  return {};
}

Status import_tree(const ArrowRows& rows, const ArrowField& field, NestedColumn& to) {
  to.type = field.field.type;
  to.row_count = rows.count;
  if (rows.array.n_children != static_cast<std::int64_t>(field.children.size()))
    return {Code::invalid, "the array has " + std::to_string(rows.array.n_children) +
                               " children, its schema " + std::to_string(field.children.size())};
  if (field.children.empty()) {
    PENSTOCK_TRY(import_values(rows, field, to.leaf));
    to.validity = to.leaf.validity;
    return {};
  }
  if (rows.array.n_buffers < 1) return {Code::invalid, "an array without buffers"};
  to.validity = validity_of(rows);
  return field.layout == ArrowLayout::structure ? import_struct(rows, field, to)
                                                : import_list(rows, field, to);
}

}  // namespace

Status import_nested(const ArrowRows& rows, const ArrowField& field, Column& to) {
  NestedColumn tree;
  PENSTOCK_TRY(import_tree(rows, field, tree));
  to = pack(tree);
  return {};
}

}  // namespace penstock::column
