// A session in Python, for the files that add its methods.
#pragma once
#include <memory>

#include "bindings.hpp"
#include "penstock/session.hpp"

namespace penstock::python {

struct SessionHandle {
  std::shared_ptr<Session> session;
};

// Returns the one column of the first batch of a stream.
Column value_in(nb::handle capsule);

void add_functions(nb::class_<SessionHandle>& session);

}  // namespace penstock::python
