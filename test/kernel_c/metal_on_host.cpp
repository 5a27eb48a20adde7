#include "kernel_c/metal_on_host.hpp"

#include <string>
#include <string_view>

namespace penstock::kernel {

// In the macros that define entries. Metal's compiler gives a group one variable of such a
// declaration; C++ would give one to each call.
Result<std::string> metal_text_on_host(std::string_view text) {
  constexpr std::string_view declared = "threadgroup TILE kc_tile;",
                             shared = "TILE& kc_tile = *kernelc::metal_tile_of_group<TILE>();",
                             end = "&kc_tile); }", listed = "&kc_tile); } METAL_ENTRY(NAME, TILE)";
  std::string program(text);
  std::size_t at = 0, count = 0;
  for (; (at = program.find(declared, at)) != std::string::npos; count++) {
    program.replace(at, declared.size(), shared);
    at = program.find(end, at);
    if (at == std::string::npos) break;
    program.replace(at, end.size(), listed);
  }
  if (count > 0) return program;
  return Status(Code::unsupported, "the text has no '" + std::string(declared) + "'");
}

}  // namespace penstock::kernel
