#include "expr/string_casts.hpp"

#include <map>
#include <mutex>
#include <string>

#include "expr/constant.hpp"
#include "expr/type_names.hpp"

namespace penstock::expr {
namespace {

using Functions = std::map<std::string, std::shared_ptr<const CustomFunction>>;

// A function is made once, so that equal calls are one node of a graph.
std::shared_ptr<const CustomFunction> made_once(
    const std::string& name, Type input, Type result,
    std::function<Scalar(std::span<const Scalar>)> host) {
  static std::mutex mutex;
  static Functions functions;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<const CustomFunction>& function = functions[name];
  if (!function)
    function = std::make_shared<const CustomFunction>(
        CustomFunction{name, {"input1"}, {input}, result, "", std::move(host)});
  return function;
}

Scalar zero_of(Type type) {
  if (type.kind == Kind::string) return Scalar::of(type, std::string());
  return is_float(type) ? Scalar::of(type, 0.0) : Scalar::of(type, Int128{0});
}

}  // namespace

bool is_castable_from_string(Type type) {
  return !is_text(type) && !is_nested(type) && type.kind != Kind::int128 && !is_wide_decimal(type);
}

std::shared_ptr<const CustomFunction> string_fits(Type type) {
  return made_once(
      "is_" + name_of(type), {Kind::string}, {Kind::boolean}, [type](std::span<const Scalar> in) {
        return Scalar::of(Type{Kind::boolean}, Int128{parse_as(type, in[0].text).has_value()});
      });
}

std::shared_ptr<const CustomFunction> string_as(Type type) {
  return made_once("as_" + name_of(type), {Kind::string}, type, [type](std::span<const Scalar> in) {
    return parse_as(type, in[0].text).value_or(zero_of(type));
  });
}

std::shared_ptr<const CustomFunction> string_from(Type type) {
  return made_once("from_" + name_of(type), type, {Kind::string},
                   [type](std::span<const Scalar> in) {
                     Scalar value = in[0];  // of a column's strings: without its logical type
                     value.type = type;
                     return Scalar::of(text_of(value));
                   });
}

}  // namespace penstock::expr
