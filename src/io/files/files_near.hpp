// Names of files that were meant by a name that no file has.
#pragma once
#include <filesystem>
#include <string>

namespace penstock::io {

// Returns "; did you mean 'sales.parquet'?": files beside a missing one with nearly its name; "" of
// none.
std::string files_near(const std::filesystem::path& path);

}  // namespace penstock::io
