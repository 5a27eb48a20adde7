#include "exec/aggregate/group_layout.hpp"

#include <algorithm>
#include <cstring>

#include "fuse/program/kernel_parameters.hpp"

namespace penstock::plan {
namespace {

Partial sum_of_words(const GroupLayout::Sum& sum, const std::uint64_t* words) {
  const std::uint64_t low = words[sum.word];
  if (!sum.is_wide) return static_cast<std::int64_t>(low);
  return static_cast<Partial>(static_cast<unsigned __int128>(words[sum.word + 1]) << 64 | low);
}

Partial partial_at(const std::uint64_t* values, std::size_t i) {
  Partial value;
  std::memcpy(&value, values + 2 * i, sizeof value);
  return value;
}

// As merge() does, without a look at the kind of each group's accumulators.
bool add_sums(const GroupLayout& layout, const EntryForm& form, const std::uint64_t* values,
              Partial* into) {
  bool overflows = false;
  for (std::size_t i = 0; i < layout.sums.size(); i++) {
    const Partial value =
        form.has_partials ? partial_at(values, i) : sum_of_words(layout.sums[i], values);
    overflows |= __builtin_add_overflow(into[i], value, &into[i]);
  }
  return !overflows;
}

bool merge_partials(const GroupLayout& layout, const std::uint64_t* values, Partial* into) {
  const TileProgram& program = layout.program;
  bool fits = true;
  for (std::size_t i = 0; i < layout.partial_count; i++) {
    const Accumulator& a = program.accumulators[i];
    const Partial value = partial_at(values, i);
    if (!is_string_extreme(a)) {
      fits &= merge_partial(a, into[i], value);
      continue;
    }
    if (value < 0) continue;
    const auto is_before = [&](Partial x, Partial y) {
      return layout.text_of_argument(x) < layout.text_of_argument(y);
    };
    if (into[i] < 0 || (is_maximum(a) ? is_before(into[i], value) : is_before(value, into[i])))
      into[i] = value;
  }
  return fits;
}

}  // namespace

GroupLayout::GroupLayout(const TileProgram& of, const ProgramStrings& of_codes)
    : program(of),
      strings(of_codes),
      key_words(of.key_words()),
      compared_words(of.key_count == 0 ? 0 : compared_key_words(of)),
      partial_count(of.accumulators.size()),
      row_words((2 * partial_count + key_words + 1) / 2 * 2),
      cleared(partial_count),
      has_strings(has_string_extremes(of)) {
  clear(of, cleared);
  for (std::size_t i = 0; i < of.outputs.size(); i++)
    own_strings.push_back(strings.of_output(of, i));
  if (!std::ranges::all_of(of.accumulators, is_exact_sum)) return;
  for (const Accumulator& a : of.accumulators) sums.push_back({a.word, word_count(a) == 2});
}

bool add_entry(const GroupLayout& layout, const EntryForm& form, const std::uint64_t* entry,
               std::uint64_t* row) {
  const std::uint64_t* const values = entry + form.values;
  Partial* const into = layout.partials(row);
  if (!layout.sums.empty()) return add_sums(layout, form, values, into);
  if (form.has_partials) return merge_partials(layout, values, into);
  return merge(layout.program, {into, layout.partial_count},
               std::span<const std::uint64_t>(values, layout.program.accumulator_words()));
}

}  // namespace penstock::plan
