// Makes the table of a join on a device, from rows that lie there (kernels/join_table.kc).
//
// The host learns the range of a single key by one small download. Another one tells whether keys
// repeat, and whether they are too uneven for a table in their order. If they are, a hashed table
// is made, with one more download.
#pragma once
#include <optional>

#include "table/join/join_layout.hpp"
#include "table/rows/device_rows.hpp"

namespace penstock::plan {

// In the layout that lookups read: see table/join/join_layout.hpp. If keys repeat, any one of the
// rows with a key has its position.
struct DeviceJoinTable {
  BufferPointer positions, table;
  // If keys repeat and pairs are wanted: `order` has the rows of each key side by side, in their
  // order. `first` and `ends` are indexed by the row that has a key's position, and bound the key's
  // rows in `order`.
  BufferPointer order, first, ends;
  std::uint64_t repeated_rows = 0;  // rows with the key of another row
  std::uint64_t launches = 0, bytes = 0;
  double device_seconds = 0;
};

// The request for a table.
struct TableRequest {
  Columns keys;  // of the rows, by number
  std::uint64_t limit_bytes = ~std::uint64_t{0};
  bool wants_pairs = false;  // an order of the rows if keys repeat
  // The rows are a range of buckets. `has_rows` and `has_nulls` are about all buckets: are there
  // rows, and do some have a NULL key?
  struct Part {
    BucketRange buckets;
    bool has_rows = true, has_nulls = false;
  };
  std::optional<Part> part;  // its order is made in any case
};
// Returns nothing if the table takes more than the limit; returns no order of rows if only that
// does. Waits.
Result<std::optional<DeviceJoinTable>> build_join_table(RowKernels& kernels, const DeviceRows& rows,
                                                        const TableRequest& request);
// Memory that an order takes for each row.
constexpr std::uint64_t order_bytes_per_row = 24;
// Returns the most memory that a hash table takes for each row of a part.
constexpr std::uint64_t table_bytes_per_row(std::size_t key_count, bool wants_pairs) {
  return 8 * key_count + 1 + 16 + (wants_pairs ? order_bytes_per_row : 0);
}

// The words of rows' keys after room for a header, and a byte a row: 1 if no key is NULL.
struct DeviceKeys {
  BufferPointer words, present;
};
constexpr std::uint64_t device_key_bytes(std::uint64_t row_count, std::size_t key_count) {
  return (header_words + row_count * key_count) * 8;
}
// Writes the words of `count` rows from row `first` on.
Status write_key_words(RowKernels& kernels, Queue& queue, const DeviceRows& rows,
                       const Columns& keys, const DeviceKeys& to, std::uint64_t first,
                       std::uint64_t count);

}  // namespace penstock::plan
