// Messages on stderr: errors, sizes, rates, and how a Status becomes an exit code.
#pragma once
#include <string>
#include <string_view>

#include "base/human_readable.hpp"
#include "penstock/status.hpp"

namespace penstock::terminal {

// Prints a line on stderr. Text that it quotes from files cannot command the terminal.
void print_line(std::string_view text);
// Prints a warning. The process's exit code is exit_warning then, unless an error follows.
void print_warning(std::string_view text);
// Prints an error with its context, one line each, and returns the process's exit code.
int print_outcome(const Status& status);

std::string seconds_text(double seconds);             // 0.0312 -> "31.2 ms"
std::string rate_text(double per_second);             // 1.46e7 -> "14.6 M"
std::string gigabytes_text(double bytes_per_second);  // 2.13e10 -> "21.3 GB/s"

}  // namespace penstock::terminal
