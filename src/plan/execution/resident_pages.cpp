#include "plan/execution/resident_pages.hpp"

namespace penstock::plan {

void ResidentPages::look_up(const TileProgram& program, const pages::PagedTable& table,
                            std::vector<pages::RowGroupBatch> chunks) {
  chunks_ = std::move(chunks);
  for (const PagedLoad& load : program.paged) {
    const bool is_code = table.columns()[load.column].type.kind == Kind::string && !load.is_text;
    loads_.push_back({load.column, is_on() && !is_code, {}});
    if (loads_.back().can_be_kept) find_all(loads_.back());
    if (loads_.back().chunks.empty())
      missing_.push_back(loads_.size() - 1);
    else
      resident_count_++;
  }
}

// Chunks are row groups as the scan takes them together: the first one and their rows name them.
DeviceCache::Key ResidentPages::key(const Load& load, std::size_t chunk) const {
  return {"pages", identity_, load.column, chunks_[chunk].row_groups[0], chunks_[chunk].row_count};
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

void ResidentPages::keep(std::size_t chunk, const std::vector<pages::DecodedPages>& all) {
  for (const std::size_t i : missing_)
    if (loads_[i].can_be_kept)
      cache_->put(key(loads_[i], chunk), std::make_shared<const pages::DecodedPages>(all[i]),
                  all[i].device_bytes);
}

}  // namespace penstock::plan
