// Selects the first of many rows in device memory, and the rows that are equal to the last of them
// (kernels/first_rows.kc), so that the host downloads and sorts only these.
//
//     begin(), open(), then for each key of the order, until is_enough(): launch a kernel that
//     writes words(), call divide(). Then collect(). open() begins with other rows.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "table/rows/gather_on_device.hpp"
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

class FirstRows {
 public:
  // Begins to compile. `memory_limit_bytes`: RunOptions::memory_limit_bytes.
  static std::unique_ptr<FirstRows> begin(std::shared_ptr<Device> device,
                                          std::uint64_t memory_limit_bytes);
  // `wanted`: of `row_count` rows, at least 1 of them. Returns false if memory is too small.
  Result<bool> open(Queue& queue, std::uint64_t row_count, std::uint64_t wanted);
  const Buffer& words() const { return *words_; }  // u64 for each row
  Status launch(std::string_view kernel, std::uint64_t count, std::vector<Argument> arguments);
  // Enqueues the gathering of a column. `kernels`, which it was made with, include gather.kc.
  Result<BufferPointer> gather(const GatherNumbers& by, const Buffer& from, std::uint32_t width);
  // Divides the rows by the words, except rows with the least or the greatest word, which unequal
  // values may share. If the words are only near the true ones, a row may be anywhere within
  // `margin` of its word; call it for no further key then.
  Status divide(std::uint64_t margin = 0);
  // Returns whether so few rows are left that dividing them costs more than they do.
  bool is_enough() const { return is_enough_; }
  std::uint64_t kept() const { return before_ + tied_; }  // about
  // Returns the rows that are left, of `stride` words each, in no order, and their number; null if
  // memory is too small. With stride 0 it returns the numbers of rows, u64.
  Result<std::pair<std::shared_ptr<Buffer>, std::uint64_t>> collect(const Buffer& rows,
                                                                    std::uint32_t stride);
  // Adds an entry with that name if rows were selected.
  void add_to(RunReport& report, std::string_view name) const;

 private:
  FirstRows(std::shared_ptr<Device> device, std::uint64_t memory_limit_bytes)
      : kernels_(std::move(device), table_kernels({"first_rows"})),
        memory_limit_bytes_(memory_limit_bytes) {}
  bool fits(std::uint64_t row_count, std::uint64_t kept_bytes) const;
  Result<std::vector<std::uint32_t>> histogram(std::uint64_t prefix, std::uint32_t shift);
  Status keep_up_to(std::uint64_t lower, std::uint64_t upper);
  Result<std::uint64_t> collect_into(const Buffer& rows, std::uint32_t stride, const Buffer& kept,
                                     std::uint64_t capacity);

  RowKernels kernels_;
  const std::uint64_t memory_limit_bytes_;
  Queue* queue_ = nullptr;
  std::shared_ptr<Buffer> words_, sides_, counts_;
  std::shared_ptr<Event> begun_;
  std::uint64_t row_count_ = 0, wanted_ = 0;  // wanted: of tied rows
  std::uint64_t before_ = 0, tied_ = 0, enough_ = 0, bytes_moved_ = 0;
  double device_seconds_ = 0;
  bool is_enough_ = false;
};

}  // namespace penstock::plan
