#include "plan/execution/resident_pages.hpp"

#include <utility>

namespace penstock::plan {

void ResidentPages::look_up(const TileProgram& program, const pages::PagedTable& table,
                            std::vector<pages::RowGroupBatch> chunks) {
  chunks_ = std::move(chunks);
  for (const PagedLoad& load : program.paged) {
    const bool is_number = table.columns()[load.column].type.kind == Kind::string && !load.is_text;
    loads_.push_back({load.column, nullptr, 0, {}});
    Load& added = loads_.back();
    if (is_number) added.strings = strings_of(load.column);
    if (is_number) added.string_bytes = added.strings->bytes();
    if (is_on()) find_all(added);
    if (added.chunks.empty())
      missing_.push_back(loads_.size() - 1);
    else
      resident_count_++;
  }
}

// Chunks are row groups as the scan takes them together: the first one and their rows name them.
// Pages with numbers are of no use without the strings that have these.
DeviceCache::Key ResidentPages::key(const Load& load, std::size_t chunk) const {
  const std::string kind =
      load.strings ? "pages of strings " + std::to_string(load.strings->id()) : "pages";
  return {kind, identity_, load.column, chunks_[chunk].row_groups[0], chunks_[chunk].row_count};
}

// Two runs that begin at once number the strings of a column together.
std::shared_ptr<ColumnStrings> ResidentPages::strings_of(std::uint32_t column) const {
  auto strings = std::make_shared<ColumnStrings>();
  if (!is_on()) return strings;
  const DeviceCache::Key key{"strings", identity_, column, 0, 0};
  if (auto known = cache_->find<std::shared_ptr<ColumnStrings>>(key)) return *known;
  cache_->put(key, std::make_shared<const std::shared_ptr<ColumnStrings>>(strings),
              sizeof(ColumnStrings));
  const auto kept = cache_->find<std::shared_ptr<ColumnStrings>>(key);
  return kept ? *kept : strings;
}

void ResidentPages::find_all(Load& load) const {
  for (std::size_t chunk = 0; chunk < chunks_.size(); chunk++) {
    auto found = cache_->find<pages::DecodedPages>(key(load, chunk));
    if (!found) {
      load.chunks.clear();
      return;
    }
    load.chunks.push_back(std::move(found));
  }
}

std::vector<pages::DecodedPages> ResidentPages::with_residents(
    std::size_t chunk, std::vector<pages::DecodedPages> read) const {
  std::vector<pages::DecodedPages> all(loads_.size());
  for (std::size_t i = 0; i < missing_.size(); i++) all[missing_[i]] = std::move(read[i]);
  for (std::size_t i = 0; i < all.size(); i++)
    if (!loads_[i].chunks.empty()) all[i] = *loads_[i].chunks[chunk];
  return all;
}

// The strings count as the memory of the pages that brought them. They are used again after the
// pages, so that they do not leave the cache before these.
void ResidentPages::keep(std::size_t chunk, const std::vector<pages::DecodedPages>& all) {
  if (!is_on()) return;
  for (const std::size_t i : missing_) {
    Load& load = loads_[i];
    std::uint64_t bytes = all[i].device_bytes;
    if (load.strings)
      bytes += load.strings->bytes() - std::exchange(load.string_bytes, load.strings->bytes());
    cache_->put(key(load, chunk), std::make_shared<const pages::DecodedPages>(all[i]), bytes);
    if (load.strings) static_cast<void>(strings_of(load.column));
  }
}

}  // namespace penstock::plan
