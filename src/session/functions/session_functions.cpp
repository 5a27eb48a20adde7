#include "session/functions/session_functions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "base/ascii.hpp"
#include "session/functions/kernel_body.hpp"
#include "sql/statement/user_functions.hpp"

namespace penstock::session {
namespace {

Status wrong(const std::string& message) { return {Code::invalid, message}; }

Status check_type(const std::string& name, Type type) {
  if (type.kind != Kind::string && type.logical == LogicalType::none) return {};
  return wrong(name + ": " + name_of(type) +
               " is no type of a function; these are numbers, BOOLEAN, DATE and TIMESTAMP");
}

Status check_body(const std::string& name, const std::string& body) {
  if (body.find_first_not_of(" \t\r\n") == std::string::npos)
    return wrong(name + " needs a body of Kernel C: \"return x * x;\"");
  if (body.find('\0') != std::string::npos) return wrong(name + ": the body has a NUL");
  return {};
}

Status check(const CustomFunction& function) {
  const std::string& name = function.name;
  PENSTOCK_TRY(sql::check_user_name(name));
  constexpr std::size_t max_parameters = 64;
  const std::size_t count = function.parameter_types.size();
  if (count == 0 || count > max_parameters || function.parameter_names.size() != count)
    return wrong(name + ": a function has 1 to 64 parameters, each with a name and a type");
  for (const Type type : function.parameter_types) PENSTOCK_TRY(check_type(name, type));
  PENSTOCK_TRY(check_type(name, function.result_type));
  for (const std::string& parameter : function.parameter_names)
    if (!sql::is_identifier(parameter))
      return wrong(name + ": a parameter's name has letters, digits and _, not '" + parameter +
                   "'");
  const std::set<std::string> names(function.parameter_names.begin(),
                                    function.parameter_names.end());
  if (names.size() < count) return wrong(name + ": two parameters have one name");
  return check_body(name, function.body);
}

Status check(const CustomReduction& reduction) {
  const std::string& name = reduction.name;
  PENSTOCK_TRY(sql::check_user_name(name));
  PENSTOCK_TRY(check_type(name, reduction.type));
  if (!reduction.associative || !reduction.commutative)
    return wrong("the reduction '" + name +
                 "' is not declared associative and commutative: the device combines values in "
                 "any order");
  if (reduction.neutral.is_null || !(reduction.neutral.type == reduction.type))
    return wrong("the reduction '" + name + "' needs a neutral element of its type");
  return check_body(name, reduction.body);
}

bool is_same(const Scalar& a, const Scalar& b) {
  return a.type == b.type && (is_float(a.type) ? std::bit_cast<std::uint64_t>(a.real) ==
                                                     std::bit_cast<std::uint64_t>(b.real)
                                               : a.integer == b.integer);
}

bool is_same(const CustomFunction& a, const CustomFunction& b) {
  return a.name == b.name && a.parameter_names == b.parameter_names &&
         a.parameter_types == b.parameter_types && a.result_type == b.result_type &&
         a.body == b.body;
}
bool is_same(const CustomReduction& a, const CustomReduction& b) {
  return a.name == b.name && is_same(a.neutral, b.neutral) && a.body == b.body;
}

template <class Kept, class T> bool is_known(const Kept& kept, const T& one) {
  const auto found = kept.find(lower(one.name));
  return found != kept.end() && is_same(*found->second, one);
}

// A reduction is a function of two values.
CustomFunction combination(const CustomReduction& reduction) {
  CustomFunction function;
  function.name = reduction.name;
  function.parameter_names = {"a", "b"};
  function.parameter_types = {reduction.type, reduction.type};
  function.result_type = reduction.type;
  function.body = reduction.body;
  return function;
}

}  // namespace

std::shared_ptr<const UserFunctions> SessionFunctions::all() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

Status SessionFunctions::define(CustomFunction function, const DeviceOpener& open_device) {
  PENSTOCK_TRY(check(function));
  PENSTOCK_ASSIGN(function.body, body_in_kernel_c(function.body));
  if (!function.host) {
    if (is_known(all()->functions, function)) return {};
    PENSTOCK_ASSIGN(function.host, host_call(function, open_device));
  }
  const std::string name = lower(function.name);
  const std::lock_guard lock(mutex_);
  auto changed = std::make_shared<UserFunctions>(*all_);
  changed->reductions.erase(name);
  changed->functions[name] = std::make_shared<const CustomFunction>(std::move(function));
  all_ = std::move(changed);
  return {};
}

Status SessionFunctions::define(CustomReduction reduction, const DeviceOpener& open_device) {
  PENSTOCK_TRY(check(reduction));
  PENSTOCK_ASSIGN(reduction.body, body_in_kernel_c(reduction.body));
  if (!reduction.host) {
    if (is_known(all()->reductions, reduction)) return {};
    PENSTOCK_ASSIGN(const HostCall call, host_call(combination(reduction), open_device));
    reduction.host = [call](const Scalar& a, const Scalar& b) { return call(std::array{a, b}); };
  }
  const std::string name = lower(reduction.name);
  const std::lock_guard lock(mutex_);
  auto changed = std::make_shared<UserFunctions>(*all_);
  changed->functions.erase(name);
  changed->reductions[name] = std::make_shared<const CustomReduction>(std::move(reduction));
  all_ = std::move(changed);
  return {};
}

}  // namespace penstock::session
