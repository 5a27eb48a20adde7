// Divides rows in device memory into ranges of a key (kernels/order_ranges.kc): a range is sorted,
// and leaves the device, while others wait. Equal keys are in one range, so that ranges one after
// another are the whole order.
#pragma once
#include <vector>

#include "plan/order/gather_in_order.hpp"

namespace penstock::plan {

constexpr std::size_t max_key_ranges = 256;  // a radix sort's digit

class KeyRanges {
 public:
  // What the ranges are of. `ranks`: of strings by their codes, otherwise not read.
  struct Key {
    const DeviceColumn& column;
    const SortKey& order;
    const Buffer& ranks;
  };
  struct Word {  // the order of a key
    std::uint64_t nulls = 0, value = 0;
    auto operator<=>(const Word&) const = default;
  };
  struct Divided {
    BufferPointer order;  // u32: the rows of each range, in the order they had
    RangeEnds ranges;     // no buffer where there is one
  };

  // `kernels`: of a program that includes kernels/order_ranges.kc.
  KeyRanges(RowKernels& kernels, Queue& queue, std::uint64_t row_count, Key key)
      : kernels_(kernels), queue_(queue), row_count_(row_count), key_(key) {}

  // Returns the keys of some rows: one of each of so many parts.
  Result<std::vector<Word>> sample(std::uint64_t count);
  // Divides by the keys with which all ranges but the first begin, in their order.
  Result<Divided> divide(const std::vector<Word>& bounds, RunReport& report);
  // Returns where all ranges but the first begin among rows that are in order.
  Result<std::vector<std::uint64_t>> cut(const std::vector<Word>& bounds);
  // Enqueues a copy of the rows of an order from `first` on.
  static Status take(RowKernels& kernels, Queue& queue, const Buffer& order, std::uint64_t first,
                     std::uint64_t count, const Buffer& to);

 private:
  Result<BufferPointer> upload(const std::vector<Word>& bounds);
  Result<Divided> all_in_one(RunReport& report);
  Status launch(std::string_view kernel, std::uint64_t count,
                std::initializer_list<const Buffer*> buffers,
                std::initializer_list<Argument> numbers);

  RowKernels& kernels_;
  Queue& queue_;
  const std::uint64_t row_count_;
  const Key key_;
};

// How many ranges rows are divided into: as many for each of several shares, one after another.
// Shares are about equal, and so are their ranges, but the first of four or more. It has a quarter
// of another's rows, so that it soon leaves the device.
struct RangeCounts {
  std::size_t of_share = 0, shares = 1;
  std::size_t all() const { return of_share * shares; }
};
// Returns one range more than a share has pieces, which leave its device one by one, and at most
// max_key_ranges of all shares. There are not more shares than that.
RangeCounts range_counts(std::uint64_t pieces_of_share, std::size_t shares);

// Returns the keys with which all ranges but the first begin: fewer where keys repeat often, none
// where all are equal.
std::vector<KeyRanges::Word> bounds_of(std::vector<KeyRanges::Word> samples, RangeCounts counts);

}  // namespace penstock::plan
