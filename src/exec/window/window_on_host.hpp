// Windows on the host: the reference of those on devices, and the functions that take a value from
// another row.
#pragma once
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {

// The keys of a window's order: the partition's keys, then the order's.
struct OrderKeys {
  std::vector<NormalizedKey> words;
  std::size_t of_partition = 0;
  std::vector<SortKey> order = {};  // without the partition
};
OrderKeys words_of(const Table& table, const Window& window);

class HostWindow {
 public:
  // Rows by their position in the order of partition and keys.
  struct Positions {
    std::vector<std::uint64_t> rows;              // the row at a position
    std::vector<std::uint8_t> partitions, peers;  // whether one begins there
    std::vector<std::uint32_t> firsts;            // of a position's partition
    std::vector<std::uint32_t> peer_ends,
        partition_ends;  // the last of a position's peers and partition, where a call asks
  };

  // Finds what these calls need; `rows` (2^32 at most) are in the order of the keys. The table
  // outlives this.
  HostWindow(const Table& table, std::vector<std::uint64_t> rows, const OrderKeys& order,
             const std::vector<WindowCall>& calls);
  Result<Column> column(const WindowCall& call, Type type) const;

 private:
  const Table& table_;
  Positions positions_;
  const std::vector<SortKey> order_;
};

}  // namespace penstock::plan
