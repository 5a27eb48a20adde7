#include "exec/scan/chunk_cache.hpp"

#include <algorithm>
#include <utility>

#include "exec/scan/kept_columns.hpp"
#include "fuse/codegen/code_functions.hpp"

namespace penstock::plan {
namespace {

// Returns whether only kernels read a column of the source.
bool is_for_kernels_alone(const TileProgram& program, std::uint32_t column) {
  if (program.source_schema[column].type.kind == Kind::string || program.yields_row_numbers())
    return false;
  return std::ranges::find(program.device_columns, column) != program.device_columns.end() &&
         std::ranges::none_of(program.derived, [column](const DerivedColumn& derived) {
           return derived.source == column;
         });
}

// Returns whether kernels read codes of a column's strings, or functions of them.
bool is_read_by_number(const TileProgram& program, std::uint32_t column) {
  return program.source_schema[column].type.kind == Kind::string &&
         std::ranges::any_of(program.device_columns,
                             [&](std::uint32_t read) { return program.root_of(read) == column; });
}

}  // namespace

std::unique_ptr<ChunkCache> ChunkCache::open(DeviceCache* cache, const TileProgram& program,
                                             const TableSource& source, std::uint64_t chunk_rows,
                                             bool has_device_memory,
                                             const ProgramStrings& strings) {
  if (cache == nullptr || cache->limit_bytes() == 0 || source.identity().empty() ||
      program.scanned_columns().empty() || !columns_kept_encoded(program).empty())
    return nullptr;
  std::unique_ptr<ChunkCache> opened(new ChunkCache(*cache, program, source, chunk_rows, strings));
  opened->look_up(program, has_device_memory);
  return opened;
}

ChunkCache::ChunkCache(DeviceCache& cache, const TileProgram& program, const TableSource& source,
                       std::uint64_t chunk_rows, const ProgramStrings& strings)
    : cache_(cache),
      identity_(source.identity()),
      chunk_rows_(chunk_rows),
      columns_(program.scanned_columns()),
      strings_(strings),
      string_bytes_(columns_.size()),
      residents_(columns_.size()) {
  for (const std::uint32_t column : columns_) names_.push_back(program.source_schema[column].name);
}

void ChunkCache::look_up(const TileProgram& program, bool has_device_memory) {
  known_layout_ = cache_.find<Layout>({"chunk rows", identity_, 0, 0, chunk_rows_});
  for (std::size_t i = 0; i < columns_.size(); i++) {
    const bool is_on_device = has_device_memory && is_for_kernels_alone(program, columns_[i]);
    have_numbers_.push_back(is_read_by_number(program, columns_[i]));
    places_.push_back(have_numbers_[i] ? Place::numbers
                      : is_on_device   ? Place::device
                                       : Place::host);
    if (have_numbers_[i]) string_bytes_[i] = strings_.of_column(columns_[i])->bytes();
    if (known_layout_) residents_[i] = find_all(i, places_[i]);
    if (!residents_[i].empty())
      places_[i] = Place::resident;
    else
      missing_.push_back(columns_[i]);
  }
}

DeviceCache::Key ChunkCache::key(std::size_t index, Place place, std::uint64_t first_row,
                                 std::uint64_t row_count) const {
  std::string kind = place == Place::device ? "column on the device" : "column on the host";
  if (place == Place::numbers)
    kind = "numbers of strings " + std::to_string(strings_.of_column(columns_[index])->id());
  return {std::move(kind), identity_, columns_[index], first_row, row_count};
}

// A chunk's strings are used again after its numbers, so that they do not leave the cache first.
void ChunkCache::keep_numbers(std::size_t index, std::uint64_t first_row, const Column& strings,
                              Bytes numbers) {
  Column kept;
  kept.type = strings.type;
  kept.row_count = strings.row_count;
  kept.values = std::move(numbers);
  kept.validity = strings.validity;
  const auto known = strings_.of_column(columns_[index]);
  const std::uint64_t bytes =
      kept_bytes(kept) + known->bytes() - std::exchange(string_bytes_[index], known->bytes());
  cache_.put(key(index, Place::numbers, first_row, kept.row_count),
             std::make_shared<const Column>(std::move(kept)), bytes);
  strings_.keep_again();
}

// Returns all chunks of a column; none if one is missing.
ChunkCache::Resident ChunkCache::find_all(std::size_t index, Place place) const {
  Resident chunks;
  std::uint64_t first_row = 0;
  for (const std::uint64_t rows : *known_layout_) {
    auto chunk = cache_.find<Column>(key(index, place, first_row, rows));
    if (!chunk) return {};
    chunks.push_back(std::move(chunk));
    first_row += rows;
  }
  return chunks;
}

Result<std::optional<Table>> ChunkCache::next(BatchStream* batches) {
  Table chunk;
  if (batches != nullptr) {
    PENSTOCK_ASSIGN(std::optional<Table> batch, batches->next());
    if (!batch) {
      if (!known_layout_)
        cache_.put({"chunk rows", identity_, 0, 0, chunk_rows_},
                   std::make_shared<const Layout>(layout_),
                   sizeof(Layout) + layout_.size() * sizeof(std::uint64_t));
      return std::optional<Table>();
    }
    chunk = std::move(*batch);
  } else {
    if (layout_.size() == known_layout_->size()) return std::optional<Table>();
    chunk.row_count = (*known_layout_)[layout_.size()];
  }
  PENSTOCK_TRY(add_resident(chunk));
  keep_on_host(chunk);
  layout_.push_back(chunk.row_count);
  rows_ += chunk.row_count;
  return std::optional<Table>(std::move(chunk));
}

// Puts the cache's columns between the ones that were read.
Status ChunkCache::add_resident(Table& chunk) {
  std::vector<Column> columns;
  std::size_t read = 0;
  for (std::size_t i = 0; i < columns_.size(); i++) {
    if (places_[i] != Place::resident) {
      columns.push_back(std::move(chunk.columns[read++]));
      continue;
    }
    if (layout_.size() >= residents_[i].size() ||
        residents_[i][layout_.size()]->row_count != chunk.row_count)
      return {Code::io, "the file changed while it was read"};
    columns.push_back(*residents_[i][layout_.size()]);
    if (have_numbers_[i]) columns.back().dictionary = strings_.of_column(columns_[i])->all();
    columns_taken_++;
  }
  chunk.names = names_;
  chunk.columns = std::move(columns);
  return {};
}

void ChunkCache::keep_on_host(const Table& chunk) {
  for (std::size_t i = 0; i < columns_.size(); i++)
    if (places_[i] == Place::host) keep(i, rows_, chunk.columns[i]);
}

void ChunkCache::keep(std::size_t index, std::uint64_t first_row, Column column) {
  const std::uint64_t bytes = kept_bytes(column);
  const DeviceCache::Key place = key(index, places_[index], first_row, column.row_count);
  cache_.put(place, std::make_shared<const Column>(std::move(column)), bytes);
}

}  // namespace penstock::plan
