#include "exec/scan/chunk_stream.hpp"

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "codec/light/light_column.hpp"
#include "fuse/program/derived_columns.hpp"
#include "fuse/program/light_loads.hpp"

namespace penstock::plan {
namespace {

std::uint64_t value_bytes(const Column& column) {
  if (column.type.kind == Kind::boolean) return (column.row_count + 7) / 8;
  return column.row_count * width_bytes(column.type);
}

Status undeclared_nulls() { return {Code::corrupt, "NULLs in a column that is declared without"}; }

// One core copies at a fraction of the speed of memory and bus.
void copy_in_threads(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  in_parallel(bytes, 2 << 20, [=](std::uint64_t first, std::uint64_t last) {
    std::memcpy(to + first, from + first, last - first);
  });
}

}  // namespace

std::string ChunkMemory::location_of(std::string_view what, const std::string& column) const {
  std::string index(what);
  index.append(" column '").append(column).append("'");
  if (first_row > 0) index.append(", counting from row ").append(std::to_string(first_row));
  return index;
}

std::shared_ptr<std::byte> PinnedMemory::take(std::uint64_t bytes) {
  auto buffer = device_->allocate_host(bytes);
  if (!buffer.ok()) return nullptr;
  std::byte* data = (*buffer)->data();
  {
    const std::lock_guard lock(mutex_);
    blocks_[data] = bytes;
  }
  return {data, [self = shared_from_this(), held = std::move(buffer).value()](std::byte* block) {
            const std::lock_guard lock(self->mutex_);
            self->blocks_.erase(block);
          }};
}

bool PinnedMemory::holds(const std::byte* data, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  auto after = blocks_.upper_bound(data);
  if (after == blocks_.begin()) return false;
  const auto& [begin, block_bytes] = *std::prev(after);
  return data + bytes <= begin + block_bytes;
}

Result<std::unique_ptr<BatchStream>> scan_columns(const TileProgram& program,
                                                  const TableSource& source,
                                                  std::uint64_t chunk_rows, BatchAllocator memory) {
  return scan_columns(program, source, program.scanned_columns(), chunk_rows, std::move(memory));
}

Result<std::unique_ptr<BatchStream>> scan_columns(const TileProgram& program,
                                                  const TableSource& source,
                                                  std::span<const std::uint32_t> columns,
                                                  std::uint64_t chunk_rows, BatchAllocator memory) {
  ScanOptions options;
  options.batch_rows = chunk_rows;
  options.memory = std::move(memory);
  options.encoded = columns_kept_encoded(program);
  return source.scan(columns, options);
}

Result<std::unique_ptr<ChunkStream>> ChunkStream::open(
    std::shared_ptr<Device> device, const TileProgram& program, const TableSource& source,
    std::uint64_t chunk_rows, const ProgramStrings& strings, BegunScan begun, DeviceCache* cache) {
  std::unique_ptr<ChunkStream> stream(new ChunkStream(std::move(device), program, strings));
  stream->code_programs_ = begin_code_programs(stream->device_, program);
  stream->cache_ = ChunkCache::open(cache, program, source, chunk_rows,
                                    !stream->device_->traits().unified_memory, strings);
  for (const std::uint32_t column : stream->scanned_)
    if (stream->has_numbers(column)) stream->tables_.add_column(column);
  const bool is_whole = !stream->cache_ || stream->cache_->missing() == stream->scanned_;
  BatchAllocator memory;
  if (!stream->device_->traits().unified_memory) {
    PENSTOCK_ASSIGN(stream->uploads_, stream->device_->queue());
    stream->pinned_ = std::make_shared<PinnedMemory>(stream->device_);
    memory = [pinned = stream->pinned_](std::uint64_t bytes) { return pinned->take(bytes); };
  } else if (begun.batches && begun.chunk_rows == chunk_rows && is_whole &&
             light_columns(program).empty()) {  // a scan that was begun decodes them
    stream->batches_ = std::move(begun.batches);
    return stream;
  }
  begun.batches.reset();  // before another scan competes with it
  const auto& columns = stream->cache_ ? stream->cache_->missing() : stream->scanned_;
  if (stream->cache_ && columns.empty()) return stream;
  PENSTOCK_ASSIGN(stream->batches_,
                  scan_columns(program, source, columns, chunk_rows, std::move(memory)));
  return stream;
}

Result<bool> ChunkStream::next(ChunkMemory& memory, Queue& compute) {
  const double start = now_seconds();
  PENSTOCK_ASSIGN(std::optional<Table> batch,
                  cache_ ? cache_->next(batches_.get()) : batches_->next());
  read_seconds_ += now_seconds() - start;
  if (!batch) return false;
  if (batch->row_count > max_launch_rows)
    return Status(Code::unsupported, "a batch of " + std::to_string(batch->row_count) +
                                         " rows; a kernel takes " +
                                         std::to_string(max_launch_rows) +
                                         " at most: a table on a device must be cut into several");
  memory.input.buffers.clear();  // before the batch: they may wrap its memory
  memory.input.page_bytes = 0;
  memory.derived.clear();
  memory.encoded.clear();
  memory.to_keep.clear();
  memory.batch = std::move(*batch);
  memory.input.row_count = memory.batch.row_count;
  memory.first_row = rows_;
  rows_ += memory.batch.row_count;
  std::size_t index = 0;
  const std::uint64_t uploaded_before = bytes_uploaded_;
  PENSTOCK_TRY(number_strings(memory));
  PENSTOCK_TRY(derive_all(memory, compute, index));
  memory.codes.resize(program_.device_columns.size());
  memory.spread.resize(program_.device_columns.size());
  for (std::size_t i = 0; i < program_.device_columns.size(); i++) {
    const Field& field = program_.source_schema[program_.device_columns[i]];
    PENSTOCK_TRY(upload_column(memory, compute, index, i, field.nullable)
                     .with("while uploading column '" + field.name + "' to the device"));
  }
  for (const Column& column : memory.batch.columns)
    if (column.device_values && column.values.empty() && program_.yields_row_numbers())
      return Status(
          Code::unsupported,
          "rows of this many columns cannot be taken from a table that lives on a device alone");
  if (uploads_ && bytes_uploaded_ != uploaded_before) {
    PENSTOCK_ASSIGN(const auto uploaded, uploads_->record());
    PENSTOCK_TRY(uploads_->flush());
    PENSTOCK_TRY(compute.wait_for(*uploaded));
  }
  PENSTOCK_TRY(compute_on_codes(memory, compute));
  return true;
}

std::size_t ChunkStream::index_of(std::uint32_t column) const {
  return static_cast<std::size_t>(std::find(scanned_.begin(), scanned_.end(), column) -
                                  scanned_.begin());
}

const Column& ChunkStream::column_of(const ChunkMemory& memory, std::uint32_t column) const {
  if (column >= program_.first_derived()) return memory.derived[column - program_.first_derived()];
  return memory.batch.columns[index_of(column)];
}

// Returns whether rows have numbers of a column's strings: a session keeps them, or kernels read
// tables by number that only these have.
bool ChunkStream::has_numbers(std::uint32_t column) const {
  return (cache_ && cache_->has_numbers(index_of(column))) ||
         std::ranges::find(ranked_, column) != ranked_.end();
}

// Numbers the strings of columns that the cache has not, and computes the functions of new strings.
Status ChunkStream::number_strings(ChunkMemory& memory) {
  memory.numbers.assign(scanned_.size(), {});
  for (std::size_t i = 0; i < scanned_.size(); i++) {
    if (!has_numbers(scanned_[i])) continue;
    const Column& column = memory.batch.columns[i];
    if (cache_ && cache_->is_resident(i)) {
      memory.numbers[i] = column.values;
      continue;
    }
    std::vector<std::uint32_t> numbers;
    PENSTOCK_TRY(strings_.of_column(scanned_[i])->number(column, numbers));
    PENSTOCK_TRY(strings_.check_order(scanned_[i], numbers));
    memory.numbers[i] = Bytes::own(std::move(numbers));
    if (cache_) cache_->keep_numbers(i, memory.first_row, column, memory.numbers[i]);
  }
  return tables_.add_new();
}

// Returns the codes of a column of strings, or a function of it by number. Neither lives longer
// than the chunk.
Result<Bytes> ChunkStream::strings_to_upload(ChunkMemory& memory, std::size_t column_index) {
  const std::uint32_t column = program_.device_columns[column_index];
  const std::uint32_t root = program_.root_of(column);
  if (!has_numbers(root)) {
    const Column& strings = column_of(memory, column);
    std::vector<std::uint32_t>& codes = memory.codes[column_index];
    const Status named = has_own_codes(program_, column)
                             ? strings_.of_column(column)->number(strings, codes)
                             : strings_.pool().encode(strings, codes);
    PENSTOCK_TRY(strings.encoded ? named.with(memory.location_of(
                                       "on the codes of", program_.source_schema[column].name))
                                 : named);
    return Bytes{nullptr, reinterpret_cast<const std::byte*>(codes.data()), codes.size() * 4};
  }
  const Bytes& numbers = memory.numbers[index_of(root)];
  const StringTables::Table* const table = tables_.find(column);
  if (table == nullptr) return numbers;
  std::vector<std::byte>& values = memory.spread[column_index];
  values = spread(*table, {numbers.as<std::uint32_t>(), numbers.size / 4});
  return Bytes{nullptr, values.data(), values.size()};
}

// Derives columns. Columns that devices compute on codes come first, since the host's may leave no
// codes.
Status ChunkStream::derive_all(ChunkMemory& memory, Queue& compute, std::size_t& index) {
  memory.derived.resize(program_.derived.size());
  std::vector<bool> is_done(program_.derived.size());
  for (std::size_t i = 0; i < is_done.size(); i++) {
    PENSTOCK_ASSIGN(is_done[i],
                    begin_on_codes(memory, compute, index, program_.derived[i], memory.derived[i]));
  }
  for (std::size_t i = 0; i < is_done.size(); i++) {
    const DerivedColumn& derived = program_.derived[i];
    if (is_done[i] || program_.lookup_of(derived.source) >= 0)
      continue;  // a lookup's: its index is kept
    if (has_numbers(program_.root_of(derived.source))) continue;
    PENSTOCK_TRY(decode_column(memory, derived.source));
    PENSTOCK_ASSIGN(memory.derived[i], derive(derived, column_of(memory, derived.source)));
  }
  return {};
}

Status ChunkStream::upload_column(ChunkMemory& memory, Queue& compute, std::size_t& index,
                                  std::size_t column_index, bool has_validity) {
  const std::uint32_t number = program_.device_columns[column_index],
                      root = program_.root_of(number);
  const bool is_there = column_of(memory, number).device_values != nullptr;  // made of FSST codes
  const bool has_own_numbers = !is_there && has_numbers(root);
  const Column& column = column_of(memory, has_own_numbers ? root : number);
  if (column.row_count != memory.batch.row_count)
    return Status(Code::internal, "a batch's columns differ in length");
  if (column.device_values) {
    memory.input.buffers.push_back(column.device_values);
    if (!has_validity && (column.device_validity || !column.validity.empty()))
      return undeclared_nulls();
    if (!has_validity) return {};
    if (column.device_validity) {
      memory.input.buffers.push_back(column.device_validity);
      return {};
    }
    return upload_validity(memory, compute, index, column, false);
  }
  const bool is_kept = is_to_be_kept(column_index);
  const std::byte* values = column.values.data;
  std::uint64_t bytes = value_bytes(column);
  if (reads_light(program_, number)) {
    const light::Block* const block = light::block_of(column);
    if (block == nullptr) return Status(Code::internal, "a light encoding that the source decoded");
    values = block->bytes().data;
    bytes = block->bytes().size;
    memory.input.page_bytes += bytes;
  } else if (has_own_numbers || column.type.kind == Kind::string) {
    PENSTOCK_ASSIGN(const Bytes codes, strings_to_upload(memory, column_index));
    values = codes.data;
    bytes = codes.size;
  }
  PENSTOCK_ASSIGN(auto buffer, upload(memory, index++, values, bytes, is_kept));
  if (is_kept) {
    Column kept;
    kept.type = column.type;
    kept.row_count = column.row_count;
    kept.device_values = buffer;
    memory.to_keep.emplace_back(index_of(program_.device_columns[column_index]), std::move(kept));
  }
  memory.input.buffers.push_back(std::move(buffer));
  if (!has_validity) {
    if (!column.validity.empty()) return undeclared_nulls();
    return {};
  }
  return upload_validity(memory, compute, index, column, is_kept);
}

// Returns whether one of the kernel's columns stays on the device after the chunk.
bool ChunkStream::is_to_be_kept(std::size_t column_index) const {
  const std::uint32_t column = program_.device_columns[column_index];
  return cache_ && column < program_.first_derived() && cache_->is_kept_on_device(index_of(column));
}

Status ChunkStream::upload_validity(ChunkMemory& memory, Queue& compute, std::size_t& index,
                                    const Column& column, bool is_kept) {
  if (column.validity.empty()) {
    PENSTOCK_ASSIGN(auto ones, all_present(column.row_count, compute));
    memory.input.buffers.push_back(std::move(ones));
    return {};
  }
  PENSTOCK_ASSIGN(auto validity, upload(memory, index++, column.validity.data,
                                        (column.row_count + 7) / 8, is_kept));
  if (is_kept) memory.to_keep.back().second.device_validity = validity;
  memory.input.buffers.push_back(std::move(validity));
  return {};
}

Result<std::shared_ptr<Buffer>> ChunkStream::upload(ChunkMemory& memory, std::size_t index,
                                                    const std::byte* data, std::uint64_t bytes,
                                                    bool is_kept) {
  if (bytes == 0) return device_->allocate(64);
  if (!uploads_) return device_->wrap_host(data, bytes);
  if (is_kept) memory.forget_upload(index);  // another column of an earlier chunk may be there
  PENSTOCK_ASSIGN(const auto buffer, buffer_for(memory, index, bytes));
  PENSTOCK_ASSIGN(const std::byte* const from, pin(memory, index, data, bytes));
  PENSTOCK_TRY(uploads_->upload(*buffer, from, bytes));
  bytes_uploaded_ += bytes;
  if (is_kept) memory.forget_upload(index);
  return buffer;
}

// Returns a column's own memory in the chunk. It is used again if it is large enough.
Result<std::shared_ptr<Buffer>> ChunkStream::buffer_for(ChunkMemory& memory, std::size_t index,
                                                        std::uint64_t bytes) {
  if (memory.uploaded.size() <= index) {
    memory.staging.resize(index + 1);
    memory.uploaded.resize(index + 1);
  }
  if (!memory.uploaded[index] || memory.uploaded[index]->bytes() < bytes) {
    PENSTOCK_ASSIGN(memory.uploaded[index], device_->allocate(bytes));
  }
  return memory.uploaded[index];
}

// Returns a pointer to the bytes from which the device copies them at full speed: the data itself,
// or the chunk's staging memory.
Result<const std::byte*> ChunkStream::pin(ChunkMemory& memory, std::size_t index,
                                          const std::byte* data, std::uint64_t bytes) {
  if (pinned_->holds(data, bytes)) return data;
  auto& staging = memory.staging[index];
  if (!staging || staging->bytes() < bytes) {
    PENSTOCK_ASSIGN(staging, device_->allocate_host(bytes));
  }
  copy_in_threads(staging->data(), data, bytes);
  return staging->data();
}

Result<std::shared_ptr<Buffer>> ChunkStream::all_present(std::uint64_t row_count, Queue& compute) {
  const std::uint64_t bytes = (row_count / 8 + 67) / 4 * 4;
  if (ones_ && ones_->bytes() >= bytes) return ones_;
  PENSTOCK_ASSIGN(ones_, device_->allocate(bytes));
  PENSTOCK_TRY(compute.fill(*ones_, 0xffffffffu, bytes));
  return ones_;
}

}  // namespace penstock::plan
