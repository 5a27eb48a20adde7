// Other programs that a bench runs: itself anew, and generators of data.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::bench {

// Runs a program, found as the shell finds it, and returns what it printed on its standard output.
// Code::io with its last words on stderr where it failed.
Result<std::string> output_of_program(const std::vector<std::string>& arguments);

// Writes what baselines read. Code::io where the file cannot be written.
Status write_text(const std::filesystem::path& path, const std::string& text);

// The path of this program.
std::string own_program();

}  // namespace penstock::bench
