#include "table/sort/order_keys.hpp"

#include "expr/words.hpp"
#include "table/kernels/order_limits.h"

namespace penstock::plan {

std::uint32_t order_kind(Type type) {
  if (type.kind == Kind::string) return ORDER_RANKED;
  if (is_float(type)) return ORDER_FLOAT;
  return expr::is_sign_extended(type) ? ORDER_SIGNED : ORDER_UNSIGNED;
}

bool has_null_word(const DeviceColumn& column) {
  return column.validity && width_bytes(column.type) == 8;
}

std::uint32_t null_shift(const DeviceColumn& column) {
  if (!column.validity) return ORDER_NO_NULLS;
  return has_null_word(column) ? ORDER_EQUAL_NULLS
                               : 8 * static_cast<std::uint32_t>(width_bytes(column.type));
}

Result<std::optional<DeviceRows>> rows_if_memory_sufficed(Result<DeviceRows> rows, Queue& queue) {
  if (rows.ok()) return std::optional<DeviceRows>(std::move(rows).value());
  const Status finished = queue.finish();
  if (rows.status().code() != Code::no_memory) return rows.status();
  PENSTOCK_TRY(finished);
  return std::optional<DeviceRows>();
}

}  // namespace penstock::plan
