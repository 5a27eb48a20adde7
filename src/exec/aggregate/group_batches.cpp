#include "exec/aggregate/group_batches.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "base/thread_pool.hpp"

namespace penstock::plan {
namespace {

constexpr std::size_t part_count = GroupBatches::part_count;
using PartCounts = std::array<std::uint64_t, part_count>;

std::size_t part_of(std::uint64_t hash) { return hash >> 56; }

// Entries that one thread at least divides into parts.
constexpr std::uint64_t min_divided = 1 << 14;

}  // namespace

void GroupBatches::add(std::span<const std::uint64_t> entries, const EntryForm& form,
                       std::shared_ptr<const void> owner) {
  if (entries.empty()) return;
  if (!owner) {
    auto copy = std::make_shared<std::vector<std::uint64_t>>(entries.begin(), entries.end());
    entries = *copy;
    owner = std::move(copy);
  }
  count_ += entries.size() / form.words;
  bytes_ += entries.size_bytes();
  batches_.push_back({entries, form, std::move(owner)});
}

// Divides the entries of batches by a stable counting sort of their addresses, as one digit of a
// radix sort does. Each thread takes ranges of the entries.
class GroupBatches::Divider {
 public:
  Divider(const GroupLayout& layout, std::span<const Batch> batches, GroupMemory& memory)
      : layout_(layout), batches_(batches), memory_(memory) {
    for (const Batch& batch : batches) ends_.push_back(count() + batch.size());
    counts_.resize(std::clamp<std::uint64_t>(count() / min_divided, 1, host_core_count()));
  }

  Divided divide() {
    std::uint64_t* const hashes = memory_.take(count());
    in_ranges([&](PartCounts& counts, std::uint64_t at, const std::uint64_t* entry,
                  const EntryForm& form) {
      hashes[at] = layout_.hash_of(entry + form.key);
      counts[part_of(hashes[at])]++;
    });
    Divided divided;
    divided.first = first_of_parts();
    divided.places = {reinterpret_cast<Place*>(memory_.take(count() * sizeof(Place) / 8)), count()};
    in_ranges(
        [&](PartCounts& places, std::uint64_t at, const std::uint64_t* entry, const EntryForm&) {
          divided.places[places[part_of(hashes[at])]++] = {entry, hashes[at]};
        });
    return divided;
  }

 private:
  std::uint64_t count() const { return ends_.empty() ? 0 : ends_.back(); }

  // Turns the counts of each range into the places of its first entries.
  std::array<std::uint64_t, part_count + 1> first_of_parts() {
    std::array<std::uint64_t, part_count + 1> first = {};
    std::uint64_t next = 0;
    for (std::size_t part = 0; part < part_count; part++) {
      first[part] = next;
      for (PartCounts& of_range : counts_) next += std::exchange(of_range[part], next);
    }
    first[part_count] = next;
    return first;
  }

  template <class Take> void in_ranges(const Take& take) {
    in_parallel(counts_.size(), 1, [&](std::uint64_t range, std::uint64_t last) {
      for (; range < last; range++)
        for_each(count() * range / counts_.size(), count() * (range + 1) / counts_.size(),
                 [&](std::uint64_t number, const std::uint64_t* entry, const EntryForm& form) {
                   take(counts_[range], number, entry, form);
                 });
    });
  }

  // Calls take(number, entry, form) for entries by their numbers.
  template <class Take>
  void for_each(std::uint64_t at, std::uint64_t last, const Take& take) const {
    auto batch = static_cast<std::size_t>(std::ranges::upper_bound(ends_, at) - ends_.begin());
    for (; at < last; batch++) {
      const EntryForm& form = batches_[batch].form;
      const std::uint64_t end = std::min(ends_[batch], last);
      const std::uint64_t* entry = batches_[batch].entries.data() +
                                   (at + batches_[batch].size() - ends_[batch]) * form.words;
      for (; at < end; at++, entry += form.words) {
        if (at % rows_between_checks == 0) check_cancelled();
        take(at, entry, form);
      }
    }
  }

  const GroupLayout& layout_;
  const std::span<const Batch> batches_;
  GroupMemory& memory_;
  std::vector<std::uint64_t> ends_;  // of the entries of each batch, among all
  std::vector<PartCounts> counts_;   // of each range
};

// Entries lie anywhere in memory, so that each is asked for ahead.
bool GroupBatches::merge_part(const GroupLayout& layout, std::span<const Place> places,
                              const EntryForm& form, GroupSet& part) {
  constexpr std::size_t entries_ahead = 24, positions_ahead = 16, rows_ahead = 8;
  bool fits = true;
  part.open();
  for (std::size_t i = 0; i < places.size(); i++) {
    if (i % rows_between_checks == 0) check_cancelled();
    if (i + entries_ahead < places.size()) {
      __builtin_prefetch(places[i + entries_ahead].entry);
      __builtin_prefetch(places[i + entries_ahead].entry + form.words - 1);
    }
    if (i + positions_ahead < places.size()) part.expect_position(places[i + positions_ahead].hash);
    if (i + rows_ahead < places.size()) part.expect_row(places[i + rows_ahead].hash);
    const auto& [entry, hash] = places[i];
    fits &= add_entry(layout, form, entry, part.row_of(entry + form.key, hash));
  }
  return fits;
}

bool GroupBatches::merge_some(const GroupLayout& layout, std::span<const Batch> batches,
                              std::span<GroupSet> parts, const std::shared_ptr<Device>& device) {
  GroupMemory scratch(device);
  const Divided divided = Divider(layout, batches, scratch).divide();
  std::atomic<bool> fits = true;
  in_parallel(part_count, 1, [&](std::uint64_t part, std::uint64_t last) {
    for (; part < last; part++) {
      const std::span<const Place> places = divided.places.subspan(
          divided.first[part], divided.first[part + 1] - divided.first[part]);
      if (!merge_part(layout, places, batches[0].form, parts[part])) fits = false;
    }
  });
  return fits;
}

bool GroupBatches::merge_into(const GroupLayout& layout, std::span<GroupSet> parts,
                              const std::shared_ptr<Device>& device) {
  bool fits = true;
  for (std::size_t first = 0; first < batches_.size();) {
    std::size_t last = first;  // of batches in the same form
    while (last < batches_.size() && batches_[last].form == batches_[first].form) last++;
    fits &= merge_some(layout, std::span(batches_).subspan(first, last - first), parts, device);
    first = last;
  }
  batches_.clear();
  count_ = bytes_ = 0;
  return fits;
}

}  // namespace penstock::plan
