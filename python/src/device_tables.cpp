// Columns that are in a device's memory already: CuPy's arrays, PyTorch's tensors, by DLPack.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "device/pool.hpp"
#include "session_handle.hpp"

namespace penstock::python {
namespace {

using DeviceArray = nb::ndarray<nb::ro, nb::ndim<1>>;

std::optional<Kind> kind_of(nb::dlpack::dtype type) {
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  if (type.lanes != 1) return std::nullopt;
  if (code == nb::dlpack::dtype_code::Float)
    return type.bits == 32   ? std::optional(Kind::float32)
           : type.bits == 64 ? std::optional(Kind::float64)
                             : std::nullopt;
  const bool is_signed = code == nb::dlpack::dtype_code::Int;
  if (!is_signed && code != nb::dlpack::dtype_code::UInt) return std::nullopt;
  switch (type.bits) {
    case 8: return is_signed ? Kind::int8 : Kind::uint8;
    case 16: return is_signed ? Kind::int16 : Kind::uint16;
    case 32: return is_signed ? Kind::int32 : Kind::uint32;
    case 64: return is_signed ? Kind::int64 : Kind::uint64;
    default: return std::nullopt;
  }
}

// Memory of a device, and the Python object that owns it.
struct Imported {
  std::shared_ptr<Buffer> buffer;
  DeviceArray owner;

  ~Imported() {
    const nb::gil_scoped_acquire acquired;
    owner = {};
  }
};

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw StatusError{Status(Code::unsupported, "column '" + name + "' " + why)};
}

// Kernels load 16 bytes at once; a slice of an array may begin anywhere.
Result<std::shared_ptr<Buffer>> copied(Device& device, const Buffer& from) {
  const nb::gil_scoped_release released;
  PENSTOCK_TRY(wait_for_default_stream(device));
  PENSTOCK_ASSIGN(auto to, device.allocate(from.bytes()));
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  PENSTOCK_TRY(queue->copy(*to, from, from.bytes()));
  PENSTOCK_TRY(queue->finish());
  return to;
}

Column column_of(Device& device, const std::string& name, DeviceArray array) {
  const auto kind = kind_of(array.dtype());
  if (!kind) refuse(name, "is of a type that is not read from a device: integers and floats are");
  if (array.stride(0) != 1 && array.shape(0) > 1)
    refuse(name, "has gaps between its values; make a contiguous copy");
  if (!is_there(array.device_type(), array.device_id(), device))
    refuse(name, "is not in the memory of the session's device, " + device.traits().id);
  Column column;
  column.type = {*kind};
  column.row_count = array.shape(0);
  if (column.row_count == 0) return column;
  auto imported = std::make_shared<Imported>();
  const auto address = reinterpret_cast<std::uint64_t>(array.data());
  imported->buffer = value_of(device.import_memory(address, array.nbytes()));
  imported->owner = std::move(array);
  column.device_values = std::shared_ptr<Buffer>(imported, imported->buffer.get());
  if (address % 16 != 0) column.device_values = value_of(copied(device, *column.device_values));
  return column;
}

HeldTable device_table(const SessionHandle& handle, const nb::dict& arrays) {
  std::shared_ptr<Device> device;
  {
    const nb::gil_scoped_release released;
    device = value_of(handle.session->device());
  }
  Table table;
  for (auto [key, array] : arrays) {
    const auto name = nb::cast<std::string>(key);
    table.names.push_back(name);
    table.columns.push_back(column_of(*device, name, nb::cast<DeviceArray>(array)));
    table.row_count = table.columns.front().row_count;
    if (table.columns.back().row_count != table.row_count)
      throw StatusError{Status(Code::invalid, "column '" + name + "' has " +
                                                  std::to_string(table.columns.back().row_count) +
                                                  " rows, and the first column " +
                                                  std::to_string(table.row_count))};
  }
  const nb::gil_scoped_release released;
  check(wait_for_default_stream(*device));
  const std::string name = "arrays on " + device->traits().id;
  return held_on_device(std::move(table), std::move(device), name);
}

nb::dlpack::dtype dtype_of(Type type) {
  const auto code = is_float(type)    ? nb::dlpack::dtype_code::Float
                    : is_signed(type) ? nb::dlpack::dtype_code::Int
                                      : nb::dlpack::dtype_code::UInt;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * width_bytes(type)), 1};
}

}  // namespace

bool is_there(int device_type, int device_number, const Device& device) {
  const Traits& traits = device.traits();
  if (device_type == nb::device::cuda::value)
    return traits.id == "cuda:" + std::to_string(device_number);
  return device_type == nb::device::cpu::value && traits.target == Target::cpu;
}

bool has_addresses(const Device& device) {
  return device.traits().target == Target::cuda || device.traits().target == Target::cpu;
}

// DLPack's producers let the default stream wait for the caller's stream, on which values are made.
Status wait_for_default_stream(Device& device) {
  if (device.traits().target != Target::cuda) return {};
  PENSTOCK_ASSIGN(const auto queue, device.import_queue(0));
  return queue->finish();
}

struct LentBuffer {
  std::shared_ptr<Device> device;
  std::shared_ptr<Buffer> buffer;

  ~LentBuffer() { [[maybe_unused]] const Status finished = wait_for_default_stream(*device); }
};

Status add_host_values(Column& column, Device& device) {
  if (!column.device_values || !column.values.empty() || column.row_count == 0) return {};
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  const auto download = [&](const Buffer& from, std::uint64_t bytes, Bytes& to) -> Status {
    std::vector<std::byte> copied(bytes);
    PENSTOCK_TRY(queue->download(copied.data(), from, bytes));
    PENSTOCK_TRY(queue->finish());
    to = Bytes::own(std::move(copied));
    return {};
  };
  PENSTOCK_TRY(
      download(*column.device_values, column.row_count * width_bytes(column.type), column.values));
  if (!column.device_validity) return {};
  return download(*column.device_validity, (column.row_count + 7) / 8, column.validity);
}

HeldTable held_on_device(Table table, std::shared_ptr<Device> device, const std::string& name) {
  HeldTable held{table_source(table, name)};
  held.with_host_values = [table = std::move(table), device = std::move(device),
                           name]() -> Result<std::shared_ptr<TableSource>> {
    Table copy = table;
    for (Column& column : copy.columns) PENSTOCK_TRY(add_host_values(column, *device));
    return table_source(std::move(copy), name);
  };
  return held;
}

std::shared_ptr<const void> lend(std::shared_ptr<Device> device, std::shared_ptr<Buffer> buffer) {
  return std::shared_ptr<const void>(
      new LentBuffer{std::move(device), std::move(buffer)},
      [](const void* lent) { delete static_cast<const LentBuffer*>(lent); });
}

nb::object array_on_device(const Column& column, std::shared_ptr<Device> device) {
  const auto& buffer = dynamic_cast<const device::PooledBuffer&>(*column.device_values);
  const std::string id = device->traits().id;
  const nb::capsule owner(new LentBuffer{std::move(device), column.device_values},
                          [](void* lent) noexcept { delete static_cast<LentBuffer*>(lent); });
  const std::size_t shape[] = {column.row_count};
  const bool is_cuda = id.starts_with("cuda:");
  const int number = is_cuda ? std::stoi(id.substr(5)) : 0;
  const nb::ndarray<nb::array_api> array(
      reinterpret_cast<void*>(buffer.handle()), 1, shape, owner, nullptr, dtype_of(column.type),
      is_cuda ? nb::device::cuda::value : nb::device::cpu::value, number);
  return nb::cast(array);
}

void add_device_tables(nb::module_& module) {
  module.def("device_table", device_table, nb::arg("session"), nb::arg("arrays"));
}

}  // namespace penstock::python
