// The pages of columns that a session keeps in device memory, decompressed and indexed.
//
// Chunks are cut alike for every statement, whatever rows and columns it needs. A column of a chunk
// is resident if the cache has it; then nothing of it is read. If only some row groups of a chunk
// are needed, a resident chunk is taken whole. Otherwise the needed ones are read, and kept for
// statements that need the same. The numbering of a column's dictionary strings is kept beside the
// column, on the host.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/pages/device/page_decoder.hpp"
#include "codec/pages/page_batches.hpp"
#include "fuse/program/program_strings.hpp"
#include "penstock/device_cache.hpp"

namespace penstock::plan {

class ResidentPages {
 public:
  // Without a cache, or for a source without identity, no column is resident and none is kept.
  ResidentPages(DeviceCache* cache, std::string identity)
      : cache_(identity.empty() ? nullptr : cache), identity_(std::move(identity)) {}
  // Returns whether chunks should be cut alike for all queries, so that a query finds pages that
  // another one kept.
  bool is_on() const { return cache_ != nullptr && cache_->limit_bytes() > 0; }

  const std::string& identity() const { return identity_; }  // of the source; may be empty

  // `needed`: the needed row groups, ascending; each of `chunks` has some.
  void look_up(const TileProgram& program, const pages::PagedTable& table,
               std::vector<pages::RowGroupBatch> chunks, std::span<const std::uint32_t> needed,
               const ProgramStrings& strings);
  const std::vector<pages::RowGroupBatch>& chunks() const { return chunks_; }
  // Return the loads, by their number in the program, with columns that are read of a chunk; and
  // the loads that are read of any chunk.
  const std::vector<std::size_t>& missing(std::size_t chunk) const { return missing_[chunk]; }
  std::vector<std::size_t> missing() const;
  // Returns the chunks to read: those with a place in missing() that lack something.
  std::vector<pages::RowGroupBatch> to_read() const;
  // Returns a chunk's pages of every load; `read` has the pages of the missing loads in their
  // order.
  std::vector<pages::DecodedPages> with_residents(std::size_t chunk,
                                                  std::vector<pages::DecodedPages> read) const;
  // Keeps the missing loads of a chunk after its kernels are done.
  void keep(std::size_t chunk, const std::vector<pages::DecodedPages>& all);
  std::uint64_t columns_taken() const;
  // Rows of resident chunks that are read although their row groups are not needed.
  std::uint64_t rows_besides() const { return rows_besides_; }

 private:
  struct Load {
    std::uint32_t column = 0;
    std::shared_ptr<ColumnStrings> strings;  // null: no strings are read by number
    std::uint64_t string_bytes = 0;          // of the strings, as known to the cache
    std::vector<std::shared_ptr<const pages::DecodedPages>> chunks;  // null: it is read
  };
  static std::string name_of(const pages::RowGroupBatch& chunk);
  DeviceCache::Key key(const Load& load, const pages::RowGroupBatch& chunk) const;
  void add_load(const pages::PagedTable& table, const PagedLoad& load,
                const ProgramStrings& strings);
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
