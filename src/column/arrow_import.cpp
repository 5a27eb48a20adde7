#include "column/arrow_import.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/exception_boundary.hpp"
#include "column/arrow_rows.hpp"
#include "column/bits.hpp"
#include "column/column_builders.hpp"
#include "column/nested/packed_bytes.hpp"
#include "column/unsupported.hpp"

namespace penstock::column {
namespace {

using Owner = std::shared_ptr<const ArrowArray>;

Bytes fixed_width(const ArrowRows& rows, std::uint64_t width) {
  if (rows.count == 0) return {};
  const std::byte* data = rows.buffer(1) + rows.first * width;
  if (reinterpret_cast<std::uintptr_t>(data) % std::min<std::uint64_t>(width, 16) == 0)
    return {rows.owner, data, rows.count * width};
  return Bytes::own(
      std::vector<std::byte>(data, data + rows.count * width));  // producers need not align
}

// convert(value, out) for each present row; false if the value does not fit.
template <class In, class Convert>
Status convert_values(const ArrowRows& rows, Column& to, const char* misfit, Convert convert) {
  if (rows.count == 0) return {};
  std::vector<std::int64_t> values(rows.count);
  const std::byte* from = rows.buffer(1) + rows.first * sizeof(In);
  for (std::uint64_t row = 0; row < rows.count; row++) {
    if (!to.is_valid(row)) continue;
    In value;
    std::memcpy(&value, from + row * sizeof(In), sizeof(In));
    if (!convert(value, values[row]))
      return {Code::unsupported, std::string(misfit) + " (row " + std::to_string(row + 1) + ")"};
  }
  to.values = Bytes::own(std::move(values));
  return {};
}

Status scale_timestamps(const ArrowRows& rows, Column& to, std::int64_t factor) {
  return convert_values<std::int64_t>(rows, to, "a timestamp outside TIMESTAMP's range",
                                      [factor](std::int64_t value, std::int64_t& out) {
                                        return !__builtin_mul_overflow(value, factor, &out);
                                      });
}

template <class Offset> void string_offsets(const ArrowRows& rows, Column& to) {
  to.offset_bytes = sizeof(Offset);
  if (rows.count == 0) {  // a producer may leave out the one offset of no rows
    to.offsets = Bytes::own(std::vector<Offset>(1));
    return;
  }
  to.offsets = fixed_width({rows.array, rows.owner, rows.first, rows.count + 1}, sizeof(Offset));
  to.values = {rows.owner, rows.buffer(2),
               static_cast<std::uint64_t>(to.offsets.as<Offset>()[rows.count])};
}

// Copies views into one buffer of strings. A view has 16 bytes: a length, then up to 12 bytes of
// the string, or a prefix, a buffer number and an offset.
Status join_views(const ArrowRows& rows, Column& to) {
  struct View {
    std::int32_t size;
    char prefix[4];
    std::int32_t buffer, offset;
  };
  std::vector<std::int64_t> offsets(rows.count + 1);
  std::vector<char> bytes;
  for (std::uint64_t row = 0; row < rows.count; row++) {
    if (to.is_valid(row)) {
      const std::byte* at = rows.buffer(1) + (rows.first + row) * sizeof(View);
      View view;
      std::memcpy(&view, at, sizeof view);
      if (view.size < 0 ||
          (view.size > 12 && (view.buffer < 0 || view.buffer + 3 >= rows.array.n_buffers)))
        return {Code::invalid, "a string view outside the array's buffers"};
      const auto* text = reinterpret_cast<const char*>(
          view.size <= 12 ? at + 4 : rows.buffer(2 + view.buffer) + view.offset);
      bytes.insert(bytes.end(), text, text + view.size);
    }
    offsets[row + 1] = static_cast<std::int64_t>(bytes.size());
  }
  to.offset_bytes = 8;
  to.offsets = Bytes::own(std::move(offsets));
  to.values = Bytes::own(std::move(bytes));
  return {};
}

Status scale_times(const ArrowRows& rows, Column& to, std::int64_t factor) {
  return convert_values<std::int32_t>(rows, to, "",
                                      [factor](std::int32_t value, std::int64_t& out) {
                                        out = value * factor;
                                        return true;
                                      });
}

void import_fixed_bytes(const ArrowRows& rows, std::uint64_t width, Column& to) {
  StringBuilder strings(rows.count);
  for (std::uint64_t row = 0; row < rows.count; row++) {
    const auto* bytes = reinterpret_cast<const char*>(rows.buffer(1) + (rows.first + row) * width);
    strings.push(to.is_valid(row) ? std::string_view(bytes, width) : std::string_view());
  }
  strings.take(to);
}

Status import_intervals(const ArrowRows& rows, Column& to) {
  struct Interval {
    std::int32_t months, days;
    std::int64_t nanoseconds;
  };
  StringBuilder strings(rows.count);
  std::string packed;
  for (std::uint64_t row = 0; row < rows.count; row++) {
    packed.clear();
    if (to.is_valid(row)) {
      Interval value;
      std::memcpy(&value, rows.buffer(1) + (rows.first + row) * sizeof value, sizeof value);
      if (value.nanoseconds % 1000 != 0)
        return {Code::unsupported, "an interval that is not a whole number of microseconds"};
      put_interval(packed, value.months, value.days, value.nanoseconds / 1000);
    }
    strings.push(packed);
  }
  strings.take(to);
  return {};
}

template <class Index>
Status widen_codes(const ArrowRows& rows, Column& to, std::uint64_t entry_count) {
  if (rows.count == 0) return {};
  std::vector<std::int32_t> codes(rows.count);
  const std::byte* from = rows.buffer(1) + rows.first * sizeof(Index);
  for (std::uint64_t row = 0; row < rows.count; row++) {
    if (!to.is_valid(row)) continue;
    Index index;
    std::memcpy(&index, from + row * sizeof(Index), sizeof(Index));
    if (index < 0 || static_cast<std::uint64_t>(index) >= entry_count)
      return {Code::invalid, "an index outside its dictionary"};
    codes[row] = static_cast<std::int32_t>(index);
  }
  to.values = Bytes::own(std::move(codes));
  return {};
}

// Marks a row as missing if its dictionary entry is missing.
void spread_missing_entries(Column& to) {
  if (to.dictionary->validity.empty()) return;
  std::vector<std::uint8_t> bits(bytes_of_bits(to.row_count));
  for (std::uint64_t row = 0; row < to.row_count; row++) {
    const bool present =
        to.is_valid(row) &&
        to.dictionary->is_valid(static_cast<std::uint64_t>(to.values.as<std::int32_t>()[row]));
    bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | present << (row % 8));
  }
  to.validity = Bytes::own(std::move(bits));
}

Status import_codes(const ArrowRows& rows, const ArrowField& field, Column& to) {
  const ArrowArray* entries = rows.array.dictionary;
  if (entries == nullptr || entries->length < 0 || entries->offset < 0)
    return {Code::invalid, "a dictionary-encoded array without dictionary"};
  if (entries->length > INT32_MAX)
    return {Code::capacity, "a dictionary of more than 2^31 entries"};
  auto dictionary = std::make_shared<Column>();
  ArrowField entry_field = field;
  entry_field.layout = field.entries;
  PENSTOCK_TRY(import_values({*entries, rows.owner, static_cast<std::uint64_t>(entries->offset),
                              static_cast<std::uint64_t>(entries->length)},
                             entry_field, *dictionary));
  to.dictionary = dictionary;
  const std::uint64_t count = dictionary->row_count;
  Status status;
  switch (field.index_bytes) {
    case 1:
      status = field.index_signed ? widen_codes<std::int8_t>(rows, to, count)
                                  : widen_codes<std::uint8_t>(rows, to, count);
      break;
    case 2:
      status = field.index_signed ? widen_codes<std::int16_t>(rows, to, count)
                                  : widen_codes<std::uint16_t>(rows, to, count);
      break;
    case 4:
      status = field.index_signed ? widen_codes<std::int32_t>(rows, to, count)
                                  : widen_codes<std::uint32_t>(rows, to, count);
      break;
    default:
      status = field.index_signed ? widen_codes<std::int64_t>(rows, to, count)
                                  : widen_codes<std::uint64_t>(rows, to, count);
  }
  PENSTOCK_TRY(status);
  spread_missing_entries(to);
  return {};
}

std::int64_t buffers_of(ArrowLayout layout) {
  return layout == ArrowLayout::string || layout == ArrowLayout::large_string ||
                 layout == ArrowLayout::string_views
             ? 3
             : 2;
}

}  // namespace

Status check_rows(const ArrowRows& rows, std::int64_t buffer_count, bool is_exact) {
  const ArrowArray& array = rows.array;
  if (array.length < 0 || array.offset < 0 ||
      rows.first + rows.count >
          static_cast<std::uint64_t>(array.offset) + static_cast<std::uint64_t>(array.length))
    return {Code::invalid, "the array has " + std::to_string(array.length) + " rows of " +
                               std::to_string(rows.count) + " needed"};
  if (is_exact ? array.n_buffers != buffer_count : array.n_buffers < buffer_count)
    return {Code::invalid, "the array has " + std::to_string(array.n_buffers) +
                               " buffers, its format " + std::to_string(buffer_count)};
  if (rows.count > 0 && buffer_count > 1 && rows.buffer(1) == nullptr)
    return {Code::invalid, "the array has no values"};
  return {};
}

Bytes validity_of(const ArrowRows& rows) {
  if (rows.array.null_count == 0 || rows.buffer(0) == nullptr) return {};
  Bytes bits = slice_bits({rows.owner, rows.buffer(0), 0}, rows.first, rows.count);
  return count_ones(bits.data, rows.count) == rows.count ? Bytes{} : bits;
}

// Kernels leave out checks that a type's range makes needless.
Status check_wide_decimals(const Column& column) {
  if (column.type.kind != Kind::decimal || width_bytes(column.type) != 16) return {};
  __int128 limit = 1;
  for (int digit = 0; digit < column.type.precision; digit++) limit *= 10;
  const auto* const values = column.values.as<__int128>();
  for (std::uint64_t row = 0; row < column.row_count; row++)
    if (column.is_valid(row) && (values[row] >= limit || values[row] <= -limit))
      return {Code::corrupt,
              "a DECIMAL value outside its precision (row " + std::to_string(row + 1) + ")"};
  return {};
}

Status import_values(const ArrowRows& rows, const ArrowField& field, Column& to) {
  if (!field.children.empty()) return import_nested(rows, field, to);
  PENSTOCK_TRY(
      check_rows(rows, buffers_of(field.layout), field.layout != ArrowLayout::string_views));
  to.type = field.field.type;
  to.row_count = rows.count;
  to.validity = validity_of(rows);
  switch (field.layout) {
    case ArrowLayout::bits:
      to.values = slice_bits({rows.owner, rows.buffer(1), 0}, rows.first, rows.count);
      return {};
    case ArrowLayout::same:
      to.values = fixed_width(rows, width_bytes(to.type));
      return check_wide_decimals(to);
    case ArrowLayout::seconds: return scale_timestamps(rows, to, 1'000'000);
    case ArrowLayout::milliseconds: return scale_timestamps(rows, to, 1'000);
    case ArrowLayout::time_nanoseconds:
    case ArrowLayout::nanoseconds:
      return convert_values<std::int64_t>(rows, to,
                                          "a timestamp that is not a whole number of microseconds",
                                          [](std::int64_t v, std::int64_t& out) {
                                            out = v / 1000;
                                            return v % 1000 == 0;
                                          });
    case ArrowLayout::decimal32:
      return convert_values<std::int32_t>(rows, to, "", [](std::int32_t v, std::int64_t& out) {
        out = v;
        return true;
      });
    case ArrowLayout::decimal128:
      return convert_values<__int128>(rows, to, "a DECIMAL value outside its precision",
                                      [](__int128 v, std::int64_t& out) {
                                        constexpr std::int64_t limit = 1'000'000'000'000'000'000;
                                        out = static_cast<std::int64_t>(v);
                                        return v < limit && v > -limit;
                                      });
    case ArrowLayout::string: string_offsets<std::int32_t>(rows, to); return {};
    case ArrowLayout::large_string: string_offsets<std::int64_t>(rows, to); return {};
    case ArrowLayout::string_views: return join_views(rows, to);
    case ArrowLayout::fixed_bytes: import_fixed_bytes(rows, field.fixed_bytes, to); return {};
    case ArrowLayout::month_day_nanoseconds: return import_intervals(rows, to);
    case ArrowLayout::time_seconds: return scale_times(rows, to, 1'000'000);
    case ArrowLayout::time_milliseconds: return scale_times(rows, to, 1'000);
    case ArrowLayout::codes: return import_codes(rows, field, to);
    case ArrowLayout::fsst: return {Code::unsupported, "FSST codes without their symbol tables"};
    case ArrowLayout::light: return {Code::unsupported, "numbers in a light encoding"};
    case ArrowLayout::list:
    case ArrowLayout::large_list:
    case ArrowLayout::fixed_list:
    case ArrowLayout::structure: break;  // have children
  }
  return {};
}

std::shared_ptr<const ArrowArray> own(ArrowArray* array) {
  auto* kept = new ArrowArray(*array);
  array->release = nullptr;  // moved, as the interface has it
  return {kept, [](ArrowArray* last) {
            if (last->release != nullptr) last->release(last);
            delete last;
          }};
}

Result<Table> import_columns(const Owner& array, std::span<const ArrowField> fields,
                             std::span<const std::uint32_t> wanted) {
  if (array->release == nullptr)
    return Status(Code::invalid, "the Arrow array was released already");
  if (array->n_children != static_cast<std::int64_t>(fields.size()))
    return Status(Code::invalid, "the array has " + std::to_string(array->n_children) +
                                     " columns, its schema " + std::to_string(fields.size()));
  if (array->length < 0 || array->offset < 0)
    return Status(Code::invalid, "a negative length or offset");
  Table table;
  table.row_count = static_cast<std::uint64_t>(array->length);
  if (array->n_buffers > 0 && array->buffers != nullptr &&
      !validity_of({*array, array, static_cast<std::uint64_t>(array->offset), table.row_count})
           .empty())
    return Status(Code::unsupported, "a table with missing rows (NULLs of the struct itself)");
  for (const std::uint32_t index : wanted) {
    const ArrowArray& child = *array->children[index];
    const ArrowField& field = fields[index];
    PENSTOCK_TRY(check_supported(field.field));
    Column column;
    PENSTOCK_TRY(
        import_values({child, array, static_cast<std::uint64_t>(array->offset + child.offset),
                       table.row_count},
                      field, column)
            .with("while importing column '" + field.field.name + "'"));
    table.names.push_back(field.field.name);
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace penstock::column

namespace penstock {

Result<Table> import_table(ArrowArray* array, ArrowSchema* schema) {
  auto table = catch_exceptions([&]() -> Result<Table> {
    const auto owner = column::own(array);
    PENSTOCK_ASSIGN(const auto fields, column::fields_of(*schema));
    std::vector<std::uint32_t> all(fields.size());
    std::iota(all.begin(), all.end(), 0u);
    return column::import_columns(owner, fields, all);
  });
  if (array->release != nullptr) array->release(array);  // what own() had no memory to take over
  if (schema->release != nullptr) schema->release(schema);
  return table;
}

}  // namespace penstock
