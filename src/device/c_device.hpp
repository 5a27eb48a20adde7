// The C interface's handles and errors: what include/penstock/*.h declares, in the words of the C++
// library behind it.
#pragma once
#include "base/exception_boundary.hpp"
#include "penstock/device.h"
#include "penstock/device.hpp"

struct penstock_device {
  std::shared_ptr<penstock::Device> device;
};

namespace penstock::c {

// Fills `into`, where there is one, and returns the code.
penstock_code code_of(const Status& status, penstock_status* into);

// Runs an entry of the C interface: what it throws is an error too.
template <class Work> penstock_code enter(penstock_status* status, Work&& work) {
  return code_of(guard(work), status);
}

}  // namespace penstock::c
