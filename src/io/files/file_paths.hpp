// The files that a table's paths name: a file as it is, a folder with all files below it, and
// patterns.
//
// In a pattern * stands for any characters of a name, ? for one, [ab] and [a-z] for one of these,
// [!ab] for one of the others; ** stands for any number of folders, and \ takes the next character
// as it is. A file that has the very name of a pattern is that file.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::io {

// Returns the files in the order of the paths. Files of a folder or a pattern are in the order of
// their names' bytes, with a folder's files before its folders. A pattern leaves out hidden files
// unless it begins a name with a dot. A folder leaves out names that begin with . or _, which
// writers leave there. A path without files is an error. Files are not opened.
Result<std::vector<std::string>> files_of(std::span<const std::string> paths);

// Returns whether a path is standard input.
bool is_standard_input(std::string_view path);

// Returns whether a name matches a part of a pattern without slashes.
bool matches(std::string_view name, std::string_view pattern);

}  // namespace penstock::io
