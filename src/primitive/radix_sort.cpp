#include "primitive/radix_sort.hpp"

#include <algorithm>
#include <vector>

#include "primitive/primitive_source.hpp"
#include "primitive/sort_variants.hpp"

namespace penstock::primitive {
namespace {

constexpr std::uint64_t digits = sort_digits;

Status check(SortShape shape, std::uint64_t count, std::uint32_t first_byte,
             std::uint32_t last_byte) {
  if (count > max_sort_keys)
    return Status(Code::capacity, "a sort of " + std::to_string(count) + " rows; one takes " +
                                      std::to_string(max_sort_keys) + " at most");
  if (first_byte > last_byte || last_byte > shape.key_bytes)
    return Status(Code::invalid, "a sort by bytes that its keys do not have");
  return {};
}

std::string word_of(std::uint32_t bytes) { return "u" + std::to_string(8 * bytes); }

std::string definitions_of_key(SortShape shape) {
  return define("SORT_KEY", word_of(shape.key_bytes)) +
         define("SORT_KEY_BYTES", std::to_string(shape.key_bytes));
}

std::string definitions(SortShape shape) {
  const std::uint32_t value_bytes = shape.has_values() ? shape.value_bytes : 4;
  return definitions_of_key(shape) + define("SORT_VALUE", word_of(value_bytes)) +
         define("SORT_SLOT", word_of(shape.slot_bytes())) +
         define("SORT_HAS_VALUES", std::string(shape.has_values() ? "1" : "0"));
}

std::string definitions(const SortPolicy& policy) {
  return define("SORT_KEYS_PER_THREAD", policy.keys_per_thread) +
         define("SORT_BY_MASKS", std::string(policy.by_masks ? "1" : "0"));
}

class SortByTiles : public RadixSort {
 public:
  SortByTiles(std::shared_ptr<Device> device, SortShape shape, const SortVariant& variant)
      : RadixSort(std::move(device), shape, variant.name),
        policy_(policy_of(variant, device_->traits(), shape)) {}
  Status open() {
    const std::string of_histograms =
        definitions_of_key(shape_) + define("SORT_COPIES", policy_.copies);
    PENSTOCK_ASSIGN(histogram_program_,
                    device_->build(primitive_program(*device_, "radix_histogram.kc", of_histograms,
                                                     policy_.histogram_group_size)));
    const std::string of_passes = definitions(shape_) + definitions(policy_) +
                                  groups_per_multiprocessor(policy_.groups_per_multiprocessor);
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
  SortByChunks(std::shared_ptr<Device> device, SortShape shape, const SortVariant& variant)
      : RadixSort(std::move(device), shape, variant.name),
        policy_(policy_of(variant, device_->traits(), shape)) {}
  Status open() {
    const ProgramSource passes =
        primitive_program(*device_, "radix_sort_chunks.kc", definitions(shape_), 1);
    source_ = passes.text;
    PENSTOCK_ASSIGN(program_, device_->build(passes));
    return {};
  }

 private:
  std::uint32_t chunks(std::uint64_t count) const {
    const std::uint64_t max_chunks =
        std::uint64_t{device_->traits().compute_units} * policy_.chunks_per_compute_unit;
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(count / policy_.chunk_keys, 1, max_chunks));
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

  SortPolicy policy_;
  std::shared_ptr<Buffer> counts_, starts_;
};

template <class Sort>
Result<std::unique_ptr<RadixSort>> opened(std::shared_ptr<Device> device, SortShape shape,
                                          const SortVariant& variant) {
  auto sort = std::make_unique<Sort>(std::move(device), shape, variant);
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

Result<std::unique_ptr<RadixSort>> RadixSort::build(std::shared_ptr<Device> device, SortShape shape,
                                                    std::string_view variant) {
  constexpr std::uint32_t of_keys[] = {1, 4, 8}, of_values[] = {0, 1, 2, 4, 8};
  if (std::ranges::find(of_keys, shape.key_bytes) == std::end(of_keys))
    return Status(Code::invalid, "sort keys have 1, 4 or 8 bytes");
  if (std::ranges::find(of_values, shape.value_bytes) == std::end(of_values))
    return Status(Code::invalid, "values beside sort keys have 1, 2, 4 or 8 bytes");
  PENSTOCK_ASSIGN(const SortVariant* const row, choose_sort(device->traits(), shape, variant));
  return row->is_by_chunks ? opened<SortByChunks>(std::move(device), shape, *row)
                           : opened<SortByTiles>(std::move(device), shape, *row);
}

}  // namespace penstock::primitive
