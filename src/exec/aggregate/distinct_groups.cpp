// Adds up groups by keys and a DISTINCT argument, by the keys alone.
#include <algorithm>
#include <map>
#include <mutex>

#include "base/parallel.hpp"
#include "exec/aggregate/group_table.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t min_values_per_thread = 1 << 14;
// Totals of a thread before they are passed on: they stay in its core's cache.
constexpr std::size_t max_totals = 1 << 13;

// A value's row as a row of the totals' program.
class ValueAdder {
 public:
  ValueAdder(const GroupLayout& values, const GroupLayout& totals)
      : values_(values),
        totals_(totals),
        keys_(totals.program.key_count),
        type_(totals.program.results[0].argument_type),
        counts_alone_(std::ranges::all_of(totals.program.accumulators,
                                          [](const Accumulator& a) {
                                            return a.kind == AccumulatorKind::count &&
                                                   a.argument >= 0;
                                          })),
        key_(totals.key_words),
        row_(keys_ + 1) {}

  bool add(const std::uint64_t* value, GroupSet& into) {
    std::uint64_t* const row = into.row_of(key_of(value));
    const bool is_null = values_.is_null(value, keys_);
    if (!counts_alone_) return add_scalar(value, is_null, totals_.partials(row));
    for (std::size_t i = 0; i < totals_.partial_count; i++) totals_.partials(row)[i] += !is_null;
    return true;
  }

 private:
  // The argument's bit of NULLs is left out.
  const std::uint64_t* key_of(const std::uint64_t* value) {
    const std::uint64_t* const words = values_.key(value);
    std::copy_n(words, keys_, key_.begin());
    std::copy_n(words + keys_ + 1, key_.size() - keys_,
                key_.begin() + static_cast<std::ptrdiff_t>(keys_));
    if (keys_ < 64 * (key_.size() - keys_))
      key_[keys_ + keys_ / 64] &= ~(std::uint64_t{1} << (keys_ % 64));
    return key_.data();
  }

  bool add_scalar(const std::uint64_t* value, bool is_null, Partial* into) {
    const std::span<Partial> partials(into, totals_.partial_count);
    row_[keys_] =
        is_null ? Scalar::null_of(type_) : expr::scalar_of_word(type_, values_.key(value)[keys_]);
    const bool fits = add_row(totals_.program, partials, row_);
    if (totals_.has_strings && !is_null)
      keep_string(totals_.program, partials, row_[keys_].integer, [&](Partial a, Partial b) {
        return totals_.text_of_argument(a) < totals_.text_of_argument(b);
      });
    return fits;
  }

  const GroupLayout& values_;
  const GroupLayout& totals_;
  const std::size_t keys_;
  const Type type_;
  const bool counts_alone_;
  std::vector<std::uint64_t> key_;
  std::vector<Scalar> row_;
};

}  // namespace

// Each thread adds up some of the values. Its totals are merged in the order of the values, so that
// sums of floats are the same in each run.
bool GroupTable::add_distinct(const GroupTable& values) {
  const std::vector<std::uint64_t> none(layout_.key_words);
  if (program_.key_count == 0) parts_[0].row_of(none.data());  // one row, also of no values
  std::map<std::uint64_t, std::vector<std::shared_ptr<GroupSet>>> totals;
  bool fits = true;
  std::mutex mutex;
  in_parallel(values.size(), min_values_per_thread, [&](std::uint64_t begin, std::uint64_t end) {
    ValueAdder adder(values.layout_, layout_);
    std::vector<std::shared_ptr<GroupSet>> sets = {std::make_shared<GroupSet>(layout_, memory_)};
    bool all_fit = true;
    values.for_each(begin, end, [&](std::uint64_t value) {
      if (value % rows_between_checks == 0) check_cancelled();
      if (sets.back()->size() >= max_totals)
        sets.push_back(std::make_shared<GroupSet>(layout_, memory_));
      all_fit &= adder.add(values.row(value), *sets.back());
    });
    const std::lock_guard lock(mutex);
    totals[begin] = std::move(sets);
    fits &= all_fit;
  });
  for (const auto& [begin, sets] : totals)
    for (const std::shared_ptr<GroupSet>& set : sets) fits &= add_set(set);
  return fits;
}

}  // namespace penstock::plan
