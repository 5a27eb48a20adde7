// Makes pages readable for kernels: decompresses them on a device, checks all that is in them, and
// indexes their runs, so that page_load.kc finds the value of any row (see kernels/page_limits.h).
//
// Values stay encoded if kernels can read them so: plain values, packed and repeated dictionary
// indices and booleans. Deltas, byte streams and values that need a conversion become plain values.
// Strings stay in place, except strings of DELTA_BYTE_ARRAY that must be assembled; then finish()
// waits twice. All pages of a batch are processed at once, by a few launches.
//
//     PENSTOCK_ASSIGN(auto pending, decoder->begin(*queue, columns));
//     ...                                    // other work
//     PENSTOCK_ASSIGN(auto decoded, pending->finish());  // waits; enqueues the index
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codec/pages/device/page_needs.hpp"
#include "codec/pages/paged_table.hpp"
#include "penstock/device.hpp"

namespace penstock::pages {

// Returns why the pages of a chunk cannot be decoded on devices, a clause, or "" if they can:
// "a page of plain strings is decoded by the host". Looks at headers alone.
std::string why_not_decoded(const PagedColumn& column, const ChunkPages& pages);

// The same rows of one column: its chunks in consecutive row groups. The objects pointed to must
// live until finish() has returned.
struct ColumnOfPages {
  const PagedColumn* column = nullptr;
  std::vector<const ChunkPages*> chunks;
};

// A column that kernels can read.
struct DecodedPages {
  std::shared_ptr<Buffer> bytes, index;
  std::uint64_t row_count = 0, null_count = 0;
  // Device memory of the column: its share of `bytes`, and its index.
  std::uint64_t device_bytes = 0;
  // Pinned memory that is read by the work that makes the column. Release it when that work is
  // done.
  std::shared_ptr<const void> staging = {};
};

// A page that is not valid: which, where and why.
struct PageFault {
  std::size_t column = 0, chunk = 0;  // indices among what begin() took
  std::uint32_t page = 0;             // of the data pages; ~0: the dictionary
  Status status;                      // "the run at byte 17 of the page ends past its last byte"
  bool is_denied_null = false;        // the page is sound, and has a NULL that its column denies
};

class PendingPages {
 public:
  virtual ~PendingPages() = default;
  // Waits for begin()'s work, then enqueues the indexing on its queue. Later work of that queue may
  // use the result. Call once. A page's error sets fault().
  virtual Result<std::vector<DecodedPages>> finish() = 0;
  // Waits for pages of ChunkPages::file, as finish() does.
  virtual void wait_for_files() const = 0;
  virtual const std::optional<PageFault>& fault() const = 0;
  virtual std::uint64_t bytes_uploaded() const = 0;
  virtual std::uint64_t bytes_read_directly() const = 0;  // by the device, of ChunkPages::file
  // Completes when the stored pages are in device memory; null if none were sent. For pages of
  // ChunkPages::file it is known after finish().
  virtual std::shared_ptr<Event> uploaded() const = 0;
};

// Options for making a table of distinct strings on a device. Tests fix the values that are random
// otherwise.
struct TextTable {
  std::optional<std::uint64_t> seed = {};  // of its hashes; random if unset
  // Probe limit. If a string needs more, the table is rebuilt with other hashes; at last without a
  // limit. At load 0.5, longer probes mean hostile input.
  std::uint32_t max_probes = 1024;
};

// The different strings of a column.
class DistinctTexts {
 public:
  virtual ~DistinctTexts() = default;
  virtual std::uint32_t attempts() const = 0;  // tables that were made for them
  virtual const Column& strings() const = 0;   // each once, in the order in which they occur
  // Returns a column of 32-bit values: the code of each value's string. `codes` has one for each of
  // strings(). Waits.
  virtual Result<DecodedPages> with_codes(std::span<const std::uint32_t> codes) = 0;
};

// Values of rows: of 64 bits, or in the low bits. A row without one has 0.
struct StoredRows {
  std::vector<std::uint64_t> values;
  std::vector<std::uint32_t> are_present;  // 1 or 0
};

class PageDecoder {
 public:
  virtual ~PageDecoder() = default;
  // Builds nothing yet: programs are built when they are first needed. Thread-safe.
  static Result<std::shared_ptr<PageDecoder>> create(std::shared_ptr<Device> device);
  // Finds the distinct strings of a column with values that are words of strings. Waits. `queue`
  // must outlive the result.
  virtual Result<std::unique_ptr<DistinctTexts>> distinct_texts(Queue& queue,
                                                                const DecodedPages& column,
                                                                const TextTable& table) = 0;
  // Returns the strings of some rows of such a column: `rows` has `row_count` 32-bit numbers.
  // Waits.
  virtual Result<Column> texts_of_rows(Queue& queue, const DecodedPages& column, const Buffer& rows,
                                       std::uint32_t row_count) = 0;
  // Returns the values of some rows of any column, as its pages store them.
  virtual Result<StoredRows> values_of_rows(Queue& queue, const DecodedPages& column, bool is_wide,
                                            const Buffer& rows, std::uint32_t row_count) = 0;
  // Begins to compile, in threads.
  virtual void prepare(const PageNeeds& needs) = 0;
  // Uploads and begins to decode. If ChunkPages::file says so, begins to read, and goes on in
  // another thread. `queue` belongs to that thread until finish() or the end. Columns must have
  // the same number of rows, below 2^31. Several threads may call it with queues of their own.
  virtual Result<std::unique_ptr<PendingPages>> begin(Queue& queue,
                                                      std::span<const ColumnOfPages> columns) = 0;
};

}  // namespace penstock::pages
