// Manual pages in roff: penstock(1), and one for each command.
#pragma once
#include <string>
#include <vector>

#include "terminal/command_text.hpp"

namespace penstock::terminal {

struct ReferenceFile {
  std::string name, text;  // "penstock-query.1"
};

// Returns penstock(1): the commands, files, exit codes and variables.
std::string manual_page(const CommandText& program);

// Returns penstock-query(1) of the command `query`, with the commands below it.
std::string manual_page_of(const CommandText& program, const CommandText& command);

// Returns every manual page and completion script, under the names by which man and shells find
// them.
std::vector<ReferenceFile> reference_files(const CommandText& program);

}  // namespace penstock::terminal
