// Programs of the SYCL plug-in.
#include <dlfcn.h>

#include <string>

#include "sycl_objects.hpp"

// The same lines as in sycl.prelude.
#define KC_INTERFACE_VERSION PENSTOCK_SYCL_INTERFACE_VERSION
#define KC_TEXT_OF(x) #x
#define KC_TEXT(x) KC_TEXT_OF(x)
#ifdef __ADAPTIVECPP__
#define KC_SYCL               \
  KC_TEXT(ACPP_VERSION_MAJOR) \
  "." KC_TEXT(ACPP_VERSION_MINOR) "." KC_TEXT(ACPP_VERSION_PATCH) KC_TEXT(ACPP_VERSION_SUFFIX)
#else
#define KC_SYCL                    \
  KC_TEXT(__LIBSYCL_MAJOR_VERSION) \
  "." KC_TEXT(__LIBSYCL_MINOR_VERSION) " " KC_TEXT(__SYCL_COMPILER_VERSION)
#endif

namespace penstock_sycl {
namespace {

constexpr const char* own_interface =
    KC_TEXT(KC_INTERFACE_VERSION) ", SYCL " KC_SYCL ", " __VERSION__;

// Returns the program's description of itself; "none" if it has none.
std::string interface_of(void* library) {
  using Say = const char* (*)();
  const auto say = reinterpret_cast<Say>(dlsym(library, "kc_interface"));
  return say ? say() : "none";
}

}  // namespace

int32_t load_module(const char* path, penstock_sycl_module** module, penstock_sycl_error* error) {
  return guarded(error, [&] {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char* const reason = dlerror();
      return fail(error, PENSTOCK_SYCL_INVALID, reason ? reason : "dlopen gives no reason");
    }
    if (const std::string theirs = interface_of(library); theirs != own_interface) {
      const std::string text =
          "the program was compiled for another SYCL than the plug-in: " + theirs + ", not " +
          own_interface;
      return fail(error, PENSTOCK_SYCL_INVALID, text.c_str());
    }
    *module = new penstock_sycl_module{library};
    return 0;
  });
}

int32_t find_kernel(const penstock_sycl_module* module, const char* name,
                    const penstock_sycl_kernel** kernel, penstock_sycl_kernel_info* info,
                    penstock_sycl_error* error) {
  return guarded(error, [&] {
    using Find = const void* (*)();
    const std::string symbol = std::string("kc_entry_of_") + name;
    const auto find = reinterpret_cast<Find>(dlsym(module->library, symbol.c_str()));
    if (!find) return fail(error, PENSTOCK_SYCL_NO_KERNEL, name);
    *kernel = static_cast<const penstock_sycl_kernel*>(find());
    info->parameter_count = (*kernel)->parameter_count;
    info->value_bytes = (*kernel)->value_bytes;
    info->local_bytes = (*kernel)->local_bytes;
    return 0;
  });
}

void free_module(penstock_sycl_module* module) { delete module; }

}  // namespace penstock_sycl
