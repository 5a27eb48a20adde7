// The devices of this machine.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "penstock/device.hpp"

namespace penstock::python {
namespace {

nb::list devices() {
  std::vector<Traits> all;
  {
    const nb::gil_scoped_release released;
    all = list_devices();
  }
  nb::list made;
  for (const Traits& traits : all) {
    nb::dict device;
    device["id"] = traits.id;
    device["name"] = traits.name;
    device["driver"] = traits.driver;
    device["compute_units"] = traits.compute_units;
    device["global_bytes"] = traits.global_bytes;
    device["is_cpu"] = traits.is_cpu;
    made.append(device);
  }
  return made;
}

}  // namespace

void add_devices(nb::module_& module) { module.def("devices", devices); }

}  // namespace penstock::python
