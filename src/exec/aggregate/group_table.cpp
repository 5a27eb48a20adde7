#include "exec/aggregate/group_table.hpp"

#include <algorithm>
#include <mutex>

#include "base/parallel.hpp"
#include "exec/aggregate/group_order.hpp"
#include "table/rows/gather.hpp"
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {
namespace {

// From so many groups on, one table would not stay in a core's cache, and adding to it would be
// most of a run.
constexpr std::uint64_t min_divided_groups = 1 << 14;
constexpr std::uint64_t max_waiting_bytes = std::uint64_t{512} << 20;
constexpr std::uint64_t min_ranked_groups = 1 << 13;  // of a thread

// A group and its rank in an order.
struct Ranked {
  std::uint64_t rank = 0, group = 0;
};

// Adds a group to a heap of the first `count`.
template <class Order>
void keep_first(std::vector<Ranked>& heap, const Ranked& one, std::uint64_t count,
                const Order& is_before) {
  if (heap.size() == count) {
    if (!is_before(one, heap.front())) return;
    std::ranges::pop_heap(heap, is_before);
    heap.pop_back();
  }
  heap.push_back(one);
  std::ranges::push_heap(heap, is_before);
}

}  // namespace

GroupTable::GroupTable(const TileProgram& program, const ProgramStrings& strings,
                       std::shared_ptr<Device> device)
    : program_(program),
      layout_(program, strings),
      device_(std::move(device)),
      memory_(std::make_shared<GroupMemory>(device_)) {
  parts_.emplace_back(layout_, memory_);
}

std::size_t GroupTable::size() const {
  std::size_t size = waiting_.size();
  for (const GroupSet& part : parts_) size += part.size();
  return size;
}

bool GroupTable::add(std::span<const std::uint64_t> entries, std::size_t entry_words,
                     std::shared_ptr<const void> owner) {
  const EntryForm form = EntryForm::of_kernels(layout_, entry_words);
  return wanted_ ? add_wanted(entries, form) : add_form(entries, form, std::move(owner));
}

bool GroupTable::add_wanted(std::span<const std::uint64_t> entries, const EntryForm& form) {
  std::vector<std::uint64_t> some;
  std::mutex mutex;
  in_parallel(entries.size() / form.words, min_ranked_groups,
              [&](std::uint64_t first, std::uint64_t last) {
                std::vector<std::uint64_t> of_part;
                for (std::uint64_t i = first; i < last; i++)
                  if (const auto entry = entries.subspan(i * form.words, form.words);
                      wanted_->has(entry.data() + form.key))
                    of_part.insert(of_part.end(), entry.begin(), entry.end());
                const std::lock_guard lock(mutex);
                some.insert(some.end(), of_part.begin(), of_part.end());
              });
  return add_form(some, form, nullptr);
}

bool GroupTable::merge_groups(std::span<const std::uint64_t> groups,
                              std::shared_ptr<const void> owner) {
  const EntryForm form = EntryForm::of_merges(layout_);
  return wanted_ ? add_wanted(groups, form) : add_form(groups, form, std::move(owner));
}

void GroupTable::append(std::span<const std::uint64_t> groups) {
  parts_[0].append(groups, EntryForm::of_merges(layout_));
}

bool GroupTable::add_form(std::span<const std::uint64_t> entries, const EntryForm& form,
                          std::shared_ptr<const void> owner) {
  if (entries.empty()) return true;
  if (!is_divided()) {
    parts_[0].make_room(entries, form);
    const std::uint64_t groups = parts_[0].size() + entries.size() / form.words;
    if (parts_[0].slots().are_used() || groups < min_divided_groups)
      return parts_[0].add(entries, form);
    divide();
  }
  waiting_.add(entries, form, std::move(owner));
  return waiting_.bytes() < max_waiting_bytes || settle();
}

// The groups of the one table wait for their parts, before all later entries.
void GroupTable::divide() {
  auto one = std::make_shared<GroupSet>(std::move(parts_[0]));
  parts_.clear();
  for (std::size_t part = 0; part < GroupBatches::part_count; part++)
    parts_.emplace_back(layout_, memory_);
  add_set(one);
}

bool GroupTable::add_set(const std::shared_ptr<GroupSet>& groups) {
  const EntryForm form = EntryForm::of_rows(layout_);
  bool fits = true;
  for (std::size_t first = 0; first < groups->size(); first += GroupRows::block_rows) {
    const std::size_t count = std::min(groups->size() - first, GroupRows::block_rows);
    fits &= add_form({groups->row(first), count * form.words}, form, groups);
  }
  return fits;
}

bool GroupTable::settle() {
  return waiting_.size() == 0 || waiting_.merge_into(layout_, parts_, device_);
}

std::vector<std::uint64_t> GroupTable::all_groups() const {
  std::vector<std::uint64_t> groups;
  groups.reserve(size());
  for_each(0, size(), [&](std::uint64_t group) { groups.push_back(group); });
  return groups;
}

// Returns the first groups in any order. Each thread keeps the first of its groups in a heap, the
// last of them on top. Sorting the groups of all heaps took most of the time: equal ones are told
// apart by their texts.
std::vector<std::uint64_t> GroupTable::first_groups(const TopK& first) const {
  if (first.count == 0) return {};
  if (first.count >= size() / 4) return all_groups();
  const GroupOrder order(layout_, first);
  const auto is_before = [&](const Ranked& a, const Ranked& b) {
    return a.rank != b.rank ? a.rank < b.rank : order.is_before(row(a.group), row(b.group));
  };
  std::vector<Ranked> found;
  std::mutex mutex;
  in_parallel(size(), min_ranked_groups, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<Ranked> heap;
    for_each(begin, end, [&](std::uint64_t group) {
      keep_first(heap, {order.rank(row(group)), group}, first.count, is_before);
    });
    const std::lock_guard lock(mutex);
    found.insert(found.end(), heap.begin(), heap.end());
  });
  if (found.size() > first.count) {
    std::ranges::nth_element(found, found.begin() + static_cast<std::ptrdiff_t>(first.count),
                             is_before);
    found.resize(first.count);
  }
  std::vector<std::uint64_t> groups;
  for (const Ranked& one : found) groups.push_back(one.group);
  return groups;
}

// Slots are in the order of the keys.
void GroupTable::sort_by_slots(std::vector<std::uint64_t>& groups) const {
  const KeySlots& slots = parts_[0].slots();
  if (groups.size() < parts_[0].size())
    std::ranges::sort(groups, {},
                      [&](std::uint64_t group) { return slots.slot_of(layout_.key(row(group))); });
  else
    groups = parts_[0].by_slots();
}

Result<Table> GroupTable::finish(const TopK* first) {
  if (!settle()) return sum_too_large();
  std::vector<std::uint64_t> groups = first ? first_groups(*first) : all_groups();
  const bool are_sorted = parts_[0].slots().are_in_order();
  if (are_sorted) sort_by_slots(groups);
  Table table;
  table.row_count = groups.size();
  std::vector<SortKey> order;
  for (std::uint32_t c = 0; c < program_.schema.size(); c++) {
    table.names.push_back(program_.schema[c].name);
    table.columns.push_back(column_of_groups(c, groups));
    if (c < program_.key_count) order.push_back({c, false, false});
  }
  if (are_sorted || program_.any_order) return table;
  return gather(table, order_on_host(table, order, groups.size()));
}

}  // namespace penstock::plan
