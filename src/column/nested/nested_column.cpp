#include "column/nested/nested_column.hpp"

#include <cstring>
#include <string>

#include "column/bits.hpp"
#include "column/column_builders.hpp"

namespace penstock::column {
namespace {

bool repeats(Type type) {
  return type.logical == LogicalType::list || type.logical == LogicalType::map;
}

__int128 integer_at(const Column& column, std::uint64_t row) {
  if (column.type.kind == Kind::boolean) return column.boolean(row);
  const unsigned width = width_bytes(column.type);
  __int128 value = 0;
  std::memcpy(&value, column.values.data + row * width, width);
  const unsigned unused = 128 - 8 * width;
  const bool is_unsigned = column.type.kind >= Kind::uint8 && column.type.kind <= Kind::uint64;
  if (is_unsigned || unused == 0) return value;
  return static_cast<__int128>(static_cast<unsigned __int128>(value) << unused) >> unused;
}

void pack_leaf(const Column& column, std::uint64_t row, std::string& to) {
  if (column.type.logical == LogicalType::interval)
    to += column.string(row);
  else if (column.type.kind == Kind::string)
    put_text(to, column.string(row));
  else if (column.type.kind == Kind::float32)
    put_real(to, column.type, static_cast<double>(column.values.as<float>()[row]));
  else if (column.type.kind == Kind::float64)
    put_real(to, column.type, column.values.as<double>()[row]);
  else
    put_integer(to, column.type, integer_at(column, row));
}

void pack_part(const NestedColumn& rows, std::uint64_t row, std::string& to) {
  const bool is_value = rows.is_valid(row);
  put_mark(to, is_value ? PackedMark::value : PackedMark::null);
  if (is_value) pack_row(rows, row, to);
}

// Builds a tree row by row.
class TreeBuilder {
 public:
  explicit TreeBuilder(Type type) : type_(type), strings_(0) {
    if (repeats(type)) children_.emplace_back(element_of(type));
    if (type.logical == LogicalType::structure)
      for (const Type field : type.nested->types) children_.emplace_back(field);
  }

  void push(PackedReader& from, PackedMark mark) {
    const bool is_value = mark == PackedMark::value;
    validity_.push(is_value);
    has_null_ = has_null_ || !is_value;
    row_count_++;
    if (repeats(type_))
      push_elements(from, is_value);
    else if (type_.logical == LogicalType::structure)
      for (TreeBuilder& child : children_)
        child.push(from, is_value ? from.mark() : PackedMark::null);
    else
      push_leaf(from, is_value);
  }

  NestedColumn take() {
    NestedColumn rows;
    rows.type = type_;
    rows.row_count = row_count_;
    if (has_null_) rows.validity = validity_.take();
    rows.offsets = std::move(offsets_);
    for (TreeBuilder& child : children_) rows.children.push_back(child.take());
    if (is_nested(type_)) return rows;
    rows.leaf.type = type_;
    rows.leaf.row_count = row_count_;
    rows.leaf.validity = rows.validity;
    if (type_.kind == Kind::string)
      strings_.take(rows.leaf);
    else
      rows.leaf.values =
          type_.kind == Kind::boolean ? bits_.take() : Bytes::own(std::move(values_));
    return rows;
  }

 private:
  void push_elements(PackedReader& from, bool is_value) {
    if (is_value)
      for (PackedMark next = from.mark(); next != PackedMark::end; next = from.mark())
        children_[0].push(from, next);
    offsets_.push_back(static_cast<std::int64_t>(children_[0].row_count_));
  }

  void push_leaf(PackedReader& from, bool is_value) {
    if (type_.kind == Kind::string) {
      const bool is_interval = type_.logical == LogicalType::interval;
      strings_.push(!is_value ? "" : is_interval ? std::string(from.pass(type_)) : from.text());
    } else if (type_.kind == Kind::boolean) {
      bits_.push(is_value && from.integer(type_) != 0);
    } else if (type_.kind == Kind::float32) {
      append(static_cast<float>(is_value ? from.real(type_) : 0.0), 4);
    } else if (type_.kind == Kind::float64) {
      append(is_value ? from.real(type_) : 0.0, 8);
    } else {
      append(is_value ? from.integer(type_) : __int128{0}, width_bytes(type_));
    }
  }

  template <class T> void append(T value, unsigned bytes) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    values_.insert(values_.end(), first, first + bytes);
  }

  Type type_;
  std::uint64_t row_count_ = 0;
  bool has_null_ = false;
  BitBuilder validity_, bits_;
  std::vector<std::byte> values_;
  StringBuilder strings_;
  std::vector<std::int64_t> offsets_{0};
  std::vector<TreeBuilder> children_;
};

}  // namespace

bool NestedColumn::is_valid(std::uint64_t row) const {
  return validity.empty() || bit(validity.data, row);
}

void pack_row(const NestedColumn& rows, std::uint64_t row, std::string& to) {
  if (repeats(rows.type)) {
    for (std::int64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; i++)
      pack_part(rows.children[0], static_cast<std::uint64_t>(i), to);
    put_mark(to, PackedMark::end);
  } else if (rows.type.logical == LogicalType::structure) {
    for (const NestedColumn& field : rows.children) pack_part(field, row, to);
  } else {
    pack_leaf(rows.leaf, row, to);
  }
}

Column pack(const NestedColumn& rows) {
  Column packed;
  packed.type = rows.type;
  packed.row_count = rows.row_count;
  packed.validity = rows.validity;
  StringBuilder strings(rows.row_count);
  std::string bytes;
  for (std::uint64_t row = 0; row < rows.row_count; row++) {
    bytes.clear();
    if (rows.is_valid(row)) pack_row(rows, row, bytes);
    strings.push(bytes);
  }
  strings.take(packed);
  return packed;
}

NestedColumn unpack(const Column& packed) {
  TreeBuilder rows(packed.type);
  for (std::uint64_t row = 0; row < packed.row_count; row++) {
    const bool is_value = packed.is_valid(row);
    PackedReader from(is_value ? packed.string(row) : std::string_view());
    rows.push(from, is_value ? PackedMark::value : PackedMark::null);
  }
  return rows.take();
}

}  // namespace penstock::column
