// Feeds a tile kernel with pages: the file's own bytes go to the device, which decompresses, checks
// and indexes them (codec/pages/device/page_decoder.hpp); the kernel reads its columns out of them.
//
// Threads read row groups ahead into pinned memory. For many plain pages they find the headers
// ahead, and the pages follow through a ring (direct_pages.hpp). While a chunk computes, the next
// ones are uploaded and decompressed, each on a queue of its own: the pages of one chunk are too
// few to keep a device busy. The host waits once a chunk, for the statuses of its pages.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "codec/pages/device/page_decoder.hpp"
#include "codec/pages/page_stream.hpp"
#include "exec/kernel/kept_programs.hpp"
#include "exec/scan/chunk_stream.hpp"
#include "exec/scan/page_entries.hpp"
#include "exec/scan/pinned_slabs.hpp"
#include "exec/scan/resident_pages.hpp"

namespace penstock::plan {

// Pages that are read before the scan is opened: while the device is still being opened, or while
// another table is decoded.
struct BegunPages {
  std::optional<ProgramStrings> strings;  // which open() must get, if there are any
  std::vector<std::uint32_t> columns;
  std::vector<pages::RowGroupBatch> chunks;
  std::shared_ptr<PinnedSlabs> memory;        // null if nothing is pinned
  std::unique_ptr<pages::PageStream> stream;  // null: none is read
  std::optional<ResidentPages> resident;      // if they are all that is needed
};

class PagedScan final : public ChunkSource {
 public:
  struct Limits {
    std::uint64_t batch_rows = 0;          // at most, except a larger row group; 0: no limit
    std::uint64_t memory_limit_bytes = 0;  // of device memory; 0: the device's
    std::uint64_t rows_needed = ~std::uint64_t{0};  // the first ones; later chunks are not read
    DeviceCache* cache = nullptr;                   // of a session
    DirectReads direct_reads = DirectReads::automatic;
    const RowSelection* rows = nullptr;  // the needed ones; null: all
    std::uint32_t reading_threads = 0;   // 0: one a core
    bool may_stage = true;               // false: it is read ahead, beside other scans
    KeptPrograms* kept = nullptr;        // of the statement; null: none
  };
  // Begins to read, in turn with other scans of the order. `device`: null while a device with
  // memory of its own is being opened.
  static Result<BegunPages> begin(const std::shared_ptr<Device>& device, const TileProgram& program,
                                  const TableSource& source, const Limits& limits,
                                  std::shared_ptr<pages::ReadingOrder> order, StringPool& pool);
  // `program` reads pages of `source`. Both outlive the scan, and so does the pool of `strings`.
  // Pages that begin() began to read are used if they fit the device, and dropped if not.
  static Result<std::unique_ptr<ChunkSource>> open(std::shared_ptr<Device> device,
                                                   std::shared_ptr<pages::PageDecoder> decoder,
                                                   const TileProgram& program,
                                                   const TableSource& source, const Limits& limits,
                                                   const ProgramStrings& strings,
                                                   BegunPages begun = {});
  ~PagedScan() override;
  Result<bool> next(ChunkMemory& memory, Queue& compute) override;
  Status check(ChunkMemory& memory) override;
  // Returns the values of some rows of a finished chunk, in a column that no kernel reads. `rows`:
  // their numbers, 32 bits each, on the device.
  Result<Column> column_of_rows(const ChunkMemory& memory, std::uint32_t column, const Buffer& rows,
                                std::uint64_t row_count);
  Result<std::shared_ptr<Buffer>> upload_rows(std::span<const std::uint32_t> rows);
  std::vector<KernelReport> take_code_reports() override { return {}; }
  std::uint64_t bytes_uploaded() const override {
    return bytes_uploaded_ + entries_.bytes_uploaded();
  }
  std::uint64_t bytes_read_directly() const override { return bytes_read_directly_; }
  std::string note() const override;
  std::uint64_t columns_from_cache() const override { return resident_.columns_taken(); }
  std::uint64_t rows_besides() const override { return resident_.rows_besides(); }
  double read_seconds() const override { return read_seconds_; }

 private:
  // A chunk while its pages are being decoded. Without a batch all its columns are resident.
  struct Begun {
    std::size_t number = 0;
    std::optional<pages::PageBatch> batch;
    std::unique_ptr<Queue> queue;
    std::unique_ptr<pages::PendingPages> pending;
  };

  PagedScan(std::shared_ptr<Device> device, std::shared_ptr<pages::PageDecoder> decoder,
            const TileProgram& program, const TableSource& source, const Limits& limits,
            const ProgramStrings& strings);
  Status open_stream(const Limits& limits, BegunPages begun);
  void look_up(const Limits& limits);
  Status open_gathers();
  std::size_t chunks_at_once() const;  // being decoded
  Status read_pages(const Limits& limits, BegunPages begun);
  Status open_pinned_stream(const Limits& limits, BegunPages begun);
  std::vector<std::uint32_t> columns_of(const std::vector<std::size_t>& loads) const;
  Status begin(Begun& begun);
  Status read(Begun& begun);
  std::vector<pages::ChunkPages>& chunks_of_load(Begun& begun, std::size_t load) const;
  Result<pages::ColumnOfPages> column_to_decode(Begun& begun, std::size_t load);
  Status name_strings(Begun& begun, std::vector<pages::DecodedPages>& decoded);
  void take(std::vector<pages::DecodedPages> all, ChunkMemory& memory);
  Status finish(Begun& begun, ChunkMemory& memory, Queue& compute);
  Status at_fault(Begun& begun, const Status& status) const;

  std::shared_ptr<Device> device_;
  std::shared_ptr<pages::PageDecoder> decoder_;
  const TileProgram& program_;
  std::shared_ptr<const pages::PagedTable> table_;
  std::string name_;  // of the source
  const ProgramStrings strings_;
  PageEntries entries_;
  ResidentPages resident_;
  std::unique_ptr<pages::PageStream> stream_;  // null if nothing is read
  std::vector<std::size_t> read_loads_;        // with columns in stream_
  // In turn: the chunk that next() returns, and the ones after it.
  std::vector<Begun> begun_;
  std::size_t begun_count_ = 0, finished_count_ = 0;
  std::unique_ptr<Queue> gathers_;  // of column_of_rows()
  std::string read_how_;            // if the device reads by itself
  std::uint64_t bytes_uploaded_ = 0, bytes_read_directly_ = 0, rows_ = 0;
  double read_seconds_ = 0;
};

}  // namespace penstock::plan
