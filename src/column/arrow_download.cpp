#include "column/arrow_download.hpp"

#include <cstring>

#include "column/arrow_import.hpp"
#include "column/bits.hpp"

namespace penstock::column {
namespace {

std::uint64_t rows_of(const ArrowArray& array) {
  return static_cast<std::uint64_t>(array.length) + static_cast<std::uint64_t>(array.offset);
}

// Returns the bytes of a value in the second buffer; 0 for a layout that has more, or bits.
std::uint64_t width_of(const ArrowField& field, ArrowLayout layout) {
  switch (layout) {
    case ArrowLayout::same: return width_bytes(field.field.type);
    case ArrowLayout::seconds:
    case ArrowLayout::milliseconds:
    case ArrowLayout::nanoseconds:
    case ArrowLayout::time_nanoseconds: return 8;
    case ArrowLayout::decimal32:
    case ArrowLayout::time_seconds:
    case ArrowLayout::time_milliseconds: return 4;
    case ArrowLayout::decimal128:
    case ArrowLayout::month_day_nanoseconds: return 16;
    case ArrowLayout::fixed_bytes: return field.fixed_bytes;
    case ArrowLayout::codes: return field.index_bytes;
    default: return 0;
  }
}

}  // namespace

// An array on the host, with the bytes of its buffers.
struct ArrowDownload::Copy {
  ArrowArray array = {};
  std::vector<std::vector<std::byte>> bytes;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<Copy>> children;
  std::vector<ArrowArray*> child_pointers;
  std::unique_ptr<Copy> dictionary;

  // Call when all parts are there.
  void point_at_parts() {
    for (const auto& child : children) child_pointers.push_back(&child->array);
    array.n_buffers = static_cast<std::int64_t>(buffers.size());
    array.buffers = buffers.data();
    array.n_children = static_cast<std::int64_t>(child_pointers.size());
    array.children = child_pointers.data();
    array.dictionary = dictionary ? &dictionary->array : nullptr;
  }
};

Result<ArrowDownload> ArrowDownload::begin(Device& device) {
  PENSTOCK_ASSIGN(auto queue, device.queue());
  return ArrowDownload(device, std::move(queue));
}

Result<std::vector<std::byte>> ArrowDownload::bytes_at(const void* address, std::uint64_t count) {
  std::vector<std::byte> bytes(count);
  if (count == 0) return bytes;
  if (address == nullptr) return Status(Code::invalid, "an array without a buffer for its rows");
  PENSTOCK_ASSIGN(const auto memory,
                  device_->import_memory(reinterpret_cast<std::uint64_t>(address), count));
  PENSTOCK_TRY(queue_->download(bytes.data(), *memory, count));
  PENSTOCK_TRY(queue_->finish());
  return bytes;
}

Result<Bytes> ArrowDownload::bits_at(const void* address, std::uint64_t first,
                                     std::uint64_t count) {
  const auto* const from = static_cast<const std::byte*>(address) + first / 8;
  PENSTOCK_ASSIGN(auto bytes, bytes_at(from, bytes_of_bits(first % 8 + count)));
  return slice_bits(Bytes::own(std::move(bytes)), first % 8, count);
}

Status ArrowDownload::add(const ArrowArray& array, std::int64_t buffer, std::uint64_t bytes,
                          Copy& to) {
  PENSTOCK_ASSIGN(auto copied, bytes_at(array.buffers[buffer], bytes));
  copied.resize(std::max<std::size_t>(copied.size(), 1));  // a buffer that is there has an address
  to.bytes.push_back(std::move(copied));
  to.buffers.push_back(to.bytes.back().data());
  return {};
}

Status ArrowDownload::add_strings(const ArrowArray& array, std::uint32_t offset_bytes, Copy& to) {
  const std::uint64_t rows = rows_of(array);
  if (rows == 0) {
    to.buffers.insert(to.buffers.end(), {nullptr, nullptr});
    return {};
  }
  PENSTOCK_TRY(add(array, 1, (rows + 1) * offset_bytes, to));
  std::uint64_t end = 0;  // of the last string
  std::memcpy(&end, to.bytes.back().data() + rows * offset_bytes, offset_bytes);
  return add(array, 2, end, to);
}

// The last buffer has the sizes of the strings' buffers.
Status ArrowDownload::add_views(const ArrowArray& array, Copy& to) {
  const std::int64_t last = array.n_buffers - 1, count = array.n_buffers - 3;
  if (count < 0) return {Code::invalid, "string views without their buffers' sizes"};
  PENSTOCK_TRY(add(array, 1, rows_of(array) * 16, to));
  PENSTOCK_ASSIGN(const auto sizes,
                  bytes_at(array.buffers[last], static_cast<std::uint64_t>(count) * 8));
  for (std::int64_t i = 0; i < count; i++) {
    std::uint64_t size = 0;
    std::memcpy(&size, sizes.data() + i * 8, sizeof size);
    PENSTOCK_TRY(add(array, 2 + i, size, to));
  }
  to.bytes.push_back(sizes);
  to.buffers.push_back(to.bytes.back().data());
  return {};
}

Status ArrowDownload::add_values(const ArrowArray& array, const ArrowField& field,
                                 ArrowLayout layout, Copy& to) {
  const std::uint64_t rows = rows_of(array);
  switch (layout) {
    case ArrowLayout::bits: return add(array, 1, bytes_of_bits(rows), to);
    case ArrowLayout::string: return add_strings(array, 4, to);
    case ArrowLayout::large_string: return add_strings(array, 8, to);
    case ArrowLayout::string_views: return add_views(array, to);
    case ArrowLayout::list: return rows == 0 ? Status() : add(array, 1, (rows + 1) * 4, to);
    case ArrowLayout::large_list: return rows == 0 ? Status() : add(array, 1, (rows + 1) * 8, to);
    case ArrowLayout::fixed_list:
    case ArrowLayout::structure: return {};
    case ArrowLayout::fsst:
    case ArrowLayout::light: return {Code::unsupported, "an encoding of files"};
    default: return add(array, 1, rows * width_of(field, layout), to);
  }
}

Result<std::unique_ptr<ArrowDownload::Copy>> ArrowDownload::copy_of(const ArrowArray& array,
                                                                    const ArrowField& field,
                                                                    ArrowLayout layout) {
  const bool is_string = layout == ArrowLayout::string || layout == ArrowLayout::large_string;
  if (!has_sane_rows(array) || array.n_buffers < (is_string ? 3 : 1) || array.buffers == nullptr ||
      array.n_children != static_cast<std::int64_t>(field.children.size()))
    return Status(Code::invalid, "an array that is not of its schema");
  auto copy = std::make_unique<Copy>();
  copy->array.length = array.length;
  copy->array.offset = array.offset;
  copy->array.null_count = array.null_count;
  if (array.null_count == 0 || array.buffers[0] == nullptr)
    copy->buffers.push_back(nullptr);
  else
    PENSTOCK_TRY(add(array, 0, bytes_of_bits(rows_of(array)), *copy));
  const bool has_one = layout == ArrowLayout::fixed_list || layout == ArrowLayout::structure;
  if (array.n_buffers < 2 && !has_one)
    return Status(Code::invalid, "an array with too few buffers for its type");
  PENSTOCK_TRY(add_values(array, field, layout, *copy));
  if ((layout == ArrowLayout::list || layout == ArrowLayout::large_list) &&
      copy->buffers.size() == 1)
    copy->buffers.push_back(nullptr);
  for (std::size_t i = 0; i < field.children.size(); i++) {
    const ArrowField& child = field.children[i];
    PENSTOCK_ASSIGN(copy->children.emplace_back(),
                    copy_of(*array.children[i], child, child.layout));
  }
  if (layout == ArrowLayout::codes) {
    if (array.dictionary == nullptr)
      return Status(Code::invalid, "a dictionary-encoded array without dictionary");
    PENSTOCK_ASSIGN(copy->dictionary, copy_of(*array.dictionary, field, field.entries));
  }
  copy->point_at_parts();
  return copy;
}

void ArrowDownload::release(ArrowArray* array) {
  delete static_cast<Copy*>(array->private_data);
  array->release = nullptr;
}

Result<Column> ArrowDownload::column(const ArrowArray& batch, std::uint32_t index,
                                     const ArrowField& field) {
  auto root = std::make_unique<Copy>();
  root->array.length = batch.length;
  root->array.offset = batch.offset;
  PENSTOCK_ASSIGN(root->children.emplace_back(),
                  copy_of(*batch.children[index], field, field.layout));
  root->point_at_parts();
  ArrowArray array = root->array;
  array.release = release;
  array.private_data = root.release();
  const std::uint32_t first[] = {0};
  PENSTOCK_ASSIGN(Table table, import_columns(own(&array), {&field, 1}, first));
  return std::move(table.columns[0]);
}

}  // namespace penstock::column
