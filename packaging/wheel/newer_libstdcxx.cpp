// Functions of GCC 12's <string>, <sstream>, <stdexcept> and <exception> that the libstdc++ of GCC
// 8 lacks, for a module that also runs on that one (stub_libraries.py). The module has to keep
// them to itself, by a version script: the loader would take them for the system's. Each is written
// with functions that both have, and no type is defined anew: exceptions and streams stay those of
// the process.
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

// The headers have these as templates, and say that the library has made them.
template void std::string::reserve();
template std::string std::stringbuf::str() const&;
template std::string std::stringstream::str() const&;
template std::string std::istringstream::str() const&;
template std::string std::ostringstream::str() const&;
template std::stringstream::basic_stringstream();
template std::istringstream::basic_istringstream();
template std::ostringstream::basic_ostringstream();
template std::istringstream::basic_istringstream(std::string&&, std::ios_base::openmode);

std::runtime_error::runtime_error(runtime_error&& other) noexcept
    : runtime_error(static_cast<const runtime_error&>(other)) {}

void std::__throw_bad_array_new_length() { throw bad_array_new_length(); }

// Counting references of an exception: GCC 8 has it in copies and destruction alone, which are not
// inline there. The version keeps the linker from taking the inline ones of our headers.
extern "C" {
void penstock_copy_exception_pointer(void* copy, const void* pointer);
void penstock_destroy_exception_pointer(void* pointer);
}
__asm__(
    ".symver penstock_copy_exception_pointer, "
    "_ZNSt15__exception_ptr13exception_ptrC1ERKS0_@CXXABI_1.3.3\n"
    ".symver penstock_destroy_exception_pointer, "
    "_ZNSt15__exception_ptr13exception_ptrD1Ev@CXXABI_1.3.3");

void std::__exception_ptr::exception_ptr::_M_addref() noexcept {
  void* copy = nullptr;  // stays, as one reference more
  penstock_copy_exception_pointer(&copy, this);
}

void std::__exception_ptr::exception_ptr::_M_release() noexcept {
  penstock_destroy_exception_pointer(this);
}
