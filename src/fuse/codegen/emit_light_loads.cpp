#include "fuse/codegen/emit_light_loads.hpp"

#include <set>

#include "expr/emit.hpp"

namespace penstock::plan {
namespace {

// Returns the type of what light_load.kc gives for a column: floats, or words of its width.
std::string loaded_type(Type type) {
  if (is_float(type)) return kernel_type(type);
  return width_bytes(type) == 8 ? "u64" : "u32";
}

std::string tile_name(const ColumnBuffer& buffer) { return buffer.name('c') + "_tile"; }
std::string four_name(const ColumnBuffer& buffer) { return buffer.name('c') + "_four"; }

}  // namespace

std::string light_functions(std::span<const ColumnBuffer> buffers) {
  std::set<std::string> types;
  for (const ColumnBuffer& buffer : buffers)
    if (is_light(buffer)) types.insert(loaded_type(buffer.type));
  std::string loads, tiles;
  for (const std::string& type : types) {
    loads += "LIGHT_LOADS_" + type + "\n";
    tiles += "LIGHT_TILES_" + type + "(PIPELINE_VECTORS)\n";
  }
  return types.empty()
             ? ""
             : loads + "#if GROUP_SIZE > 1 && PIPELINE_VECTORS > 0\n" + tiles + "#endif\n\n";
}

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

std::string light_tile(const ColumnBuffer& buffer) {
  const std::string type = loaded_type(buffer.type), name = tile_name(buffer);
  return "  " + type + " " + name + "[4u * PIPELINE_VECTORS];\n  light_load_" + type + "_tile(" +
         buffer.name('c') + ", (u32)first, " + name + ");\n";
}

std::string light_tile_value(const ColumnBuffer& buffer) {
  return "(" + kernel_type(buffer.type) + ")" + tile_name(buffer) + "[4u * v + k]";
}

}  // namespace penstock::plan
