#include "plan/execution/paged_scan.hpp"

#include <algorithm>
#include <numeric>

#include "base/clock.hpp"

namespace penstock::plan {
namespace {

// Stored bytes of a chunk. Larger ones fill a GPU better; smaller ones begin sooner, and pin less
// memory. A device that shares the host's memory has nothing to overlap.
constexpr std::uint64_t chunk_stored_bytes = std::uint64_t{32} << 20;

// Chunks whose pages are decoded at once. A page of Snappy is some milliseconds of one warp, in
// which time several chunks arrive. A CPU has no warps to fill.
constexpr std::size_t chunks_decoded = 10, chunks_decoded_by_cpu = 2;

}  // namespace

PagedScan::PagedScan(std::shared_ptr<Device> device, std::shared_ptr<pages::PageDecoder> decoder,
                     const TileProgram& program, std::shared_ptr<const pages::PagedTable> table,
                     std::string name, StringPool& strings)
    : device_(std::move(device)),
      decoder_(std::move(decoder)),
      program_(program),
      table_(std::move(table)),
      name_(std::move(name)),
      entries_(program, *table_, strings) {}

PagedScan::~PagedScan() {
  for (Begun& begun : begun_)  // uploads read the batches
    if (begun.queue) static_cast<void>(begun.queue->finish());
}

Result<std::unique_ptr<ChunkSource>> PagedScan::open(std::shared_ptr<Device> device,
                                                     std::shared_ptr<pages::PageDecoder> decoder,
                                                     const TileProgram& program,
                                                     const TableSource& source,
                                                     const Limits& limits, StringPool& strings) {
  std::unique_ptr<PagedScan> scan(new PagedScan(std::move(device), std::move(decoder), program,
                                                source.pages(), source.describe(), strings));
  PENSTOCK_TRY(scan->open_stream(limits));
  return std::unique_ptr<ChunkSource>(std::move(scan));
}

// Three chunks compute and some are decoded, each with its pages as stored and decompressed.
pages::BatchLimits PagedScan::batch_limits(const Limits& limits) const {
  const std::uint64_t device_bytes =
      limits.memory_limit_bytes ? limits.memory_limit_bytes : device_->traits().global_bytes;
  pages::BatchLimits batch;
  batch.stored_bytes = std::min(chunk_stored_bytes, device_bytes / 40);
  batch.page_bytes = std::min(batch.page_bytes, device_bytes / 10);
  batch.rows = limits.batch_rows > 0 ? limits.batch_rows : max_launch_rows - 1;
  return batch;
}

Status PagedScan::open_stream(const Limits& limits) {
  BatchAllocator memory;
  if (!device_->traits().unified_memory) {
    pinned_ = std::make_shared<PinnedSlabs>(device_);
    memory = [pinned = pinned_](std::uint64_t bytes) { return pinned->take(bytes); };
  }
  std::vector<std::uint32_t> columns;
  for (const PagedLoad& load : program_.paged) columns.push_back(load.column);
  std::vector<std::uint32_t> groups(table_->first_rows().size() - 1);
  std::iota(groups.begin(), groups.end(), 0u);
  PENSTOCK_ASSIGN(stream_,
                  pages::PageStream::open(
                      table_, columns,
                      pages::plan_batches(*table_, columns, groups, batch_limits(limits)), memory));
  begun_.resize(device_->traits().shares_host_cores() ? chunks_decoded_by_cpu : chunks_decoded);
  for (Begun& begun : begun_) { PENSTOCK_ASSIGN(begun.queue, device_->queue()); }
  return {};
}

// Takes the next batch and begins to decode it. At the end the batch is empty.
Status PagedScan::begin(Begun& begun) {
  const double start = now_seconds();
  PENSTOCK_ASSIGN(begun.batch, stream_->next());
  read_seconds_ += now_seconds() - start;
  if (!begun.batch) return {};
  std::vector<pages::ColumnOfPages> columns;
  for (std::size_t i = 0; i < program_.paged.size(); i++) {
    const std::uint32_t column = program_.paged[i].column;
    std::vector<pages::ChunkPages>& chunks = begun.batch->columns[i];
    if (table_->columns()[column].type.kind == Kind::string && !program_.paged[i].is_text)
      PENSTOCK_TRY(entries_.name_entries(column, chunks));
    pages::ColumnOfPages of_pages{&table_->columns()[column], {}};
    for (const pages::ChunkPages& chunk : chunks) {
      if (const std::string why = pages::why_not_decoded(*of_pages.column, chunk); !why.empty())
        return Status(Code::unsupported, table_->location_of(column, chunk, 0) + ": " + why);
      of_pages.chunks.push_back(&chunk);
    }
    columns.push_back(std::move(of_pages));
  }
  PENSTOCK_ASSIGN(begun.pending, decoder_->begin(*begun.queue, columns));
  return begun.queue->flush();
}

Status PagedScan::at_fault(const Begun& begun, const Status& status) const {
  const std::optional<pages::PageFault>& fault = begun.pending->fault();
  if (!fault) return status.with("while decoding pages of '" + name_ + "'");
  return fault->status.with(table_->location_of(program_.paged[fault->column].column,
                                                begun.batch->columns[fault->column][fault->chunk],
                                                fault->page));
}

Status PagedScan::finish(Begun& begun, ChunkMemory& memory, Queue& compute) {
  auto decoded = begun.pending->finish();
  if (!decoded.ok()) return at_fault(begun, decoded.status());
  memory.pages = std::move(decoded).value();
  bytes_uploaded_ += begun.pending->bytes_uploaded();
  memory.input = {};
  memory.input.row_count = memory.pages[0].row_count;
  memory.first_row = rows_;
  rows_ += memory.input.row_count;
  for (std::size_t i = 0; i < memory.pages.size(); i++) {
    const pages::DecodedPages& column = memory.pages[i];
    const Field& field = program_.source_schema[program_.paged[i].column];
    if (!field.nullable && column.null_count > 0)
      return Status(Code::corrupt, "column '" + field.name + "' of '" + name_ +
                                       "' has NULLs that " + "its statistics deny");
    memory.input.buffers.push_back(column.bytes);
    memory.input.buffers.push_back(column.index);
    memory.input.page_bytes += column.device_bytes;
  }
  PENSTOCK_ASSIGN(auto entries, entries_.upload(*device_, *begun.queue, memory.kept));
  for (std::shared_ptr<Buffer>& buffer : entries) memory.input.buffers.push_back(std::move(buffer));
  PENSTOCK_ASSIGN(const auto ready, begun.queue->record());
  PENSTOCK_TRY(begun.queue->flush());
  begun.pending.reset();
  begun.batch.reset();
  return compute.wait_for(*ready);
}

Result<bool> PagedScan::next(ChunkMemory& memory, Queue& compute) {
  memory.input.buffers.clear();
  memory.pages.clear();
  memory.kept.clear();
  while (begun_count_ < finished_count_ + begun_.size()) {
    Begun& begun = begun_[begun_count_ % begun_.size()];
    PENSTOCK_TRY(begin(begun));
    if (!begun.batch) break;
    begun_count_++;
  }
  if (finished_count_ == begun_count_) return false;
  PENSTOCK_TRY(finish(begun_[finished_count_ % begun_.size()], memory, compute));
  finished_count_++;
  return true;
}

}  // namespace penstock::plan
