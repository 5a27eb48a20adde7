// Windows on a device: the order of rows, where its partitions and peers begin, and segmented
// prefix sums over them.
//
// Everything is a sum in segments: a row's number is the sum of ones in its partition, a dense rank
// that of the beginnings of its peers, a count that of the values that are not NULL. A row gets the
// value at the end of its frame, which is its own position or that of the last of its peers or
// partition. Integers of 64 and 128 bits are added up by parts of 32, so that no sum of 2^30 rows
// overflows its words.
#pragma once
#include <memory>
#include <optional>
#include <utility>

#include "primitive/scan.hpp"
#include "table/rows/device_rows.hpp"
#include "table/sort/device_order.hpp"
#include "table/sort/window_kernels.hpp"

namespace penstock::plan {

// Scans values of a type, from each beginning on.
primitive::ScanShape sum_shape(Type type);

// The columns of a window's rows: on the host, or in device memory in the window's order.
class ColumnsOfRows {
 public:
  explicit ColumnsOfRows(const Table& table) : table_(&table) {}
  explicit ColumnsOfRows(const DeviceRows& rows) : rows_(&rows) {}
  std::uint64_t row_count() const { return table_ ? table_->row_count : rows_->row_count; }
  Type type(std::uint32_t column) const {
    return table_ ? table_->columns[column].type : rows_->columns[column].type;
  }
  const Column* here(std::uint32_t column) const {
    return table_ ? &table_->columns[column] : nullptr;
  }
  const DeviceColumn& there(std::uint32_t column) const { return rows_->columns[column]; }

 private:
  const Table* table_ = nullptr;
  const DeviceRows* rows_ = nullptr;
};

class DeviceWindow {
 public:
  // Returns whether the device computes a call over a column of a type. The host computes the
  // others, which take a value from a row.
  static bool takes(const Traits& traits, const WindowCall& call, Type type);
  // The same of a call with a result that stays in device memory: the host divides averages.
  static bool takes_there(const Traits& traits, const WindowCall& call, Type type);
  // Returns how much of the device's memory it needs at most.
  static std::uint64_t bytes_of(std::uint64_t row_count, std::size_t words);
  // Finds the order. `table` has at least one row and outlives this; the first `partition_words` of
  // `words` are of the partition. `report` gains the sorts.
  static Result<DeviceWindow> open(std::shared_ptr<Device> device, const Table& table,
                                   const std::vector<NormalizedKey>& words,
                                   std::size_t partition_words,
                                   const std::vector<WindowCall>& calls, RunReport& report);

  // Takes rows in device memory that are in the order of `keys`, of which the first are of the
  // partition. They outlive this.
  static Result<DeviceWindow> over(std::shared_ptr<Device> device, const DeviceRows& rows,
                                   const Columns& keys, std::size_t partition_keys,
                                   RunReport& report);

  Result<Column> column(const WindowCall& call, Type type);
  Result<DeviceColumn> device_column(const WindowCall& call, Type type);
  const DeviceOrder& order() const { return order_; }
  void add_to(RunReport& report) const;  // the kernels of all calls

 private:
  using SharedBuffer = std::shared_ptr<Buffer>;
  // Finds the number of the run (peers, or a partition) of each position, from 1; and the last
  // position of each run.
  struct Runs {
    SharedBuffer runs, ends;
  };
  // See position_of() in kernels/window.kc.
  enum From : std::uint32_t { own_position, last_of_run, first_of_run };
  struct Taken {
    const Buffer* runs;
    const Buffer* ends;
    std::uint32_t from;
  };
  // The column that was added up last, as far as calls have needed it.
  struct Summed {
    std::optional<std::uint32_t> column;
    SharedBuffer values, validity, counts;
    std::vector<SharedBuffer> sums;  // of the parts of its values, the lowest first
  };

  DeviceWindow(std::shared_ptr<Device> device, ColumnsOfRows columns, DeviceOrder order)
      : device_(std::move(device)), columns_(columns), order_(std::move(order)) {}
  std::uint64_t row_count() const { return columns_.row_count(); }
  Queue& queue() const { return order_.queue(); }
  Status begin(std::uint32_t word_bits);
  Status find_begins(const std::vector<NormalizedKey>& words, std::size_t partition_words);
  Status find_changes(const DeviceRows& rows, const Columns& keys, std::size_t partition_keys);
  Result<SharedBuffer> zeros(std::uint64_t bytes);
  // Scans bytes, from each beginning on.
  Result<SharedBuffer> count_up(const Buffer& bytes, const Buffer& begins);
  Status find_row_numbers();
  Result<const Runs*> runs_of(std::optional<Runs>& runs, const Buffer& begins);
  Result<Taken> taken_by(const WindowCall& call);

  Status take_times();
  Result<DeviceColumn> compute(const WindowCall& call, Type type);
  Result<DeviceColumn> numbers(const Buffer& counts, Taken taken);
  Result<SharedBuffer> validity(const Buffer& counts, Taken taken);
  Result<SharedBuffer> bits_of(const Buffer& flags);
  Result<Column> download(const DeviceColumn& column);

  // window_sums.cpp
  Status take(std::uint32_t column, bool with_values);
  Status upload(const Column& column, bool with_values);
  Status take_there(const DeviceColumn& column, bool with_values);
  Result<const Buffer*> present_counts(std::uint32_t column);
  Status add_up(std::uint32_t column);
  Result<SharedBuffer> add_up_part(Type type, std::uint32_t part);
  Result<DeviceColumn> sums(const WindowCall& call, Type type);
  Result<SharedBuffer> wide_sums(Taken taken);
  Result<SharedBuffer> sums_of_parts(Taken taken);
  Result<SharedBuffer> real_sums(Taken taken, bool is_average);
  Result<Column> averages_of_integers(const WindowCall& call, Type type);

  template <class Enqueue> Status timed(std::uint64_t bytes, const Enqueue& enqueue) {
    PENSTOCK_ASSIGN(auto begun, queue().record());
    PENSTOCK_TRY(enqueue());
    PENSTOCK_ASSIGN(auto done, queue().record());
    timed_.emplace_back(std::move(begun), std::move(done));
    launches_++;
    bytes_moved_ += bytes;
    return {};
  }
  Status launch(RowKernels& kernels, std::string_view kernel, std::uint64_t bytes_per_row,
                std::vector<Argument> arguments);
  Result<SharedBuffer> upload(const Bytes& bytes);
  Result<Bytes> download(const Buffer& results, std::uint64_t bytes);

  std::shared_ptr<Device> device_;
  ColumnsOfRows columns_;
  DeviceOrder order_;
  SharedBuffer partitions_, peers_, no_begins_, row_numbers_;
  std::optional<Runs> partition_runs_, peer_runs_;
  std::optional<RowKernels> kernels_,
      value_kernels_;  // of no type of values; of the summed column's
  std::unique_ptr<primitive::Scan> count_scan_, sum_scan_;
  Summed summed_;
  std::vector<std::pair<std::shared_ptr<Event>, std::shared_ptr<Event>>>
      timed_;  // that the host has not looked at
  std::uint64_t launches_ = 0, bytes_moved_ = 0, bytes_uploaded_ = 0, bytes_downloaded_ = 0;
  double seconds_ = 0;
};

}  // namespace penstock::plan
