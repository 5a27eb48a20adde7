#include "plan/order/key_ranges.hpp"

#include <algorithm>

#include "plan/fusion/accumulators.hpp"
#include "plan/order/order_keys.hpp"
#include "plan/rows/finish_at_end.hpp"
#include "primitive/radix_sort.hpp"

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
  PENSTOCK_ASSIGN(BufferPointer words,
                  kernels_.device().allocate(std::max<std::uint64_t>(bytes, 64)));
  PENSTOCK_TRY(queue_.upload(*words, bounds.data(), bytes));
  return words;
}

Result<std::vector<std::uint64_t>> KeyRanges::cut(const std::vector<Word>& bounds) {
  std::vector<std::uint32_t> cuts(bounds.size());
  const std::uint64_t count = bounds.size(), bytes = count * 4;
  PENSTOCK_ASSIGN(const auto places,
                  kernels_.device().allocate(std::max<std::uint64_t>(bytes, 64)));
  const FinishAtEnd finish(queue_);
  PENSTOCK_ASSIGN(const auto words, upload(bounds));
  PENSTOCK_TRY(launch("range_cuts", count, {words.get(), places.get()}, {Argument::value(count)}));
  PENSTOCK_TRY(queue_.download(cuts.data(), *places, bytes));
  PENSTOCK_TRY(queue_.finish());
  return std::vector<std::uint64_t>(cuts.begin(), cuts.end());
}

Result<KeyRanges::Divided> KeyRanges::all_in_one(RunReport& report) {
  Divided divided;
  PENSTOCK_ASSIGN(divided.order, kernels_.device().allocate(row_count_ * 4));
  divided.ranges.ends = {row_count_};
  const std::vector<Argument> all = {Argument::of(*divided.order), Argument::value(row_count_)};
  PENSTOCK_TRY(kernels_.launch(queue_, "order_begin", row_count_, all));
  kernels_.add_to(report, "order_ranges", {1, row_count_ * 4, 0});
  return divided;
}

Result<KeyRanges::Divided> KeyRanges::divide(const std::vector<Word>& bounds, RunReport& report) {
  Device& device = kernels_.device();
  const std::uint64_t range_count = bounds.size() + 1, bytes = row_count_ * 4;
  Divided divided;
  if (bounds.empty()) return all_in_one(report);
  std::vector<std::uint32_t> ends(range_count);
  PENSTOCK_ASSIGN(const auto sort,
                  primitive::RadixSort::build(kernels_.shared_device(), {4, true}));
  PENSTOCK_ASSIGN(const BufferPointer end_words, device.allocate(range_count * 4));
  primitive::SortData data, spare;
  for (primitive::SortData* each : {&data, &spare}) {
    PENSTOCK_ASSIGN(each->keys, device.allocate(bytes));
    PENSTOCK_ASSIGN(each->values, device.allocate(bytes));
  }
  const FinishAtEnd finish(queue_);
  PENSTOCK_ASSIGN(const auto bound_words, upload(bounds));
  PENSTOCK_ASSIGN(const auto begun, queue_.record());
  PENSTOCK_TRY(launch("range_numbers", row_count_,
                      {bound_words.get(), data.keys.get(), data.values.get()},
                      {Argument::value(static_cast<std::uint32_t>(bounds.size()))}));
  PENSTOCK_TRY(sort->enqueue(queue_, data, spare, row_count_, 0, 1));
  const std::vector<Argument> of_ends = {Argument::of(*data.keys), Argument::of(*end_words),
                                         Argument::value(row_count_), Argument::value(range_count)};
  PENSTOCK_TRY(kernels_.launch(queue_, "range_ends", range_count, of_ends));
  PENSTOCK_ASSIGN(const auto done, queue_.record());
  PENSTOCK_TRY(queue_.download(ends.data(), *end_words, range_count * 4));
  PENSTOCK_TRY(queue_.finish());
  PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun));
  const std::uint64_t of_numbers = width_bytes(key_.column.type) + 8, of_sort = 4 + 16;
  kernels_.add_to(report, "order_ranges", {2, row_count_ * (of_numbers + of_sort), seconds});
  divided.order = data.values;
  divided.ranges = {end_words, {ends.begin(), ends.end()}};
  return divided;
}

Status KeyRanges::take(RowKernels& kernels, Queue& queue, const Buffer& order, std::uint64_t first,
                       std::uint64_t count, const Buffer& to) {
  return kernels.launch(
      queue, "range_rows", count,
      {{Argument::of(order), Argument::of(to), Argument::value(first), Argument::value(count)}});
}

RangeCounts range_counts(std::uint64_t pieces_of_share, std::size_t shares) {
  const std::uint64_t most = std::max<std::size_t>(max_key_ranges / shares, 1);
  return {static_cast<std::size_t>(std::min(pieces_of_share + 1, most)), shares};
}

namespace {

// Returns how many quarters of the rows of a range are before range number `range` of a share.
std::size_t quarters_before(std::size_t range, const RangeCounts& counts) {
  const bool has_short_range = counts.of_share >= 4;
  return range == 0 ? 0 : 4 * range - (has_short_range ? 3 : 0);
}

}  // namespace

// A range that begins with the least sample has all before it, which are few or none.
std::vector<KeyRanges::Word> bounds_of(std::vector<KeyRanges::Word> samples, RangeCounts counts) {
  std::ranges::sort(samples);
  std::vector<KeyRanges::Word> bounds;
  const std::size_t quarters_of_share = quarters_before(counts.of_share, counts);
  for (std::size_t range = 1; range < counts.all() && !samples.empty(); range++) {
    const std::size_t quarters = range / counts.of_share * quarters_of_share +
                                 quarters_before(range % counts.of_share, counts);
    const KeyRanges::Word& bound =
        samples[quarters * samples.size() / (quarters_of_share * counts.shares)];
    if (bound != samples.front() && (bounds.empty() || bound != bounds.back()))
      bounds.push_back(bound);
  }
  return bounds;
}

}  // namespace penstock::plan
