// A compiler as a separate process.
#pragma once
#include <string>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::device {

struct CompilerRun {
  bool succeeded = false;
  std::string log;  // of both outputs
};
// Runs a command and waits for it. Its temporary files are in `folder`. The command ends with this
// process, and so do all processes that it started. Code::compile if it cannot be started,
// Code::cancelled if this process is ending.
Result<CompilerRun> run_compiler(const std::vector<std::string>& command,
                                 const std::string& folder);

// Ends the compilers that run, and removes the folders of this process: what happens at exit, for a
// process that ends without exit handlers. None starts after that.
void end_compilers();

}  // namespace penstock::device
