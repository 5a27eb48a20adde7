#include "table/sort/first_rows.hpp"

#include <algorithm>

#include "device/allocate.hpp"
#include "table/kernels/first_rows_limits.h"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {
namespace {

// So few rows come to the host, and are sorted there, in less time than another histogram takes.
constexpr std::uint64_t few_rows = 4096;

constexpr std::uint64_t first_bytes_per_row = 9;  // word and side

}  // namespace

std::unique_ptr<FirstRows> FirstRows::begin(std::shared_ptr<Device> device,
                                            std::uint64_t memory_limit_bytes) {
  return std::unique_ptr<FirstRows>(new FirstRows(std::move(device), memory_limit_bytes));
}

bool FirstRows::fits(std::uint64_t row_count, std::uint64_t kept_bytes) const {
  return fits_memory(kernels_.device().traits(), memory_limit_bytes_,
                     row_count * first_bytes_per_row + kept_bytes);
}

Result<bool> FirstRows::open(Queue& queue, std::uint64_t row_count, std::uint64_t wanted) {
  if (!fits(row_count, 0)) return false;
  PENSTOCK_TRY(kernels_.wait());
  queue_ = &queue;
  row_count_ = tied_ = row_count;
  before_ = 0;
  is_enough_ = false;
  wanted_ = wanted;
  enough_ = std::max(2 * wanted, few_rows);
  const std::uint64_t side_bytes = (row_count + 67) / 4 * 4;
  Device& device = kernels_.device();
  for (const auto& [buffer, bytes] :
       {std::pair{&words_, row_count * 8}, std::pair{&sides_, side_bytes},
        std::pair{&counts_, std::uint64_t{FIRST_DIGITS * 4}}}) {
    PENSTOCK_ASSIGN(*buffer, device::try_allocate(device, bytes));
    if (!*buffer) return false;
  }
  PENSTOCK_ASSIGN(begun_, queue.record());
  PENSTOCK_TRY(queue.fill(*sides_, FIRST_TIED, side_bytes));
  return true;
}

Status FirstRows::launch(std::string_view kernel, std::uint64_t count,
                         std::vector<Argument> arguments) {
  bytes_moved_ += first_bytes_per_row * count;
  return kernels_.launch(*queue_, kernel, count, arguments);
}

Result<BufferPointer> FirstRows::gather(const GatherNumbers& by, const Buffer& from,
                                        std::uint32_t width) {
  bytes_moved_ += first_bytes_per_row * by.count;
  return gather_column(kernels_, *queue_, by, from, width);
}

Result<std::vector<std::uint32_t>> FirstRows::histogram(std::uint64_t prefix, std::uint32_t shift) {
  std::vector<std::uint32_t> counts(FIRST_DIGITS);
  PENSTOCK_TRY(queue_->fill(*counts_, 0, FIRST_DIGITS * 4));
  PENSTOCK_TRY(
      launch("first_histogram", row_count_,
             {Argument::of(*words_), Argument::of(*sides_), Argument::of(*counts_),
              Argument::value(row_count_), Argument::value(prefix), Argument::value(shift)}));
  const Status downloaded = queue_->download(counts.data(), *counts_, FIRST_DIGITS * 4);
  PENSTOCK_TRY(queue_->finish());
  PENSTOCK_TRY(downloaded);
  return counts;
}

Status FirstRows::keep_up_to(std::uint64_t lower, std::uint64_t upper) {
  return launch("first_divide", row_count_,
                {Argument::of(*words_), Argument::of(*sides_), Argument::value(row_count_),
                 Argument::value(lower), Argument::value(upper)});
}

Status FirstRows::divide(std::uint64_t margin) {
  constexpr std::uint64_t greatest = ~std::uint64_t{0};
  std::uint64_t prefix = 0, below = 0;
  for (std::uint32_t shift = 56;; shift -= 8) {
    PENSTOCK_ASSIGN(const std::vector<std::uint32_t> counts, histogram(prefix, shift));
    std::uint64_t digit = 0;
    while (digit + 1 < FIRST_DIGITS && below + counts[digit] < wanted_) below += counts[digit++];
    prefix = prefix << 8 | digit;
    tied_ = counts[digit];
    is_enough_ = before_ + below + tied_ <= enough_ || margin > 0;
    if (shift > 0 && before_ + below + tied_ > enough_) continue;
    const std::uint64_t last = prefix << shift | ((std::uint64_t{1} << shift) - 1);
    // NULLs, and values that 64 bits do not tell apart, share the least and the greatest word:
    // those rows are not equal, and the next key must not divide them.
    if (shift == 0 && (last == 0 || last == greatest)) is_enough_ = true;
    if (is_enough_) {
      tied_ += below;
      return keep_up_to(0, last > greatest - margin ? greatest : last + margin);
    }
    before_ += below;
    wanted_ -= below;
    return keep_up_to(last, last);
  }
}

Result<std::uint64_t> FirstRows::collect_into(const Buffer& rows, std::uint32_t stride,
                                              const Buffer& kept, std::uint64_t capacity) {
  std::uint32_t total = 0;
  PENSTOCK_TRY(queue_->fill(*counts_, 0, 4));
  PENSTOCK_TRY(launch("first_collect", row_count_,
                      {Argument::of(rows), Argument::of(*sides_), Argument::of(kept),
                       Argument::of(*counts_), Argument::value(row_count_), Argument::value(stride),
                       Argument::value(static_cast<std::uint32_t>(capacity))}));
  PENSTOCK_ASSIGN(const auto done, queue_->record());
  const Status downloaded = queue_->download(&total, *counts_, 4);
  PENSTOCK_TRY(queue_->finish());
  PENSTOCK_TRY(downloaded);
  PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun_));
  device_seconds_ += seconds;
  return std::uint64_t{total};
}

// Near words may keep more rows than were counted.
Result<std::pair<std::shared_ptr<Buffer>, std::uint64_t>> FirstRows::collect(const Buffer& rows,
                                                                             std::uint32_t stride) {
  for (std::uint64_t capacity = kept();;) {
    const std::uint64_t row_bytes = 8 * std::max<std::uint64_t>(stride, 1);
    const std::pair<std::shared_ptr<Buffer>, std::uint64_t> none;
    if (!fits(row_count_, capacity * row_bytes)) return none;
    PENSTOCK_ASSIGN(const std::shared_ptr<Buffer> to,
                    device::try_allocate(kernels_.device(), capacity * row_bytes));
    if (!to) return none;
    PENSTOCK_ASSIGN(const std::uint64_t total, collect_into(rows, stride, *to, capacity));
    bytes_moved_ += 16 * total * stride;
    if (total <= capacity) return std::pair(to, total);
    capacity = total;
  }
}

void FirstRows::add_to(RunReport& report, std::string_view name) const {
  if (kernels_.launches() > 0)
    kernels_.add_to(report, name, {kernels_.launches(), bytes_moved_, device_seconds_});
}

}  // namespace penstock::plan
