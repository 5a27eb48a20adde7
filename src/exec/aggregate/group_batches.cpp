#include "exec/aggregate/group_batches.hpp"

#include <algorithm>
#include <array>
#include <atomic>

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

// Divides entries by a stable counting sort of their addresses, as one digit of a radix sort does.
GroupBatches::Divided GroupBatches::divide(const GroupLayout& layout,
                                           std::span<const Batch> batches, GroupMemory& memory) {
  std::vector<std::uint64_t> ends;
  for (const Batch& batch : batches)
    ends.push_back((ends.empty() ? 0 : ends.back()) + batch.entries.size() / batch.form.words);
  const std::uint64_t count = ends.back();
  const std::uint64_t ranges = std::clamp<std::uint64_t>(count / min_divided, 1, host_core_count());
  std::uint64_t* const hashes = memory.take(count);
  std::vector<PartCounts> counts(ranges);
  const auto for_each = [&](std::uint64_t range, const auto& take) {
    const std::uint64_t last = count * (range + 1) / ranges;
    std::uint64_t at = count * range / ranges;
    std::size_t batch = std::ranges::upper_bound(ends, at) - ends.begin();
    for (; at < last; batch++) {
      const EntryForm& form = batches[batch].form;
      const std::uint64_t begin = batch == 0 ? 0 : ends[batch - 1];
      const std::uint64_t* entry = batches[batch].entries.data() + (at - begin) * form.words;
      for (const std::uint64_t end = std::min(ends[batch], last); at < end;
           at++, entry += form.words)
        take(at, entry, form);
    }
  };
  in_parallel(ranges, 1, [&](std::uint64_t range, std::uint64_t last) {
    for (; range < last; range++)
      for_each(range, [&](std::uint64_t at, const std::uint64_t* entry, const EntryForm& form) {
        hashes[at] = layout.hash_of(entry + form.key);
        counts[range][part_of(hashes[at])]++;
      });
  });
  Divided divided;
  std::uint64_t next = 0;
  for (std::size_t part = 0; part < part_count; part++) {
    divided.first[part] = next;
    for (PartCounts& of_range : counts) next += std::exchange(of_range[part], next);
  }
  divided.first[part_count] = next;
  divided.places = {reinterpret_cast<Place*>(memory.take(count * sizeof(Place) / 8)), count};
  in_parallel(ranges, 1, [&](std::uint64_t range, std::uint64_t last) {
    for (; range < last; range++)
      for_each(range, [&](std::uint64_t at, const std::uint64_t* entry, const EntryForm&) {
        divided.places[counts[range][part_of(hashes[at])]++] = {entry, hashes[at]};
      });
  });
  return divided;
}

// Entries lie anywhere in memory, so that each is asked for ahead.
bool GroupBatches::merge_part(const GroupLayout& layout, std::span<const Place> places,
                              const EntryForm& form, GroupSet& part) {
  constexpr std::size_t entries_ahead = 24, positions_ahead = 16, rows_ahead = 8;
  bool fits = true;
  part.open();
  for (std::size_t i = 0; i < places.size(); i++) {
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
  const Divided divided = divide(layout, batches, scratch);
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
