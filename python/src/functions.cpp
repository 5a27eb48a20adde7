// Functions and aggregates in Kernel C, which a session keeps.
#include <nanobind/stl/string.h>

#include <array>

#include "session_handle.hpp"
#include "sql/statement/traced_function.hpp"

namespace penstock::python {
namespace {

// Returns the names and types of a capsule of __arrow_c_schema__.
Schema schema_in(nb::handle capsule) {
  const auto* const schema =
      static_cast<const ArrowSchema*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_schema"));
  if (schema == nullptr) throw nb::python_error();
  return value_of(import_schema(*schema));
}

Type type_in(nb::handle capsule) {
  const Schema schema = schema_in(capsule);
  if (schema.size() != 1) throw StatusError{Status(Code::invalid, "a schema of one type")};
  return schema[0].type;
}

// A function of the schema's parameters, whose body is Kernel C, or a SELECT of a traced function.
CustomFunction function_of(const std::string& name, Schema parameters, Type result,
                           const std::string& body, bool is_traced) {
  if (is_traced) return value_of(sql::traced_function(name, body, std::move(parameters)));
  CustomFunction function;
  function.name = name;
  for (const Field& field : parameters) {
    function.parameter_names.push_back(field.name);
    function.parameter_types.push_back(field.type);
  }
  function.result_type = result;
  function.body = body;
  return function;
}

void define_function(const SessionHandle& handle, const std::string& name, nb::handle parameters,
                     nb::handle result, const std::string& body, bool is_traced) {
  CustomFunction function =
      function_of(name, schema_in(parameters), type_in(result), body, is_traced);
  const nb::gil_scoped_release released;
  check(handle.session->define(std::move(function)));
}

void define_reduction(const SessionHandle& handle, const std::string& name, nb::handle type,
                      nb::handle neutral, const std::string& body, bool is_traced,
                      bool is_associative, bool is_commutative) {
  const Type of_values = type_in(type);
  CustomFunction combined = function_of(name, {{"a", of_values, false}, {"b", of_values, false}},
                                        of_values, body, is_traced);
  CustomReduction reduction;
  reduction.name = name;
  reduction.type = of_values;
  reduction.neutral = scalar_at(value_in(neutral), 0);
  reduction.body = std::move(combined.body);
  if (combined.host)
    reduction.host = [host = std::move(combined.host)](const Scalar& a, const Scalar& b) {
      return host(std::array{a, b});
    };
  reduction.associative = is_associative;
  reduction.commutative = is_commutative;
  const nb::gil_scoped_release released;
  check(handle.session->define(std::move(reduction)));
}

}  // namespace

void add_functions(nb::class_<SessionHandle>& session) {
  const nb::arg name("name"), body("body"), traced("traced");
  session
      .def("define_function", define_function, name, nb::arg("parameters"), nb::arg("result"), body,
           traced)
      .def("define_reduction", define_reduction, name, nb::arg("type"), nb::arg("neutral"), body,
           traced, nb::arg("associative"), nb::arg("commutative"));
}

}  // namespace penstock::python
