// Arrow's C Device Data Interface, in: tables in the memory of a device.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "arrow_capsules.hpp"
#include "column/arrow_import.hpp"
#include "device/cuda/foreign_event.hpp"

namespace penstock::python {
namespace {

using column::ArrowDevice;

// The only child of a struct that is made of a column.
template <class Struct> struct OnlyChild {
  Struct child;
  Struct* pointer = &child;
  const void* buffers[1] = {nullptr};

  explicit OnlyChild(Struct& column) : child(std::exchange(column, Struct{})) {}
  OnlyChild(const OnlyChild&) = delete;
  ~OnlyChild() { release(child); }
};
// Makes a struct of an array or a schema of another type, which it takes over.
template <class Struct> Struct struct_of(Struct& column) {
  auto* const body = new OnlyChild<Struct>(column);
  Struct made = {};
  made.n_children = 1;
  made.children = &body->pointer;
  made.private_data = body;
  made.release = [](Struct* part) {
    delete static_cast<OnlyChild<Struct>*>(part->private_data);
    part->release = nullptr;
  };
  return made;
}
ArrowArray struct_of_array(ArrowArray& column) {
  ArrowArray made = struct_of(column);
  made.length = made.children[0]->length;
  made.n_buffers = 1;
  made.buffers = static_cast<OnlyChild<ArrowArray>*>(made.private_data)->buffers;
  return made;
}
// Names a column. The producer's struct stays as it is: its release may free the name.
ArrowSchema named_column(ArrowSchema& column) {
  auto* const original = new ArrowSchema(std::exchange(column, ArrowSchema{}));
  ArrowSchema made = *original;
  made.name = "column0";
  made.private_data = original;
  made.release = [](ArrowSchema* schema) {
    auto* const given = static_cast<ArrowSchema*>(schema->private_data);
    release(*given);
    delete given;
    schema->release = nullptr;
  };
  return made;
}
ArrowSchema struct_of_schema(ArrowSchema& column) {
  const bool has_name = column.name != nullptr && *column.name != '\0';
  ArrowSchema child = has_name ? std::exchange(column, ArrowSchema{}) : named_column(column);
  ArrowSchema made = struct_of(child);
  made.format = "+s";
  made.name = "";
  return made;
}

// The arrays of an object with __arrow_c_device_array__ or __arrow_c_device_stream__.
class DeviceData {
 public:
  DeviceData(ArrowSchema schema, std::int32_t type) : schema_(schema), type_(type) {}
  DeviceData(const DeviceData&) = delete;
  ~DeviceData() { release(schema_); }

  Status read_schema() {
    if (schema_.release == nullptr || schema_.format == nullptr)
      return {Code::invalid, "the Arrow schema was released already"};
    is_struct_ = std::string_view(schema_.format) == "+s";
    if (!is_struct_) schema_ = struct_of_schema(schema_);
    PENSTOCK_ASSIGN(fields_, column::fields_of(schema_));
    return {};
  }
  // Takes an array over.
  Status add(ArrowDeviceArray& array) {
    if (array.array.release == nullptr)
      return {Code::invalid, "the Arrow array was released already"};
    ArrowArray whole =
        is_struct_ ? std::exchange(array.array, ArrowArray{}) : struct_of_array(array.array);
    batches_.push_back(column::own(&whole));
    events_.push_back(array.sync_event);
    if (array.device_type != type_ || (batches_.size() > 1 && array.device_id != id_))
      return {Code::unsupported, "a stream of arrays on several devices"};
    id_ = array.device_id;
    return {};
  }
  bool is_on_host() const { return column::is_read_by_host(type_); }
  std::int32_t type() const { return type_; }
  std::string device() const {
    return type_ == static_cast<std::int32_t>(ArrowDevice::cuda)
               ? "cuda:" + std::to_string(id_)
               : column::name_of_arrow_device(type_);
  }
  Status check_type() const {
    if (is_on_host() || type_ == static_cast<std::int32_t>(ArrowDevice::cuda)) return {};
    return {Code::unsupported, "an Arrow array in memory " + column::name_of_arrow_device(type_) +
                                   " is not read; CPU, CUDA, CUDA_HOST and CUDA_MANAGED are"};
  }
  // Waits until the values are there.
  Status wait(Device* device) const {
    for (const void* const event : events_) {
      if (event == nullptr) continue;
      std::shared_ptr<Device> opened;
      if (device == nullptr) {
        PENSTOCK_ASSIGN(opened,
                        open_device("cuda:" + std::to_string(std::max<std::int64_t>(id_, 0))));
        device = opened.get();
      }
      // The interface gives the address of a cudaEvent_t, which is a CUevent.
      PENSTOCK_TRY(cuda::wait_for_event(*device, *static_cast<const std::uint64_t*>(event)));
    }
    return {};
  }
  nb::object take_schema() {
    return capsule_of(std::exchange(schema_, ArrowSchema{}), schema_capsule_name);
  }
  nb::object take_stream();
  Result<Table> table(Device& device) const {
    PENSTOCK_TRY(wait(&device));
    return column::import_from_device(device, fields_, batches_);
  }

 private:
  ArrowSchema schema_;
  bool is_struct_ = true;
  std::vector<column::ArrowField> fields_;
  std::vector<std::shared_ptr<const ArrowArray>> batches_;
  std::vector<const void*> events_;  // of each batch
  std::int32_t type_;
  std::int64_t id_ = 0;
};

// Batches that the host reads, as a stream that is read once.
struct HostStream {
  ArrowSchema schema;
  std::vector<std::shared_ptr<const ArrowArray>> batches;
  std::size_t next = 0;

  ~HostStream() { release(schema); }
  static HostStream& of(ArrowArrayStream* stream) {
    return *static_cast<HostStream*>(stream->private_data);
  }
  static int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    *out = std::exchange(of(stream).schema, ArrowSchema{});
    return out->release != nullptr ? 0 : EINVAL;
  }
  static int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    HostStream& body = of(stream);
    *out = {};
    if (body.next == body.batches.size()) return 0;
    auto* const owner = new std::shared_ptr<const ArrowArray>(body.batches[body.next++]);
    *out = **owner;
    out->private_data = owner;
    out->release = [](ArrowArray* array) {
      delete static_cast<std::shared_ptr<const ArrowArray>*>(array->private_data);
      array->release = nullptr;
    };
    return 0;
  }
  static const char* get_last_error(ArrowArrayStream*) { return nullptr; }
  static void release_stream(ArrowArrayStream* stream) {
    delete &of(stream);
    stream->release = nullptr;
  }
};

nb::object DeviceData::take_stream() {
  {
    const nb::gil_scoped_release released;
    check(wait(nullptr));
  }
  auto* const body = new HostStream{std::exchange(schema_, ArrowSchema{}), batches_};
  return stream_capsule({HostStream::get_schema, HostStream::get_next, HostStream::get_last_error,
                         HostStream::release_stream, body});
}

std::shared_ptr<DeviceData> take_array(nb::handle schema, nb::handle array) {
  ArrowSchema& given_schema = in_capsule<ArrowSchema>(schema, schema_capsule_name);
  ArrowDeviceArray& given = in_capsule<ArrowDeviceArray>(array, device_array_capsule_name);
  const auto data =
      std::make_shared<DeviceData>(std::exchange(given_schema, ArrowSchema{}), given.device_type);
  check(data->check_type());
  check(data->read_schema());
  check(data->add(given));
  return data;
}

Status read_stream(ArrowDeviceArrayStream& stream, std::shared_ptr<DeviceData>& data) {
  const auto failed = [&](int error) {
    const char* const text =
        stream.get_last_error != nullptr ? stream.get_last_error(&stream) : nullptr;
    return Status(Code::io, text != nullptr ? text : std::strerror(error));
  };
  ArrowSchema schema = {};
  if (const int error = stream.get_schema(&stream, &schema); error != 0) return failed(error);
  data = std::make_shared<DeviceData>(schema, stream.device_type);
  PENSTOCK_TRY(data->check_type());
  PENSTOCK_TRY(data->read_schema());
  for (;;) {
    ArrowDeviceArray array = {};
    if (const int error = stream.get_next(&stream, &array); error != 0) return failed(error);
    if (array.array.release == nullptr) return {};
    PENSTOCK_TRY(data->add(array));
  }
}

std::shared_ptr<DeviceData> take_device_stream(nb::handle capsule) {
  auto& given = in_capsule<ArrowDeviceArrayStream>(capsule, device_stream_capsule_name);
  if (given.release == nullptr)
    throw StatusError{Status(Code::invalid, "the Arrow stream was released already")};
  const auto end = [](ArrowDeviceArrayStream* stream) {
    stream->release(stream);
    delete stream;
  };
  const std::unique_ptr<ArrowDeviceArrayStream, decltype(end)> stream(
      new ArrowDeviceArrayStream(std::exchange(given, ArrowDeviceArrayStream{})), end);
  std::shared_ptr<DeviceData> data;
  const nb::gil_scoped_release released;
  check(read_stream(*stream, data));
  return data;
}

bool is_on(const DeviceData& data, const Device& device) {
  return data.device() == device.traits().id ||
         (data.type() == static_cast<std::int32_t>(ArrowDevice::cpu) &&
          device.traits().target == Target::cpu);
}

bool is_on_device_of(const SessionHandle& handle, const DeviceData& data) {
  const nb::gil_scoped_release released;
  return is_on(data, *value_of(handle.session->device()));
}

bool has_own_memory(const SessionHandle& handle) {
  const nb::gil_scoped_release released;
  return value_of(handle.session->device())->traits().target == Target::cuda;
}

HeldTable device_table(const SessionHandle& handle, const DeviceData& data) {
  const nb::gil_scoped_release released;
  const auto device = value_of(handle.session->device());
  if (!is_on(data, *device))
    throw StatusError{Status(Code::unsupported, "an Arrow array on " + data.device() +
                                                    " is not in the memory of the session's "
                                                    "device, " +
                                                    device->traits().id)};
  Table table = value_of(data.table(*device));
  const std::string name = "an Arrow array on " + device->traits().id;
  return held_on_device(std::move(table), device, name);
}

}  // namespace

void add_arrow_devices_in(nb::module_& module) {
  nb::class_<DeviceData>(module, "DeviceData", "Arrow data in the memory of a device.")
      .def("is_on_host", &DeviceData::is_on_host)
      .def("device", &DeviceData::device)
      .def("take_schema", &DeviceData::take_schema)
      .def("take_stream", &DeviceData::take_stream);
  module.def("take_device_array", take_array, nb::arg("schema"), nb::arg("array"));
  module.def("take_device_stream", take_device_stream, nb::arg("stream"));
  module.def("is_on_device_of", is_on_device_of, nb::arg("session"), nb::arg("data"));
  module.def("has_own_memory", has_own_memory, nb::arg("session"));
  module.def("arrow_device_table", device_table, nb::arg("session"), nb::arg("data"));
}

}  // namespace penstock::python
