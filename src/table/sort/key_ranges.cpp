#include "table/sort/key_ranges.hpp"

#include <algorithm>

#include "device/allocate.hpp"
#include "expr/words.hpp"
#include "table/rows/finish_at_end.hpp"
#include "table/sort/order_keys.hpp"

namespace penstock::plan {

Status KeyRanges::launch(std::string_view kernel, std::uint64_t count,
                         std::initializer_list<const Buffer*> buffers,
                         std::initializer_list<Argument> numbers) {
  const DeviceColumn& column = key_.column;
  const Buffer& validity = column.validity ? *column.validity : *column.values;
  std::vector<Argument> arguments = {Argument::of(*column.values), Argument::of(*column.values),
                                     Argument::of(validity), Argument::of(key_.ranks)};
  for (const Buffer* buffer : buffers) arguments.push_back(Argument::of(*buffer));
  arguments.push_back(Argument::value(row_count_));
  arguments.insert(arguments.end(), numbers);
  arguments.insert(arguments.end(),
                   {Argument::value(static_cast<std::uint32_t>(width_bytes(column.type))),
                    Argument::value(order_kind(column.type)),
                    Argument::value(static_cast<std::uint32_t>(key_.order.descending)),
                    Argument::value(null_shift(column)),
                    Argument::value(static_cast<std::uint32_t>(key_.order.nulls_first))});
  return kernels_.launch(queue_, kernel, count, arguments);
}

Result<std::vector<KeyRanges::Word>> KeyRanges::sample(std::uint64_t count) {
  count = std::min(count, row_count_);
  std::vector<Word> words(count);
  if (count == 0) return words;
  const std::uint64_t bytes = count * sizeof(Word);
  PENSTOCK_ASSIGN(const auto samples, kernels_.device().allocate(bytes));
  const FinishAtEnd finish(queue_);
  PENSTOCK_TRY(launch("range_samples", count, {samples.get()}, {Argument::value(count)}));
  PENSTOCK_TRY(queue_.download(words.data(), *samples, bytes));
  PENSTOCK_TRY(queue_.finish());
  return words;
}

Result<BufferPointer> KeyRanges::upload(const std::vector<Word>& bounds) {
  const std::uint64_t bytes = bounds.size() * sizeof(Word);
  PENSTOCK_ASSIGN(BufferPointer words, device::allocate(kernels_.device(), bytes));
  PENSTOCK_TRY(queue_.upload(*words, bounds.data(), bytes));
  return words;
}

Result<std::vector<std::uint64_t>> KeyRanges::cut(const std::vector<Word>& bounds) {
  std::vector<std::uint32_t> cuts(bounds.size());
  const std::uint64_t count = bounds.size(), bytes = count * 4;
  PENSTOCK_ASSIGN(const auto places, device::allocate(kernels_.device(), bytes));
  const FinishAtEnd finish(queue_);
  PENSTOCK_ASSIGN(const auto words, upload(bounds));
  PENSTOCK_TRY(launch("range_cuts", count, {words.get(), places.get()}, {Argument::value(count)}));
  PENSTOCK_TRY(queue_.download(cuts.data(), *places, bytes));
  PENSTOCK_TRY(queue_.finish());
  return std::vector<std::uint64_t>(cuts.begin(), cuts.end());
}

template <class Move>
Result<std::vector<std::uint64_t>> KeyRanges::move_by_range(const std::vector<Word>& bounds,
                                                            const Move& move, RunReport& report) {
  const std::uint64_t range_count = bounds.size() + 1;
  if (range_count > max_key_ranges) return Status(Code::invalid, "more ranges than a byte counts");
  std::vector<std::uint32_t> ends(range_count);
  PENSTOCK_ASSIGN(auto columns, ColumnsByRange::begin(kernels_, queue_, row_count_));
  PENSTOCK_ASSIGN(const BufferPointer end_words,
                  device::allocate(kernels_.device(), range_count * 4));
  const FinishAtEnd finish(queue_);
  PENSTOCK_ASSIGN(const auto bound_words, upload(bounds));
  const auto number_rows = [&] {
    return launch("range_numbers", row_count_, {bound_words.get(), &columns.numbers()},
                  {Argument::value(static_cast<std::uint32_t>(bounds.size()))});
  };
  PENSTOCK_TRY(columns.launch(number_rows, row_count_ * (width_bytes(key_.column.type) + 1)));
  PENSTOCK_TRY(move(columns));
  const std::vector<Argument> of_ends = {Argument::of(columns.sorted_numbers()),
                                         Argument::of(*end_words), Argument::value(row_count_),
                                         Argument::value(range_count)};
  const auto find_ends = [&] {
    return kernels_.launch(queue_, "range_ends", range_count, of_ends);
  };
  PENSTOCK_TRY(columns.launch(find_ends, range_count * 4));
  PENSTOCK_TRY(queue_.download(ends.data(), *end_words, range_count * 4));
  PENSTOCK_TRY(queue_.finish());
  PENSTOCK_TRY(columns.add_to(report));
  return std::vector<std::uint64_t>(ends.begin(), ends.end());
}

Result<KeyRanges::Order> KeyRanges::divide(const std::vector<Word>& bounds, RunReport& report) {
  Order order;
  const auto move = [&](ColumnsByRange& columns) -> Status {
    PENSTOCK_ASSIGN(order.rows, columns.move_row_numbers());
    return {};
  };
  PENSTOCK_ASSIGN(order.ends, move_by_range(bounds, move, report));
  return order;
}

Result<KeyRanges::Rows> KeyRanges::divide(const DeviceRows& rows, const std::vector<Word>& bounds,
                                          RunReport& report) {
  Rows divided;
  const auto move = [&](ColumnsByRange& columns) -> Status {
    PENSTOCK_ASSIGN(divided.rows, columns.move(rows));
    return {};
  };
  PENSTOCK_ASSIGN(divided.ends, move_by_range(bounds, move, report));
  return divided;
}

Status KeyRanges::take(RowKernels& kernels, Queue& queue, const Buffer& order, std::uint64_t first,
                       std::uint64_t count, const Buffer& to) {
  return kernels.launch(
      queue, "range_rows", count,
      {{Argument::of(order), Argument::of(to), Argument::value(first), Argument::value(count)}});
}

}  // namespace penstock::plan
