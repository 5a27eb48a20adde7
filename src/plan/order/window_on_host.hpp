// Windows on the host: the reference of those on devices, and what takes a value from another row.
#pragma once
#include "plan/rows/sort_keys.hpp"

namespace penstock::plan {

// What a window's rows are ordered by: the words of the partition, then those of the order.
struct OrderWords {
  std::vector<SortWord> words;
  std::size_t of_partition = 0;
};
OrderWords words_of(const Table& table, const Window& window);

class HostWindow {
 public:
  // Rows by their place in the order of partition and keys.
  struct Places {
    std::vector<std::uint64_t> rows;              // the row at a place
    std::vector<std::uint8_t> partitions, peers;  // whether one begins there
    std::vector<std::uint32_t> firsts;            // of a place's partition
    std::vector<std::uint32_t> peer_ends,
        partition_ends;  // the last of a place's peers and partition, where a call asks
  };

  // For these calls alone; `rows` (2^32 at most) in the order of the words. The table outlives
  // this.
  HostWindow(const Table& table, std::vector<std::uint64_t> rows, const OrderWords& order,
             const std::vector<WindowCall>& calls);
  Result<Column> column(const WindowCall& call, Type type) const;

 private:
  const Table& table_;
  Places places_;
};

}  // namespace penstock::plan
