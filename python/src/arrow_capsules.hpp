// Capsules of Arrow's C interfaces, for tables in the memory of a device.
#pragma once
#include "column/arrow_device.hpp"
#include "session_handle.hpp"

namespace penstock::python {

constexpr const char* schema_capsule_name = "arrow_schema";
constexpr const char* device_array_capsule_name = "arrow_device_array";
constexpr const char* device_stream_capsule_name = "arrow_device_array_stream";

template <class Struct> void release(Struct& part) {
  if (part.release != nullptr) part.release(&part);
}
inline void release(ArrowDeviceArray& part) { release(part.array); }

// Returns what a capsule holds.
template <class Struct> Struct& in_capsule(nb::handle capsule, const char* name) {
  auto* const part = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (part == nullptr) throw nb::python_error();
  return *part;
}
// Returns a capsule, which releases what nobody takes.
template <class Struct> nb::object capsule_of(const Struct& part, const char* name) {
  PyObject* const capsule = PyCapsule_New(new Struct(part), name, [](PyObject* object) {
    auto* const kept =
        static_cast<Struct*>(PyCapsule_GetPointer(object, PyCapsule_GetName(object)));
    release(*kept);
    delete kept;
  });
  if (capsule == nullptr) throw nb::python_error();
  return nb::steal(capsule);
}

}  // namespace penstock::python
