#include "codec/pages/device/page_arrays.hpp"

#include <algorithm>

#include "codec/batch/chunk_program.hpp"
#include "codec/pages/kernels/page_array_limits.h"

namespace penstock::pages {
namespace {

constexpr std::uint64_t word_bytes = 4, min_array_bytes = 64;

Argument word_argument(std::uint64_t value) {
  return Argument::value(static_cast<std::uint32_t>(value));
}

std::uint32_t bits_of_value(Type type) {
  return type.kind == Kind::boolean ? 1 : static_cast<std::uint32_t>(8 * width_bytes(type));
}

bool is_stored_in_32_bits(const PagedColumn& column) {
  return column.physical == Physical::boolean || column.physical == Physical::int32 ||
         column.physical == Physical::float32;
}

}  // namespace

Result<std::unique_ptr<PageArrays>> PageArrays::create(std::shared_ptr<Device> device) {
  std::uint32_t group_size = 1;
  if (!device->traits().wants_single_thread_groups())
    while (group_size < 256 && group_size * 2 <= device->traits().max_group_size) group_size *= 2;
  auto arrays = std::unique_ptr<PageArrays>(new PageArrays(std::move(device)));
  PENSTOCK_ASSIGN(arrays->program_, batch::build_program(*arrays->device_, {group_size, 1, 1},
                                                         "pages/kernels/page_arrays"));
  return arrays;
}

std::uint32_t PageArrays::groups(std::uint64_t items) const {
  const std::uint64_t tiles = (items + PAGE_ARRAY_TILE - 1) / PAGE_ARRAY_TILE;
  if (!device_->traits().wants_single_thread_groups()) return static_cast<std::uint32_t>(tiles);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(tiles, std::uint64_t{device_->traits().compute_units} * 4));
}

// Words are written four at a time.
Result<PageArrays::Memory> PageArrays::allocate(std::uint64_t bytes) const {
  return device_->allocate(std::max((bytes + 15) / 16 * 16, min_array_bytes));
}

Status PageArrays::launch(Queue& queue, std::string_view kernel, std::uint64_t items,
                          std::span<const Argument> arguments) const {
  return items == 0 ? Status() : queue.launch(*program_, kernel, groups(items), arguments);
}

Status PageArrays::write_validity(Queue& queue, const DecodedPages& decoded,
                                  DeviceArray& array) const {
  if (decoded.null_count == 0) return {};
  const std::uint64_t words = (decoded.row_count + 31) / 32;
  PENSTOCK_ASSIGN(array.validity, allocate(words * word_bytes));
  return launch(
      queue, "page_array_validity", words,
      {{Argument::of(*decoded.index), Argument::of(*array.validity), word_argument(words)}});
}

Status PageArrays::write_values(Queue& queue, const PagedColumn& column,
                                const DecodedPages& decoded, DeviceArray& array) const {
  const std::uint32_t bits = bits_of_value(column.type);
  array.value_bytes = (decoded.row_count * bits + 7) / 8;
  PENSTOCK_ASSIGN(array.values, allocate(array.value_bytes));
  std::vector<Argument> arguments = {Argument::of(*decoded.bytes), Argument::of(*decoded.index),
                                     Argument::of(*array.values), word_argument(decoded.row_count)};
  if (bits >= 32) {
    const char* const kernel = bits == 32                     ? "page_array_32"
                               : is_stored_in_32_bits(column) ? "page_array_widened"
                                                              : "page_array_64";
    return launch(queue, kernel, decoded.row_count, arguments);
  }
  arguments.push_back(word_argument(bits));
  return launch(queue, "page_array_narrow", (decoded.row_count * bits + 31) / 32, arguments);
}

Status PageArrays::find_strings(Queue& queue, const DecodedPages& decoded, Strings& strings) const {
  PENSTOCK_ASSIGN(strings.places, allocate(decoded.row_count * 8));
  PENSTOCK_ASSIGN(strings.lengths, allocate((decoded.row_count + 1) * word_bytes));
  PENSTOCK_ASSIGN(strings.total, allocate(8));
  PENSTOCK_TRY(queue.fill(*strings.total, 0, 8));
  // A column without rows has the length after its last one, too.
  PENSTOCK_TRY(launch(queue, "page_array_strings", std::max<std::uint64_t>(decoded.row_count, 1),
                      {{Argument::of(*decoded.bytes), Argument::of(*decoded.index),
                        Argument::of(*strings.places), Argument::of(*strings.lengths),
                        Argument::of(*strings.total), word_argument(decoded.row_count)}}));
  return queue.download(&strings.byte_count, *strings.total, 8);
}

Status PageArrays::write_offsets(Queue& queue, const Strings& strings, DeviceArray& array) {
  const bool is_wide = array.offset_bytes == 8;
  std::unique_ptr<primitive::Scan>& scan = is_wide ? wide_scan_ : narrow_scan_;
  if (!scan) {
    const auto sum = is_wide ? primitive::Number::u64 : primitive::Number::u32;
    PENSTOCK_ASSIGN(scan, primitive::Scan::build(device_, {primitive::Number::u32, sum, true}));
  }
  PENSTOCK_ASSIGN(array.offsets, allocate((array.row_count + 1) * array.offset_bytes));
  return scan->enqueue(queue, *strings.lengths, *array.offsets, array.row_count + 1);
}

Status PageArrays::copy_strings(Queue& queue, const DecodedPages& decoded, Strings& strings,
                                DeviceArray& array) const {
  constexpr std::uint64_t tile_bytes = PAGE_ARRAY_TILE * word_bytes;
  const std::uint64_t tiles = (strings.byte_count + tile_bytes - 1) / tile_bytes;
  if (tiles >> 31 != 0) return {Code::capacity, "the strings of an array have 8 TiB or more"};
  const Argument is_wide = word_argument(array.offset_bytes == 8 ? 1 : 0);
  array.value_bytes = strings.byte_count;
  PENSTOCK_ASSIGN(array.values, allocate(strings.byte_count));
  PENSTOCK_ASSIGN(strings.first_rows, allocate((tiles + 1) * word_bytes));
  if (tiles == 0) return {};
  PENSTOCK_TRY(launch(queue, "page_array_tiles", tiles + 1,
                      {{Argument::of(*array.offsets), Argument::of(*strings.first_rows), is_wide,
                        word_argument(decoded.row_count), word_argument(tiles)}}));
  return launch(
      queue, "page_array_copy", tiles * PAGE_ARRAY_TILE,
      {{Argument::of(*decoded.bytes), Argument::of(*strings.places), Argument::of(*array.offsets),
        Argument::of(*strings.first_rows), Argument::of(*array.values), is_wide,
        Argument::value(strings.byte_count), word_argument(tiles)}});
}

Status PageArrays::begin(Queue& queue, std::span<const PagedColumn* const> columns,
                         std::span<const DecodedPages> decoded, Written& written) const {
  for (std::size_t i = 0; i < columns.size(); i++) {
    DeviceArray& array = written.arrays[i];
    array.type = columns[i]->type;
    array.row_count = decoded[i].row_count;
    array.null_count = decoded[i].null_count;
    PENSTOCK_TRY(write_validity(queue, decoded[i], array));
    PENSTOCK_TRY(array.type.kind == Kind::string
                     ? find_strings(queue, decoded[i], written.strings[i])
                     : write_values(queue, *columns[i], decoded[i], array));
  }
  return {};
}

// The sizes of strings are known by now.
Status PageArrays::end(Queue& queue, std::span<const DecodedPages> decoded, bool has_large_offsets,
                       Written& written) {
  for (std::size_t i = 0; i < decoded.size(); i++) {
    DeviceArray& array = written.arrays[i];
    if (array.type.kind != Kind::string) continue;
    const bool is_wide = has_large_offsets || written.strings[i].byte_count > INT32_MAX;
    array.offset_bytes = is_wide ? 8 : 4;
    PENSTOCK_TRY(write_offsets(queue, written.strings[i], array));
    PENSTOCK_TRY(copy_strings(queue, decoded[i], written.strings[i], array));
  }
  return {};
}

Result<std::vector<DeviceArray>> PageArrays::write(Queue& queue,
                                                   std::span<const PagedColumn* const> columns,
                                                   std::span<const DecodedPages> decoded,
                                                   bool has_large_offsets) {
  Written written{std::vector<DeviceArray>(columns.size()), std::vector<Strings>(columns.size())};
  const Status begun = begin(queue, columns, decoded, written);
  PENSTOCK_TRY(queue.finish());
  PENSTOCK_TRY(begun);
  const bool has_strings = std::ranges::any_of(
      columns, [](const PagedColumn* column) { return column->type.kind == Kind::string; });
  if (!has_strings) return std::move(written.arrays);
  const Status ended = end(queue, decoded, has_large_offsets, written);
  PENSTOCK_TRY(queue.finish());
  PENSTOCK_TRY(ended);
  return std::move(written.arrays);
}

}  // namespace penstock::pages
