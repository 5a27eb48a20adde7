// Decodes columns of numbers from the pages' bytes straight into the batch, without a copy of the
// dictionary.
#include <parquet/column_page.h>

#include <cstring>
#include <numeric>

#include "io/parquet/parquet_codes.hpp"
#include "io/parquet/parquet_pages.hpp"
#include "io/parquet/parquet_slabs.hpp"

namespace penstock::io {
namespace {

using parquet::Encoding;

// `Stored` in the file, `Out` in the batch.
template <class Stored, class Out> class FixedDecoder final : public ChunkDecoder {
 public:
  FixedDecoder(Pages pages, bool is_optional)
      : pages_(std::move(pages)), is_optional_(is_optional) {}

  Status decode(BatchColumn& to, std::size_t, std::uint64_t first_row,
                std::uint64_t row_count) override {
    Out* out = reinterpret_cast<Out*>(to.values()) + first_row;
    return page_by_page(row_count, [&](std::uint64_t rows) -> Status {
      PENSTOCK_TRY(is_optional_ ? decode_optional(to, first_row, out, rows)
                                : decode_values(out, rows));
      out += rows;
      first_row += rows;
      return {};
    });
  }

  Status skip(std::uint64_t row_count) override {
    return page_by_page(row_count, [&](std::uint64_t rows) -> Status {
      if (!is_optional_) return skip_values(rows);
      while (rows > 0) {
        const std::uint64_t values = levels_.take_run(1, rows);
        const auto levels = values == 0 ? levels_.take(rows) : std::span<const std::uint32_t>();
        if (values == 0 && levels.empty()) return ends_early();
        PENSTOCK_TRY(skip_values(values + count_of_values(levels)));
        rows -= values + levels.size();
      }
      return {};
    });
  }

 private:
  using Levels = std::span<const std::uint32_t>;

  static std::uint64_t count_of_values(Levels levels) {
    return std::accumulate(levels.begin(), levels.end(), std::uint64_t{0});
  }

  Status skip_values(std::uint64_t count) {
    if (!is_coded_) return take_plain(count);
    while (count > 0) {
      const std::uint64_t taken = codes_.take(count).size();
      if (taken == 0) return ends_early();
      count -= taken;
    }
    return {};
  }

  // Decodes rows that may be NULL: whole runs with values, or a block of levels.
  Status decode_optional(BatchColumn& to, std::uint64_t first_row, Out* out, std::uint64_t rows) {
    while (rows > 0) {
      std::uint64_t count = levels_.take_run(1, rows);
      if (count > 0) {
        PENSTOCK_TRY(decode_values(out, count));
        set_bits(to.validity(), first_row, count, [](std::uint64_t) { return true; });
      } else {
        const Levels levels = levels_.take(rows);
        count = levels.size();
        if (count == 0) return ends_early();
        PENSTOCK_TRY(decode_block(to, first_row, out, levels));
      }
      out += count;
      first_row += count;
      rows -= count;
    }
    return {};
  }

  // Values come to the front of the block, and then to their rows; NULLs become zero.
  Status decode_block(BatchColumn& to, std::uint64_t first_row, Out* out, Levels levels) {
    std::uint64_t values = count_of_values(levels);
    PENSTOCK_TRY(decode_values(out, values));
    set_bits(to.validity(), first_row, levels.size(), [&](std::uint64_t i) { return levels[i]; });
    if (values == levels.size()) return {};
    to.saw_null();
    for (std::size_t row = levels.size(); row-- > 0;)
      out[row] = levels[row] != 0 ? out[--values] : Out{};
    return {};
  }

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
          PENSTOCK_TRY(begin_page(static_cast<const parquet::DataPageV1&>(*page_)));
          break;
        case parquet::PageType::DATA_PAGE_V2:
          PENSTOCK_TRY(begin_page(static_cast<const parquet::DataPageV2&>(*page_)));
          break;
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

  // The length of the levels stands before them.
  Status begin_page(const parquet::DataPageV1& page) {
    if (!is_optional_) return begin_data(page, 0);
    std::uint32_t bytes = 0;
    if (page.size() < 4) return begin_data(page, page.size() + 1);
    std::memcpy(&bytes, page.data(), sizeof bytes);
    PENSTOCK_TRY(begin_data(page, std::int64_t{4} + bytes));
    levels_ = PageCodes::levels({page.data() + 4, bytes});
    return {};
  }

  Status begin_page(const parquet::DataPageV2& page) {
    const std::int64_t bytes = page.definition_levels_byte_length(),
                       before = page.repetition_levels_byte_length();
    if (bytes < 0 || before < 0) return begin_data(page, -1);
    PENSTOCK_TRY(begin_data(page, before + bytes));
    if (is_optional_)
      levels_ = PageCodes::levels({page.data() + before, static_cast<std::size_t>(bytes)});
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
    else if (!is_optional_ && bytes.size() / sizeof(Stored) < values)
      return ends_before_last_value();
    plain_ = bytes.data();
    plain_left_ = bytes.size() / sizeof(Stored);
    page_left_ = values;
    return {};
  }

  static Status ends_before_last_value() {
    return {Code::corrupt, "a page that ends before its last value"};
  }

  Status decode_values(Out* out, std::uint64_t count) {
    return is_coded_ ? decode_codes(out, count) : copy_plain(out, count);
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

  Status copy_plain(Out* out, std::uint64_t count) {
    const std::uint8_t* const from = plain_;
    PENSTOCK_TRY(take_plain(count));
    if constexpr (sizeof(Stored) == sizeof(Out))
      std::memcpy(out, from, count * sizeof(Stored));
    else
      for (std::uint64_t i = 0; i < count; i++) out[i] = value_at(from, i);
    return {};
  }

  Status take_plain(std::uint64_t count) {
    if (count > plain_left_) return ends_before_last_value();
    plain_ += count * sizeof(Stored);
    plain_left_ -= count;
    return {};
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
  bool is_optional_ = false;             // pages have definition levels
  std::uint64_t page_left_ = 0;          // rows not decoded
  const std::uint8_t* plain_ = nullptr;  // the first value of them, where they are not codes
  std::uint64_t plain_left_ = 0;         // values from there on
  bool is_coded_ = false;
  PageCodes codes_, levels_;
};

// Levels are RLE. Old writers name BIT_PACKED for levels, too: columns that have none are decoded.
bool is_known(Encoding::type encoding, bool is_optional) {
  return encoding == Encoding::PLAIN || encoding == Encoding::RLE || is_code(encoding) ||
         (encoding == Encoding::BIT_PACKED && !is_optional);
}

}  // namespace

bool decodes_fixed(const parquet::ColumnChunkMetaData& chunk, const ParquetColumn& column) {
  if (column.conversion != Conversion::none && column.conversion != Conversion::widen) return false;
  for (const Encoding::type encoding : chunk.encodings())
    if (!is_known(encoding, column.is_optional)) return false;
  return true;
}

std::unique_ptr<ChunkDecoder> fixed_decoder(Pages pages, const ParquetColumn& column,
                                            parquet::Type::type type) {
  const bool optional = column.is_optional;
  // Floats are moved as their bits.
  if (column.conversion == Conversion::widen)
    return std::make_unique<FixedDecoder<std::int32_t, std::int64_t>>(std::move(pages), optional);
  if (type == parquet::Type::INT32 || type == parquet::Type::FLOAT)
    return std::make_unique<FixedDecoder<std::int32_t, std::int32_t>>(std::move(pages), optional);
  return std::make_unique<FixedDecoder<std::int64_t, std::int64_t>>(std::move(pages), optional);
}

}  // namespace penstock::io
