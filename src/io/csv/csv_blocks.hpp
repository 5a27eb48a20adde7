// Cuts a file into blocks of whole rows, in order.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "io/common/batch_memory.hpp"
#include "io/csv/csv_options.hpp"
#include "io/csv/csv_rows.hpp"
#include "io/text/text_input.hpp"

namespace penstock::io {

struct CsvBlock {
  std::shared_ptr<std::byte> memory;
  std::string_view text;     // followed by 64 bytes that may be read
  std::uint64_t offset = 0;  // in the file
};

class CsvBlocks {
 public:
  // Begins with this byte of the text.
  static Result<std::unique_ptr<CsvBlocks>> open(const std::string& path, std::uint64_t first_byte,
                                                 const CsvDialect& dialect,
                                                 std::uint64_t max_line_bytes);
  // Returns the next block; nullopt at the end.
  Result<std::optional<CsvBlock>> next();
  // The place at which next() failed.
  std::uint64_t offset() const { return offset_; }

 private:
  CsvBlocks(std::unique_ptr<TextInput> input, std::uint64_t first_byte, const CsvDialect& dialect,
            std::uint64_t max_line_bytes)
      : input_(std::move(input)),
        dialect_(dialect),
        max_line_bytes_(max_line_bytes),
        offset_(first_byte) {}
  std::size_t last_row_end(std::string_view text) const;

  const std::unique_ptr<TextInput> input_;
  const CsvDialect dialect_;
  const std::uint64_t max_line_bytes_;
  const std::shared_ptr<BatchMemory> memory_ = std::make_shared<BatchMemory>(8, BatchAllocator());
  std::string left_;  // the part of a row behind the last block
  std::uint64_t offset_;
  bool has_ended_ = false;
};

}  // namespace penstock::io
