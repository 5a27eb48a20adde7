#include "table/sort/window_kernels.hpp"

#include "expr/emit.hpp"

namespace penstock::plan {
namespace {

std::string definitions_of(Type type) {
  const bool is_real = is_float(type);
  if (width_bytes(type) > 8) return "";  // its parts are added up
  const std::string wide = is_real ? "f64" : type.kind == Kind::uint64 ? "u64" : "i64";
  return "#define WINDOW_VALUE " + memory_type(type) + "\n#define WINDOW_SUM " +
         (is_real ? "f64" : "u64") + "\n#define WINDOW_WIDE " + wide +
         "\n#define WINDOW_AT(values, row) " +
         (type.kind == Kind::boolean ? "bit_at(values, row)" : "(values)[row]") +
         "\n#define WINDOW_IS_FLOAT " + (is_real ? "1" : "0") + "\n";
}

}  // namespace

RowKernels kernels_of_words(std::shared_ptr<Device> device, std::uint32_t bits) {
  return {std::move(device), table_kernels({"window"}, bits <= 32 ? "#define ORDER_WORD u32\n"
                                                                  : "#define ORDER_WORD u64\n")};
}

RowKernels kernels_of_values(std::shared_ptr<Device> device, Type type) {
  return {std::move(device), table_kernels({"window"}, definitions_of(type))};
}

}  // namespace penstock::plan
