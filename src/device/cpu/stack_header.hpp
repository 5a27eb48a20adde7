// The mark of a shared object that it runs no code on the stack.
#pragma once
#include <string>

#include "penstock/status.hpp"

namespace penstock::cpu {

// Adds the program header PT_GNU_STACK to the ELF file at `path`, if it has none. TCC writes none.
// The dynamic linker then takes the object for one that needs an executable stack: glibc up to 2.40
// makes the stack of the process executable, and from 2.41 on it refuses the object. A file that is
// not of ELF is left as it is.
Status forbid_executable_stack(const std::string& path);

}  // namespace penstock::cpu
