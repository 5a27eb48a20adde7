#include "io/parquet_decode.hpp"

#include <arrow/util/utf8.h>
#include <parquet/column_reader.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "io/parquet_values.hpp"

namespace penstock::io {
namespace {

// Rows decoded between two looks at their levels: the values stay in the first-level cache while they are converted.
constexpr std::int64_t slab_rows = 2048;

Status ends_early() { return {Code::corrupt, "the column's pages end before its last row"}; }

void or_byte(std::byte* bits, std::uint64_t index, unsigned value, bool shared) {
  auto& byte = reinterpret_cast<unsigned char&>(bits[index]);
  if (shared) std::atomic_ref<unsigned char>(byte).fetch_or(static_cast<unsigned char>(value), std::memory_order_relaxed);
  else byte = static_cast<unsigned char>(byte | value);
}

// Sets bits [first, first + count) from is_set(i); those bits were zero.
void set_bits(std::byte* bits, std::uint64_t first, std::uint64_t count, auto is_set) {
  std::uint64_t i = 0;
  while (i < count) {
    const unsigned shift = (first + i) % 8;
    const std::uint64_t n = std::min<std::uint64_t>(8 - shift, count - i);
    unsigned value = 0;
    for (std::uint64_t k = 0; k < n; k++) value |= static_cast<unsigned>(is_set(i + k)) << (shift + k);
    or_byte(bits, (first + i) / 8, value, n < 8);
    i += n;
  }
}

// Definition levels of a slab become the batch's validity; returns whether all rows are present.
bool set_validity(BatchColumn& to, std::uint64_t first_row, const std::int16_t* levels, std::int64_t rows, std::int64_t present) {
  if (present == rows) {
    set_bits(to.validity(), first_row, rows, [](std::uint64_t) { return true; });
    return true;
  }
  to.saw_null();
  set_bits(to.validity(), first_row, rows, [&](std::uint64_t i) { return levels[i] != 0; });
  return false;
}

// Moves the values of present rows from the front of a slab to their rows; missing rows become zero.
template <class T> void spread(T* values, const std::int16_t* levels, std::int64_t rows, std::int64_t present) {
  for (std::int64_t row = rows; row-- > 0;) values[row] = levels[row] != 0 ? values[--present] : T{};
}

// The shape all decoders share: slabs of rows, `slab` decodes one and returns the rows it got.
template <class Slab> Status in_slabs(std::uint64_t row_count, std::int64_t slab_limit, Slab&& slab) {
  for (std::uint64_t done = 0; done < row_count;) {
    PENSTOCK_ASSIGN(const std::int64_t rows, slab(done, std::min<std::int64_t>(slab_limit, static_cast<std::int64_t>(row_count - done))));
    if (rows <= 0) return ends_early();
    done += static_cast<std::uint64_t>(rows);
  }
  return {};
}

template <class Physical> class TypedDecoder : public ChunkDecoder {
 public:
  TypedDecoder(std::shared_ptr<parquet::ColumnReader> reader, const ParquetColumn& column)
      : kept_(std::move(reader)), reader_(static_cast<parquet::TypedColumnReader<Physical>&>(*kept_)), column_(column) {}

 protected:
  using Value = typename Physical::c_type;

  // Values of present rows to the front of `values`; for an optional column the levels too. Returns rows.
  std::int64_t read(std::int64_t rows, Value* values, std::int64_t& present) {
    const std::int64_t got = reader_.ReadBatch(rows, column_.is_optional ? levels_ : nullptr, nullptr, values, &present);
    return checked(got, rows, present);
  }
  std::int64_t checked(std::int64_t got, std::int64_t rows, std::int64_t present) const {
    return got < 0 || got > rows || present < 0 || present > got || (!column_.is_optional && present != got) ? 0 : got;
  }

  std::shared_ptr<parquet::ColumnReader> kept_;
  parquet::TypedColumnReader<Physical>& reader_;
  const ParquetColumn& column_;
  std::int16_t levels_[slab_rows];
};

// Values whose bytes are ours already: decoded in place, a whole page at a time where no row can be missing.
template <class Physical> class DirectDecoder final : public TypedDecoder<Physical> {
 public:
  using TypedDecoder<Physical>::TypedDecoder;
  using Value = typename Physical::c_type;

  Status decode(BatchColumn& to, std::size_t, std::uint64_t first_row, std::uint64_t row_count) override {
    Value* values = reinterpret_cast<Value*>(to.values()) + first_row;
    const bool is_optional = this->column_.is_optional;
    return in_slabs(row_count, is_optional ? slab_rows : std::numeric_limits<std::int32_t>::max(),
                    [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
      std::int64_t present = 0;
      const std::int64_t rows = this->read(limit, values + done, present);
      if (is_optional && !set_validity(to, first_row + done, this->levels_, rows, present))
        spread(values + done, this->levels_, rows, present);
      return rows;
    });
  }
};

// Values converted one by one: convert(value, out) is false when the value has no place in the type.
template <class Physical, class Out, class Convert> class ConvertingDecoder final : public TypedDecoder<Physical> {
 public:
  ConvertingDecoder(std::shared_ptr<parquet::ColumnReader> reader, const ParquetColumn& column, Convert convert, Status misfit)
      : TypedDecoder<Physical>(std::move(reader), column), convert_(convert), misfit_(std::move(misfit)) {}

  Status decode(BatchColumn& to, std::size_t, std::uint64_t first_row, std::uint64_t row_count) override {
    Out* values = reinterpret_cast<Out*>(to.values()) + first_row;
    return in_slabs(row_count, slab_rows, [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
      std::int64_t present = 0;
      const std::int64_t rows = this->read(limit, slab_, present);
      bool fits = true;
      for (std::int64_t i = 0; i < present; i++) fits = convert_(slab_[i], values[done + i]) && fits;
      if (!fits) return misfit_;
      if (this->column_.is_optional && !set_validity(to, first_row + done, this->levels_, rows, present))
        spread(values + done, this->levels_, rows, present);
      return rows;
    });
  }

 private:
  typename Physical::c_type slab_[slab_rows];
  Convert convert_;
  Status misfit_;
};

class BooleanDecoder final : public TypedDecoder<parquet::BooleanType> {
 public:
  using TypedDecoder::TypedDecoder;

  Status decode(BatchColumn& to, std::size_t, std::uint64_t first_row, std::uint64_t row_count) override {
    return in_slabs(row_count, slab_rows, [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
      std::int64_t present = 0;
      const std::int64_t rows = read(limit, slab_, present);
      if (column_.is_optional && !set_validity(to, first_row + done, levels_, rows, present)) spread(slab_, levels_, rows, present);
      set_bits(to.values(), first_row + done, rows, [&](std::uint64_t i) { return slab_[i]; });
      return rows;
    });
  }

 private:
  bool slab_[slab_rows];
};

class PlainTextDecoder final : public TypedDecoder<parquet::ByteArrayType> {
 public:
  using TypedDecoder::TypedDecoder;

  Status decode(BatchColumn& to, std::size_t piece, std::uint64_t first_row, std::uint64_t row_count) override {
    Texts& texts = to.piece(piece);
    texts.ends.reserve(row_count);
    PENSTOCK_TRY(in_slabs(row_count, slab_rows, [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
      std::int64_t present = 0;
      const std::int64_t rows = read(limit, slab_, present);
      const bool is_full = !column_.is_optional || set_validity(to, first_row + done, levels_, rows, present);
      append(texts, rows, is_full);
      return rows;
    }));
    if (!arrow::util::ValidateUTF8(reinterpret_cast<const std::uint8_t*>(texts.bytes.data()), static_cast<std::int64_t>(texts.bytes.size())))
      return {Code::corrupt, "a string is not UTF-8"};
    return {};
  }

 private:
  void append(Texts& texts, std::int64_t rows, bool is_full) {
    std::int64_t next = 0;
    std::size_t bytes = texts.bytes.size();
    for (std::int64_t row = 0; row < rows; row++) {
      if (is_full || levels_[row] != 0) bytes += slab_[next++].len;
      texts.ends.push_back(static_cast<std::int64_t>(bytes));
    }
    std::size_t at = texts.bytes.size();
    if (bytes > texts.bytes.capacity()) {    // from what came so far to what all rows will need, with a little to spare
      const std::size_t expected = bytes / texts.ends.size() * texts.ends.capacity();
      texts.bytes.reserve(std::max(bytes + bytes / 2, expected + expected / 16));
    }
    texts.bytes.resize(bytes);
    for (std::int64_t i = 0; i < next; i++) {
      if (slab_[i].len != 0) std::memcpy(texts.bytes.data() + at, slab_[i].ptr, slab_[i].len);
      at += slab_[i].len;
    }
  }

  parquet::ByteArray slab_[slab_rows];
};

// ColumnWithExposeEncoding() exposes codes only where the footer's page counts stand in the order Arrow writes them, which
// other writers' do not. Reading them checks each page's encoding itself.
struct CodeExposure : parquet::ColumnReader {
  static void expose(parquet::ColumnReader& reader) {
    (reader.*&CodeExposure::SetExposedEncoding)(parquet::ExposedEncoding::DICTIONARY);
  }
};

class DictionaryTextDecoder final : public TypedDecoder<parquet::ByteArrayType> {
 public:
  using TypedDecoder::TypedDecoder;

  Status decode(BatchColumn& to, std::size_t, std::uint64_t first_row, std::uint64_t row_count) override {
    auto* codes = reinterpret_cast<std::int32_t*>(to.values()) + first_row;
    std::int64_t base = -1;
    return in_slabs(row_count, slab_rows, [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
      std::int64_t present = 0;
      const parquet::ByteArray* entries = nullptr;
      std::int32_t entry_count = 0;
      std::int32_t* slab = codes + done;
      std::int64_t rows = reader_.ReadBatchWithDictionary(limit, column_.is_optional ? levels_ : nullptr, nullptr, slab, &present,
                                                          &entries, &entry_count);
      rows = checked(rows, limit, present);
      if (entries != nullptr && base < 0) {
        PENSTOCK_TRY(check_dictionary(entries, entry_count));
        base = to.add_dictionary(entries, entry_count);
      }
      std::uint32_t largest = 0;
      for (std::int64_t i = 0; i < present; i++) {
        largest = std::max(largest, static_cast<std::uint32_t>(slab[i]));
        slab[i] += static_cast<std::int32_t>(base);
      }
      if (present > 0 && (base < 0 || largest >= static_cast<std::uint32_t>(entry_count)))
        return Status(Code::corrupt, "a code outside the dictionary page");
      if (column_.is_optional && !set_validity(to, first_row + done, levels_, rows, present)) spread(slab, levels_, rows, present);
      return rows;
    });
  }

 private:
  Status check_dictionary(const parquet::ByteArray* entries, std::int32_t count) {
    if (is_checked_) return {};
    for (std::int32_t i = 0; i < count; i++)
      if (!arrow::util::ValidateUTF8(entries[i].ptr, entries[i].len)) return {Code::corrupt, "a string is not UTF-8"};
    is_checked_ = true;
    return {};
  }
  bool is_checked_ = false;
};

template <class Physical, class Out, class Convert>
std::unique_ptr<ChunkDecoder> converting(std::shared_ptr<parquet::ColumnReader> reader, const ParquetColumn& column, Convert convert,
                                         Code code, const char* misfit) {
  return std::make_unique<ConvertingDecoder<Physical, Out, Convert>>(std::move(reader), column, convert, Status(code, misfit));
}

template <class Out> std::unique_ptr<ChunkDecoder> narrowing(std::shared_ptr<parquet::ColumnReader> reader, const ParquetColumn& column) {
  const auto convert = [](std::int32_t value, Out& out) { return (out = static_cast<Out>(value)) == value; };
  return converting<parquet::Int32Type, Out>(std::move(reader), column, convert, Code::corrupt, "a value outside the column's type");
}

std::unique_ptr<ChunkDecoder> direct(std::shared_ptr<parquet::ColumnReader> reader, const ParquetColumn& column) {
  switch (reader->type()) {
    case parquet::Type::INT32: return std::make_unique<DirectDecoder<parquet::Int32Type>>(std::move(reader), column);
    case parquet::Type::INT64: return std::make_unique<DirectDecoder<parquet::Int64Type>>(std::move(reader), column);
    case parquet::Type::FLOAT: return std::make_unique<DirectDecoder<parquet::FloatType>>(std::move(reader), column);
    default: return std::make_unique<DirectDecoder<parquet::DoubleType>>(std::move(reader), column);
  }
}

std::unique_ptr<ChunkDecoder> decoder_of(std::shared_ptr<parquet::ColumnReader> reader, const ParquetColumn& column) {
  using i64 = std::int64_t;
  constexpr const char* wide = "a decimal outside its precision";
  constexpr const char* nanoseconds = "a timestamp that is not a whole number of microseconds";
  switch (column.conversion) {
    case Conversion::none: return direct(std::move(reader), column);
    case Conversion::boolean: return std::make_unique<BooleanDecoder>(std::move(reader), column);
    case Conversion::narrow:
      switch (column.field.type.kind) {
        case Kind::int8: return narrowing<std::int8_t>(std::move(reader), column);
        case Kind::uint8: return narrowing<std::uint8_t>(std::move(reader), column);
        case Kind::int16: return narrowing<std::int16_t>(std::move(reader), column);
        default: return narrowing<std::uint16_t>(std::move(reader), column);
      }
    case Conversion::widen:
      return converting<parquet::Int32Type, i64>(std::move(reader), column, [](std::int32_t v, i64& out) { out = v; return true; },
                                                 Code::corrupt, "");
    case Conversion::milliseconds:
      return converting<parquet::Int64Type, i64>(std::move(reader), column,
          [](i64 v, i64& out) { return !__builtin_mul_overflow(v, i64{1000}, &out); }, Code::overflow, "a timestamp outside TIMESTAMP's range");
    case Conversion::nanoseconds:
      return converting<parquet::Int64Type, i64>(std::move(reader), column, [](i64 v, i64& out) { out = v / 1000; return v % 1000 == 0; },
                                                 Code::unsupported, nanoseconds);
    case Conversion::int96: return converting<parquet::Int96Type, i64>(std::move(reader), column, from_int96, Code::unsupported, nanoseconds);
    case Conversion::big_endian_fixed: {
      const auto width = static_cast<std::uint32_t>(reader->descr()->type_length());
      return converting<parquet::FLBAType, i64>(std::move(reader), column, [width](const parquet::FixedLenByteArray& v, i64& out) {
        return from_big_endian(v.ptr, width, out);
      }, Code::corrupt, wide);
    }
    case Conversion::big_endian:
      return converting<parquet::ByteArrayType, i64>(std::move(reader), column,
          [](const parquet::ByteArray& v, i64& out) { return from_big_endian(v.ptr, v.len, out); }, Code::corrupt, wide);
    case Conversion::string:
      if (column.is_dictionary) return std::make_unique<DictionaryTextDecoder>(std::move(reader), column);
      return std::make_unique<PlainTextDecoder>(std::move(reader), column);
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<ChunkDecoder>> ChunkDecoder::open(const ParquetFile& file, int row_group, const ParquetColumn& column) {
  const auto group = file.row_group(row_group);
  const std::int64_t values = group->metadata()->ColumnChunk(column.leaf)->num_values();
  if (values != group->metadata()->num_rows())
    return Status(Code::corrupt, "the column chunk claims " + std::to_string(values) + " values for " +
                                     std::to_string(group->metadata()->num_rows()) + " rows");
  auto reader = group->Column(column.leaf);
  if (column.is_dictionary) CodeExposure::expose(*reader);
  return decoder_of(std::move(reader), column);
}

}  // namespace penstock::io
