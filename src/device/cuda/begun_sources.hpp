// Sources that begin to compile before their device is open (expected_device.cpp). The device
// finds what was made of exactly its text.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda/nvrtc.hpp"

namespace penstock::cuda {

// All that compile_source() depends on, but its label.
struct SourceToCompile {
  int architecture = 0;
  std::vector<std::string> options;
  std::string text;
};

// Compiles in a thread; once, where equal sources are begun again. `is_needless` is asked in that
// thread, before the compiler is: the disk cache may have the program.
void begin_source(const Nvrtc& nvrtc, SourceToCompile source, std::string label,
                  std::function<bool()> is_needless);
// Waits for what was begun. Returns nothing if no such source was begun, or
// if it failed: the caller then compiles it, and gets the error.
std::optional<CompiledSource> take_begun(const SourceToCompile& source);

}  // namespace penstock::cuda
