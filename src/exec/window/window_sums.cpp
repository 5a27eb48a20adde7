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
constexpr std::uint32_t wide_parts = 4;          // of 32 bits

// Returns whether sums of values of 64 bits may need more. On a CPU it reads the values, which
// takes less than adding them up twice; beside a GPU it would take more.
bool needs_halves(const Column& column) {
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

// Takes what a call reads of a column, if no call before it did.
Status DeviceWindow::take(std::uint32_t column, bool with_values) {
  if (summed_.column != column) summed_ = {};
  summed_.column = column;
  const bool has_values = summed_.values != nullptr;
  const Column* const here = columns_.here(column);
  PENSTOCK_TRY(here ? upload(*here, with_values) : take_there(columns_.there(column), with_values));
  if (!with_values || has_values) return {};
  value_kernels_.emplace(kernels_of_values(device_, columns_.type(column)));
  PENSTOCK_ASSIGN(sum_scan_, primitive::Scan::build(device_, sum_shape(columns_.type(column))));
  return {};
}

Status DeviceWindow::upload(const Column& from, bool with_values) {
  if (!summed_.validity && !from.validity.empty()) {
    PENSTOCK_ASSIGN(summed_.validity,
                    upload({from.validity.owner, from.validity.data, (row_count() + 7) / 8}));
  }
  if (!with_values || summed_.values) return {};
  const std::uint64_t bytes = from.type.kind == Kind::boolean
                                  ? (row_count() + 7) / 8
                                  : row_count() * width_bytes(from.type);
  PENSTOCK_ASSIGN(summed_.values, upload({from.values.owner, from.values.data, bytes}));
  return {};
}

Status DeviceWindow::take_there(const DeviceColumn& from, bool with_values) {
  if (!summed_.validity && from.validity) {
    PENSTOCK_ASSIGN(const auto flags, zeros(row_count()));
    PENSTOCK_TRY(queue().copy(*flags, *from.validity, row_count()));
    PENSTOCK_ASSIGN(summed_.validity, bits_of(*flags));
  }
  if (with_values) summed_.values = from.values;
  return {};
}

// Counts the values from the beginning of the partition to a position.
Result<const Buffer*> DeviceWindow::present_counts(std::uint32_t column) {
  PENSTOCK_TRY(take(column, false));
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

Result<DeviceWindow::SharedBuffer> DeviceWindow::add_up_part(Type type, std::uint32_t part) {
  PENSTOCK_ASSIGN(const auto values, device_->allocate(row_count() * 8));
  PENSTOCK_ASSIGN(auto sums, device_->allocate(row_count() * 8));
  const Buffer& validity = summed_.validity ? *summed_.validity : order_.rows();  // not read
  PENSTOCK_TRY(
      launch(*value_kernels_, width_bytes(type) > 8 ? "window_parts" : "window_values",
             12 + width_bytes(type),
             {Argument::of(order_.rows()), Argument::of(*summed_.values), Argument::of(validity),
              Argument::of(*values), Argument::value(row_count()),
              Argument::value(std::uint32_t{summed_.validity != nullptr}), Argument::value(part)}));
  PENSTOCK_TRY(timed(row_count() * 17, [&] {
    return sum_scan_->enqueue(queue(), *values, *partitions_, *sums, row_count());
  }));
  return sums;
}

Status DeviceWindow::add_up(std::uint32_t column) {
  PENSTOCK_TRY(take(column, true));
  if (!summed_.sums.empty()) return {};
  const Type type = columns_.type(column);
  const Column* const here =
      device_->traits().shares_host_cores() ? columns_.here(column) : nullptr;
  std::vector<std::uint32_t> parts = {whole};
  if (width_bytes(type) > 8)
    parts = {0, 1, 2, 3};
  else if (!is_float(type) && width_bytes(type) == 8 && (!here || needs_halves(*here)))
    parts = {low, high};
  for (const std::uint32_t part : parts) {
    PENSTOCK_ASSIGN(auto sums, add_up_part(type, part));
    summed_.sums.push_back(std::move(sums));
  }
  return {};
}

Result<DeviceColumn> DeviceWindow::sums(const WindowCall& call, Type type) {
  const bool is_average = call.function == WindowFunction::average;
  PENSTOCK_ASSIGN(const Taken taken, taken_by(call));
  PENSTOCK_TRY(add_up(call.column));
  DeviceColumn column{type, nullptr, nullptr};
  const Buffer* counts = nullptr;
  if (is_average || summed_.validity) { PENSTOCK_ASSIGN(counts, present_counts(call.column)); }
  if (is_float(columns_.type(call.column))) {
    PENSTOCK_ASSIGN(column.values, real_sums(taken, is_average));
  } else {
    PENSTOCK_ASSIGN(column.values,
                    summed_.sums.size() == wide_parts ? sums_of_parts(taken) : wide_sums(taken));
  }
  if (summed_.validity) {  // else each frame has a value: the row's own
    PENSTOCK_ASSIGN(column.validity, validity(*counts, taken));
  }
  return column;
}

Result<DeviceWindow::SharedBuffer> DeviceWindow::wide_sums(Taken taken) {
  PENSTOCK_ASSIGN(auto results, device_->allocate(row_count() * 16));
  const std::vector<SharedBuffer>& sums = summed_.sums;
  PENSTOCK_TRY(
      launch(*kernels_, "window_integers",
             (sums.size() > 1 ? 36 : 28) + (taken.from == own_position ? 0 : 8),
             {Argument::of(order_.rows()), Argument::of(*sums.front()), Argument::of(*sums.back()),
              Argument::of(*taken.runs), Argument::of(*taken.ends), Argument::of(*results),
              Argument::value(row_count()), Argument::value(taken.from),
              Argument::value(std::uint32_t{sums.size() > 1})}));
  return results;
}

// Code::overflow where a sum is outside HUGEINT.
Result<DeviceWindow::SharedBuffer> DeviceWindow::sums_of_parts(Taken taken) {
  PENSTOCK_ASSIGN(auto results, device_->allocate(row_count() * 16));
  PENSTOCK_ASSIGN(const auto is_beyond, zeros(16));
  const std::vector<SharedBuffer>& sums = summed_.sums;
  PENSTOCK_TRY(launch(*kernels_, "window_wide", 52,
                      {Argument::of(order_.rows()), Argument::of(*sums[0]), Argument::of(*sums[1]),
                       Argument::of(*sums[2]), Argument::of(*sums[3]), Argument::of(*taken.runs),
                       Argument::of(*taken.ends), Argument::of(*results), Argument::of(*is_beyond),
                       Argument::value(row_count()), Argument::value(taken.from)}));
  std::uint32_t found = 0;
  PENSTOCK_TRY(queue().download(&found, *is_beyond, sizeof found));
  PENSTOCK_TRY(queue().finish());
  return found != 0 ? Result<SharedBuffer>(sum_too_large()) : Result<SharedBuffer>(results);
}

Result<DeviceWindow::SharedBuffer> DeviceWindow::real_sums(Taken taken, bool is_average) {
  PENSTOCK_ASSIGN(auto results, device_->allocate(row_count() * 8));
  const Buffer& counts = summed_.counts ? *summed_.counts
                         : row_numbers_ ? *row_numbers_
                                        : order_.rows();  // read for an average
  PENSTOCK_TRY(launch(*value_kernels_, "window_reals",
                      (is_average ? 24 : 20) + (taken.from == own_position ? 0 : 8),
                      {Argument::of(order_.rows()), Argument::of(*summed_.sums[0]),
                       Argument::of(counts), Argument::of(*taken.runs), Argument::of(*taken.ends),
                       Argument::of(*results), Argument::value(row_count()),
                       Argument::value(taken.from), Argument::value(std::uint32_t{is_average})}));
  return results;
}

// Divides on the host, which has the wider floats that DuckDB divides with.
Result<Column> DeviceWindow::averages_of_integers(const WindowCall& call, Type type) {
  PENSTOCK_ASSIGN(const DeviceColumn there, sums(call, {Kind::int128}));
  PENSTOCK_ASSIGN(const Column added, download(there));
  PENSTOCK_ASSIGN(const Taken taken, taken_by(call));
  PENSTOCK_ASSIGN(const Buffer* present, present_counts(call.column));
  PENSTOCK_ASSIGN(const DeviceColumn numbered, numbers(*present, taken));
  PENSTOCK_ASSIGN(const Column counts, download(numbered));
  PENSTOCK_TRY(take_times());
  const Type from = columns_.type(call.column);
  const Accumulator accumulator{sum_kind(from), 0, from, nullptr, 0};
  std::vector<double> averages(row_count());
  in_parallel(row_count(), min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++)
      if (const std::int64_t count = counts.values.as<std::int64_t>()[row]; count > 0)
        averages[row] = average_of(accumulator, added.values.as<Int128>()[row],
                                   static_cast<std::uint64_t>(count), false);
  });
  Column column;
  column.type = type;
  column.row_count = row_count();
  column.validity = added.validity;
  column.values = Bytes::own(std::move(averages));
  return column;
}

}  // namespace penstock::plan
