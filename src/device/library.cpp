#include "device/library.hpp"

#include <dlfcn.h>

namespace penstock::device {

Result<Library> Library::open(const std::vector<std::string>& names, SymbolScope scope) {
  const int visible = scope == SymbolScope::global ? RTLD_GLOBAL : RTLD_LOCAL;
  std::string reasons;
  for (const std::string& name : names) {
    Library library;
    library.handle_ = dlopen(name.c_str(), RTLD_NOW | visible);
    library.name_ = name;
    if (library.handle_) return library;
    const char* reason = dlerror();
    reasons += (reasons.empty() ? "" : "; ") + std::string(reason ? reason : "unknown");
  }
  return Status(Code::no_device, reasons.empty() ? "no file of that name" : reasons);
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace penstock::device
