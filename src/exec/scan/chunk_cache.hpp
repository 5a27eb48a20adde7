// The columns of chunks that a session keeps: a scan takes columns from this cache, and adds to it.
//
// A column is taken if the cache has all of its chunks. The source then does not decode it. A
// column of fixed width that only kernels read is kept in the device's memory. Other columns are
// kept decoded in host memory: columns that the host gathers rows of, and all columns if the device
// shares the host's memory. Strings that kernels read something of are kept as numbers
// (table/strings/column_strings.hpp).
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "fuse/program/program_strings.hpp"
#include "penstock/device_cache.hpp"

namespace penstock::plan {

class ChunkCache {
 public:
  // `chunk_rows`: rows of a chunk, which a source cuts alike for any of its columns. Returns null
  // if the scan cannot use a cache: without one, for a source without identity, or for encoded
  // strings, which are cut in another way.
  static std::unique_ptr<ChunkCache> open(DeviceCache* cache, const TileProgram& program,
                                          const TableSource& source, std::uint64_t chunk_rows,
                                          bool has_device_memory, const ProgramStrings& strings);

  // Columns of the source that must be read, in the order of the scan; none if the cache has all.
  const std::vector<std::uint32_t>& missing() const { return missing_; }
  // Returns the next chunk with every column of the scan; `batches` yields the missing ones.
  Result<std::optional<Table>> next(BatchStream* batches);
  // Returns whether the scan's column of this number is kept once it is on the device.
  bool is_kept_on_device(std::size_t index) const { return places_[index] == Place::device; }
  // Returns whether the scan's column of this number comes, or is kept, as numbers of its strings.
  bool has_numbers(std::size_t index) const { return have_numbers_[index]; }
  // Returns whether next() yields it as numbers.
  bool is_resident(std::size_t index) const { return places_[index] == Place::resident; }
  // Keeps the numbers of a chunk's strings.
  void keep_numbers(std::size_t index, std::uint64_t first_row, const Column& strings,
                    Bytes numbers);
  // Keeps a column of a chunk. Call when its upload is done.
  void keep(std::size_t index, std::uint64_t first_row, Column column);

  std::uint64_t columns_taken() const { return columns_taken_; }

 private:
  enum class Place : unsigned char { resident, device, host, numbers };
  using Layout = std::vector<std::uint64_t>;  // the rows of each chunk
  using Resident = std::vector<std::shared_ptr<const Column>>;

  ChunkCache(DeviceCache& cache, const TileProgram& program, const TableSource& source,
             std::uint64_t chunk_rows, const ProgramStrings& strings);
  void look_up(const TileProgram& program, bool has_device_memory);
  DeviceCache::Key key(std::size_t index, Place place, std::uint64_t first_row,
                       std::uint64_t row_count) const;
  Resident find_all(std::size_t index, Place place) const;
  Status add_resident(Table& chunk);
  void keep_on_host(const Table& chunk);

  DeviceCache& cache_;
  const std::string identity_;
  const std::uint64_t chunk_rows_;
  std::vector<std::uint32_t> columns_, missing_;  // of the scan
  std::vector<std::string> names_;
  const ProgramStrings strings_;
  std::vector<Place> places_;  // of each column
  std::vector<bool> have_numbers_;
  std::vector<std::uint64_t> string_bytes_;     // of a column's strings, as known to the cache
  std::vector<Resident> residents_;             // of a resident column: its chunks
  std::shared_ptr<const Layout> known_layout_;  // null if no scan has reached the end
  Layout layout_;                               // so far
  std::uint64_t rows_ = 0, columns_taken_ = 0;
};

}  // namespace penstock::plan
