// Arrow's C Device Data Interface, out: results in the memory of a device.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "arrow_capsules.hpp"
#include "base/exception_boundary.hpp"
#include "column/arrow_stream_export.hpp"
#include "device/pool.hpp"

namespace penstock::python {
namespace {

using column::ArrowDevice;

// The memory of an exported column. A reader may move the column out of its struct.
struct LentColumn {
  std::shared_ptr<const void> memory;
  const void* buffers[2] = {nullptr, nullptr};
};
ArrowArray exported(const Column& column, const std::shared_ptr<Device>& device) {
  auto body = std::make_unique<LentColumn>();
  const auto& buffer = dynamic_cast<const device::PooledBuffer&>(*column.device_values);
  body->buffers[1] = reinterpret_cast<const void*>(buffer.handle());
  body->memory = lend(device, column.device_values);
  ArrowArray made = {};
  made.length = static_cast<std::int64_t>(column.row_count);
  made.n_buffers = 2;
  made.buffers = body->buffers;
  made.private_data = body.release();
  made.release = [](ArrowArray* array) {
    delete static_cast<LentColumn*>(array->private_data);
    array->release = nullptr;
  };
  return made;
}

struct LentTable {
  std::vector<ArrowArray> columns;
  std::vector<ArrowArray*> pointers;
  const void* buffers[1] = {nullptr};

  ~LentTable() {
    for (ArrowArray& column : columns) release(column);
  }
};
ArrowDeviceArray exported(const Table& table, const std::shared_ptr<Device>& device) {
  auto body = std::make_unique<LentTable>();
  for (const Column& column : table.columns) body->columns.push_back(exported(column, device));
  for (ArrowArray& column : body->columns) body->pointers.push_back(&column);
  ArrowDeviceArray made = {};
  made.array.length = static_cast<std::int64_t>(table.row_count);
  made.array.n_buffers = 1;
  made.array.buffers = body->buffers;
  made.array.n_children = static_cast<std::int64_t>(body->pointers.size());
  made.array.children = body->pointers.data();
  made.array.private_data = body.release();
  made.array.release = [](ArrowArray* array) {
    delete static_cast<LentTable*>(array->private_data);
    array->release = nullptr;
  };
  const std::string& id = device->traits().id;
  const bool is_cuda = id.starts_with("cuda:");
  made.device_type = static_cast<std::int32_t>(is_cuda ? ArrowDevice::cuda : ArrowDevice::cpu);
  made.device_id = is_cuda ? std::stoi(id.substr(5)) : -1;
  return made;
}

// Every column of a result may be NULL, whatever it found.
Result<ArrowSchema> schema_of(const Table& table) {
  Table empty = table;
  empty.row_count = 0;
  for (Column& column : empty.columns) column = column.slice(0, 0);
  ArrowArray unused = {};
  ArrowSchema schema = {};
  PENSTOCK_TRY(export_table(empty, &unused, &schema));
  release(unused);
  constexpr std::int64_t nullable = 2;
  for (std::int64_t i = 0; i < schema.n_children; i++) schema.children[i]->flags |= nullable;
  return schema;
}

// A stream of one array. The run has ended, so that there is no event to wait for.
struct DeviceStream {
  Table table;
  std::shared_ptr<Device> device;
  bool is_read = false;
  std::string error;

  static DeviceStream& of(ArrowDeviceArrayStream* stream) {
    return *static_cast<DeviceStream*>(stream->private_data);
  }
  static int get_schema(ArrowDeviceArrayStream* stream, ArrowSchema* out) {
    DeviceStream& body = of(stream);
    const Status status = catch_exceptions([&]() -> Status {
      PENSTOCK_ASSIGN(*out, schema_of(body.table));
      return {};
    });
    body.error = status.ok() ? std::string() : status.text();
    return status.ok() ? 0 : EIO;
  }
  static int get_next(ArrowDeviceArrayStream* stream, ArrowDeviceArray* out) {
    DeviceStream& body = of(stream);
    *out = {};
    if (std::exchange(body.is_read, true)) return 0;
    const Status status = catch_exceptions([&]() -> Status {
      *out = exported(body.table, body.device);
      return {};
    });
    body.error = status.ok() ? std::string() : status.text();
    return status.ok() ? 0 : EIO;
  }
  static const char* get_last_error(ArrowDeviceArrayStream* stream) {
    const std::string& error = of(stream).error;
    return error.empty() ? nullptr : error.c_str();
  }
  static void release_stream(ArrowDeviceArrayStream* stream) {
    delete &of(stream);
    stream->release = nullptr;
  }
};

// Columns of a result that stayed in the memory of a device.
struct DeviceResult {
  Table table;
  std::shared_ptr<Device> device;
};

nb::object schema_capsule(const DeviceResult& result) {
  return capsule_of(value_of(schema_of(result.table)), schema_capsule_name);
}
nb::tuple array_of(const DeviceResult& result) {
  return nb::make_tuple(schema_capsule(result), capsule_of(exported(result.table, result.device),
                                                           device_array_capsule_name));
}
nb::object stream_of(const DeviceResult& result) {
  auto* const body = new DeviceStream{result.table, result.device, false, {}};
  const auto type =
      result.device->traits().target == Target::cuda ? ArrowDevice::cuda : ArrowDevice::cpu;
  return capsule_of(
      ArrowDeviceArrayStream{static_cast<std::int32_t>(type), DeviceStream::get_schema,
                             DeviceStream::get_next, DeviceStream::get_last_error,
                             DeviceStream::release_stream, body},
      device_stream_capsule_name);
}

// A stream of the host's memory as a stream of a device.
struct StreamOfHost {
  ArrowArrayStream stream;

  ~StreamOfHost() { release(stream); }
  static ArrowArrayStream* of(ArrowDeviceArrayStream* outer) {
    return &static_cast<StreamOfHost*>(outer->private_data)->stream;
  }
  static int get_schema(ArrowDeviceArrayStream* outer, ArrowSchema* out) {
    return of(outer)->get_schema(of(outer), out);
  }
  static int get_next(ArrowDeviceArrayStream* outer, ArrowDeviceArray* out) {
    *out = {};
    out->device_id = -1;
    out->device_type = static_cast<std::int32_t>(ArrowDevice::cpu);
    return of(outer)->get_next(of(outer), &out->array);
  }
  static const char* get_last_error(ArrowDeviceArrayStream* outer) {
    return of(outer)->get_last_error(of(outer));
  }
  static void release_stream(ArrowDeviceArrayStream* outer) {
    delete static_cast<StreamOfHost*>(outer->private_data);
    outer->release = nullptr;
  }
};

nb::object device_stream_of_host(nb::handle capsule) {
  auto* const body = new StreamOfHost{take_stream(capsule)};
  return capsule_of(
      ArrowDeviceArrayStream{static_cast<std::int32_t>(ArrowDevice::cpu), StreamOfHost::get_schema,
                             StreamOfHost::get_next, StreamOfHost::get_last_error,
                             StreamOfHost::release_stream, body},
      device_stream_capsule_name);
}

}  // namespace

nb::object device_result(Table table, std::shared_ptr<Device> device) {
  const bool stays =
      !table.columns.empty() && std::ranges::all_of(table.columns, [](const Column& column) {
        return column.device_values != nullptr;
      });
  if (stays) return nb::cast(DeviceResult{std::move(table), std::move(device)});
  ArrowArrayStream rows = {};
  {
    const nb::gil_scoped_release released;
    for (Column& column : table.columns) check(add_host_values(column, *device));
    check(column::export_stream(table, &rows));
  }
  return stream_capsule(rows);
}

void add_arrow_devices_out(nb::module_& module) {
  nb::class_<DeviceResult>(module, "DeviceResult", "Columns in the memory of a device.")
      .def("schema", schema_capsule)
      .def("array", array_of)
      .def("stream", stream_of);
  module.def("device_stream_of_host", device_stream_of_host, nb::arg("stream"));
}

}  // namespace penstock::python
