// Sums and averages of a column's values over a DeviceWindow's order: prefix sums, then the sum at
// the end of each row's frame.
#include <atomic>
#include <bit>

#include "base/parallel.hpp"
#include "exec/window/device_window.hpp"
#include "fuse/program/accumulators.hpp"

namespace penstock::plan {
namespace {

enum Part : std::uint32_t { whole, low, high };  // of a value; see kernels/window.kc

// Returns whether sums of these values may need more than 64 bits. On a CPU it reads the values,
// which takes less than adding them up twice; beside a GPU it would take more.
bool needs_halves(const Column& column, bool looks_at_values) {
  if (is_float(column.type) || width_bytes(column.type) < 8) return false;
  if (!looks_at_values) return true;
  const bool has_sign = column.type.kind != Kind::uint64;
  std::atomic<std::uint64_t> bits = 0;  // of all values, without signs
  in_parallel(column.row_count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t some = 0;
    for (const auto* value = column.values.as<std::int64_t>() + first;
         value < column.values.as<std::int64_t>() + last; value++)
      some |= static_cast<std::uint64_t>(has_sign ? *value ^ *value >> 63 : *value);
    bits |= some;
  });
  return std::bit_width(bits.load()) + std::bit_width(column.row_count) > 63;
}

}  // namespace

primitive::ScanShape sum_shape(Type type) {
  const primitive::Number sum = is_float(type) ? primitive::Number::f64 : primitive::Number::u64;
  return {sum, sum, false, true};
}

// Uploads what a call reads of a column, if no call before it did.
Status DeviceWindow::upload(std::uint32_t column, bool with_values) {
  const Column& from = table_.columns[column];
  if (summed_.column != column) summed_ = {};
  summed_.column = column;
  if (!summed_.validity && !from.validity.empty()) {
    PENSTOCK_ASSIGN(summed_.validity,
                    upload({from.validity.owner, from.validity.data, (row_count() + 7) / 8}));
  }
  if (!with_values || summed_.values) return {};
  const std::uint64_t bytes = from.type.kind == Kind::boolean
                                  ? (row_count() + 7) / 8
                                  : row_count() * width_bytes(from.type);
  PENSTOCK_ASSIGN(summed_.values, upload({from.values.owner, from.values.data, bytes}));
  value_kernels_.emplace(kernels_of_values(device_, from.type));
  PENSTOCK_ASSIGN(sum_scan_, primitive::Scan::build(device_, sum_shape(from.type)));
  return {};
}

// Counts the values from the beginning of the partition to a position.
Result<const Buffer*> DeviceWindow::present_counts(std::uint32_t column) {
  PENSTOCK_TRY(upload(column, false));
  if (!summed_.validity) {
    PENSTOCK_TRY(find_row_numbers());
    return row_numbers_.get();
  }
  if (summed_.counts) return summed_.counts.get();
  PENSTOCK_ASSIGN(const auto present, device_->allocate(row_count()));
  PENSTOCK_TRY(launch(*kernels_, "window_present", 6,
                      {Argument::of(order_.rows()), Argument::of(*summed_.validity),
                       Argument::of(*present), Argument::value(row_count())}));
  PENSTOCK_ASSIGN(summed_.counts, count_up(*present, *partitions_));
  return summed_.counts.get();
}

Result<DeviceWindow::SharedBuffer> DeviceWindow::add_up_part(const Column& column,
                                                             std::uint32_t part) {
  PENSTOCK_ASSIGN(const auto values, device_->allocate(row_count() * 8));
  PENSTOCK_ASSIGN(auto sums, device_->allocate(row_count() * 8));
  const Buffer& validity = summed_.validity ? *summed_.validity : order_.rows();  // not read
  PENSTOCK_TRY(
      launch(*value_kernels_, "window_values", 12 + width_bytes(column.type),
             {Argument::of(order_.rows()), Argument::of(*summed_.values), Argument::of(validity),
              Argument::of(*values), Argument::value(row_count()),
              Argument::value(std::uint32_t{summed_.validity != nullptr}), Argument::value(part)}));
  PENSTOCK_TRY(timed(row_count() * 17, [&] {
    return sum_scan_->enqueue(queue(), *values, *partitions_, *sums, row_count());
  }));
  return sums;
}

Status DeviceWindow::add_up(std::uint32_t column) {
  PENSTOCK_TRY(upload(column, true));
  if (summed_.sums) return {};
  const Column& from = table_.columns[column];
  const bool by_halves = needs_halves(from, device_->traits().shares_host_cores());
  PENSTOCK_ASSIGN(summed_.sums, add_up_part(from, by_halves ? low : whole));
  if (by_halves) { PENSTOCK_ASSIGN(summed_.high_sums, add_up_part(from, high)); }
  return {};
}

Result<Column> DeviceWindow::sums(const WindowCall& call, Type type) {
  const Column& from = table_.columns[call.column];
  const bool is_average = call.function == WindowFunction::average;
  PENSTOCK_ASSIGN(const Taken taken, taken_by(call));
  PENSTOCK_TRY(add_up(call.column));
  Column column;
  column.type = type;
  column.row_count = row_count();
  const Buffer* counts = nullptr;
  if (is_average || summed_.validity) { PENSTOCK_ASSIGN(counts, present_counts(call.column)); }
  if (is_float(from.type)) {
    PENSTOCK_ASSIGN(column.values, real_sums(taken, is_average));
  } else if (is_average) {
    PENSTOCK_ASSIGN(column.values, averages_of_integers(from, *counts, taken));
  } else {
    PENSTOCK_ASSIGN(column.values, wide_sums(taken));
  }
  if (summed_.validity) {  // else each frame has a value: the row's own
    PENSTOCK_ASSIGN(column.validity, validity(*counts, taken));
  }
  return column;
}

Result<Bytes> DeviceWindow::wide_sums(Taken taken) {
  PENSTOCK_ASSIGN(const auto results, device_->allocate(row_count() * 16));
  const Buffer& high_sums = summed_.high_sums ? *summed_.high_sums : *summed_.sums;  // not read
  PENSTOCK_TRY(
      launch(*kernels_, "window_integers",
             (summed_.high_sums ? 36 : 28) + (taken.from == own_position ? 0 : 8),
             {Argument::of(order_.rows()), Argument::of(*summed_.sums), Argument::of(high_sums),
              Argument::of(*taken.runs), Argument::of(*taken.ends), Argument::of(*results),
              Argument::value(row_count()), Argument::value(taken.from),
              Argument::value(std::uint32_t{summed_.high_sums != nullptr})}));
  return download(*results, row_count() * 16);
}

Result<Bytes> DeviceWindow::real_sums(Taken taken, bool is_average) {
  PENSTOCK_ASSIGN(const auto results, device_->allocate(row_count() * 8));
  const Buffer& counts = summed_.counts ? *summed_.counts
                         : row_numbers_ ? *row_numbers_
                                        : order_.rows();  // read for an average
  PENSTOCK_TRY(launch(*value_kernels_, "window_reals",
                      (is_average ? 24 : 20) + (taken.from == own_position ? 0 : 8),
                      {Argument::of(order_.rows()), Argument::of(*summed_.sums),
                       Argument::of(counts), Argument::of(*taken.runs), Argument::of(*taken.ends),
                       Argument::of(*results), Argument::value(row_count()),
                       Argument::value(taken.from), Argument::value(std::uint32_t{is_average})}));
  return download(*results, row_count() * 8);
}

// Divides on the host, which has the wider floats that DuckDB divides with.
Result<Bytes> DeviceWindow::averages_of_integers(const Column& column, const Buffer& counts,
                                                 Taken taken) {
  PENSTOCK_ASSIGN(const Bytes sums, wide_sums(taken));
  PENSTOCK_ASSIGN(const Column values, numbers(counts, taken));
  const Accumulator accumulator{sum_kind(column.type), 0, column.type, nullptr, 0};
  std::vector<double> averages(row_count());
  in_parallel(row_count(), min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++)
      if (const std::int64_t count = values.values.as<std::int64_t>()[row]; count > 0)
        averages[row] = average_of(accumulator, sums.as<Int128>()[row],
                                   static_cast<std::uint64_t>(count), false);
  });
  return Bytes::own(std::move(averages));
}

}  // namespace penstock::plan
