#include "exec/groups/group_parts.hpp"
#include "exec/kernel/exec_kernels.hpp"

#include <algorithm>
#include <tuple>

#include "exec/kernels/group_parts_limits.h"
#include "table/rows/finish_at_end.hpp"
#include "table/sort/key_rank.hpp"
#include "table/sort/order_keys.hpp"
#include "table/sort/range_bounds.hpp"

namespace penstock::plan {
namespace {

// Samples of a device's groups. Sorting and merging them takes the devices' time: 0.4 ms for 1024
// of each of two. By the spread of random samples parts differ by some 3 % on two devices, and by
// some 4 % on eight. That was not measured.
constexpr std::uint64_t max_samples = 512;
// Only some of the sorted samples are merged, at even distances: 128 of each device. The groups
// between two of them are known to 1/128 of a device's groups. Merging 512 of four devices took
// 0.11 ms.
constexpr std::uint64_t max_merged = 128;

Type type_of_key(const TileProgram& program, std::uint32_t key) {
  return program.graph->at(program.outputs[key].root).type;
}

// The rank of a sample's first key. It decides most comparisons.
struct FirstRank {
  std::uint64_t is_null = 0, rank = 0;
  std::uint32_t sample = 0;
};

bool is_less(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  return std::lexicographical_compare(a, a + words, b, b + words);
}

}  // namespace

std::uint32_t keys_of_ranges(const TileProgram& program) {
  for (std::uint32_t key = 0; key < program.key_count; key++) {
    const Type type = type_of_key(program, key);
    if (type.kind == Kind::string || width_bytes(type) > 8) return 0;
  }
  return program.key_count - (program.of_distinct ? 1 : 0);
}

GroupParts::GroupParts(const MergePlace& place, const TileProgram& program)
    : place_(place), program_(program), kernels_(place.device, exec_kernels("group_parts")) {}

std::vector<std::uint32_t> GroupParts::layout() const {
  const std::uint32_t keys = keys_of_ranges(program_);
  std::vector<std::uint32_t> words = {keys, program_.key_count};
  for (std::uint32_t key = 0; key < keys; key++) {
    const Type type = type_of_key(program_, key);
    words.insert(words.end(),
                 {8 * static_cast<std::uint32_t>(width_bytes(type)), order_kind(type)});
  }
  return words;
}

std::vector<std::uint64_t> GroupParts::ranks_of(const Samples& samples) const {
  std::vector<Type> types;
  for (std::uint32_t key = 0; key < keys_of_ranges(program_); key++)
    types.push_back(type_of_key(program_, key));
  std::vector<std::uint64_t> ranks;
  ranks.reserve(samples.count * types.size() * 2);
  for (std::size_t i = 0; i < samples.count; i++) {
    const std::uint64_t* const words = samples.words.data() + i * program_.key_words();
    for (std::uint32_t key = 0; key < types.size(); key++) {
      const bool is_null = (words[program_.key_count + key / 64] >> (key % 64) & 1) != 0;
      ranks.push_back(is_null);
      ranks.push_back(is_null ? 0 : rank_of_word(types[key], words[key]));
    }
  }
  return ranks;
}

// Each device sorts its own samples at the same time. Keeps the samples to merge.
void GroupParts::sort(Samples& samples) const {
  const std::size_t key_words = program_.key_words();
  samples.ranks = ranks_of(samples);
  const std::size_t rank_words = samples.ranks.size() / samples.count;
  std::vector<FirstRank> order;
  for (std::uint32_t i = 0; i < samples.count; i++)
    order.push_back({samples.ranks[i * rank_words], samples.ranks[i * rank_words + 1], i});
  std::ranges::sort(order, [&](const FirstRank& a, const FirstRank& b) {
    const auto of_a = std::tie(a.is_null, a.rank), of_b = std::tie(b.is_null, b.rank);
    if (of_a != of_b) return of_a < of_b;
    return is_less(&samples.ranks[a.sample * rank_words], &samples.ranks[b.sample * rank_words],
                   rank_words);
  });
  samples.count = std::min(samples.count, max_merged);
  const auto in_order = [&](const std::vector<std::uint64_t>& from, std::size_t width) {
    std::vector<std::uint64_t> to;
    to.reserve(samples.count * width);
    for (std::size_t i = 0; i < samples.count; i++) {
      const std::uint32_t one = order[(2 * i + 1) * order.size() / (2 * samples.count)].sample;
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(one * width),
                from.begin() + static_cast<std::ptrdiff_t>((one + 1) * width));
    }
    return to;
  };
  samples.words = in_order(samples.words, key_words);
  samples.ranks = in_order(samples.ranks, rank_words);
}

Result<GroupParts::Samples> GroupParts::sample(const GroupsOnDevice& groups) {
  const std::uint64_t count = std::min(groups.count, max_samples), key_words = program_.key_words();
  Samples sampled;
  sampled.count = count;
  sampled.groups = groups.count;
  if (count == 0) return sampled;
  std::vector<std::uint64_t>& words = sampled.words;
  words.resize(count * key_words);
  const FinishAtEnd finish(*place_.queue);
  PENSTOCK_TRY(kernels_.wait());
  PENSTOCK_ASSIGN(const auto samples, place_.device->allocate(words.size() * 8));
  PENSTOCK_TRY(kernels_.launch(*place_.queue, "group_parts_sample", count,
                               {{Argument::of(*groups.words), Argument::of(*samples),
                                 Argument::value(groups.count), Argument::value(groups.stride),
                                 Argument::value(count), Argument::value(program_.key_words())}}));
  PENSTOCK_TRY(place_.queue->download(words.data(), *samples, words.size() * 8));
  PENSTOCK_TRY(place_.queue->finish());
  sort(sampled);
  return sampled;
}

// The devices wait meanwhile, so it merges the samples that they have sorted.
std::vector<GroupParts::KeyWords> GroupParts::bounds(std::span<const Samples* const> of_devices,
                                                     std::size_t part_count) const {
  const std::size_t key_words = program_.key_words(), rank_words = 2 * keys_of_ranges(program_);
  std::vector<std::size_t> next(of_devices.size());
  std::vector<double> weights;
  std::vector<const std::uint64_t*> keys;
  for (;;) {
    std::size_t least = of_devices.size();
    for (std::size_t i = 0; i < of_devices.size(); i++) {
      if (next[i] == of_devices[i]->count) continue;
      const auto ranks = [&](std::size_t of) {
        return of_devices[of]->ranks.data() + next[of] * rank_words;
      };
      if (least == of_devices.size() || is_less(ranks(i), ranks(least), rank_words)) least = i;
    }
    if (least == of_devices.size()) break;
    const Samples& from = *of_devices[least];
    keys.push_back(from.words.data() + next[least]++ * key_words);
    weights.push_back(static_cast<double>(from.groups) / static_cast<double>(from.count));
  }
  std::vector<KeyWords> bounds;
  for (const std::size_t place : range_bounds(weights, part_count))
    bounds.emplace_back(keys[place], keys[place] + key_words);
  return bounds;
}

Result<BufferPointer> GroupParts::upload(const void* from, std::uint64_t bytes) const {
  PENSTOCK_ASSIGN(BufferPointer to, place_.device->allocate(std::max<std::uint64_t>(bytes, 64)));
  PENSTOCK_TRY(place_.queue->upload(*to, from, bytes));
  return to;
}

Status GroupParts::launch(std::string_view kernel, const GroupsOnDevice& groups,
                          std::initializer_list<const Buffer*> buffers, std::size_t bound_count) {
  std::vector<Argument> arguments = {Argument::of(*groups.words)};
  for (const Buffer* buffer : buffers) arguments.push_back(Argument::of(*buffer));
  arguments.push_back(Argument::value(groups.count));
  arguments.push_back(Argument::value(groups.stride));
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(bound_count)));
  arguments.push_back(Argument::value(program_.key_words()));
  bytes_moved_ += groups.count * groups.stride * 8;
  return kernels_.launch(*place_.queue, kernel, groups.count, arguments);
}

Result<GroupParts::Divided> GroupParts::divide(const GroupsOnDevice& groups,
                                               const std::vector<KeyWords>& bounds) {
  Divided divided;
  divided.cuts.resize(bounds.size() + 2);
  if (groups.count == 0) return divided;
  const std::vector<std::uint32_t> layout_words = layout();
  std::vector<std::uint64_t> bound_words;
  for (const KeyWords& bound : bounds)
    bound_words.insert(bound_words.end(), bound.begin(), bound.end());
  std::vector<std::uint32_t> places(bounds.size() + 1);
  Queue& queue = *place_.queue;
  const FinishAtEnd finish(queue);
  PENSTOCK_TRY(kernels_.wait());
  PENSTOCK_ASSIGN(divided.groups, place_.device->allocate(groups.count * groups.stride * 8));
  PENSTOCK_ASSIGN(const auto begun, queue.record());
  PENSTOCK_ASSIGN(const auto layout, upload(layout_words.data(), layout_words.size() * 4));
  PENSTOCK_ASSIGN(const auto bound_buffer, upload(bound_words.data(), bound_words.size() * 8));
  PENSTOCK_ASSIGN(const auto counts, upload(places.data(), places.size() * 4));
  PENSTOCK_TRY(launch("group_parts_count", groups, {bound_buffer.get(), layout.get(), counts.get()},
                      bounds.size()));
  PENSTOCK_TRY(queue.download(places.data(), *counts, places.size() * 4));
  PENSTOCK_TRY(queue.finish());
  for (std::size_t part = 0; part < places.size(); part++) {
    divided.cuts[part + 1] = divided.cuts[part] + places[part];
    places[part] = static_cast<std::uint32_t>(divided.cuts[part]);
  }
  PENSTOCK_TRY(queue.upload(*counts, places.data(), places.size() * 4));
  PENSTOCK_TRY(launch("group_parts_write", groups,
                      {bound_buffer.get(), layout.get(), counts.get(), divided.groups.get()},
                      bounds.size()));
  PENSTOCK_ASSIGN(const auto done, queue.record());
  PENSTOCK_TRY(queue.finish());  // other devices' queues read them
  PENSTOCK_ASSIGN(device_seconds_, done->seconds_since(*begun));
  return divided;
}

void GroupParts::add_to(RunReport& report) const {
  if (kernels_.launches() > 0)
    kernels_.add_to(report, "group_parts", {kernels_.launches(), bytes_moved_, device_seconds_});
}

}  // namespace penstock::plan
