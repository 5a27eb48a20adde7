#include "io/files/paged_files.hpp"

#include <algorithm>

#include "base/published.hpp"
#include "io/files/constant_column.hpp"
#include "io/files/constant_pages.hpp"

namespace penstock::io {
namespace {

using pages::ChunkPages;
using pages::PagedColumn;
using pages::PagedTable;

bool is_stored_alike(const PagedColumn& a, const PagedColumn& b) {
  return a.type == b.type && a.physical == b.physical && a.fixed_bytes == b.fixed_bytes &&
         a.conversion == b.conversion && a.is_optional == b.is_optional;
}

class PagedFiles final : public PagedTable {
 public:
  PagedFiles(std::shared_ptr<const JoinedFiles> joined,
             std::vector<std::shared_ptr<const PagedTable>> tables)
      : joined_(std::move(joined)),
        tables_(std::move(tables)),
        chunks_(std::make_unique<Published<Chunks>[]>(joined_->schema.size())) {
    first_rows_.push_back(0);
    for (const auto& table : tables_) {
      first_groups_.push_back(static_cast<std::uint32_t>(first_rows_.size() - 1));
      const std::span<const std::uint64_t> rows = table->first_rows();
      const std::uint64_t before = first_rows_.back();
      for (std::size_t group = 1; group < rows.size(); group++)
        first_rows_.push_back(before + rows[group]);
    }
    for (std::uint32_t column = 0; column < joined_->schema.size(); column++)
      columns_.push_back(column_of_all(column));
  }

  const std::vector<PagedColumn>& columns() const override { return columns_; }
  std::span<const std::uint64_t> first_rows() const override { return first_rows_; }
  std::span<const pages::StoredChunk> chunks(std::uint32_t column) const override {
    return known(column).chunks;
  }
  pages::ChunkSummary summary(std::uint32_t column) const override { return known(column).summary; }
  Result<ChunkPages> read(std::uint32_t column, std::uint32_t row_group,
                          const BatchAllocator& memory) const override;
  std::vector<std::vector<std::size_t>> neighbours(std::span<const std::uint32_t> columns,
                                                   std::uint32_t row_group) const override;
  Result<std::vector<ChunkPages>> read_neighbours(std::span<const std::uint32_t> columns,
                                                  std::uint32_t row_group,
                                                  const BatchAllocator& memory) const override;
  Result<Column> dictionary_strings(std::uint32_t column, const ChunkPages& chunk) const override;
  std::string location_of(std::uint32_t column, const ChunkPages& chunk,
                          std::uint32_t page) const override;
  // A row's file is not known here: none of them is believed any more.
  void found_null(std::uint32_t column) const override {
    for (std::size_t file = 0; file < tables_.size(); file++)
      if (const auto& stored = part(file).stored[column]) tables_[file]->found_null(*stored);
  }

 private:
  struct Chunks {
    std::vector<pages::StoredChunk> chunks;
    pages::ChunkSummary summary;
  };
  // A file, and a row group of it.
  struct Place {
    std::size_t file;
    std::uint32_t row_group;
  };

  const FilePart& part(std::size_t file) const { return joined_->parts[file]; }
  Scalar constant(std::size_t file, std::uint32_t column) const {
    return constant_of(part(file), column, joined_->schema[column].type);
  }
  // Files without row groups have no places: the last file that begins there has it.
  Place place_of_group(std::uint32_t row_group) const {
    const auto after = std::ranges::upper_bound(first_groups_, row_group);
    const auto file = static_cast<std::size_t>(after - first_groups_.begin()) - 1;
    return {file, row_group - first_groups_[file]};
  }
  ChunkPages numbered_in_file(const ChunkPages& chunk, const Place& place) const {
    ChunkPages own = chunk;
    own.row_group = place.row_group;
    return own;
  }
  const Chunks& known(std::uint32_t column) const {
    return chunks_[column].get([&] { return std::make_unique<Chunks>(chunks_of(column)); });
  }
  PagedColumn column_of_all(std::uint32_t column) const;
  Chunks chunks_of(std::uint32_t column) const;
  void add_chunks(std::uint32_t column, std::size_t file,
                  std::vector<pages::StoredChunk>& chunks) const;

  const std::shared_ptr<const JoinedFiles> joined_;
  const std::vector<std::shared_ptr<const PagedTable>> tables_;
  std::vector<std::uint64_t> first_rows_;
  std::vector<std::uint32_t> first_groups_;  // by file: its first row group among all
  std::vector<PagedColumn> columns_;
  const std::unique_ptr<Published<Chunks>[]> chunks_;  // by column, made when first asked for
};

PagedColumn PagedFiles::column_of_all(std::uint32_t column) const {
  const Field& field = joined_->schema[column];
  std::optional<PagedColumn> all;
  for (std::size_t file = 0; file < tables_.size(); file++) {
    const auto& stored = part(file).stored[column];
    if (!stored) continue;
    const PagedColumn& own = tables_[file]->columns()[*stored];
    if (!all) all = own;
    all->denies_nulls = all->denies_nulls && own.denies_nulls;
    if (all->why_not.empty()) all->why_not = own.why_not;
  }
  if (!all) return constant_paged_column(field.type, field.nullable);
  if (all->type != field.type && all->why_not.empty())
    all->why_not = "it is cast to " + name_of(field.type);
  all->type = field.type;
  all->denies_nulls = all->denies_nulls && !field.nullable;
  return *all;
}

PagedFiles::Chunks PagedFiles::chunks_of(std::uint32_t column) const {
  Chunks all;
  for (std::size_t file = 0; file < tables_.size(); file++) add_chunks(column, file, all.chunks);
  all.summary = pages::summary_of(all.chunks);
  return all;
}

void PagedFiles::add_chunks(std::uint32_t column, std::size_t file,
                            std::vector<pages::StoredChunk>& chunks) const {
  const PagedTable& table = *tables_[file];
  const auto& stored = part(file).stored[column];
  if (!stored) {
    chunks.insert(chunks.end(), table.first_rows().size() - 1,
                  constant_stored_chunk(columns_[column], constant(file, column)));
    return;
  }
  const std::size_t before = chunks.size();
  const auto own = table.chunks(*stored);
  chunks.insert(chunks.end(), own.begin(), own.end());
  if (is_stored_alike(table.columns()[*stored], columns_[column])) return;
  for (std::size_t chunk = before; chunk < chunks.size(); chunk++)
    if (chunks[chunk].why_not.empty()) chunks[chunk].why_not = "files store it in different types";
}

Result<ChunkPages> PagedFiles::read(std::uint32_t column, std::uint32_t row_group,
                                    const BatchAllocator& memory) const {
  PENSTOCK_ASSIGN(std::vector<ChunkPages> chunks,
                  read_neighbours(std::span(&column, 1), row_group, memory));
  return std::move(chunks[0]);
}

// A column that is not stored has no neighbours.
std::vector<std::vector<std::size_t>> PagedFiles::neighbours(std::span<const std::uint32_t> columns,
                                                             std::uint32_t row_group) const {
  const Place place = place_of_group(row_group);
  std::vector<std::uint32_t> stored;
  std::vector<std::size_t> indices;
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t i = 0; i < columns.size(); i++) {
    const auto& own = part(place.file).stored[columns[i]];
    if (!own) {
      all.push_back({i});
      continue;
    }
    stored.push_back(*own);
    indices.push_back(i);
  }
  if (stored.empty()) return all;
  for (auto& together : tables_[place.file]->neighbours(stored, place.row_group)) {
    for (std::size_t& column : together) column = indices[column];
    all.push_back(std::move(together));
  }
  return all;
}

Result<std::vector<ChunkPages>> PagedFiles::read_neighbours(std::span<const std::uint32_t> columns,
                                                            std::uint32_t row_group,
                                                            const BatchAllocator& memory) const {
  const Place place = place_of_group(row_group);
  std::vector<std::uint32_t> stored;
  for (const std::uint32_t column : columns) {
    if (const std::string& why = why_not(column, row_group); !why.empty())
      return Status(Code::unsupported,
                    "pages of column '" + joined_->schema[column].name + "' are not read: " + why);
    if (const auto& own = part(place.file).stored[column]) stored.push_back(*own);
  }
  std::vector<ChunkPages> read;
  if (!stored.empty()) {
    PENSTOCK_ASSIGN(read, tables_[place.file]->read_neighbours(stored, place.row_group, memory));
  }
  std::vector<ChunkPages> chunks;
  std::size_t next = 0;
  const auto rows = static_cast<std::uint32_t>(first_rows_[row_group + 1] - first_rows_[row_group]);
  for (const std::uint32_t column : columns) {
    if (part(place.file).stored[column]) {
      chunks.push_back(std::move(read[next++]));
      chunks.back().row_group = row_group;
      continue;
    }
    PENSTOCK_ASSIGN(
        chunks.emplace_back(),
        constant_chunk(columns_[column], constant(place.file, column), row_group, rows, memory));
  }
  return chunks;
}

Result<Column> PagedFiles::dictionary_strings(std::uint32_t column, const ChunkPages& chunk) const {
  const Place place = place_of_group(chunk.row_group);
  if (const auto& stored = part(place.file).stored[column])
    return tables_[place.file]->dictionary_strings(*stored, numbered_in_file(chunk, place));
  return Column::from_strings(std::vector<std::string>{constant(place.file, column).text});
}

std::string PagedFiles::location_of(std::uint32_t column, const ChunkPages& chunk,
                                    std::uint32_t page) const {
  const Place place = place_of_group(chunk.row_group);
  if (const auto& stored = part(place.file).stored[column])
    return tables_[place.file]->location_of(*stored, numbered_in_file(chunk, place), page);
  return "column '" + joined_->schema[column].name + "' of '" + part(place.file).path + "'";
}

}  // namespace

std::shared_ptr<const PagedTable> paged_files(std::shared_ptr<const JoinedFiles> joined) {
  std::vector<std::shared_ptr<const PagedTable>> tables;
  for (const FilePart& part : joined->parts) {
    tables.push_back(part.source->pages());
    if (!tables.back()) return nullptr;
  }
  if (tables.empty()) return nullptr;
  return std::make_shared<PagedFiles>(std::move(joined), std::move(tables));
}

}  // namespace penstock::io
