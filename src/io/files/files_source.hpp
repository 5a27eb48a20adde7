// Several files as one table.
#pragma once
#include <memory>
#include <string>

#include "io/files/joined_schema.hpp"

namespace penstock::io {

// `name` is for explain; `identity` names the files as they are, or is "".
std::shared_ptr<TableSource> files_source(std::shared_ptr<const JoinedFiles> joined,
                                          std::string name, std::string identity);

}  // namespace penstock::io
