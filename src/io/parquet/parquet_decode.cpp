#include "io/parquet/parquet_decode.hpp"

#include <limits>

#include "expr/operation.hpp"
#include "io/parquet/chunk_claims.hpp"
#include "io/parquet/parquet_nested.hpp"
#include "io/parquet/parquet_slabs.hpp"
#include "io/parquet/parquet_values.hpp"

namespace penstock::io {
namespace {

// Decodes values that need no conversion in place, a whole page at a time where no row can be NULL.
template <class Physical> class DirectDecoder final : public TypedDecoder<Physical> {
 public:
  using TypedDecoder<Physical>::TypedDecoder;
  using Value = typename Physical::c_type;

  Status decode(BatchColumn& to, std::size_t, std::uint64_t first_row,
                std::uint64_t row_count) override {
    Value* values = reinterpret_cast<Value*>(to.values()) + first_row;
    const bool is_optional = this->column_.is_optional;
    return in_slabs(
        row_count, is_optional ? slab_rows : std::numeric_limits<std::int32_t>::max(),
        [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
          std::int64_t present = 0;
          const std::int64_t rows = this->read(limit, values + done, present);
          if (is_optional && !set_validity(to, first_row + done, this->levels_, rows, present))
            spread(values + done, this->levels_, rows, present);
          return rows;
        });
  }
};

// Converts values one by one; convert(value, out) is false where the value does not fit the type.
template <class Physical, class Out, class Convert>
class ConvertingDecoder final : public TypedDecoder<Physical> {
 public:
  ConvertingDecoder(std::shared_ptr<parquet::ColumnReader> reader, const ParquetColumn& column,
                    Convert convert, Status misfit)
      : TypedDecoder<Physical>(std::move(reader), column),
        convert_(convert),
        misfit_(std::move(misfit)) {}

  Status decode(BatchColumn& to, std::size_t, std::uint64_t first_row,
                std::uint64_t row_count) override {
    Out* values = reinterpret_cast<Out*>(to.values()) + first_row;
    return in_slabs(row_count, slab_rows,
                    [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
                      std::int64_t present = 0;
                      const std::int64_t rows = this->read(limit, slab_, present);
                      bool fits = true;
                      for (std::int64_t i = 0; i < present; i++)
                        fits = convert_(slab_[i], values[done + i]) && fits;
                      if (!fits) return misfit(present, values + done, this->file_row + done);
                      if (this->column_.is_optional &&
                          !set_validity(to, first_row + done, this->levels_, rows, present))
                        spread(values + done, this->levels_, rows, present);
                      return rows;
                    });
  }

 private:
  Status misfit(std::int64_t present, Out* values, std::uint64_t slab_row) {
    std::int64_t i = 0;
    while (i + 1 < present && convert_(slab_[i], values[i])) i++;
    return {misfit_.code(),
            misfit_.message() + in_row(slab_row, this->levels_, this->column_.is_optional, i)};
  }

  typename Physical::c_type slab_[slab_rows];
  Convert convert_;
  Status misfit_;
};

class BooleanDecoder final : public TypedDecoder<parquet::BooleanType> {
 public:
  using TypedDecoder::TypedDecoder;

  Status decode(BatchColumn& to, std::size_t, std::uint64_t first_row,
                std::uint64_t row_count) override {
    return in_slabs(
        row_count, slab_rows, [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
          std::int64_t present = 0;
          const std::int64_t rows = read(limit, slab_, present);
          if (column_.is_optional && !set_validity(to, first_row + done, levels_, rows, present))
            spread(slab_, levels_, rows, present);
          set_bits(to.values(), first_row + done, rows, [&](std::uint64_t i) { return slab_[i]; });
          return rows;
        });
  }

 private:
  bool slab_[slab_rows];
};

template <class Physical, class Out, class Convert>
std::unique_ptr<ChunkDecoder> converting(std::shared_ptr<parquet::ColumnReader> reader,
                                         const ParquetColumn& column, Convert convert, Code code,
                                         const char* misfit) {
  return std::make_unique<ConvertingDecoder<Physical, Out, Convert>>(std::move(reader), column,
                                                                     convert, Status(code, misfit));
}

template <class Out>
std::unique_ptr<ChunkDecoder> narrowing(std::shared_ptr<parquet::ColumnReader> reader,
                                        const ParquetColumn& column) {
  const auto convert = [](std::int32_t value, Out& out) {
    return (out = static_cast<Out>(value)) == value;
  };
  return converting<parquet::Int32Type, Out>(std::move(reader), column, convert, Code::corrupt,
                                             "a value outside the column's type");
}

std::unique_ptr<ChunkDecoder> direct(std::shared_ptr<parquet::ColumnReader> reader,
                                     const ParquetColumn& column) {
  switch (reader->type()) {
    case parquet::Type::INT32:
      return std::make_unique<DirectDecoder<parquet::Int32Type>>(std::move(reader), column);
    case parquet::Type::INT64:
      return std::make_unique<DirectDecoder<parquet::Int64Type>>(std::move(reader), column);
    case parquet::Type::FLOAT:
      return std::make_unique<DirectDecoder<parquet::FloatType>>(std::move(reader), column);
    default: return std::make_unique<DirectDecoder<parquet::DoubleType>>(std::move(reader), column);
  }
}

// Kernels leave out checks that a type's range makes needless, so that values of 128 bits are
// looked at.
template <class Out>
std::unique_ptr<ChunkDecoder> decimals(std::shared_ptr<parquet::ColumnReader> reader,
                                       const ParquetColumn& column) {
  constexpr const char* misfit = "a DECIMAL value outside its precision";
  const __int128 limit = sizeof(Out) == 8 ? 0 : expr::power_of_ten(column.field.type.precision);
  const auto read = [limit](const std::uint8_t* bytes, std::uint32_t width, Out& out) {
    return from_big_endian(bytes, width, out) && (limit == 0 || (out < limit && out > -limit));
  };
  if (column.conversion == Conversion::big_endian)
    return converting<parquet::ByteArrayType, Out>(
        std::move(reader), column,
        [read](const parquet::ByteArray& v, Out& out) { return read(v.ptr, v.len, out); },
        Code::corrupt, misfit);
  const auto width = static_cast<std::uint32_t>(reader->descr()->type_length());
  return converting<parquet::FLBAType, Out>(
      std::move(reader), column,
      [read, width](const parquet::FixedLenByteArray& v, Out& out) {
        return read(v.ptr, width, out);
      },
      Code::corrupt, misfit);
}

std::unique_ptr<ChunkDecoder> decoder_of(std::shared_ptr<parquet::ColumnReader> reader,
                                         const ParquetColumn& column) {
  using i64 = std::int64_t;
  const bool is_wide = width_bytes(column.field.type) > 8;
  constexpr const char* nanoseconds = "a timestamp that is not a whole number of microseconds";
  switch (column.conversion) {
    case Conversion::none: return direct(std::move(reader), column);
    case Conversion::boolean: return std::make_unique<BooleanDecoder>(std::move(reader), column);
    case Conversion::narrow:
      switch (column.field.type.kind) {
        case Kind::int8: return narrowing<std::int8_t>(std::move(reader), column);
        case Kind::uint8: return narrowing<std::uint8_t>(std::move(reader), column);
        case Kind::int16: return narrowing<std::int16_t>(std::move(reader), column);
        case Kind::uint16: return narrowing<std::uint16_t>(std::move(reader), column);
        case Kind::boolean:
        case Kind::int32:
        case Kind::int64:
        case Kind::uint32:
        case Kind::uint64:
        case Kind::float32:
        case Kind::float64:
        case Kind::date32:
        case Kind::timestamp:
        case Kind::decimal:
        case Kind::string:
        case Kind::int128: break;
      }
      return nullptr;  // no such column: parquet_schema.cpp narrows to integers of one or two bytes
                       // alone
    case Conversion::widen:
      return converting<parquet::Int32Type, i64>(
          std::move(reader), column,
          [](std::int32_t v, i64& out) {
            out = v;
            return true;
          },
          Code::corrupt, "");
    case Conversion::milliseconds:
      return converting<parquet::Int64Type, i64>(
          std::move(reader), column,
          [](i64 v, i64& out) { return !__builtin_mul_overflow(v, i64{1000}, &out); },
          Code::overflow, "a timestamp outside TIMESTAMP's range");
    case Conversion::nanoseconds:
      return converting<parquet::Int64Type, i64>(
          std::move(reader), column,
          [](i64 v, i64& out) {
            out = v / 1000;
            return v % 1000 == 0;
          },
          Code::unsupported, nanoseconds);
    case Conversion::int96:
      return converting<parquet::Int96Type, i64>(std::move(reader), column, from_int96,
                                                 Code::unsupported, nanoseconds);
    case Conversion::big_endian_fixed:
    case Conversion::big_endian:
      return is_wide ? decimals<__int128>(std::move(reader), column)
                     : decimals<i64>(std::move(reader), column);
    case Conversion::time_milliseconds:
      return converting<parquet::Int32Type, i64>(
          std::move(reader), column,
          [](std::int32_t v, i64& out) {
            out = v * i64{1000};
            return true;
          },
          Code::corrupt, "");
    case Conversion::string: return string_decoder(std::move(reader), column);
    case Conversion::fixed_bytes:
    case Conversion::months_days: return fixed_bytes_decoder(std::move(reader), column);
    case Conversion::nested: break;  // open() has another decoder
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<ChunkDecoder>> ChunkDecoder::open(
    const ParquetFile& file, int row_group, const ParquetColumn& column, const RowRanges& rows,
    const std::shared_ptr<BatchMemory>& memory) {
  const auto group = file.row_group(row_group);
  if (column.conversion == Conversion::nested) return nested_decoder(file, row_group, column);
  const auto chunk = group->metadata()->ColumnChunk(column.leaf);
  PENSTOCK_TRY(check_chunk(file, *group->metadata(), *chunk, column.leaf));
  auto pages = open_pages(file, row_group, column.leaf, rows, memory);
  RowRanges page_rows = std::move(pages.rows);
  std::unique_ptr<ChunkDecoder> decoder;
  if (decodes_fixed(*chunk, column)) {
    decoder = fixed_decoder(std::move(pages), column, chunk->type());
  } else {
    auto reader = parquet::ColumnReader::Make(group->metadata()->schema()->Column(column.leaf),
                                              std::move(pages.reader));
    decoder = decoder_of(std::move(reader), column);
  }
  decoder->group_row_ = file.first_rows()[static_cast<std::size_t>(row_group)];
  decoder->page_rows_ = std::move(page_rows);
  return decoder;
}

Status ChunkDecoder::decode_rows(BatchColumn& to, std::size_t part, std::uint64_t first_row,
                                 RowRange rows) {
  if (const std::uint64_t needless = rows_within(page_rows_, {next_row_, rows.begin}))
    PENSTOCK_TRY(skip(needless));
  file_row = group_row_ + rows.begin;
  next_row_ = rows.end;
  return decode(to, part, first_row, rows.end - rows.begin);
}

}  // namespace penstock::io
