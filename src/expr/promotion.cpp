#include "penstock/detail/promotion.hpp"

#include "expr/construction.hpp"
#include "penstock/expression.hpp"

namespace penstock {

Result<Type> common_type(Type a, Type b) {
  const std::optional<Type> type = expr::meet(a, b, expr::Meeting::comparison);
  if (!type)
    return Status(Code::invalid, name_of(a) + " and " + name_of(b) + " have no common type");
  if (type->kind == Kind::int128 && a.kind != Kind::int128 && b.kind != Kind::int128)
    return Status(Code::unsupported, name_of(a) + " and " + name_of(b) +
                                         " meet in HUGEINT, which is not computed with");
  return expr::computed_type(*type, expr::is_wide(a) || expr::is_wide(b));
}

}  // namespace penstock
