#include "io/csv/csv_column.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "io/csv/csv_numbers.hpp"
#include "io/csv/csv_times.hpp"

namespace penstock::io {
namespace {

// 2024-12-31, the usual form, without looking for another.
std::optional<std::int32_t> read_iso_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return read_date(text);
  unsigned digits[10] = {};
  unsigned largest = 0;
  for (const std::size_t i : {0, 1, 2, 3, 5, 6, 8, 9}) {
    digits[i] = static_cast<unsigned char>(text[i]) - unsigned{'0'};
    largest = std::max(largest, digits[i]);
  }
  if (largest > 9) return read_date(text);
  const unsigned year = digits[0] * 1000 + digits[1] * 100 + digits[2] * 10 + digits[3];
  return days_of(year, digits[5] * 10 + digits[6], digits[8] * 10 + digits[9]);
}

__int128 power_of_ten(int exponent) {
  __int128 power = 1;
  for (int i = 0; i < exponent; i++) power *= 10;
  return power;
}

}  // namespace

CsvColumnBuilder::CsvColumnBuilder(const CsvReading& reading, Type type, std::uint64_t max_rows)
    : reading_(reading),
      type_(type),
      max_rows_(max_rows),
      only_empty_is_null_(reading.options.null_texts == std::vector<std::string>{""} &&
                          reading.options.quoted_may_be_null) {
  if (type.kind == Kind::string) {
    offsets_ = reading.memory->take((max_rows + 1) * 4);
    *reinterpret_cast<std::int32_t*>(offsets_.get()) = 0;
  } else if (type.kind == Kind::boolean) {
    values_ = reading.memory->take((max_rows + 7) / 8);
  } else {
    values_ = reading.memory->take(max_rows * width_bytes(type));
  }
}

bool CsvColumnBuilder::is_null(const CsvField& field, std::string_view value) const {
  if (field.data == nullptr) return true;
  return only_empty_is_null_ ? value.empty()
                             : reading_.options.is_null_text(value, field.is_quoted);
}

void CsvColumnBuilder::set_null(std::uint64_t row) {
  if (validity_.empty()) validity_.resize((max_rows_ + 7) / 8, 0xff);
  validity_[row / 8] = static_cast<std::uint8_t>(validity_[row / 8] & ~(1u << (row % 8)));
}

template <class Value, class Read>
std::optional<std::size_t> CsvColumnBuilder::append_values(const CsvRowBatch& rows,
                                                           std::size_t column,
                                                           std::vector<bool>* misfits,
                                                           const Read& read) {
  auto* const out = reinterpret_cast<Value*>(values_.get()) + row_count_;
  for (std::size_t row = 0; row < rows.row_count(); row++) {
    const CsvField& field = rows.field(row, column);
    const std::string_view text = value_of(field, reading_.dialect, room_);
    out[row] = Value();
    if (is_null(field, text)) {
      set_null(row_count_ + row);
      continue;
    }
    const std::optional<Value> value = read(text);
    if (value)
      out[row] = *value;
    else if (misfits == nullptr)
      return row;
    else
      (*misfits)[row] = true;
  }
  row_count_ += rows.row_count();
  return std::nullopt;
}

template <class Integer>
std::optional<std::size_t> CsvColumnBuilder::append_integers(const CsvRowBatch& rows,
                                                             std::size_t column,
                                                             std::vector<bool>* misfits) {
  const char separator = reading_.options.decimal_separator;
  return append_values<Integer>(rows, column, misfits,
                                [&](std::string_view text) -> std::optional<Integer> {
                                  using Limits = std::numeric_limits<Integer>;
                                  if constexpr (sizeof(Integer) == 8 && !Limits::is_signed) {
                                    const auto value = read_scaled(text, 0, separator);
                                    if (!value || *value < 0 || *value > Limits::max())
                                      return std::nullopt;
                                    return static_cast<Integer>(*value);
                                  } else {
                                    const auto value = read_int64(text, separator);
                                    if (!value || *value < std::int64_t{Limits::min()} ||
                                        *value > std::int64_t{Limits::max()})
                                      return std::nullopt;
                                    return static_cast<Integer>(*value);
                                  }
                                });
}

std::optional<std::size_t> CsvColumnBuilder::append_decimals(const CsvRowBatch& rows,
                                                             std::size_t column,
                                                             std::vector<bool>* misfits) {
  const char separator = reading_.options.decimal_separator;
  const __int128 limit = power_of_ten(type_.precision);
  return append_values<std::int64_t>(rows, column, misfits,
                                     [&](std::string_view text) -> std::optional<std::int64_t> {
                                       const auto value = read_scaled(text, type_.scale, separator);
                                       if (!value || *value >= limit || *value <= -limit)
                                         return std::nullopt;
                                       return static_cast<std::int64_t>(*value);
                                     });
}

std::optional<std::size_t> CsvColumnBuilder::append_times(const CsvRowBatch& rows,
                                                          std::size_t column,
                                                          std::vector<bool>* misfits) {
  const CsvTimeFormats& formats = reading_.time_formats;
  if (type_.kind == Kind::date32)
    return append_values<std::int32_t>(rows, column, misfits, [&](std::string_view text) {
      return formats.date ? formats.date->read_date(text) : read_iso_date(text);
    });
  return append_values<std::int64_t>(
      rows, column, misfits, [&](std::string_view text) -> std::optional<std::int64_t> {
        if (formats.timestamp) return formats.timestamp->read_timestamp(text);
        const auto value = read_timestamp(text);
        return value && value->is_utc ? std::optional(value->micros) : std::nullopt;
      });
}

void CsvColumnBuilder::append_booleans(const CsvRowBatch& rows, std::size_t column,
                                       std::vector<bool>& misfits) {
  auto* const bits = reinterpret_cast<std::uint8_t*>(values_.get());
  for (std::size_t row = 0; row < rows.row_count(); row++) {
    const CsvField& field = rows.field(row, column);
    const std::string_view text = value_of(field, reading_.dialect, room_);
    const std::uint64_t at = row_count_ + row;
    if (at % 8 == 0) bits[at / 8] = 0;
    if (is_null(field, text)) {
      set_null(at);
      continue;
    }
    const auto value = read_boolean(text);
    if (!value) misfits[row] = true;
    const unsigned bit = 1u << (at % 8);
    bits[at / 8] =
        static_cast<std::uint8_t>(value.value_or(false) ? bits[at / 8] | bit : bits[at / 8] & ~bit);
  }
  row_count_ += rows.row_count();
}

void CsvColumnBuilder::reserve_bytes(std::uint64_t bytes) {
  if (used_bytes_ + bytes <= room_bytes_) return;
  const std::uint64_t room =
      std::max<std::uint64_t>({used_bytes_ + bytes, 2 * room_bytes_, 64 << 10});
  auto memory = reading_.memory->take(room);
  if (used_bytes_ > 0) std::memcpy(memory.get(), values_.get(), used_bytes_);
  values_ = std::move(memory);
  room_bytes_ = room;
}

void CsvColumnBuilder::append_strings(const CsvRowBatch& rows, std::size_t column) {
  auto* const offsets = reinterpret_cast<std::int32_t*>(offsets_.get());
  constexpr std::uint64_t copied_bytes = 16;  // at once, as most strings are short
  for (std::size_t row = 0; row < rows.row_count(); row++) {
    const CsvField& field = rows.field(row, column);
    const std::string_view text = value_of(field, reading_.dialect, room_);
    if (is_null(field, text)) {
      set_null(row_count_ + row);
    } else {
      reserve_bytes(text.size() + copied_bytes);
      char* const to = reinterpret_cast<char*>(values_.get()) + used_bytes_;
      if (text.size() <= copied_bytes && !field.has_escapes)
        std::memcpy(to, text.data(), copied_bytes);  // 64 bytes behind the text may be read
      else
        std::memcpy(to, text.data(), text.size());
      used_bytes_ += text.size();
    }
    offsets[row_count_ + row + 1] = static_cast<std::int32_t>(used_bytes_);
  }
  row_count_ += rows.row_count();
}

std::optional<std::size_t> CsvColumnBuilder::append(const CsvRowBatch& rows, std::size_t column,
                                                    std::vector<bool>* misfits) {
  const char separator = reading_.options.decimal_separator;
  switch (type_.kind) {
    case Kind::int8: return append_integers<std::int8_t>(rows, column, misfits);
    case Kind::int16: return append_integers<std::int16_t>(rows, column, misfits);
    case Kind::int32: return append_integers<std::int32_t>(rows, column, misfits);
    case Kind::int64: return append_integers<std::int64_t>(rows, column, misfits);
    case Kind::uint8: return append_integers<std::uint8_t>(rows, column, misfits);
    case Kind::uint16: return append_integers<std::uint16_t>(rows, column, misfits);
    case Kind::uint32: return append_integers<std::uint32_t>(rows, column, misfits);
    case Kind::uint64: return append_integers<std::uint64_t>(rows, column, misfits);
    case Kind::float32:
      return append_values<float>(rows, column, misfits, [&](std::string_view text) {
        return read_float(text, separator);
      });
    case Kind::float64:
      return append_values<double>(rows, column, misfits, [&](std::string_view text) {
        return read_double(text, separator);
      });
    case Kind::decimal: return append_decimals(rows, column, misfits);
    case Kind::date32:
    case Kind::timestamp: return append_times(rows, column, misfits);
    case Kind::boolean: {
      std::vector<bool> found(rows.row_count());
      append_booleans(rows, column, misfits == nullptr ? found : *misfits);
      const auto first = std::ranges::find(found, true);
      if (first == found.end()) return std::nullopt;
      return static_cast<std::size_t>(first - found.begin());
    }
    default: append_strings(rows, column); return std::nullopt;
  }
}

void CsvColumnBuilder::cut_to(std::uint64_t row_count) {
  for (std::uint64_t row = row_count; row < row_count_ && !validity_.empty(); row++)
    validity_[row / 8] = static_cast<std::uint8_t>(validity_[row / 8] | 1u << (row % 8));
  row_count_ = row_count;
  if (type_.kind == Kind::string)
    used_bytes_ = static_cast<std::uint64_t>(
        reinterpret_cast<const std::int32_t*>(offsets_.get())[row_count]);
}

Column CsvColumnBuilder::take() {
  Column column;
  column.type = type_;
  column.row_count = row_count_;
  if (!validity_.empty()) {
    validity_.resize((row_count_ + 7) / 8);
    column.validity = Bytes::own(std::move(validity_));
  }
  std::uint64_t value_bytes = row_count_ * width_bytes(type_);
  if (type_.kind == Kind::boolean) value_bytes = (row_count_ + 7) / 8;
  if (type_.kind == Kind::string) {
    reserve_bytes(1);
    value_bytes = used_bytes_;
    column.offsets = {offsets_, offsets_.get(), (row_count_ + 1) * 4};
  }
  column.values = {values_, values_.get(), value_bytes};
  return column;
}

}  // namespace penstock::io
