// The C interface's handles and errors: include/penstock/*.h in terms of the C++ library.
#pragma once
#include "base/exception_boundary.hpp"
#include "penstock/device.h"
#include "penstock/device.hpp"

struct penstock_device {
  std::shared_ptr<penstock::Device> device;
};

namespace penstock::c {

// Fills `into`, unless it is null, and returns the code.
penstock_code code_of(const Status& status, penstock_status* into);

// Runs an entry of the C interface; exceptions become errors.
template <class Work> penstock_code enter(penstock_status* status, Work&& work) {
  return code_of(catch_exceptions(work), status);
}

}  // namespace penstock::c
