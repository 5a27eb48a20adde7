// Decodes strings of a Parquet column: plain, or as codes of the row groups' dictionaries.
#include <arrow/util/utf8.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "column/nested/packed_bytes.hpp"
#include "io/parquet/parquet_slabs.hpp"

namespace penstock::io {
namespace {

// Compilers make vector code of it: most strings need no more.
bool is_ascii(const std::uint8_t* bytes, std::int64_t count) {
  std::uint8_t seen = 0;
  for (std::int64_t i = 0; i < count; i++) seen |= bytes[i];
  return seen < 0x80;
}

Status not_utf8(const std::string& where) {
  return {Code::corrupt, "a string that is not valid UTF-8" + where};
}

class PlainStringDecoder final : public TypedDecoder<parquet::ByteArrayType> {
 public:
  using TypedDecoder::TypedDecoder;

  Status decode(BatchColumn& to, std::size_t part, std::uint64_t first_row,
                std::uint64_t row_count) override {
    StringBytes& strings = to.part(part);
    strings.ends.reserve(row_count);
    return in_slabs(
        row_count, slab_rows, [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
          std::int64_t present = 0;
          const std::int64_t rows = read(limit, slab_, present);
          const bool is_full =
              !column_.is_optional || set_validity(to, first_row + done, levels_, rows, present);
          append(strings, rows, is_full);
          if (is_text(column_.field.type))
            PENSTOCK_TRY(check_strings(strings, rows, file_row + done));
          return rows;
        });
  }

 private:
  // Checks the last `rows` strings, each by itself: two halves of a character are not one.
  static Status check_strings(const StringBytes& strings, std::int64_t rows,
                              std::uint64_t slab_row) {
    const std::size_t first = strings.ends.size() - static_cast<std::size_t>(rows);
    std::int64_t begin = first > 0 ? strings.ends[first - 1] : 0;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(strings.bytes.data());
    if (is_ascii(bytes + begin, strings.ends.back() - begin)) return {};
    for (std::size_t row = first; row < strings.ends.size(); row++) {
      if (!arrow::util::ValidateUTF8(bytes + begin, strings.ends[row] - begin))
        return not_utf8(" in row " + std::to_string(slab_row + row - first + 1));
      begin = strings.ends[row];
    }
    return {};
  }

  void append(StringBytes& strings, std::int64_t rows, bool is_full) {
    std::int64_t next = 0;
    std::size_t bytes = strings.bytes.size();
    for (std::int64_t row = 0; row < rows; row++) {
      if (is_full || levels_[row] != 0) bytes += slab_[next++].len;
      strings.ends.push_back(static_cast<std::int64_t>(bytes));
    }
    std::size_t at = strings.bytes.size();
    if (bytes > strings.bytes.capacity()) {  // from what came so far to what all rows will need,
                                             // with a little to spare
      const std::size_t expected = bytes / strings.ends.size() * strings.ends.capacity();
      strings.bytes.reserve(std::max(bytes + bytes / 2, expected + expected / 16));
    }
    strings.bytes.resize(bytes);
    for (std::int64_t i = 0; i < next; i++) {
      if (slab_[i].len != 0) std::memcpy(strings.bytes.data() + at, slab_[i].ptr, slab_[i].len);
      at += slab_[i].len;
    }
  }

  parquet::ByteArray slab_[slab_rows];
};

// ColumnWithExposeEncoding() exposes codes only where the footer's page counts have the order that
// Arrow writes, which other writers do not keep. Reading codes checks each page's encoding itself.
struct CodeExposure : parquet::ColumnReader {
  static void expose(parquet::ColumnReader& reader) {
    (reader.*&CodeExposure::SetExposedEncoding)(parquet::ExposedEncoding::DICTIONARY);
  }
};

class DictionaryStringDecoder final : public TypedDecoder<parquet::ByteArrayType> {
 public:
  using TypedDecoder::TypedDecoder;

  Status decode(BatchColumn& to, std::size_t part, std::uint64_t first_row,
                std::uint64_t row_count) override {
    auto* codes = reinterpret_cast<std::int32_t*>(to.values()) + first_row;
    std::int64_t& base = to.dictionary_base(part);
    return in_slabs(
        row_count, slab_rows, [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
          std::int64_t present = 0;
          const parquet::ByteArray* entries = nullptr;
          std::int32_t entry_count = 0;
          std::int32_t* slab = codes + done;
          std::int64_t rows =
              reader_.ReadBatchWithDictionary(limit, column_.is_optional ? levels_ : nullptr,
                                              nullptr, slab, &present, &entries, &entry_count);
          rows = checked(rows, limit, present);
          if (entries != nullptr && base < 0) {
            PENSTOCK_TRY(check_dictionary(
                entries, entry_count, {slab, static_cast<std::size_t>(present)}, file_row + done));
            PENSTOCK_ASSIGN(base, to.add_dictionary(entries, entry_count));
          }
          std::uint32_t largest = 0;
          for (std::int64_t i = 0; i < present; i++) {
            largest = std::max(largest, static_cast<std::uint32_t>(slab[i]));
            slab[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(slab[i]) +
                                                static_cast<std::uint32_t>(base));  // checked below
          }
          if (present > 0 && (base < 0 || largest >= static_cast<std::uint32_t>(entry_count)))
            return Status(Code::corrupt, "a code outside the dictionary page");
          if (column_.is_optional && !set_validity(to, first_row + done, levels_, rows, present))
            spread(slab, levels_, rows, present);
          return rows;
        });
  }

 private:
  Status check_dictionary(const parquet::ByteArray* entries, std::int32_t count,
                          std::span<const std::int32_t> codes, std::uint64_t slab_row) {
    if (is_checked_ || !is_text(column_.field.type)) return {};
    for (std::int32_t i = 0; i < count; i++) {
      if (arrow::util::ValidateUTF8(entries[i].ptr, entries[i].len)) continue;
      const auto use = std::find(codes.begin(), codes.end(), i);
      return not_utf8(use == codes.end()
                          ? " in the dictionary"
                          : in_row(slab_row, levels_, column_.is_optional, use - codes.begin()));
    }
    is_checked_ = true;
    return {};
  }
  bool is_checked_ = false;
};

// Decodes values of a fixed number of bytes: BLOB, UUID and INTERVAL.
class FixedBytesDecoder final : public TypedDecoder<parquet::FLBAType> {
 public:
  FixedBytesDecoder(std::shared_ptr<parquet::ColumnReader> reader, const ParquetColumn& column)
      : TypedDecoder(std::move(reader), column),
        width_(static_cast<std::size_t>(std::max(reader_.descr()->type_length(), 0))) {}

  Status decode(BatchColumn& to, std::size_t part, std::uint64_t first_row,
                std::uint64_t row_count) override {
    StringBytes& strings = to.part(part);
    return in_slabs(
        row_count, slab_rows, [&](std::uint64_t done, std::int64_t limit) -> Result<std::int64_t> {
          std::int64_t present = 0;
          const std::int64_t rows = read(limit, slab_, present);
          const bool is_full =
              !column_.is_optional || set_validity(to, first_row + done, levels_, rows, present);
          std::int64_t next = 0;
          for (std::int64_t row = 0; row < rows; row++) {
            if (is_full || levels_[row] != 0) append(strings, slab_[next++]);
            strings.ends.push_back(static_cast<std::int64_t>(strings.bytes.size()));
          }
          return rows;
        });
  }

 private:
  void append(StringBytes& strings, const parquet::FixedLenByteArray& value) {
    const auto* from = reinterpret_cast<const char*>(value.ptr);
    std::string packed;
    if (column_.conversion == Conversion::months_days && width_ == 12) {
      std::array<std::uint32_t, 3> parts{};
      std::memcpy(parts.data(), from, sizeof parts);
      column::put_interval(packed, static_cast<std::int32_t>(parts[0]),
                           static_cast<std::int32_t>(parts[1]), std::int64_t{parts[2]} * 1000);
    } else {
      packed.assign(from, width_);
    }
    strings.bytes.insert(strings.bytes.end(), packed.begin(), packed.end());
  }

  std::size_t width_;
  parquet::FixedLenByteArray slab_[slab_rows];
};

}  // namespace

std::unique_ptr<ChunkDecoder> fixed_bytes_decoder(std::shared_ptr<parquet::ColumnReader> reader,
                                                  const ParquetColumn& column) {
  return std::make_unique<FixedBytesDecoder>(std::move(reader), column);
}

std::unique_ptr<ChunkDecoder> string_decoder(std::shared_ptr<parquet::ColumnReader> reader,
                                             const ParquetColumn& column) {
  if (!column.is_dictionary) return std::make_unique<PlainStringDecoder>(std::move(reader), column);
  CodeExposure::expose(*reader);
  return std::make_unique<DictionaryStringDecoder>(std::move(reader), column);
}

}  // namespace penstock::io
