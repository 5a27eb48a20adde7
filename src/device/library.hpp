// A shared library opened at run time. It is never closed: drivers keep threads and exit handlers
// of their own, and closing a library while its code may still run crashes at exit.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::device {

// global: libraries that are opened later may use its symbols.
enum class SymbolScope : unsigned char { local, global };

class Library {
 public:
  // Opens the first of `names` (sonames or paths) that can be opened. The error (Code::no_device)
  // has the dynamic linker's message for each.
  static Result<Library> open(const std::vector<std::string>& names,
                              SymbolScope scope = SymbolScope::local);

  const std::string& name() const { return name_; }
  void* symbol(const char* name) const;  // null when absent
  // Sets a function pointer. Code::unsupported with the name where the library lacks it.
  template <class Function> Status bind(Function*& function, const char* symbol_name) const {
    function = reinterpret_cast<Function*>(symbol(symbol_name));
    if (function) return {};
    return Status(Code::unsupported,
                  name_ + " has no function " + symbol_name + ": the driver is too old");
  }

 private:
  void* handle_ = nullptr;
  std::string name_;
};

}  // namespace penstock::device
