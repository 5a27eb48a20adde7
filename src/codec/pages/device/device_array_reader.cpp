// Row groups on their way from a file to arrays: some are read, some decoded, one is written.
#include <algorithm>
#include <numeric>

#include "base/exception_boundary.hpp"
#include "codec/pages/device/page_arrays.hpp"
#include "codec/pages/page_stream.hpp"

namespace penstock {
namespace {

using namespace pages;

// The number of batches that are decoded at once. A Snappy page takes one warp some milliseconds,
// and several batches arrive in that time. A CPU has no warps to fill.
constexpr std::size_t batches_decoded = 6, batches_decoded_by_cpu = 2;
constexpr std::uint64_t batch_stored_bytes = std::uint64_t{64} << 20;

// A batch with pages that are being decoded.
struct BegunBatch {
  std::optional<PageBatch> batch;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<PendingPages> pending;
};

class PagedArrayReader final : public DeviceArrayReader {
 public:
  PagedArrayReader(std::shared_ptr<Device> device, std::shared_ptr<const TableSource> source,
                   std::vector<std::uint32_t> columns, const DeviceArrayOptions& options)
      : device_(std::move(device)),
        source_(std::move(source)),
        table_(source_->pages()),
        columns_(std::move(columns)),
        has_large_offsets_(options.has_large_offsets) {}
  ~PagedArrayReader() override {
    for (BegunBatch& begun : begun_)  // uploads read the batches
      if (begun.queue) static_cast<void>(begun.queue->finish());
  }

  Status start(const DeviceArrayOptions& options) {
    PENSTOCK_TRY(check_columns());
    PENSTOCK_ASSIGN(decoder_, PageDecoder::create(device_));
    decoder_->prepare(needs());
    PENSTOCK_ASSIGN(arrays_, PageArrays::create(device_));
    std::vector<std::uint32_t> groups(table_->first_rows().size() - 1);
    std::iota(groups.begin(), groups.end(), 0u);
    std::vector<RowGroupBatch> batches =
        plan_batches(*table_, columns_, groups, batch_limits(options));
    batch_count_ = batches.size();
    const BatchAllocator memory = device_->traits().unified_memory ? nullptr : pinned_memory();
    PENSTOCK_ASSIGN(stream_, PageStream::open(table_, columns_, std::move(batches), memory));
    PENSTOCK_ASSIGN(queue_, device_->queue());
    begun_.resize(device_->traits().shares_host_cores() ? batches_decoded_by_cpu : batches_decoded);
    for (BegunBatch& begun : begun_) { PENSTOCK_ASSIGN(begun.queue, device_->queue()); }
    return {};
  }

  Result<std::optional<DeviceArrays>> next() override {
    if (!failed_.ok()) return failed_;
    auto found = catch_exceptions([&] { return try_next(); });
    if (!found.ok()) failed_ = found.status();
    return found;
  }

 private:
  Status refused(std::uint32_t column, const std::string& why) const {
    return {Code::unsupported, "column '" + source_->schema()[column].name + "' of '" +
                                   source_->describe() + "' is not decoded on a device: " + why};
  }

  // Chunks are read into memory that the device copies from directly. Its pool keeps blocks.
  BatchAllocator pinned_memory() const {
    return [device = device_](std::uint64_t bytes) -> std::shared_ptr<std::byte> {
      const auto block = device->allocate_host(bytes);
      return block.ok() ? std::shared_ptr<std::byte>(*block, (*block)->data()) : nullptr;
    };
  }

  Status check_columns() const {
    if (columns_.empty()) return {Code::invalid, "no column is asked for"};
    for (const std::uint32_t column : columns_) {
      if (column >= table_->columns().size())
        return {Code::invalid,
                "'" + source_->describe() + "' has no column number " + std::to_string(column)};
      if (const std::string& why = table_->columns()[column].why_not; !why.empty())
        return refused(column, why);
      for (std::uint32_t group = 0; group + 1 < table_->first_rows().size(); group++)
        if (const std::string why = table_->why_not(column, group); !why.empty())
          return refused(column, why + " in row group " + std::to_string(group));
    }
    return {};
  }

  PageNeeds needs() const {
    PageNeeds needs;
    for (const std::uint32_t column : columns_) add_needs(needs, *table_, column);
    return needs;
  }

  // All batches that are decoded, and their results, stay within a third of the memory, unless a
  // single row group is larger.
  BatchLimits batch_limits(const DeviceArrayOptions& options) const {
    const std::uint64_t device_bytes = device_->traits().global_bytes;
    BatchLimits limits;
    limits.stored_bytes = std::min(batch_stored_bytes, device_bytes / 128);
    limits.page_bytes = std::min(limits.page_bytes, device_bytes / 64);
    if (options.batch_rows > 0) limits.rows = std::min(limits.rows, options.batch_rows);
    return limits;
  }

  Status begin(BegunBatch& begun) {
    PENSTOCK_ASSIGN(begun.batch, stream_->next());
    if (!begun.batch) return {Code::internal, "a stream of pages ended early"};
    std::vector<ColumnOfPages> columns;
    for (std::size_t i = 0; i < columns_.size(); i++) {
      ColumnOfPages of_pages{&table_->columns()[columns_[i]], {}};
      for (const ChunkPages& chunk : begun.batch->columns[i]) {
        if (const std::string why = why_not_decoded(*of_pages.column, chunk); !why.empty())
          return refused(columns_[i], why);
        of_pages.chunks.push_back(&chunk);
      }
      columns.push_back(std::move(of_pages));
    }
    PENSTOCK_ASSIGN(begun.pending, decoder_->begin(*begun.queue, columns));
    return begun.queue->flush();
  }

  Status at_fault(const BegunBatch& begun, const Status& status) const {
    const std::optional<PageFault>& fault = begun.pending->fault();
    if (!fault) return status.with("while decoding pages of '" + source_->describe() + "'");
    return fault->status.with(table_->location_of(
        columns_[fault->column], begun.batch->columns[fault->column][fault->chunk], fault->page));
  }

  Result<DeviceArrays> finish(BegunBatch& begun) {
    auto decoded = begun.pending->finish();
    if (!decoded.ok()) return at_fault(begun, decoded.status());
    PENSTOCK_ASSIGN(const auto ready, begun.queue->record());
    PENSTOCK_TRY(begun.queue->flush());
    PENSTOCK_TRY(queue_->wait_for(*ready));
    std::vector<const PagedColumn*> columns;
    for (const std::uint32_t column : columns_) columns.push_back(&table_->columns()[column]);
    DeviceArrays arrays;
    arrays.row_count = begun.batch->groups.row_count;
    PENSTOCK_ASSIGN(arrays.columns, arrays_->write(*queue_, columns, *decoded, has_large_offsets_));
    begun.pending.reset();
    begun.batch.reset();
    return arrays;
  }

  Result<std::optional<DeviceArrays>> try_next() {
    while (begun_count_ < std::min(batch_count_, finished_count_ + begun_.size())) {
      PENSTOCK_TRY(begin(begun_[begun_count_ % begun_.size()]));
      begun_count_++;
    }
    if (finished_count_ == begun_count_) return std::optional<DeviceArrays>();
    PENSTOCK_ASSIGN(DeviceArrays arrays, finish(begun_[finished_count_ % begun_.size()]));
    finished_count_++;
    return std::optional(std::move(arrays));
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<const TableSource> source_;
  std::shared_ptr<const PagedTable> table_;
  std::vector<std::uint32_t> columns_;
  bool has_large_offsets_ = false;
  std::shared_ptr<PageDecoder> decoder_;
  std::unique_ptr<PageArrays> arrays_;
  std::unique_ptr<PageStream> stream_;
  std::unique_ptr<Queue> queue_;  // of what makes arrays
  // In turn: the batch that next() returns, and later batches.
  std::vector<BegunBatch> begun_;
  std::size_t batch_count_ = 0, begun_count_ = 0, finished_count_ = 0;
  Status failed_;
};

}  // namespace

Result<std::unique_ptr<DeviceArrayReader>> DeviceArrayReader::open(
    std::shared_ptr<Device> device, std::shared_ptr<const TableSource> source,
    std::vector<std::uint32_t> columns, const DeviceArrayOptions& options) {
  return catch_exceptions([&]() -> Result<std::unique_ptr<DeviceArrayReader>> {
    if (!source->pages())
      return Status(Code::unsupported, "'" + source->describe() + "' is not a Parquet file");
    auto reader = std::make_unique<PagedArrayReader>(std::move(device), std::move(source),
                                                     std::move(columns), options);
    PENSTOCK_TRY(reader->start(options));
    return std::unique_ptr<DeviceArrayReader>(std::move(reader));
  });
}

}  // namespace penstock
