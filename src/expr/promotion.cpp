#include "penstock/detail/promotion.hpp"

#include "penstock/expression.hpp"

namespace penstock {

Result<Type> common_type(Type a, Type b) {
  const std::optional<Type> type = expr::meet(a, b, expr::Meeting::comparison);
  if (!type)
    return Status(Code::invalid, name_of(a) + " and " + name_of(b) + " have no common type");
  if (type->kind == Kind::int128 && !(a == b))
    return Status(Code::unsupported, name_of(a) + " and " + name_of(b) +
                                         " meet in HUGEINT, which is not computed with");
  if (type->kind == Kind::decimal && type->precision > 18) return Type::decimal(18, type->scale);
  return *type;
}

}  // namespace penstock
