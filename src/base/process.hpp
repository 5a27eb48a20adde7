// Runs another program to its end.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock {

struct ProcessOutput {
  std::string output, errors;
  int exit_code = 0;  // 128 and more: a signal ended it
};
// Starts words[0], which is looked up on the path, with the input on its standard input. Code::io
// where it does not start.
Result<ProcessOutput> run_process(const std::vector<std::string>& words, std::string_view input);

// Returns the first program of that name on the path; "" if there is none. A relative folder is
// left out: it may be another user's.
std::string program_on_path(std::string_view name);

}  // namespace penstock
