#include "primitive/radix_sort.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "primitive/primitive_source.hpp"

namespace penstock::primitive {
namespace {

constexpr std::uint64_t digits = 256;

// The numbers of a sort on one device.
struct SortPolicy {
  std::uint32_t group_size = 1, keys_per_thread = 1, groups_per_multiprocessor = 1;
  bool by_masks = false;
  std::uint32_t histogram_group_size = 1, copies = 1;
};

// Policies whose threads rank their keys by masks in local memory, or by ballots.
SortPolicy masks(std::uint32_t group_size, std::uint32_t keys_per_thread, std::uint32_t groups) {
  return {.group_size = group_size,
          .keys_per_thread = keys_per_thread,
          .groups_per_multiprocessor = groups,
          .by_masks = true};
}
SortPolicy ballots(std::uint32_t group_size, std::uint32_t keys_per_thread, std::uint32_t groups) {
  return {.group_size = group_size,
          .keys_per_thread = keys_per_thread,
          .groups_per_multiprocessor = groups};
}

// Returns the local memory of a group of sort_pass.
std::uint64_t pass_bytes(const SortPolicy& policy, SortShape shape, bool has_subgroups,
                         std::uint32_t subgroup_size) {
  const std::uint64_t counts = has_subgroups ? std::uint64_t{policy.group_size} / subgroup_size *
                                                   digits * (policy.by_masks ? 8 : 4)
                                             : std::uint64_t{policy.group_size} * digits * 2;
  return counts + std::uint64_t{policy.group_size} * policy.keys_per_thread * shape.key_bytes +
         2 * digits * 4 + policy.group_size * 4 + 64;
}

// On an H200, 2^28 random keys, the whole sort: 256 threads with 32 keys of 32 bits 5.2 ms (384
// with 32: 5.3, 256 with 36: 5.3); 64 bits 14.5 (28 keys: 15.1); pairs of 32 bits, 384 threads with
// 24: 7.8 (256 with 32: 8.1, ballots with 23: 8.1); 64 bits and 32, 384 with 16: 21.2 (256 with
// 20: 22.8). Smaller ones follow for devices with less local memory, of 64 bits in 48 KiB (2^26
// keys through OpenCL): 256 with 16 by ballots 4.5 ms, with values 5.7; 256 with 12 by masks 4.6
// and 6.3, 128 with 20 by masks 7.8 and 9.1. The last takes no sub-groups.
std::vector<SortPolicy> policies(SortShape shape) {
  if (shape.has_values && shape.key_bytes == 4)
    return {masks(384, 24, 2), masks(256, 16, 2), masks(128, 12, 2)};
  if (shape.has_values)
    return {masks(384, 16, 2), ballots(256, 16, 2), masks(128, 16, 2), masks(64, 16, 2)};
  if (shape.key_bytes == 4) return {masks(256, 32, 3), masks(256, 16, 3), masks(128, 12, 2)};
  return {masks(256, 32, 2), ballots(256, 16, 2), masks(128, 20, 2), masks(64, 16, 2)};
}

SortPolicy policy_for(const Traits& traits, SortShape shape) {
  SortPolicy selected = ballots(std::min(32u, traits.max_group_size), 16, 1);
  const bool has_subgroups = traits.has_subgroups && traits.subgroup_size <= 32;
  for (const SortPolicy& policy : has_subgroups ? policies(shape) : std::vector<SortPolicy>{})
    if (policy.group_size <= traits.max_group_size &&
        pass_bytes(policy, shape, true, traits.subgroup_size) <= traits.local_bytes) {
      selected = policy;
      break;
    }
  // A copy of the histograms for every lane takes 0.25 ms, four copies 0.46 ms; a quarter of local
  // memory is left for the compiler.
  const std::uint64_t fitting = traits.local_bytes * 3 / 4 / (shape.key_bytes * digits * 4);
  selected.copies =
      std::bit_floor(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fitting, 1, 32)));
  selected.histogram_group_size =
      std::min(traits.has_subgroups ? 1024u : 256u, traits.max_group_size);
  return selected;
}

Status check(SortShape shape, std::uint64_t count, std::uint32_t first_byte,
             std::uint32_t last_byte) {
  if (count > max_sort_keys)
    return Status(Code::capacity, "a sort of " + std::to_string(count) + " rows; one takes " +
                                      std::to_string(max_sort_keys) + " at most");
  if (first_byte > last_byte || last_byte > shape.key_bytes)
    return Status(Code::invalid, "a sort by bytes that its keys do not have");
  return {};
}

std::string definitions(SortShape shape) {
  return define("SORT_KEY", std::string(shape.key_bytes == 8 ? "u64" : "u32")) +
         define("SORT_KEY_BYTES", std::to_string(shape.key_bytes)) +
         define("SORT_HAS_VALUES", std::string(shape.has_values ? "1" : "0"));
}

std::string definitions(const SortPolicy& policy) {
  return define("SORT_KEYS_PER_THREAD", policy.keys_per_thread) +
         define("SORT_COPIES", policy.copies) +
         define("SORT_BY_MASKS", std::string(policy.by_masks ? "1" : "0"));
}

class SortByTiles : public RadixSort {
 public:
  SortByTiles(std::shared_ptr<Device> device, SortShape shape)
      : RadixSort(std::move(device), shape), policy_(policy_for(device_->traits(), shape)) {}
  Status open() {
    const std::string policy = definitions(shape_) + definitions(policy_);
    PENSTOCK_ASSIGN(histogram_program_,
                    device_->build(primitive_program(*device_, "radix_histogram.kc", policy,
                                                     policy_.histogram_group_size)));
    const std::string of_passes =
        policy + groups_per_multiprocessor(policy_.groups_per_multiprocessor);
    const ProgramSource passes =
        primitive_program(*device_, "radix_sort.kc", of_passes, policy_.group_size);
    source_ = passes.text;
    PENSTOCK_ASSIGN(program_, device_->build(passes));
    return {};
  }

 private:
  std::uint32_t tiles(std::uint64_t count) const {
    const std::uint64_t tile = std::uint64_t{policy_.group_size} * policy_.keys_per_thread;
    return static_cast<std::uint32_t>((count + tile - 1) / tile);
  }

  Status begin(Queue& queue, const SortData& data, std::uint64_t count) override {
    const std::uint64_t words = shape_.key_bytes * digits,
                        published = shape_.key_bytes * (tiles(count) * digits + 1);
    PENSTOCK_TRY(replace(*device_, histograms_, words * 4));
    PENSTOCK_TRY(replace(*device_, starts_, words * 4));
    PENSTOCK_TRY(replace(*device_, published_, published * 4));
    PENSTOCK_TRY(queue.fill(*histograms_, 0, words * 4));
    PENSTOCK_TRY(queue.fill(*published_, 0, published * 4));
    const auto key_count = Argument::value(static_cast<std::uint32_t>(count));
    PENSTOCK_TRY(queue.launch(*histogram_program_, "sort_histograms",
                              std::min(tiles(count), device_->traits().compute_units * 2),
                              {{Argument::of(*data.keys), Argument::of(*histograms_), key_count}}));
    return queue.launch(*histogram_program_, "sort_starts", shape_.key_bytes,
                        {{Argument::of(*histograms_), Argument::of(*starts_)}});
  }

  Status pass(Queue& queue, std::vector<Argument> buffers, std::uint64_t count,
              std::uint32_t byte) override {
    buffers.insert(buffers.end(),
                   {Argument::of(*starts_), Argument::of(*published_),
                    Argument::value(static_cast<std::uint32_t>(count)), Argument::value(8 * byte)});
    return queue.launch(*program_, "sort_pass", tiles(count), buffers);
  }

  SortPolicy policy_;
  std::shared_ptr<Program> histogram_program_;
  std::shared_ptr<Buffer> histograms_, starts_, published_;
};

class SortByChunks : public RadixSort {
 public:
  SortByChunks(std::shared_ptr<Device> device, SortShape shape)
      : RadixSort(std::move(device), shape) {}
  Status open() {
    const ProgramSource passes =
        primitive_program(*device_, "radix_sort_chunks.kc", definitions(shape_), 1);
    source_ = passes.text;
    PENSTOCK_ASSIGN(program_, device_->build(passes));
    return {};
  }

 private:
  // A chunk in the caches would be too small for its 256 counts.
  std::uint32_t chunks(std::uint64_t count) const {
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(count / (1 << 14), 1, device_->traits().compute_units * 4));
  }

  Status begin(Queue&, const SortData&, std::uint64_t count) override {
    PENSTOCK_TRY(replace(*device_, counts_, digits * chunks(count) * 4));
    return replace(*device_, starts_, digits * chunks(count) * 4);
  }

  Status pass(Queue& queue, std::vector<Argument> buffers, std::uint64_t count,
              std::uint32_t byte) override {
    const auto key_count = Argument::value(static_cast<std::uint32_t>(count)),
               shift = Argument::value(8 * byte);
    const auto words = Argument::value(static_cast<std::uint32_t>(digits * chunks(count)));
    PENSTOCK_TRY(queue.launch(*program_, "sort_count_chunks", chunks(count),
                              {{buffers[0], Argument::of(*counts_), key_count, shift}}));
    PENSTOCK_TRY(queue.launch(*program_, "sort_start_chunks", 1,
                              {{Argument::of(*counts_), Argument::of(*starts_), words}}));
    buffers.insert(buffers.end(), {Argument::of(*starts_), key_count, shift});
    return queue.launch(*program_, "sort_move_chunks", chunks(count), buffers);
  }

  std::shared_ptr<Buffer> counts_, starts_;
};

template <class Sort>
Result<std::unique_ptr<RadixSort>> opened(std::shared_ptr<Device> device, SortShape shape) {
  auto sort = std::make_unique<Sort>(std::move(device), shape);
  PENSTOCK_TRY(sort->open());
  return std::unique_ptr<RadixSort>(std::move(sort));
}

}  // namespace

Status RadixSort::enqueue(Queue& queue, SortData& data, SortData& spare, std::uint64_t count,
                          std::uint32_t first_byte, std::uint32_t last_byte) {
  PENSTOCK_TRY(check(shape_, count, first_byte, last_byte));
  if (count == 0) return {};
  PENSTOCK_TRY(replace(*device_, no_values_, 8));
  PENSTOCK_TRY(begin(queue, data, count));
  for (std::uint32_t byte = first_byte; byte < last_byte; byte++) {
    // Kernels without values still take two buffers, which they leave alone; these must be no
    // others that they write.
    const Buffer &values = data.values ? *data.values : *no_values_,
                 &sorted_values = spare.values ? *spare.values : *no_values_;
    const std::vector<Argument> buffers = {Argument::of(*data.keys), Argument::of(*spare.keys),
                                           Argument::of(values), Argument::of(sorted_values)};
    PENSTOCK_TRY(pass(queue, buffers, count, byte));
    std::swap(data, spare);
  }
  return {};
}

Result<std::unique_ptr<RadixSort>> RadixSort::build(std::shared_ptr<Device> device,
                                                    SortShape shape) {
  if (shape.key_bytes != 4 && shape.key_bytes != 8)
    return Status(Code::invalid, "sort keys have 4 or 8 bytes");
  const bool by_chunks = device->traits().wants_single_thread_groups();
  return by_chunks ? opened<SortByChunks>(std::move(device), shape)
                   : opened<SortByTiles>(std::move(device), shape);
}

}  // namespace penstock::primitive
