// The pages of columns that a session keeps in device memory, decompressed and indexed.
//
// A column is resident where the cache has it of all chunks of a scan; then nothing of it is read.
// What numbers the strings of its dictionaries is kept beside it, on the host.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "codec/pages/device/page_decoder.hpp"
#include "codec/pages/page_batches.hpp"
#include "penstock/device_cache.hpp"
#include "plan/fusion/tile_program.hpp"
#include "plan/strings/column_strings.hpp"

namespace penstock::plan {

class ResidentPages {
 public:
  // Without a cache, or of a source without identity, no column is resident and none is kept.
  ResidentPages(DeviceCache* cache, std::string identity)
      : cache_(identity.empty() ? nullptr : cache), identity_(std::move(identity)) {}
  // Whether chunks should be cut alike for all queries, so that each finds what others kept.
  bool is_on() const { return cache_ != nullptr && cache_->limit_bytes() > 0; }

  void look_up(const TileProgram& program, const pages::PagedTable& table,
               std::vector<pages::RowGroupBatch> chunks);
  const std::vector<pages::RowGroupBatch>& chunks() const { return chunks_; }
  // Returns what numbers the strings of a load; null where it reads none by number.
  const std::shared_ptr<ColumnStrings>& strings(std::size_t load) const {
    return loads_[load].strings;
  }
  // The loads, by their number in the program, whose columns are read.
  const std::vector<std::size_t>& missing() const { return missing_; }
  // Returns a chunk's pages of every load; `read` has those of the missing ones in their order.
  std::vector<pages::DecodedPages> with_residents(std::size_t chunk,
                                                  std::vector<pages::DecodedPages> read) const;
  // Keeps the missing ones of a chunk, whose kernels are done.
  void keep(std::size_t chunk, const std::vector<pages::DecodedPages>& all);
  std::uint64_t columns_taken() const { return resident_count_ * chunks_.size(); }

 private:
  struct Load {
    std::uint32_t column = 0;
    std::shared_ptr<ColumnStrings> strings;  // null: the column has none that are read by number
    std::uint64_t string_bytes = 0;          // of them, that the cache knows of
    std::vector<std::shared_ptr<const pages::DecodedPages>> chunks;  // none: it is read
  };
  DeviceCache::Key key(const Load& load, std::size_t chunk) const;
  std::shared_ptr<ColumnStrings> strings_of(std::uint32_t column) const;
  void find_all(Load& load) const;

  DeviceCache* cache_;
  std::string identity_;
  std::vector<Load> loads_;
  std::vector<std::size_t> missing_;
  std::vector<pages::RowGroupBatch> chunks_;
  std::size_t resident_count_ = 0;
};

}  // namespace penstock::plan
