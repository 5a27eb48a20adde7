#include "exec/scan/resident_pages.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "codec/pages/selected_pages.hpp"

namespace penstock::plan {

void ResidentPages::look_up(const TileProgram& program, const pages::PagedTable& table,
                            std::vector<pages::RowGroupBatch> chunks,
                            std::span<const std::uint32_t> needed, const ProgramStrings& strings) {
  for (const PagedLoad& load : program.paged) add_load(table, load, strings);
  for (pages::RowGroupBatch& chunk : chunks) look_up_chunk(table, std::move(chunk), needed);
  // A page is of the least use without its strings, so it must leave the cache before they do.
  if (is_on()) strings.keep_again();
}

void ResidentPages::add_load(const pages::PagedTable& table, const PagedLoad& load,
                             const ProgramStrings& strings) {
  Load& added = loads_.emplace_back();
  added.column = load.column;
  if (table.columns()[load.column].type.kind != Kind::string || load.is_text) return;
  added.strings = strings.of_column(load.column);
  added.string_bytes = added.strings->bytes();
}

void ResidentPages::look_up_chunk(const pages::PagedTable& table, pages::RowGroupBatch chunk,
                                  std::span<const std::uint32_t> needed) {
  std::vector<std::uint32_t> columns;
  for (const Load& load : loads_) columns.push_back(load.column);
  pages::RowGroupBatch part = part_of(table, columns, chunk, needed);
  const bool is_part = part.row_groups.size() < chunk.row_groups.size();
  auto found = find(chunk);
  if (is_part && std::ranges::count(found, nullptr) == 0) {
    rows_besides_ += chunk.row_count - part.row_count;
  } else if (is_part) {
    chunk = std::move(part);
    found = find(chunk);
  }
  std::vector<std::size_t>& missing = missing_.emplace_back();
  for (std::size_t i = 0; i < loads_.size(); i++) {
    if (!found[i]) missing.push_back(i);
    loads_[i].chunks.push_back(std::move(found[i]));
  }
  chunks_.push_back(std::move(chunk));
}

// Consecutive row groups need no numbers in the name: the key has the first one and the number of
// rows.
std::string ResidentPages::name_of(const pages::RowGroupBatch& chunk) {
  const std::vector<std::uint32_t>& groups = chunk.row_groups;
  if (groups.back() - groups.front() + 1 == groups.size()) return "pages";
  std::string name = "pages of row groups";
  for (const std::uint32_t group : groups) name += " " + std::to_string(group);
  return name;
}

// Pages with numbers are of no use without the strings of these numbers.
DeviceCache::Key ResidentPages::key(const Load& load, const pages::RowGroupBatch& chunk) const {
  const std::string kind =
      name_of(chunk) + (load.strings ? " of strings " + std::to_string(load.strings->id()) : "");
  return {kind, identity_, load.column, chunk.row_groups[0], chunk.row_count};
}

// Returns a chunk's pages of each load; null if the cache lacks them.
std::vector<std::shared_ptr<const pages::DecodedPages>> ResidentPages::find(
    const pages::RowGroupBatch& chunk) const {
  std::vector<std::shared_ptr<const pages::DecodedPages>> found(loads_.size());
  for (std::size_t i = 0; is_on() && i < loads_.size(); i++)
    found[i] = cache_->find<pages::DecodedPages>(key(loads_[i], chunk));
  return found;
}

std::vector<std::size_t> ResidentPages::missing() const {
  std::set<std::size_t> loads;
  for (const std::vector<std::size_t>& of_chunk : missing_)
    loads.insert(of_chunk.begin(), of_chunk.end());
  return {loads.begin(), loads.end()};
}

std::vector<pages::RowGroupBatch> ResidentPages::to_read() const {
  const std::vector<std::size_t> all = missing();
  std::vector<pages::RowGroupBatch> batches;
  for (std::size_t chunk = 0; chunk < chunks_.size(); chunk++) {
    if (missing_[chunk].empty()) continue;
    batches.push_back(chunks_[chunk]);
    if (missing_[chunk].size() == all.size()) continue;
    for (const std::size_t load : missing_[chunk])
      batches.back().places.push_back(
          static_cast<std::size_t>(std::ranges::lower_bound(all, load) - all.begin()));
  }
  return batches;
}

std::vector<pages::DecodedPages> ResidentPages::with_residents(
    std::size_t chunk, std::vector<pages::DecodedPages> read) const {
  std::vector<pages::DecodedPages> all(loads_.size());
  for (std::size_t i = 0; i < missing_[chunk].size(); i++)
    all[missing_[chunk][i]] = std::move(read[i]);
  for (std::size_t i = 0; i < all.size(); i++)
    if (loads_[i].chunks[chunk]) all[i] = *loads_[i].chunks[chunk];
  return all;
}

// The strings count as memory of the pages that brought them. They are used again after the pages,
// so that they do not leave the cache first. The memory that made the pages is released.
void ResidentPages::keep(std::size_t chunk, const std::vector<pages::DecodedPages>& all) {
  if (!is_on()) return;
  for (const std::size_t i : missing_[chunk]) {
    Load& load = loads_[i];
    std::uint64_t bytes = all[i].device_bytes;
    if (load.strings)
      bytes += load.strings->bytes() - std::exchange(load.string_bytes, load.strings->bytes());
    const auto kept = std::make_shared<pages::DecodedPages>(all[i]);
    kept->staging = nullptr;
    cache_->put(key(load, chunks_[chunk]), kept, bytes);
    if (load.strings)
      static_cast<void>(
          keep_strings(*cache_, key_of_strings(identity_, load.column), load.strings));
  }
}

std::uint64_t ResidentPages::columns_taken() const {
  std::uint64_t count = 0;
  for (const std::vector<std::size_t>& missing : missing_) count += loads_.size() - missing.size();
  return count;
}

}  // namespace penstock::plan
