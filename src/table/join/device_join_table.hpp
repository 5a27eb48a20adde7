// Makes the table of a join on a device, from rows that lie there (kernels/join_table.kc).
//
// The host learns the range of a single key by one small download. By another one it learns whether
// keys repeat, and whether they are too uneven for a table in their order. Then a hashed one is
// made, with one more download.
#pragma once
#include <optional>

#include "table/join/join_layout.hpp"
#include "table/rows/device_rows.hpp"

namespace penstock::plan {

// As lookups read it: see table/join/join_layout.hpp. Where keys repeat, any of the rows with a
// key has its position.
struct DeviceJoinTable {
  BufferPointer positions, table;
  // Where keys repeat and pairs are wanted: all rows with a key beside each other, in their order;
  // and by the row that has a key's position, where that key's rows begin there and end.
  BufferPointer order, first, ends;
  std::uint64_t repeated_rows = 0;  // whose key another row has
  std::uint64_t launches = 0, bytes = 0;
  double device_seconds = 0;
};

// What is asked of a table.
struct TableRequest {
  Columns keys;  // of the rows, by number
  std::uint64_t limit_bytes = ~std::uint64_t{0};
  bool wants_pairs = false;  // an order of the rows where keys repeat
  // The rows are those of a range of buckets. Of all buckets: are there rows, and some with a NULL
  // key?
  struct Part {
    BucketRange buckets;
    bool has_rows = true, has_nulls = false;
  };
  std::optional<Part> part;  // an order is made of it in any case
};
// Returns nothing where the table takes more than the limit; and no order of rows where that does.
// Waits.
Result<std::optional<DeviceJoinTable>> build_join_table(RowKernels& kernels, const DeviceRows& rows,
                                                        const TableRequest& request);
// What an order of the rows takes for each.
constexpr std::uint64_t order_bytes_per_row = 24;
// Returns the most that a hash table takes for each row of a part.
constexpr std::uint64_t table_bytes_per_row(std::size_t key_count, bool wants_pairs) {
  return 8 * key_count + 1 + 16 + (wants_pairs ? order_bytes_per_row : 0);
}

// The words of rows' keys after a place for a header, and a byte a row: 1 where no key is NULL.
struct DeviceKeys {
  BufferPointer words, present;
};
constexpr std::uint64_t device_key_bytes(std::uint64_t row_count, std::size_t key_count) {
  return (header_words + row_count * key_count) * 8;
}
// Of `count` rows from row `first` on.
Status write_key_words(RowKernels& kernels, Queue& queue, const DeviceRows& rows,
                       const Columns& keys, const DeviceKeys& to, std::uint64_t first,
                       std::uint64_t count);

}  // namespace penstock::plan
