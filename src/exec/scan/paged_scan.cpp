#include "exec/scan/paged_scan.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/human_readable.hpp"
#include "column/bits.hpp"
#include "exec/scan/chunks_of_pages.hpp"
#include "exec/scan/direct_pages.hpp"
#include "fuse/program/paged_columns.hpp"
#include "table/strings/written_column.hpp"

namespace penstock::plan {
namespace {

// Chunks with pages that are decoded at once. A page of Snappy takes one warp some milliseconds;
// several chunks arrive in that time. A CPU has no warps to fill.
constexpr std::size_t chunks_decoded = 8, large_chunks_decoded = 5, chunks_decoded_by_cpu = 2;

// Both sides of a join are read ahead of their turn.
bool is_staged(const Device& device, const TileProgram& program, const PagesToRead& read,
               const PagedScan::Limits& limits) {
  return limits.may_stage && limits.direct_reads == DirectReads::automatic &&
         program.lookups.empty() && may_be_staged(device, read);
}

Bytes validity_of(const pages::StoredRows& stored) {
  if (std::ranges::count(stored.are_present, 0u) == 0) return {};
  return column::make_bits(stored.are_present.size(),
                           [&](std::uint64_t row) { return stored.are_present[row] != 0; });
}

// Values of 32 bits are extended by their sign: decimals of few digits are stored so.
Column column_of_stored(Type type, bool is_wide, const pages::StoredRows& stored) {
  Column column;
  column.type = type;
  column.row_count = stored.values.size();
  column.validity = validity_of(stored);
  if (type.kind == Kind::boolean) {
    column.values = column::make_bits(column.row_count,
                                      [&](std::uint64_t row) { return stored.values[row] != 0; });
    return column;
  }
  const std::size_t width = width_bytes(type);
  LargeVector<std::byte> values(column.row_count * width);
  for_rows(column.row_count, [&](std::uint64_t row) {
    const std::uint64_t stored_bits = stored.values[row];
    const std::int64_t value =
        is_wide ? static_cast<std::int64_t>(stored_bits) : static_cast<std::int32_t>(stored_bits);
    std::memcpy(values.data() + row * width, &value, width);
  });
  column.values = Bytes::own(std::move(values));
  return column;
}

Column column_of_numbers(const ColumnStrings& strings, const pages::StoredRows& stored) {
  Column column;
  column.type = {Kind::string};
  column.row_count = stored.values.size();
  column.validity = validity_of(stored);
  LargeVector<std::uint32_t> numbers(column.row_count);
  for_rows(column.row_count, [&](std::uint64_t row) {
    numbers[row] = static_cast<std::uint32_t>(stored.values[row]);
  });
  return column_of_codes(std::move(column), numbers.data(),
                         [&](std::uint32_t number) { return strings.text(number); });
}

BatchAllocator allocator_of(std::shared_ptr<PinnedSlabs> slabs) {
  return [slabs = std::move(slabs)](std::uint64_t bytes) { return slabs->take(bytes); };
}

}  // namespace

PagedScan::PagedScan(std::shared_ptr<Device> device, std::shared_ptr<pages::PageDecoder> decoder,
                     const TileProgram& program, const TableSource& source, const Limits& limits,
                     const ProgramStrings& strings)
    : device_(std::move(device)),
      decoder_(std::move(decoder)),
      program_(program),
      table_(source.pages()),
      name_(source.describe()),
      strings_(strings),
      entries_(program, *table_, strings),
      resident_(limits.cache, source.identity()) {}

PagedScan::~PagedScan() {
  for (Begun& begun : begun_) {
    begun.pending.reset();                                      // may use the queue until then
    if (begun.queue) static_cast<void>(begun.queue->finish());  // uploads read the batches
  }
}

Result<std::unique_ptr<ChunkSource>> PagedScan::open(
    std::shared_ptr<Device> device, std::shared_ptr<pages::PageDecoder> decoder,
    const TileProgram& program, const TableSource& source, const Limits& limits,
    const ProgramStrings& strings, BegunPages begun) {
  std::unique_ptr<PagedScan> scan(
      new PagedScan(std::move(device), std::move(decoder), program, source, limits, strings));
  PENSTOCK_TRY(scan->open_stream(limits, std::move(begun)));
  return std::unique_ptr<ChunkSource>(std::move(scan));
}

Status PagedScan::open_stream(const Limits& limits, BegunPages begun) {
  if (begun.resident)
    resident_ = *std::exchange(begun.resident, {});
  else
    look_up(limits);
  read_loads_ = resident_.missing();
  if (!read_loads_.empty()) PENSTOCK_TRY(read_pages(limits, std::move(begun)));
  begun_.resize(chunks_at_once());
  if (!stream_) return {};
  for (Begun& chunk : begun_) { PENSTOCK_ASSIGN(chunk.queue, device_->queue()); }
  return {};
}

void PagedScan::look_up(const Limits& limits) {
  std::vector<std::size_t> loads(program_.paged.size());
  std::iota(loads.begin(), loads.end(), std::size_t{0});
  const std::vector<std::uint32_t> needed = needed_groups(*table_, limits);
  resident_.look_up(program_, *table_,
                    chunks_of(*table_, resident_, columns_of(loads), needed, limits,
                              limits.memory_limit_bytes ? limits.memory_limit_bytes
                                                        : device_->traits().global_bytes),
                    needed, strings_);
}

std::size_t PagedScan::chunks_at_once() const {
  if (device_->traits().shares_host_cores()) return chunks_decoded_by_cpu;
  const bool are_large = std::ranges::any_of(
      resident_.chunks(),
      [](const pages::RowGroupBatch& chunk) { return chunk.stored_bytes > chunk_stored_bytes; });
  return are_large ? large_chunks_decoded : chunks_decoded;
}

Status PagedScan::read_pages(const Limits& limits, BegunPages begun) {
  if (!begun.stream) {
    const std::vector<std::uint32_t> columns = columns_of(read_loads_);
    std::vector<pages::RowGroupBatch> batches = resident_.to_read();
    PENSTOCK_ASSIGN(DirectPages direct,
                    direct_pages(*device_, {*table_, columns, batches}, limits.direct_reads));
    read_how_ = std::move(direct.how);
    if (!direct.table && is_staged(*device_, program_, {*table_, columns, batches}, limits)) {
      PENSTOCK_ASSIGN(direct.table,
                      staged_pages(device_, {*table_, columns, batches}, limits.reading_threads));
    }
    if (direct.table) {
      PENSTOCK_ASSIGN(
          stream_, pages::PageStream::open(std::move(direct.table), columns, std::move(batches), {},
                                           limits.reading_threads));
      return {};
    }
  }
  return open_pinned_stream(limits, std::move(begun));
}

Status PagedScan::open_pinned_stream(const Limits& limits, BegunPages begun) {
  const std::vector<std::uint32_t> columns = columns_of(read_loads_);
  std::vector<pages::RowGroupBatch> batches = resident_.to_read();
  if (begun.stream && begun.columns == columns && begun.chunks == batches) {
    if (begun.memory) begun.memory->pin_on(device_);
    stream_ = std::move(begun.stream);
    return {};
  }
  const auto memory = device_->traits().unified_memory
                          ? BatchAllocator()
                          : allocator_of(std::make_shared<PinnedSlabs>(device_));
  PENSTOCK_ASSIGN(stream_, pages::PageStream::open(table_, columns, std::move(batches), memory,
                                                   limits.reading_threads));
  return {};
}

// A device that is being opened has not said how much memory it has; one with less than expected
// reads again. Columns that a session keeps are not read; if it keeps all, they are not looked up
// again.
Result<BegunPages> PagedScan::begin(const std::shared_ptr<Device>& device,
                                    const TileProgram& program, const TableSource& source,
                                    const Limits& limits,
                                    std::shared_ptr<pages::ReadingOrder> order, StringPool& pool) {
  constexpr std::uint64_t expected_bytes = std::uint64_t{1} << 40;
  const std::uint64_t device_bytes = device ? device->traits().global_bytes : expected_bytes;
  std::vector<std::uint32_t> columns;
  for (const PagedLoad& load : program.paged) columns.push_back(load.column);
  const auto table = source.pages();
  const std::vector<std::uint32_t> needed = needed_groups(*table, limits);
  ResidentPages resident(limits.cache, source.identity());
  const ProgramStrings strings(pool, program, limits.cache, source.identity());
  resident.look_up(program, *table,
                   chunks_of(*table, resident, columns, needed, limits,
                             limits.memory_limit_bytes ? limits.memory_limit_bytes : device_bytes),
                   needed, strings);
  BegunPages begun;
  begun.strings = strings;
  begun.chunks = resident.to_read();
  for (const std::size_t load : resident.missing()) begun.columns.push_back(columns[load]);
  if (begun.columns.empty() && device) begun.resident = std::move(resident);
  if (begun.columns.empty()) return begun;
  const PagesToRead read{*table, begun.columns, begun.chunks};
  if (may_be_read_directly(read, limits.direct_reads)) return BegunPages();
  if (device && is_staged(*device, program, read, limits)) return BegunPages();
  if (!device || !device->traits().unified_memory)
    begun.memory = std::make_shared<PinnedSlabs>(device);
  if (!device) pages::compile_for_expected_gpu(compressions_of(program, *table));
  PENSTOCK_ASSIGN(begun.stream, pages::PageStream::open(
                                    table, begun.columns, begun.chunks,
                                    begun.memory ? allocator_of(begun.memory) : BatchAllocator(),
                                    limits.reading_threads, std::move(order)));
  return begun;
}

std::string PagedScan::note() const {
  if (bytes_read_directly_ == 0) return "";
  return bytes_text(bytes_read_directly_) + " of '" + name_ + "' were read " + read_how_;
}

std::vector<std::uint32_t> PagedScan::columns_of(const std::vector<std::size_t>& loads) const {
  std::vector<std::uint32_t> columns;
  for (const std::size_t load : loads) columns.push_back(program_.paged[load].column);
  return columns;
}

Status PagedScan::read(Begun& begun) {
  const double start = now_seconds();
  PENSTOCK_ASSIGN(begun.batch, stream_->next());
  read_seconds_ += now_seconds() - start;
  return begun.batch ? Status() : Status(Code::internal, "a stream of pages ended early");
}

std::vector<pages::ChunkPages>& PagedScan::chunks_of_load(Begun& begun, std::size_t load) const {
  const auto place = std::ranges::lower_bound(read_loads_, load) - read_loads_.begin();
  return begun.batch->columns[static_cast<std::size_t>(place)];
}

Result<pages::ColumnOfPages> PagedScan::column_to_decode(Begun& begun, std::size_t number) {
  const PagedLoad& load = program_.paged[number];
  const std::uint32_t column = load.column;
  std::vector<pages::ChunkPages>& chunks = chunks_of_load(begun, number);
  if (table_->columns()[column].type.kind == Kind::string && !load.is_text && !load.is_named)
    PENSTOCK_TRY(entries_.name_entries(column, chunks));
  pages::ColumnOfPages of_pages{&table_->columns()[column], {}};
  for (const pages::ChunkPages& chunk : chunks) {
    if (const std::string why = pages::why_not_decoded(*of_pages.column, chunk); !why.empty())
      return Status(Code::unsupported, table_->location_of(column, chunk, 0) + ": " + why);
    of_pages.chunks.push_back(&chunk);
  }
  return of_pages;
}

// Begins to decode the columns of the chunk that are not resident.
Status PagedScan::begin(Begun& begun) {
  begun.number = begun_count_;
  const std::vector<std::size_t>& missing = resident_.missing(begun.number);
  if (missing.empty()) return {};
  PENSTOCK_TRY(read(begun));
  std::vector<pages::ColumnOfPages> columns;
  for (const std::size_t load : missing) {
    PENSTOCK_ASSIGN(pages::ColumnOfPages column, column_to_decode(begun, load));
    columns.push_back(std::move(column));
  }
  PENSTOCK_ASSIGN(begun.pending, decoder_->begin(*begun.queue, columns));
  return {};
}

Status PagedScan::at_fault(Begun& begun, const Status& status) const {
  const std::optional<pages::PageFault>& fault = begun.pending->fault();
  if (!fault) return status.with("while decoding pages of '" + name_ + "'");
  const std::size_t load = resident_.missing(begun.number)[fault->column];
  if (fault->is_denied_null) table_->found_null(program_.paged[load].column);
  return fault->status.with(table_->location_of(
      program_.paged[load].column, chunks_of_load(begun, load)[fault->chunk], fault->page));
}

// Strings outside of dictionaries become codes: each is downloaded once a chunk.
Status PagedScan::name_strings(Begun& begun, std::vector<pages::DecodedPages>& decoded) {
  for (std::size_t i = 0; i < decoded.size(); i++) {
    const PagedLoad& load = program_.paged[resident_.missing(begun.number)[i]];
    if (!load.is_named) continue;
    PENSTOCK_ASSIGN(const auto texts, decoder_->distinct_texts(*begun.queue, decoded[i], {}));
    PENSTOCK_ASSIGN(const auto codes, entries_.name_strings(load.column, texts->strings()));
    PENSTOCK_ASSIGN(decoded[i], texts->with_codes(codes));
  }
  return {};
}

// Makes a chunk's columns the kernel's input.
void PagedScan::take(std::vector<pages::DecodedPages> all, ChunkMemory& memory) {
  memory.pages = std::move(all);
  memory.input = {};
  memory.input.row_count = memory.pages[0].row_count;
  memory.first_row = rows_;
  rows_ += memory.input.row_count;
  for (std::size_t i = 0; i < memory.pages.size(); i++) {
    const pages::DecodedPages& column = memory.pages[i];
    if (!program_.paged[i].is_late) {
      memory.input.buffers.push_back(column.bytes);
      memory.input.buffers.push_back(column.index);
    }
    memory.input.page_bytes += column.device_bytes;
  }
}

Status PagedScan::finish(Begun& begun, ChunkMemory& memory, Queue& compute) {
  std::vector<pages::DecodedPages> decoded;
  if (begun.pending) {
    const double start = now_seconds();
    begun.pending->wait_for_files();
    read_seconds_ += now_seconds() - start;
    auto read = begun.pending->finish();
    if (!read.ok()) return at_fault(begun, read.status());
    decoded = std::move(read).value();
    bytes_uploaded_ += begun.pending->bytes_uploaded();
    bytes_read_directly_ += begun.pending->bytes_read_directly();
    PENSTOCK_TRY(name_strings(begun, decoded).with("while naming strings of '" + name_ + "'"));
  }
  memory.page_chunk = begun.number;
  memory.scan = this;
  take(resident_.with_residents(begun.number, std::move(decoded)), memory);
  Queue& uploads = begun.queue ? *begun.queue : compute;
  PENSTOCK_ASSIGN(auto entries, entries_.upload(*device_, uploads, begun.number, memory.kept));
  for (std::shared_ptr<Buffer>& buffer : entries) memory.input.buffers.push_back(std::move(buffer));
  if (!begun.queue) return {};
  PENSTOCK_ASSIGN(const auto ready, begun.queue->record());
  PENSTOCK_TRY(begun.queue->flush());
  begun.pending.reset();
  begun.batch.reset();
  return compute.wait_for(*ready);
}

Status PagedScan::open_gathers() {
  if (!gathers_) { PENSTOCK_ASSIGN(gathers_, device_->queue()); }
  return {};
}

Result<std::shared_ptr<Buffer>> PagedScan::upload_rows(std::span<const std::uint32_t> rows) {
  PENSTOCK_TRY(open_gathers());
  PENSTOCK_ASSIGN(auto there, device_->allocate(std::max<std::uint64_t>(rows.size_bytes(), 64)));
  PENSTOCK_TRY(gathers_->upload(*there, rows.data(), rows.size_bytes()));
  PENSTOCK_TRY(gathers_->finish());
  return there;
}

Result<Column> PagedScan::column_of_rows(const ChunkMemory& memory, std::uint32_t column,
                                         const Buffer& rows, std::uint64_t row_count) {
  PENSTOCK_TRY(open_gathers());
  const auto load = std::ranges::find(program_.paged, column, &PagedLoad::column);
  const pages::DecodedPages& decoded =
      memory.pages[static_cast<std::size_t>(load - program_.paged.begin())];
  const auto count = static_cast<std::uint32_t>(row_count);
  if (load->is_text) return decoder_->texts_of_rows(*gathers_, decoded, rows, count);
  PENSTOCK_ASSIGN(const pages::StoredRows stored,
                  decoder_->values_of_rows(*gathers_, decoded, load->is_wide, rows, count));
  const Type type = table_->columns()[column].type;
  if (type.kind != Kind::string) return column_of_stored(type, load->is_wide, stored);
  return column_of_numbers(*strings_.of_column(column), stored);
}

// The chunk's kernels are done, and so is the work that made its pages.
Status PagedScan::check(ChunkMemory& memory) {
  resident_.keep(memory.page_chunk, memory.pages);
  entries_.keep(memory.page_chunk);
  return {};
}

Result<bool> PagedScan::next(ChunkMemory& memory, Queue& compute) {
  memory.input.buffers.clear();
  memory.pages.clear();
  memory.kept.clear();
  const std::size_t end = std::min(resident_.chunks().size(), finished_count_ + begun_.size());
  while (begun_count_ < end) {
    PENSTOCK_TRY(begin(begun_[begun_count_ % begun_.size()]));
    begun_count_++;
  }
  if (finished_count_ == begun_count_) return false;
  PENSTOCK_TRY(finish(begun_[finished_count_ % begun_.size()], memory, compute));
  finished_count_++;
  return true;
}

}  // namespace penstock::plan
