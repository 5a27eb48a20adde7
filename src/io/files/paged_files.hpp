// Several files as pages: their row groups one after another.
#pragma once
#include <memory>

#include "codec/pages/paged_table.hpp"
#include "io/files/joined_schema.hpp"

namespace penstock::io {

// Null unless every file is stored as pages. A column that files store in several ways is refused
// in the row groups that differ from the first file with it: the host decodes it.
std::shared_ptr<const pages::PagedTable> paged_files(std::shared_ptr<const JoinedFiles> joined);

}  // namespace penstock::io
