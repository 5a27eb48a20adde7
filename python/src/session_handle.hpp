// A session in Python, for the files that add its methods.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "bindings.hpp"
#include "penstock/session.hpp"

namespace penstock::python {

struct SessionHandle {
  std::shared_ptr<Session> session;
};

// A table that Python gives: a source, which several statements may read.
struct HeldTable {
  std::shared_ptr<TableSource> source;
  // Returns the same rows with their values on the host too; empty where they are there.
  std::function<Result<std::shared_ptr<TableSource>>()> with_host_values = {};
};
// Returns a table of which columns are in the memory of a device alone.
HeldTable held_on_device(Table table, std::shared_ptr<Device> device, const std::string& name);

// Returns the one column of the first batch of a stream.
Column value_in(nb::handle capsule);

// Whether arrays of DLPack's device type and number are in the memory of a device.
bool is_there(int device_type, int device_number, const Device& device);
// Whether a device's memory has addresses that other libraries read: CUDA's, and the CPU's.
bool has_addresses(const Device& device);
Status wait_for_default_stream(Device& device);
// Returns an array with __dlpack__ over a column in the memory of such a device, which it keeps.
nb::object array_on_device(const Column& column, std::shared_ptr<Device> device);

// Keeps memory of a device that another library reads. Before it goes back to the device's pool,
// the default stream has done what the reader enqueued there.
std::shared_ptr<const void> lend(std::shared_ptr<Device> device, std::shared_ptr<Buffer> buffer);
// Copies values of a column that is in the memory of a device alone to the host, too.
Status add_host_values(Column& column, Device& device);
// Returns a DeviceResult of columns that are all in the memory of such a device; otherwise a
// capsule of a stream of the rows, on the host.
nb::object device_result(Table table, std::shared_ptr<Device> device);

void add_functions(nb::class_<SessionHandle>& session);

}  // namespace penstock::python
