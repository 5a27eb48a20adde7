// The module penstock._core: errors, signals, and what the other files add.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "bindings.hpp"
#include "cli/commands.hpp"
#include "kernel/variant_table.hpp"
#include "terminal/arguments.hpp"
#include "terminal/signals.hpp"

namespace penstock::python {
namespace {

void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const StatusError& known) {
    const nb::object type = nb::module_::import_("penstock.errors").attr("PenstockError");
    std::string code(name_of(known.status.code()));
    std::ranges::replace(code, ' ', '_');
    const nb::object made = type(known.status.text(), code);
    PyErr_SetObject(type.ptr(), made.ptr());
  }
}

// Runs the program: python -m penstock. Its own handlers of signals stay, as the process ends.
int run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const nb::gil_scoped_release released;
  terminal::catch_signals();
  return terminal::run_command_line(static_cast<int>(words.size()), arguments.data(),
                                    cli::commands(), kernel::check_forced_rows);
}

}  // namespace

void check(const Status& status) {
  if (!status.ok()) throw StatusError{status};
}

void check_work(const Status& status) {
  // An error would be made by Python code, in which a signal's handler raises.
  if (PyErr_Occurred() != nullptr || (!status.ok() && PyErr_CheckSignals() != 0))
    throw nb::python_error();
  check(status);
}

bool SignalCheck::keep_on() {
  const std::int64_t now_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  if (now_ns < next_ns_) return true;
  next_ns_ = now_ns + 20'000'000;
  const nb::gil_scoped_acquire acquired;
  return PyErr_CheckSignals() == 0;
}

ArrowArrayStream take_stream(nb::handle capsule) {
  auto* const stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  return std::exchange(*stream, ArrowArrayStream{});
}

nb::object stream_capsule(const ArrowArrayStream& stream) {
  PyObject* const capsule =
      PyCapsule_New(new ArrowArrayStream(stream), "arrow_array_stream", [](PyObject* object) {
        auto* const kept =
            static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(object, "arrow_array_stream"));
        if (kept->release != nullptr) kept->release(kept);
        delete kept;
      });
  if (capsule == nullptr) throw nb::python_error();
  return nb::steal(capsule);
}

}  // namespace penstock::python

NB_MODULE(_core, module) {
  using namespace penstock::python;
  // Variables hold sessions to the end of the process, when the interpreter frees not all of them.
  nanobind::set_leak_warnings(false);
  nanobind::register_exception_translator(translate);
  module.def("version", [] { return std::string(penstock::terminal::program_version()); });
  module.def("run_program", run_program, "Runs Penstock's program; returns its exit status.");
  add_sessions(module);
  add_chunks(module);
  add_arrow_devices_in(module);
  add_arrow_devices_out(module);
  add_device_tables(module);
  add_streams(module);
  add_videos(module);
  add_devices(module);
}
