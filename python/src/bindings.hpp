// The compiled part of Penstock's Python package: thin functions over the C++ interface. The shapes
// that users see are Python's own (python/penstock/*.py).
//
// Functions that work release the GIL. A Status becomes penstock.PenstockError.
#pragma once
#include <nanobind/nanobind.h>

#include <utility>

#include "penstock/arrow_c.hpp"
#include "penstock/status.hpp"

namespace penstock::python {
namespace nb = nanobind;

// An error on its way to Python, where it is PenstockError(message, code).
struct StatusError {
  Status status;
};

template <class T> T value_of(Result<T> result) {
  if (!result.ok()) throw StatusError{result.status()};
  return std::move(result).value();
}
void check(const Status& status);
// Does the same for work that asks keep_on(): an exception that a signal's handler raised goes
// first.
void check_work(const Status& status);

// Whether work goes on: false after Ctrl-C, whose exception is then pending. Takes the GIL at most
// every 20 ms. Work calls it on its own thread or another one; signals reach the main thread alone.
class SignalCheck {
 public:
  bool keep_on();

 private:
  std::int64_t next_ns_ = 0;
};

// Takes the stream out of a capsule of __arrow_c_stream__, which is empty afterwards.
ArrowArrayStream take_stream(nb::handle capsule);
// Returns a capsule of __arrow_c_stream__, which releases what nobody takes.
nb::object stream_capsule(const ArrowArrayStream& stream);

void add_sessions(nb::module_& module);
void add_chunks(nb::module_& module);
void add_arrow_devices_in(nb::module_& module);
void add_arrow_devices_out(nb::module_& module);
void add_device_tables(nb::module_& module);
void add_streams(nb::module_& module);
void add_videos(nb::module_& module);
void add_devices(nb::module_& module);

}  // namespace penstock::python
