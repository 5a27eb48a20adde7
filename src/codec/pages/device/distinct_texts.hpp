// The different strings of a column of pages, found on a device: each is downloaded once, however
// many values have it.
#pragma once
#include <memory>
#include <span>

#include "codec/pages/device/page_decoder.hpp"
#include "codec/pages/device/page_programs.hpp"

namespace penstock::pages {

class TextsOfColumn final : public DistinctTexts {
 public:
  TextsOfColumn(std::shared_ptr<PagePrograms> programs, Queue& queue, DecodedPages column,
                const TextTable& table)
      : programs_(std::move(programs)), queue_(queue), column_(std::move(column)), table_(table) {}
  // Finds the strings. Waits.
  Status find();
  std::uint32_t attempts() const override { return attempts_; }
  const Column& strings() const override { return strings_; }
  Result<DecodedPages> with_codes(std::span<const std::uint32_t> codes) override;

 private:
  using Memory = std::shared_ptr<Buffer>;
  // A string that differs from the others: its slot of the table, its first value, its word.
  struct Name {
    std::uint32_t slot = 0, first_value = 0, text_low = 0, text_high = 0;
    std::uint64_t text() const { return std::uint64_t{text_high} << 32 | text_low; }
  };

  std::uint32_t value_count() const {
    return static_cast<std::uint32_t>(column_.row_count - column_.null_count);
  }
  // The parameters of hashes.
  struct HashKey {
    std::uint64_t mask = 0;
    std::uint32_t factor = 0;
  };

  Result<bool> number_values(HashKey key, std::uint32_t max_probes);
  Result<bool> list_names(const Memory& failed);
  void sort_names();
  Status download_strings();
  Status enqueue_codes(const std::vector<std::uint32_t>& pairs);
  Result<Memory> index_of_codes();

  std::shared_ptr<PagePrograms> programs_;
  Queue& queue_;
  DecodedPages column_;
  TextTable table_;
  std::uint32_t slot_count_ = 0, attempts_ = 0;
  Memory firsts_, numbers_;
  std::vector<Name> names_;  // in the order of their first values
  Column strings_;
};

// Returns strings of a column, by their words (kernels/page_limits.h). Waits.
Result<Column> download_texts(PagePrograms& programs, Queue& queue, const Buffer& bytes,
                              std::span<const std::uint64_t> texts);

// Returns the strings of some rows of a column. Waits.
Result<Column> texts_of_rows(PagePrograms& programs, Queue& queue, const DecodedPages& column,
                             const Buffer& rows, std::uint32_t row_count);

// Returns the values of some rows of a column of any type. Waits.
Result<StoredRows> values_of_rows(PagePrograms& programs, Queue& queue, const DecodedPages& column,
                                  bool is_wide, const Buffer& rows, std::uint32_t row_count);

}  // namespace penstock::pages
