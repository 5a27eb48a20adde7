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

// Returns an array with __dlpack__ over a column in the memory of a device, which it keeps.
nb::object array_on_device(const Column& column, const std::string& device_id);

void add_functions(nb::class_<SessionHandle>& session);

}  // namespace penstock::python
