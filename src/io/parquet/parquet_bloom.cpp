#include "io/parquet/parquet_bloom.hpp"

#include "io/common/arrow_errors.hpp"
#include "io/parquet/parquet_bounds.hpp"

namespace penstock::io {
namespace {

// Returns the integer that the file has for a value; nullopt if it has none, or it is not known.
std::optional<std::int64_t> stored_integer(const ParquetColumn& column, std::int64_t value) {
  std::int64_t product = 0;
  switch (column.conversion) {
    case Conversion::none:
      // See OrderedValue.
      return column.field.type.kind == Kind::uint64 ? value ^ INT64_MIN : value;
    case Conversion::narrow:
    case Conversion::widen: return value;
    case Conversion::milliseconds:
      return value % 1000 == 0 ? std::optional(value / 1000) : std::nullopt;
    case Conversion::nanoseconds:
      return __builtin_mul_overflow(value, std::int64_t{1000}, &product) ? std::nullopt
                                                                         : std::optional(product);
    case Conversion::boolean:
    case Conversion::time_milliseconds:
    case Conversion::fixed_bytes:
    case Conversion::months_days:
    case Conversion::nested:
    case Conversion::int96:
    case Conversion::big_endian_fixed:
    case Conversion::big_endian:
    case Conversion::string: break;
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<ChunkBloomFilter> ChunkBloomFilter::open(const ParquetFile& file, int row_group,
                                                         const ParquetColumn& column) {
  std::unique_ptr<ChunkBloomFilter> opened;
  if (column.leaf < 0) return opened;
  // A damaged filter is ignored: no rows are left out by it.
  static_cast<void>(catch_arrow_exceptions([&]() -> Status {
    const auto filters = file.bloom_filters(row_group);
    auto filter = filters ? filters->GetColumnBloomFilter(column.leaf) : nullptr;
    const auto chunk = file.row_group_metadata(row_group)->ColumnChunk(column.leaf);
    if (filter) opened.reset(new ChunkBloomFilter(column, chunk->type(), std::move(filter)));
    return {};
  }));
  return opened;
}

bool ChunkBloomFilter::may_hold(const Column& values, std::uint64_t row) const {
  const auto value = ordered_value(values, row);
  if (!value) return true;
  std::optional<std::uint64_t> hash;
  if (const auto* text = std::get_if<std::string>(&*value)) {
    const parquet::ByteArray bytes(*text);
    hash = filter_->Hash(&bytes);
  } else if (const auto* real = std::get_if<double>(&*value)) {
    hash = hash_of(*real);
  } else {
    hash = hash_of(std::get<std::int64_t>(*value));
  }
  return !hash || filter_->FindHash(*hash);
}

// A hash sees the sign of zero.
std::optional<std::uint64_t> ChunkBloomFilter::hash_of(double value) const {
  if (value == 0) return std::nullopt;
  return stored_ == parquet::Type::FLOAT ? filter_->Hash(static_cast<float>(value))
                                         : filter_->Hash(value);
}

std::optional<std::uint64_t> ChunkBloomFilter::hash_of(std::int64_t value) const {
  const auto stored = stored_integer(column_, value);
  if (!stored) return std::nullopt;
  if (stored_ == parquet::Type::INT64) return filter_->Hash(*stored);
  const bool fits = *stored >= INT32_MIN && *stored <= std::int64_t{UINT32_MAX};
  if (stored_ != parquet::Type::INT32 || !fits) return std::nullopt;
  return filter_->Hash(static_cast<std::int32_t>(*stored));
}

}  // namespace penstock::io
