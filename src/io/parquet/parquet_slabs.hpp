// Shared by the decoders of Parquet's columns: values come in slabs, levels become validity bits.
#pragma once
#include <parquet/column_reader.h>

#include <algorithm>

#include "io/parquet/parquet_decode.hpp"
#include "io/parquet/parquet_pages.hpp"

namespace penstock::io {

// Rows decoded at a time: their values stay in the first-level cache while they are converted.
constexpr std::int64_t slab_rows = 2048;

inline Status ends_early() { return {Code::corrupt, "the column's pages end before its last row"}; }

inline void or_byte(std::byte* bits, std::uint64_t index, unsigned value, bool shared) {
  auto& byte = reinterpret_cast<unsigned char&>(bits[index]);
  if (shared)
    std::atomic_ref<unsigned char>(byte).fetch_or(static_cast<unsigned char>(value),
                                                  std::memory_order_relaxed);
  else
    byte = static_cast<unsigned char>(byte | value);
}

// Sets bits [first, first + count) from is_set(i); those bits were zero.
inline void set_bits(std::byte* bits, std::uint64_t first, std::uint64_t count, auto is_set) {
  std::uint64_t i = 0;
  while (i < count) {
    const unsigned shift = (first + i) % 8;
    const std::uint64_t n = std::min<std::uint64_t>(8 - shift, count - i);
    unsigned value = 0;
    for (std::uint64_t k = 0; k < n; k++)
      value |= static_cast<unsigned>(is_set(i + k)) << (shift + k);
    or_byte(bits, (first + i) / 8, value, n < 8);
    i += n;
  }
}

// Writes the definition levels of a slab as the batch's validity; tells whether all rows are
// present.
inline bool set_validity(BatchColumn& to, std::uint64_t first_row, const std::int16_t* levels,
                         std::int64_t rows, std::int64_t present) {
  if (present == rows) {
    set_bits(to.validity(), first_row, rows, [](std::uint64_t) { return true; });
    return true;
  }
  to.saw_null();
  set_bits(to.validity(), first_row, rows, [&](std::uint64_t i) { return levels[i] != 0; });
  return false;
}

// Moves the values of present rows from the front of a slab to their rows; missing rows become
// zero.
template <class T>
void spread(T* values, const std::int16_t* levels, std::int64_t rows, std::int64_t present) {
  for (std::int64_t row = rows; row-- > 0;)
    values[row] = levels[row] != 0 ? values[--present] : T{};
}

// " in row 7", counted from 1: where the slab's present value `index` is.
inline std::string in_row(std::uint64_t slab_row, const std::int16_t* levels, bool is_optional,
                          std::int64_t index) {
  std::uint64_t row = slab_row;
  if (!is_optional)
    row += static_cast<std::uint64_t>(index);
  else
    for (const std::int16_t* level = levels; *level == 0 || index-- > 0; level++) row++;
  return " in row " + std::to_string(row + 1);
}

// Decodes rows slab by slab: `slab` decodes one and returns how many rows it got.
template <class Slab>
Status in_slabs(std::uint64_t row_count, std::int64_t slab_limit, Slab&& slab) {
  for (std::uint64_t done = 0; done < row_count;) {
    PENSTOCK_ASSIGN(const std::int64_t rows,
                    slab(done, std::min<std::int64_t>(
                                   slab_limit, static_cast<std::int64_t>(row_count - done))));
    if (rows <= 0) return ends_early();
    done += static_cast<std::uint64_t>(rows);
  }
  return {};
}

template <class Physical> class TypedDecoder : public ChunkDecoder {
 public:
  TypedDecoder(std::shared_ptr<parquet::ColumnReader> reader, const ParquetColumn& column)
      : kept_(std::move(reader)),
        reader_(static_cast<parquet::TypedColumnReader<Physical>&>(*kept_)),
        column_(column) {}

 protected:
  Status skip(std::uint64_t row_count) override {
    const auto rows = static_cast<std::int64_t>(row_count);
    return reader_.Skip(rows) == rows ? Status() : ends_early();
  }

  using Value = typename Physical::c_type;

  // Reads the values of present rows to the front of `values`, and an optional column's levels.
  // Returns the number of rows.
  std::int64_t read(std::int64_t rows, Value* values, std::int64_t& present) {
    const std::int64_t got =
        reader_.ReadBatch(rows, column_.is_optional ? levels_ : nullptr, nullptr, values, &present);
    return checked(got, rows, present);
  }
  std::int64_t checked(std::int64_t got, std::int64_t rows, std::int64_t present) const {
    return got < 0 || got > rows || present < 0 || present > got ||
                   (!column_.is_optional && present != got)
               ? 0
               : got;
  }

  std::shared_ptr<parquet::ColumnReader> kept_;
  parquet::TypedColumnReader<Physical>& reader_;
  const ParquetColumn& column_;
  std::int16_t levels_[slab_rows];
};

// Tells whether fixed_decoder() reads a chunk: its values need at most sign extension.
bool decodes_fixed(const parquet::ColumnChunkMetaData& chunk, const ParquetColumn& column);
std::unique_ptr<ChunkDecoder> fixed_decoder(Pages pages, const ParquetColumn& column,
                                            parquet::Type::type type);

// Returns one of the two decoders of strings; `is_dictionary` chooses.
std::unique_ptr<ChunkDecoder> string_decoder(std::shared_ptr<parquet::ColumnReader> reader,
                                             const ParquetColumn& column);

// Returns a decoder of values of a fixed number of bytes to strings.
std::unique_ptr<ChunkDecoder> fixed_bytes_decoder(std::shared_ptr<parquet::ColumnReader> reader,
                                                  const ParquetColumn& column);

}  // namespace penstock::io
