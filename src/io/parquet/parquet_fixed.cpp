// Decodes columns of numbers without NULLs from the pages' bytes straight into the batch, without a
// copy of the dictionary.
#include <parquet/column_page.h>

#include <cstring>

#include "io/parquet/parquet_codes.hpp"
#include "io/parquet/parquet_pages.hpp"
#include "io/parquet/parquet_slabs.hpp"

namespace penstock::io {
namespace {

using parquet::Encoding;

// `Stored` in the file, `Out` in the batch.
template <class Stored, class Out> class FixedDecoder final : public ChunkDecoder {
 public:
  explicit FixedDecoder(Pages pages) : pages_(std::move(pages)) {}

  Status decode(BatchColumn& to, std::size_t, std::uint64_t first_row,
                std::uint64_t row_count) override {
    Out* out = reinterpret_cast<Out*>(to.values()) + first_row;
    return page_by_page(row_count, [&](std::uint64_t rows) -> Status {
      if (is_coded_)
        PENSTOCK_TRY(decode_codes(out, rows));
      else
        copy_plain(out, rows);
      out += rows;
      return {};
    });
  }

  Status skip(std::uint64_t row_count) override {
    return page_by_page(row_count, [&](std::uint64_t rows) -> Status {
      if (!is_coded_) plain_ += rows * sizeof(Stored);
      while (is_coded_ && rows > 0) {
        const std::uint64_t taken = codes_.take(rows).size();
        if (taken == 0) return ends_early();
        rows -= taken;
      }
      return {};
    });
  }

 private:
  // Calls take(rows) for the next rows of each page.
  template <class Take> Status page_by_page(std::uint64_t row_count, Take&& take) {
    while (row_count > 0) {
      if (page_left_ == 0) PENSTOCK_TRY(next_page());
      const std::uint64_t rows = std::min(row_count, page_left_);
      PENSTOCK_TRY(take(rows));
      row_count -= rows;
      page_left_ -= rows;
    }
    return {};
  }

  Status next_page() {
    while (page_left_ == 0) {
      page_ = pages_.reader->NextPage();
      if (!page_) return ends_early();
      switch (page_->type()) {
        case parquet::PageType::DICTIONARY_PAGE: PENSTOCK_TRY(take_dictionary()); break;
        case parquet::PageType::DATA_PAGE:
          PENSTOCK_TRY(begin_data(static_cast<const parquet::DataPage&>(*page_), 0));
          break;
        case parquet::PageType::DATA_PAGE_V2: {
          const auto& page = static_cast<const parquet::DataPageV2&>(*page_);
          PENSTOCK_TRY(begin_data(page, std::int64_t{page.definition_levels_byte_length()} +
                                            page.repetition_levels_byte_length()));
          break;
        }
        default: break;  // holds no values
      }
    }
    return {};
  }

  Status take_dictionary() {
    const auto& page = static_cast<const parquet::DictionaryPage&>(*page_);
    if (entries_) return {Code::corrupt, "a second dictionary page"};
    if (page.encoding() != Encoding::PLAIN && page.encoding() != Encoding::PLAIN_DICTIONARY)
      return {Code::corrupt, "a dictionary page that is not plain"};
    if (page.num_values() < 0 ||
        page.size() / static_cast<std::int64_t>(sizeof(Stored)) < page.num_values())
      return {Code::corrupt, "a dictionary page that ends before its last value"};
    entry_count_ = static_cast<std::uint32_t>(page.num_values());
    if (pages_.own_bytes)
      dictionary_ = page_;
    else
      kept_.assign(page.data(), page.data() + page.size());
    kept_.reserve(1);  // so that there is an address
    entries_ = pages_.own_bytes ? page.data() : kept_.data();
    return {};
  }

  Status begin_data(const parquet::DataPage& page, std::int64_t level_bytes) {
    if (page.num_values() < 0 || level_bytes < 0 || level_bytes > page.size())
      return {Code::corrupt, "a page's header contradicts its size"};
    const std::span bytes(page.data() + level_bytes,
                          static_cast<std::size_t>(page.size() - level_bytes));
    is_coded_ = is_code(page.encoding());
    if (is_coded_ && !entries_) return {Code::corrupt, "codes without a dictionary page"};
    if (!is_coded_ && page.encoding() != Encoding::PLAIN)
      return {Code::corrupt, "a page of an encoding that the footer does not name"};
    const auto values = static_cast<std::uint64_t>(page.num_values());
    if (is_coded_)
      codes_ = PageCodes(bytes, entry_count_);
    else if (bytes.size() / sizeof(Stored) < values)
      return {Code::corrupt, "a page that ends before its last value"};
    plain_ = bytes.data();
    page_left_ = values;
    return {};
  }

  Status decode_codes(Out* out, std::uint64_t rows) {
    while (rows > 0) {
      const std::span<const std::uint32_t> codes = codes_.take(rows);
      if (codes.empty()) return ends_early();
      if (codes_.may_be_outside() && *std::max_element(codes.begin(), codes.end()) >= entry_count_)
        return {Code::corrupt, "a code outside the dictionary page"};
      for (std::size_t i = 0; i < codes.size(); i++) out[i] = value_at(entries_, codes[i]);
      out += codes.size();
      rows -= codes.size();
    }
    return {};
  }

  void copy_plain(Out* out, std::uint64_t rows) {
    if constexpr (sizeof(Stored) == sizeof(Out))
      std::memcpy(out, plain_, rows * sizeof(Stored));
    else
      for (std::uint64_t i = 0; i < rows; i++) out[i] = value_at(plain_, i);
    plain_ += rows * sizeof(Stored);
  }

  static Out value_at(const std::uint8_t* values, std::uint64_t index) {
    Stored value;
    std::memcpy(&value, values + index * sizeof(Stored), sizeof(Stored));
    return value;
  }

  Pages pages_;
  std::shared_ptr<parquet::Page> page_, dictionary_;
  std::vector<std::uint8_t> kept_;  // the dictionary's bytes, where pages do not own theirs
  const std::uint8_t* entries_ = nullptr;
  std::uint32_t entry_count_ = 0;
  std::uint64_t page_left_ = 0;          // values not decoded
  const std::uint8_t* plain_ = nullptr;  // the first of them, where they are not codes
  bool is_coded_ = false;
  PageCodes codes_;
};

bool is_known(Encoding::type encoding) {
  // RLE and BIT_PACKED encode levels, which such columns do not have.
  return encoding == Encoding::PLAIN || encoding == Encoding::RLE ||
         encoding == Encoding::BIT_PACKED || is_code(encoding);
}

}  // namespace

bool decodes_fixed(const parquet::ColumnChunkMetaData& chunk, const ParquetColumn& column) {
  if (column.is_optional ||
      (column.conversion != Conversion::none && column.conversion != Conversion::widen))
    return false;
  for (const Encoding::type encoding : chunk.encodings())
    if (!is_known(encoding)) return false;
  return true;
}

std::unique_ptr<ChunkDecoder> fixed_decoder(Pages pages, const ParquetColumn& column,
                                            parquet::Type::type type) {
  // Floats are moved as their bits.
  if (column.conversion == Conversion::widen)
    return std::make_unique<FixedDecoder<std::int32_t, std::int64_t>>(std::move(pages));
  if (type == parquet::Type::INT32 || type == parquet::Type::FLOAT)
    return std::make_unique<FixedDecoder<std::int32_t, std::int32_t>>(std::move(pages));
  return std::make_unique<FixedDecoder<std::int64_t, std::int64_t>>(std::move(pages));
}

}  // namespace penstock::io
