#include "column/arrow_device.hpp"

#include <algorithm>

#include "base/exception_boundary.hpp"
#include "column/arrow_download.hpp"
#include "column/bits.hpp"
#include "column/concatenate.hpp"
#include "column/unsupported.hpp"
#include "device/pool.hpp"

namespace penstock::column {
namespace {

using Batch = std::shared_ptr<const ArrowArray>;

constexpr std::uint64_t alignment = 16;  // kernels load so many bytes at once

// Memory of a device, and the arrays that own it.
struct Owned {
  std::shared_ptr<Buffer> buffer;
  Batch owner;
};

std::shared_ptr<Buffer> with_owner(std::shared_ptr<Buffer> buffer, const Batch& owner) {
  const auto owned = std::make_shared<Owned>(Owned{std::move(buffer), owner});
  return {owned, owned->buffer.get()};
}

bool stays(const ArrowField& field) {
  const Type type = field.field.type;
  return field.layout == ArrowLayout::same && type.kind != Kind::string && width_bytes(type) <= 8;
}

class DeviceImport {
 public:
  DeviceImport(Device& device, ArrowDownload download, std::span<const Batch> batches)
      : device_(device), download_(std::move(download)) {
    for (const Batch& batch : batches)
      if (batch->length > 0) batches_.push_back(batch);
  }

  Result<Column> column(std::uint32_t index, const ArrowField& field) {
    if (stays(field)) return column_there(index, field);
    std::vector<Column> parts;
    for (const Batch& batch : batches_) {
      PENSTOCK_ASSIGN(parts.emplace_back(), download_.column(*batch, index, field));
    }
    if (!parts.empty()) return concatenate(field.field.type, parts);
    Column none;
    none.type = field.field.type;
    if (none.type.kind == Kind::string) none.offsets = Bytes::own(std::vector<std::int32_t>(1));
    return none;
  }
  std::uint64_t row_count() const {
    std::uint64_t rows = 0;
    for (const Batch& batch : batches_) rows += static_cast<std::uint64_t>(batch->length);
    return rows;
  }
  Status check_rows() {
    for (const Batch& batch : batches_) {
      if (batch->n_buffers < 1 || batch->buffers[0] == nullptr || batch->null_count == 0) continue;
      const auto rows = static_cast<std::uint64_t>(batch->length);
      PENSTOCK_ASSIGN(
          const Bytes bits,
          download_.bits_at(batch->buffers[0], static_cast<std::uint64_t>(batch->offset), rows));
      if (count_ones(bits.data, rows) != rows)
        return {Code::unsupported, "a table with missing rows (NULLs of the struct itself)"};
    }
    return {};
  }

 private:
  static std::uint64_t first_row(const Batch& batch, const ArrowArray& child) {
    return static_cast<std::uint64_t>(batch->offset + child.offset);
  }
  static Result<const ArrowArray*> child_of(const Batch& batch, std::uint32_t index) {
    const ArrowArray& child = *batch->children[index];
    if (!has_sane_rows(child) || child.n_buffers != 2 || child.buffers == nullptr ||
        child.buffers[1] == nullptr || child.length < batch->offset + batch->length)
      return Status(Code::invalid, "an array that is not of its schema");
    return &child;
  }

  Result<Column> column_there(std::uint32_t index, const ArrowField& field) {
    Column column;
    column.type = field.field.type;
    column.row_count = row_count();
    if (column.row_count == 0) return column;
    const std::uint64_t width = width_bytes(column.type);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;  // address, bytes
    for (const Batch& batch : batches_) {
      PENSTOCK_ASSIGN(const ArrowArray* const child, child_of(batch, index));
      parts.emplace_back(
          reinterpret_cast<std::uint64_t>(child->buffers[1]) + first_row(batch, *child) * width,
          static_cast<std::uint64_t>(batch->length) * width);
    }
    if (parts.size() == 1 && parts[0].first % alignment == 0) {
      PENSTOCK_ASSIGN(auto memory, device_.import_memory(parts[0].first, parts[0].second));
      column.device_values = with_owner(std::move(memory), batches_[0]);
    } else {
      PENSTOCK_ASSIGN(column.device_values, joined(parts, column.row_count * width));
    }
    PENSTOCK_TRY(add_validity(index, column));
    return column;
  }

  Result<std::shared_ptr<Buffer>> joined(
      std::span<const std::pair<std::uint64_t, std::uint64_t>> parts, std::uint64_t bytes) {
    PENSTOCK_ASSIGN(auto to, device_.allocate(bytes));
    const std::uint64_t begin = dynamic_cast<const device::PooledBuffer&>(*to).handle();
    PENSTOCK_ASSIGN(const auto queue, device_.queue());
    std::uint64_t at = 0;
    std::vector<std::shared_ptr<Buffer>> in_use;
    for (const auto& [address, size] : parts) {
      PENSTOCK_ASSIGN(in_use.emplace_back(), device_.import_memory(begin + at, size));
      PENSTOCK_ASSIGN(in_use.emplace_back(), device_.import_memory(address, size));
      PENSTOCK_TRY(queue->copy(*in_use[in_use.size() - 2], *in_use.back(), size));
      at += size;
    }
    PENSTOCK_TRY(queue->finish());
    return to;
  }

  Status add_validity(std::uint32_t index, Column& column) {
    std::vector<Column> parts;
    bool has_nulls = false;
    for (const Batch& batch : batches_) {
      PENSTOCK_ASSIGN(const ArrowArray* const child, child_of(batch, index));
      const auto rows = static_cast<std::uint64_t>(batch->length);
      Column& part = parts.emplace_back();
      part.row_count = rows;
      if (child->null_count == 0 || child->buffers[0] == nullptr) {
        part.values = Bytes::own(std::vector<std::byte>(bytes_of_bits(rows), std::byte{255}));
        continue;
      }
      has_nulls = true;
      const auto address = reinterpret_cast<std::uint64_t>(child->buffers[0]);
      const std::uint64_t first = first_row(batch, *child);
      if (batches_.size() == 1 && first == 0 && address % alignment == 0) {
        PENSTOCK_ASSIGN(auto memory, device_.import_memory(address, bytes_of_bits(rows)));
        column.device_validity = with_owner(std::move(memory), batch);
        return {};
      }
      PENSTOCK_ASSIGN(part.values, download_.bits_at(child->buffers[0], first, rows));
    }
    if (has_nulls) column.validity = concatenate({Kind::boolean}, parts).values;
    return {};
  }

  Device& device_;
  ArrowDownload download_;
  std::vector<Batch> batches_;
};

}  // namespace

std::string name_of_arrow_device(std::int32_t type) {
  static constexpr const char* names[] = {
      "",        "CPU",          "CUDA",   "CUDA_HOST", "OpenCL", "",
      "",        "Vulkan",       "Metal",  "VPI",       "ROCm",   "ROCM_HOST",
      "EXT_DEV", "CUDA_MANAGED", "oneAPI", "WebGPU",    "Hexagon"};
  const bool is_known = type > 0 && static_cast<std::size_t>(type) < std::size(names);
  const std::string name = is_known ? names[type] : "";
  return name.empty() ? "of number " + std::to_string(type) : name;
}

bool is_read_by_host(std::int32_t type) {
  const auto device = static_cast<ArrowDevice>(type);
  return device == ArrowDevice::cpu || device == ArrowDevice::cuda_host ||
         device == ArrowDevice::cuda_managed;
}

static Result<Table> imported(Device& device, std::span<const ArrowField> fields,
                              std::span<const std::shared_ptr<const ArrowArray>> batches) {
  for (const Batch& batch : batches)
    if (batch->n_children != static_cast<std::int64_t>(fields.size()) || !has_sane_rows(*batch) ||
        (batch->n_children > 0 && batch->children == nullptr) ||
        (batch->n_buffers > 0 && batch->buffers == nullptr))
      return Status(Code::invalid, "an array that is not of its schema");
  PENSTOCK_ASSIGN(auto download, ArrowDownload::begin(device));
  DeviceImport import(device, std::move(download), batches);
  PENSTOCK_TRY(import.check_rows());
  Table table;
  table.row_count = import.row_count();
  for (std::uint32_t i = 0; i < fields.size(); i++) {
    PENSTOCK_TRY(check_supported(fields[i].field));
    auto column = import.column(i, fields[i]);
    if (!column.ok()) return column.with("while importing column '" + fields[i].field.name + "'");
    table.names.push_back(fields[i].field.name);
    table.columns.push_back(std::move(*column));
  }
  return table;
}

Result<Table> import_from_device(Device& device, std::span<const ArrowField> fields,
                                 std::span<const std::shared_ptr<const ArrowArray>> batches) {
  return catch_exceptions([&] { return imported(device, fields, batches); });
}

}  // namespace penstock::column
