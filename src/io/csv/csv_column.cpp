#include "io/csv/csv_column.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "expr/constant.hpp"
#include "expr/intervals.hpp"
#include "expr/operation.hpp"
#include "io/csv/csv_fast_values.hpp"
#include "io/csv/csv_numbers.hpp"
#include "io/csv/csv_times.hpp"

namespace penstock::io {
namespace {

template <class Value> bool take_value(const std::optional<Value>& value, Value& out) {
  if (value) out = *value;
  return value.has_value();
}

template <class Integer, class From> bool take_in_range(From value, Integer& out) {
  out = static_cast<Integer>(value);
  return std::in_range<Integer>(value);
}

template <class Integer>
bool read_long_integer(std::string_view text, char separator, Integer& out) {
  using Limits = std::numeric_limits<Integer>;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc() && end == text.data() + text.size()) return true;
  const auto value = read_scaled(text, 0, separator);
  if (!value || *value < Limits::min() || *value > Limits::max()) return false;
  out = static_cast<Integer>(*value);
  return true;
}

template <class Integer>
[[gnu::always_inline]] inline bool read_integer(std::string_view text, char separator,
                                                Integer& out) {
  const bool is_negative = text.starts_with('-');
  const std::string_view digits = text.substr(is_negative);
  const auto count = static_cast<unsigned>(digits.size());
  std::uint64_t number = 0;
  bool is_read = false;
  if (digits.size() - 1 < 8)
    is_read = ShortText<std::uint64_t>(digits.data()).number(count, number);
  else if (digits.size() - 1 < 16)
    is_read = ShortText<unsigned __int128>(digits.data()).number(count, number);
  const auto value = static_cast<std::int64_t>(number);
  return is_read ? take_in_range(is_negative ? -value : value, out)
                 : read_long_integer(text, separator, out);
}

template <class Float>
[[gnu::always_inline]] inline bool read_real(std::string_view text, char separator, Float& out) {
  ShortNumber number;
  if (read_short_number(text, separator, number) && quotient_of(number, out)) return true;
  if constexpr (sizeof(Float) == 8)
    return take_value(read_double(text, separator), out);
  else
    return take_value(read_float(text, separator), out);
}

[[gnu::always_inline]] inline bool read_usual_date(std::string_view text, std::int32_t& out) {
  if (text.size() == 10 && read_short_date(text.data(), out)) return true;
  return take_value(read_date(text), out);
}

bool read_usual_timestamp(std::string_view text, std::int64_t& out) {
  std::int32_t days = 0;
  std::uint32_t seconds = 0;
  if (text.size() == 19 && (text[10] == ' ' || text[10] == 'T') &&
      read_short_date(text.data(), days) && read_short_time(text.data() + 11, seconds)) {
    out = (std::int64_t{days} * 86'400 + std::int64_t{seconds}) * 1'000'000;
    return true;
  }
  const auto value = read_timestamp(text);
  if (!value || !value->is_utc) return false;
  out = value->micros;
  return true;
}

// Returns 10^scale times a short number that has no more digits behind its separator.
__int128 scaled(const ShortNumber& number, int scale) {
  __int128 value = number.digits;
  for (int i = static_cast<int>(number.fraction_digits); i < scale; i++) value *= 10;
  return number.is_negative ? -value : value;
}

bool read_decimal_as(std::string_view text, char separator, int scale, __int128& out) {
  constexpr int max_short_scale = 18;  // times any short number: below 2^127
  ShortNumber number;
  if (scale <= max_short_scale && read_short_number(text, separator, number) &&
      static_cast<int>(number.fraction_digits) <= scale) {
    out = scaled(number, scale);
    return true;
  }
  return take_value(read_scaled(text, scale, separator), out);
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
  const std::uint64_t first_row = row_count_;
  const bool only_empty_is_null = only_empty_is_null_;
  std::optional<std::size_t> wrong;
  rows.each(column, [&](std::size_t row, const CsvField& field) {
    const std::string_view text = value_of(field, reading_.dialect, room_);
    const bool is_missing = only_empty_is_null ? text.empty() : is_null(field, text);
    Value value{};
    const bool is_read = is_missing || read(text, value);
    out[row] = is_read ? value : Value();
    if (is_missing) set_null(first_row + row);
    if (is_read) return true;
    if (misfits != nullptr)
      (*misfits)[row] = true;
    else
      wrong = row;
    return misfits != nullptr;
  });
  if (!wrong) row_count_ += rows.row_count();
  return wrong;
}

template <class Integer>
std::optional<std::size_t> CsvColumnBuilder::append_integers(const CsvRowBatch& rows,
                                                             std::size_t column,
                                                             std::vector<bool>* misfits) {
  const char separator = reading_.options.decimal_separator;
  return append_values<Integer>(rows, column, misfits, [=](std::string_view text, Integer& out) {
    return read_integer(text, separator, out);
  });
}

template <class Value>
std::optional<std::size_t> CsvColumnBuilder::append_decimals(const CsvRowBatch& rows,
                                                             std::size_t column,
                                                             std::vector<bool>* misfits) {
  const char separator = reading_.options.decimal_separator;
  const int scale = type_.scale;
  const __int128 limit = type_.kind == Kind::decimal ? expr::power_of_ten(type_.precision) : 0;
  return append_values<Value>(rows, column, misfits, [=](std::string_view text, Value& out) {
    __int128 value = 0;
    if (!read_decimal_as(text, separator, scale, value)) return false;
    out = static_cast<Value>(value);
    return limit == 0 || (value < limit && value > -limit);
  });
}

std::optional<std::size_t> CsvColumnBuilder::append_times(const CsvRowBatch& rows,
                                                          std::size_t column,
                                                          std::vector<bool>* misfits) {
  const CsvTimeFormats& formats = reading_.time_formats;
  if (type_.kind == Kind::date32)
    return append_values<std::int32_t>(
        rows, column, misfits, [&](std::string_view text, std::int32_t& out) {
          return formats.date ? take_value(formats.date->read_date(text), out)
                              : read_usual_date(text, out);
        });
  if (type_.logical == LogicalType::time)
    return append_values<std::int64_t>(
        rows, column, misfits,
        [](std::string_view text, std::int64_t& out) { return take_value(read_time(text), out); });
  if (type_.logical == LogicalType::timestamp_tz)
    return append_values<std::int64_t>(
        rows, column, misfits, [](std::string_view text, std::int64_t& out) {
          const auto instant = expr::parse_as(expr::instant_type, text);
          out = instant ? static_cast<std::int64_t>(instant->integer) : 0;
          return instant.has_value();
        });
  return append_values<std::int64_t>(
      rows, column, misfits, [&](std::string_view text, std::int64_t& out) {
        return formats.timestamp ? take_value(formats.timestamp->read_timestamp(text), out)
                                 : read_usual_timestamp(text, out);
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
  constexpr std::uint64_t copied_bytes = 32;  // at once, as most strings are short
  reserve_bytes(rows.byte_count() + copied_bytes);
  auto* const offsets = reinterpret_cast<std::int32_t*>(offsets_.get()) + row_count_ + 1;
  char* const begin = reinterpret_cast<char*>(values_.get());
  char* to = begin + used_bytes_;
  const std::uint64_t first_row = row_count_;
  const bool only_empty_is_null = only_empty_is_null_;
  rows.each(column, [&](std::size_t row, const CsvField& field) {
    const std::string_view text = value_of(field, reading_.dialect, room_);
    if (only_empty_is_null ? text.empty() : is_null(field, text)) {
      set_null(first_row + row);
    } else {
      if (text.size() <= copied_bytes)
        std::memcpy(to, text.data(), copied_bytes);
      else
        std::memcpy(to, text.data(), text.size());
      to += text.size();
    }
    offsets[row] = static_cast<std::int32_t>(to - begin);
    return true;
  });
  used_bytes_ = static_cast<std::uint64_t>(to - begin);
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
      return append_values<float>(rows, column, misfits, [=](std::string_view text, float& out) {
        return read_real(text, separator, out);
      });
    case Kind::float64:
      return append_values<double>(rows, column, misfits, [=](std::string_view text, double& out) {
        return read_real(text, separator, out);
      });
    case Kind::decimal:
      return width_bytes(type_) == 8 ? append_decimals<std::int64_t>(rows, column, misfits)
                                     : append_decimals<__int128>(rows, column, misfits);
    case Kind::int128: return append_decimals<__int128>(rows, column, misfits);
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
