// The SYCL plug-in, bound at run time: a library that a SYCL compiler made of plugin/, so that the
// build and the program need none.
#pragma once
#include <string>

#include "device/sycl/plugin/sycl_interface.hpp"
#include "penstock/status.hpp"

namespace penstock::sycl_plugin {

using Api = penstock_sycl_interface;

// Returns the bound plug-in, opened once per process, or why there is none and how to get it.
const Result<const Api*>& api();

// Opens the plug-in of a path or name; for tests.
Result<const Api*> open_plugin(const std::string& name);

// Returns ok for 0, otherwise a Status with the plug-in's words and the call.
Status status_of(int code, const penstock_sycl_error& error, const char* call);

// Calls a function of the plug-in. Its last parameter is the error.
template <class Function, class... Arguments>
Status call(const char* name, Function function, Arguments... arguments) {
  penstock_sycl_error error;
  return status_of(function(arguments..., &error), error, name);
}

}  // namespace penstock::sycl_plugin
