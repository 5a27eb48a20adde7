// The C compilers that make kernels for the processor, found when they are first asked for.
//
// The quick one answers at once: TCC takes 13 ms for the kernel of a statement. The optimising one
// (gcc or clang) takes some 150 ms, and its code is ten times faster.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::cpu {

// The code of a program, from the first that is there to the best.
enum class Stage : unsigned char {
  quick,  // TCC's
  plain,  // the optimising compiler's with -O1: half of the time to compile
  optimal
};

struct Compiler {
  std::string path;      // absolute
  std::string identity;  // changes where its file does
  std::vector<std::string> options;
  // For the optimising compiler, in addition to `options`.
  std::vector<std::string> plain_options = {}, optimal_options = {};
};
struct Compilers {
  std::optional<Compiler> quick, optimising;
};

// Returns the compilers on PATH: `tcc`; `cc`, else gcc, else clang. PENSTOCK_TCC and PENSTOCK_CC
// name others, "" none. Relative entries of PATH are passed over.
Compilers find_compilers();

// The compilers of a program: by the choice (choose_cpu_compiler()) and by availability.
// Code::unsupported, with what to install, where the chosen one is missing.
Result<Compilers> chosen_compilers(const Compilers& found);

}  // namespace penstock::cpu
