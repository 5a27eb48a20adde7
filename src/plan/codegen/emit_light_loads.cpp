#include "plan/codegen/emit_light_loads.hpp"

#include "expr/emit.hpp"

namespace penstock::plan {
namespace {

// Returns the type of what light_load.kc gives for a column: floats, or words of its width.
std::string loaded_type(Type type) {
  if (is_float(type)) return kernel_type(type);
  return width_bytes(type) == 8 ? "u64" : "u32";
}

std::string four_name(const ColumnBuffer& buffer) { return buffer.name('c') + "_four"; }

}  // namespace

std::string light_row(const ColumnBuffer& buffer) {
  return "(" + kernel_type(buffer.type) + ")light_load_" + loaded_type(buffer.type) + "(" +
         buffer.name('c') + ", (u32)row)";
}

std::string light_four(const ColumnBuffer& buffer) {
  const std::string type = loaded_type(buffer.type), four = four_name(buffer);
  return "  " + type + " " + four + "[4];\n  light_load_" + type + "_4(" + buffer.name('c') +
         ", (u32)row, " + four + ");\n";
}

std::string light_value(const ColumnBuffer& buffer) {
  return "(" + kernel_type(buffer.type) + ")" + four_name(buffer) + "[k]";
}

}  // namespace penstock::plan
