// Completions of a word in the shell: keywords, commands, files of tables, columns of the files
// that the statement names.
#pragma once
#include <string>
#include <vector>

#include "penstock/session.hpp"

namespace penstock::cli {

// `before`: the text of the statement before the word.
std::vector<std::string> completions(Session& session, const std::string& before,
                                     const std::string& word);

}  // namespace penstock::cli
