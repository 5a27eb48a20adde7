// A session in Python, for the files that add its methods.
#pragma once
#include <memory>

#include "bindings.hpp"
#include "penstock/session.hpp"

namespace penstock::python {

struct SessionHandle {
  std::shared_ptr<Session> session;
};

// A table that Python gives: a source, which several statements may read.
struct HeldTable {
  std::shared_ptr<TableSource> source;
};

// Returns the one column of the first batch of a stream.
Column value_in(nb::handle capsule);

// Whether arrays of DLPack's device type and number are in the memory of a device.
bool is_there(int device_type, int device_number, const Device& device);
// Whether a device's memory has addresses that other libraries read: CUDA's, and the CPU's.
bool has_addresses(const Device& device);
Status wait_for_default_stream(Device& device);
// Returns an array with __dlpack__ over a column in the memory of such a device, which it keeps.
nb::object array_on_device(const Column& column, std::shared_ptr<Device> device);

void add_functions(nb::class_<SessionHandle>& session);

}  // namespace penstock::python
