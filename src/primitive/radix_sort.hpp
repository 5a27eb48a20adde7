// A stable radix sort on a device, by unsigned keys of 8, 32 or 64 bits, with or without a value
// beside each key.
//
// Columns of other types are sorted by keys that have the order of their values
// (table/sort/sort_keys.hpp). Everything is enqueued; the host waits for nothing.
//
//     PENSTOCK_ASSIGN(auto sort, RadixSort::build(device, {.key_bytes = 4, .value_bytes = 4}));
//     PENSTOCK_TRY(sort->enqueue(*queue, data, spare, row_count));      // data is in order then
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::primitive {

// Counts travel between groups in 30 bits.
constexpr std::uint64_t max_sort_keys = (std::uint64_t{1} << 30) - 1;

struct SortShape {
  std::uint32_t key_bytes = 4;    // 1, 4 or 8
  std::uint32_t value_bytes = 0;  // 1, 2, 4 or 8; without values 0
  bool has_values() const { return value_bytes > 0; }
  std::uint32_t slot_bytes() const { return std::max(key_bytes, value_bytes); }  // the wider one
};

// Keys and values of the shape's widths, one of each a row. The values are null if the shape has
// none.
struct SortData {
  std::shared_ptr<Buffer> keys, values;
};

class RadixSort {
 public:
  virtual ~RadixSort() = default;
  // Code::invalid for other widths, and for a `variant` that does not fit; and the errors
  // of Device::build. Without a name the first row that fits is taken (sort_variants.hpp).
  static Result<std::unique_ptr<RadixSort>> build(std::shared_ptr<Device> device, SortShape shape,
                                                  std::string_view variant = {});
  // Orders `data` by the key's bytes from `first_byte` to before `last_byte`, lowest first. `spare`
  // is as large and is overwritten; the two are swapped where the number of bytes is odd.
  // Code::capacity above max_sort_keys. Enqueue from one thread at a time: the sort has memory of
  // its own, which the next call uses again in the queue's order.
  Status enqueue(Queue& queue, SortData& data, SortData& spare, std::uint64_t count,
                 std::uint32_t first_byte, std::uint32_t last_byte);
  Status enqueue(Queue& queue, SortData& data, SortData& spare, std::uint64_t count) {
    return enqueue(queue, data, spare, count, 0, shape_.key_bytes);
  }
  std::string_view variant() const { return variant_; }
  const Program& program() const { return *program_; }
  const std::string& source() const { return source_; }  // of its passes

 protected:
  RadixSort(std::shared_ptr<Device> device, SortShape shape, std::string_view variant)
      : device_(std::move(device)), shape_(shape), variant_(variant) {}
  // Enqueues what comes before the passes.
  virtual Status begin(Queue& queue, const SortData& data, std::uint64_t count) = 0;
  // Enqueues the pass of one byte of the keys. `buffers`: keys and values of `data` and `spare`.
  virtual Status pass(Queue& queue, std::vector<Argument> buffers, std::uint64_t count,
                      std::uint32_t byte) = 0;

  std::shared_ptr<Device> device_;
  SortShape shape_;
  std::string_view variant_;  // a row's name
  std::shared_ptr<Program> program_;
  std::shared_ptr<Buffer> no_values_;
  std::string source_;
};

}  // namespace penstock::primitive
