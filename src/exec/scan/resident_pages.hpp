// The pages of columns that a session keeps in device memory, decompressed and indexed.
//
// Chunks are cut alike for every statement, whatever rows and columns it needs. A column of a chunk
// is resident where the cache has it; then nothing of it is read. Where only some row groups of a
// chunk are needed, all of it is taken if it is resident. Otherwise the needed ones are read, and
// kept for statements that need the same.
// What numbers the strings of a column's dictionaries is kept beside it, on the host.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/pages/device/page_decoder.hpp"
#include "codec/pages/page_batches.hpp"
#include "exec/scan/column_strings.hpp"
#include "fuse/program/tile_program.hpp"
#include "penstock/device_cache.hpp"

namespace penstock::plan {

class ResidentPages {
 public:
  // Without a cache, or of a source without identity, no column is resident and none is kept.
  ResidentPages(DeviceCache* cache, std::string identity)
      : cache_(identity.empty() ? nullptr : cache), identity_(std::move(identity)) {}
  // Whether chunks should be cut alike for all queries, so that each finds what others kept.
  bool is_on() const { return cache_ != nullptr && cache_->limit_bytes() > 0; }

  const std::string& identity() const { return identity_; }  // of the source; may be empty

  // `needed`: the row groups that are, ascending; each of `chunks` has some.
  void look_up(const TileProgram& program, const pages::PagedTable& table,
               std::vector<pages::RowGroupBatch> chunks, std::span<const std::uint32_t> needed);
  const std::vector<pages::RowGroupBatch>& chunks() const { return chunks_; }
  // Returns what numbers the strings of a load; null where it reads none by number.
  const std::shared_ptr<ColumnStrings>& strings(std::size_t load) const {
    return loads_[load].strings;
  }
  // Returns the loads, by their number in the program, whose columns are read of a chunk; and those
  // that are read of any.
  const std::vector<std::size_t>& missing(std::size_t chunk) const { return missing_[chunk]; }
  std::vector<std::size_t> missing() const;
  // Returns what is read: the chunks of which something is missing, whose places are among
  // missing().
  std::vector<pages::RowGroupBatch> to_read() const;
  // Returns a chunk's pages of every load; `read` has those of the missing ones in their order.
  std::vector<pages::DecodedPages> with_residents(std::size_t chunk,
                                                  std::vector<pages::DecodedPages> read) const;
  // Keeps the missing ones of a chunk, whose kernels are done.
  void keep(std::size_t chunk, const std::vector<pages::DecodedPages>& all);
  std::uint64_t columns_taken() const;
  // Rows of chunks that are there although their row groups are not needed.
  std::uint64_t rows_besides() const { return rows_besides_; }

 private:
  struct Load {
    std::uint32_t column = 0;
    std::shared_ptr<ColumnStrings> strings;  // null: the column has none that are read by number
    std::uint64_t string_bytes = 0;          // of them, that the cache knows of
    std::vector<std::shared_ptr<const pages::DecodedPages>> chunks;  // null: it is read
  };
  static std::string name_of(const pages::RowGroupBatch& chunk);
  DeviceCache::Key key(const Load& load, const pages::RowGroupBatch& chunk) const;
  std::shared_ptr<ColumnStrings> keep_strings(std::uint32_t column,
                                              std::shared_ptr<ColumnStrings> strings) const;
  void add_load(const pages::PagedTable& table, const PagedLoad& load);
  std::vector<std::shared_ptr<const pages::DecodedPages>> find(
      const pages::RowGroupBatch& chunk) const;
  void look_up_chunk(const pages::PagedTable& table, pages::RowGroupBatch chunk,
                     std::span<const std::uint32_t> needed);

  DeviceCache* cache_;
  std::string identity_;
  std::vector<Load> loads_;
  std::vector<std::vector<std::size_t>> missing_;  // of each chunk
  std::vector<pages::RowGroupBatch> chunks_;
  std::uint64_t rows_besides_ = 0;
};

}  // namespace penstock::plan
