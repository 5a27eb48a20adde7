// Feeds a tile kernel: takes batches from a source, and uploads the columns that the kernel reads.
//
// A column that lives on the device is passed unchanged. If device and host share memory it is
// wrapped without a copy. Otherwise it is uploaded from pinned memory on a queue of its own, so
// that the upload of one chunk overlaps the kernel of the one before. A source that decodes does so
// into pinned memory at once; other columns are copied to it first. Strings are uploaded as codes:
// of the run's StringPool, or numbers of the column's own strings. FSST codes are uploaded
// unchanged, if kernels read only functions of them.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "codec/pages/device/page_decoder.hpp"
#include "exec/kernel/tile_kernel.hpp"
#include "exec/scan/chunk_cache.hpp"
#include "exec/scan/chunk_source.hpp"
#include "exec/scan/string_tables.hpp"
#include "fuse/codegen/code_functions.hpp"
#include "fuse/program/string_ranks.hpp"

namespace penstock::plan {

class PagedScan;

// One chunk's memory in flight, reused for later chunks.
struct ChunkMemory {
  Table batch;                  // keeps wrapped memory alive; strings are gathered from it
  std::vector<Column> derived;  // the program's, of this batch
  std::vector<Bytes> numbers;   // of the strings of the scan's columns that have some
  std::vector<std::vector<std::uint32_t>>
      codes;  // of string columns, by their index among the kernel's columns
  std::vector<std::vector<std::byte>> spread;  // the same of functions by number
  ChunkInput input;
  std::vector<std::shared_ptr<HostBuffer>> staging;
  std::vector<std::shared_ptr<Buffer>> uploaded;
  ChunkCodes encoded;
  // For a chunk of pages: its columns, and the sources of uploads.
  std::size_t page_chunk = 0;  // its number in the scan
  std::vector<pages::DecodedPages> pages;
  std::vector<std::shared_ptr<const void>> kept;
  PagedScan* scan = nullptr;  // gathers strings out of the pages
  // Columns of the scan, by their number, that a session keeps when the chunk is done.
  std::vector<std::pair<std::size_t, Column>> to_keep;
  std::uint64_t first_row = 0;  // of the source

  void forget_upload(std::size_t index) {  // the cache keeps its memory
    if (index < uploaded.size()) uploaded[index].reset();
  }
  // Returns "on the codes of column 'url', counting from row 4096", the place of an error.
  std::string location_of(std::string_view what, const std::string& column) const;
};

// The pinned memory that a source decodes into. Thread-safe; it outlives the last block in use.
class PinnedMemory : public std::enable_shared_from_this<PinnedMemory> {
 public:
  explicit PinnedMemory(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  std::shared_ptr<std::byte> take(std::uint64_t bytes);  // null if there is none
  bool holds(const std::byte* data, std::uint64_t bytes);

 private:
  std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::map<const std::byte*, std::uint64_t> blocks_;
};

// A scan of a program's columns that decodes while the device is still being opened.
struct BegunScan {
  std::unique_ptr<BatchStream> batches;
  std::uint64_t chunk_rows = 0;
};
Result<std::unique_ptr<BatchStream>> scan_columns(const TileProgram& program,
                                                  const TableSource& source,
                                                  std::uint64_t chunk_rows,
                                                  BatchAllocator memory = {});
Result<std::unique_ptr<BatchStream>> scan_columns(const TileProgram& program,
                                                  const TableSource& source,
                                                  std::span<const std::uint32_t> columns,
                                                  std::uint64_t chunk_rows, BatchAllocator memory);

class ChunkStream final : public ChunkSource {
 public:
  ~ChunkStream() override {
    if (uploads_) static_cast<void>(uploads_->finish());
  }  // uploads read the chunks' staging memory
  static Result<std::unique_ptr<ChunkStream>> open(
      std::shared_ptr<Device> device, const TileProgram& program, const TableSource& source,
      std::uint64_t chunk_rows, const ProgramStrings& strings, BegunScan begun = {},
      DeviceCache* cache = nullptr);
  Result<bool> next(ChunkMemory& memory, Queue& compute) override;
  Status check(ChunkMemory& memory) override;
  std::vector<KernelReport> take_code_reports() override;
  std::uint64_t bytes_uploaded() const override {
    return bytes_uploaded_ + code_reports_.bytes_uploaded();
  }
  std::uint64_t columns_from_cache() const override { return cache_ ? cache_->columns_taken() : 0; }
  double read_seconds() const override { return read_seconds_; }

 private:
  ChunkStream(std::shared_ptr<Device> device, const TileProgram& program,
              const ProgramStrings& strings)
      : device_(std::move(device)),
        program_(program),
        scanned_(program.scanned_columns()),
        ranked_(ranked_columns(program)),
        strings_(strings),
        tables_(program, strings) {}
  Result<std::shared_ptr<Buffer>> upload(ChunkMemory& memory, std::size_t index,
                                         const std::byte* data, std::uint64_t bytes,
                                         bool is_kept = false);
  Result<const std::byte*> pin(ChunkMemory& memory, std::size_t index, const std::byte* data,
                               std::uint64_t bytes);
  Result<std::shared_ptr<Buffer>> all_present(std::uint64_t row_count, Queue& compute);
  bool is_to_be_kept(std::size_t column_index) const;
  bool has_numbers(std::uint32_t column) const;
  Status number_strings(ChunkMemory& memory);
  Result<Bytes> strings_to_upload(ChunkMemory& memory, std::size_t column_index);
  Status derive_all(ChunkMemory& memory, Queue& compute, std::size_t& index);
  Result<bool> begin_on_codes(ChunkMemory& memory, Queue& compute, std::size_t& index,
                              const DerivedColumn& derived, Column& to);
  Result<std::size_t> upload_codes(ChunkMemory& memory, Queue& compute, std::size_t& index,
                                   std::uint32_t column);
  Result<std::shared_ptr<Buffer>> upload_padded(ChunkMemory& memory, Queue& compute,
                                                std::size_t index, const Bytes& codes);
  Status compute_on_codes(ChunkMemory& memory, Queue& compute);
  Status decode_column(ChunkMemory& memory, std::uint32_t column);
  std::size_t index_of(std::uint32_t column) const;
  const Column& column_of(const ChunkMemory& memory,
                          std::uint32_t column) const;  // one of the source's own or a derived one
  Result<std::shared_ptr<Buffer>> buffer_for(ChunkMemory& memory, std::size_t index,
                                             std::uint64_t bytes);
  Status upload_validity(ChunkMemory& memory, Queue& compute, std::size_t& index,
                         const Column& column, bool is_kept);
  Status upload_column(ChunkMemory& memory, Queue& compute, std::size_t& index,
                       std::size_t column_index, bool has_validity);

  std::shared_ptr<Device> device_;
  const TileProgram& program_;
  const std::vector<std::uint32_t> scanned_;  // the columns of a batch
  const std::vector<std::uint32_t> ranked_;   // columns of strings
  const ProgramStrings strings_;
  StringTables tables_;                   // of columns with rows that have numbers
  std::unique_ptr<BatchStream> batches_;  // null if the cache has all columns
  std::unique_ptr<ChunkCache> cache_;     // null if nothing is kept
  std::shared_ptr<PinnedMemory> pinned_;  // with uploads_, if the device has memory of its own
  std::unique_ptr<Queue> uploads_, checks_;
  std::shared_ptr<Buffer> ones_;  // the validity of a nullable column that has no NULL in a batch
  Task<std::vector<CodeColumn>> code_programs_;  // compiled while the source reads its first batch
  CodeReports code_reports_;
  std::uint64_t bytes_uploaded_ = 0, rows_ = 0;
  double read_seconds_ = 0;
};

}  // namespace penstock::plan
