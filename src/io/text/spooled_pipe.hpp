// Pipes that are read once and kept, so that they may be read again: a text is looked at before it
// is scanned, and a statement may name it twice.
#pragma once
#include <memory>
#include <string>

#include "io/text/byte_file.hpp"

struct stat;

namespace penstock::io {

// Returns the pipe of this path and status; the same one for as long as the process lives. Reads
// nothing yet. The first 8 MiB are kept in memory, the rest in a temporary file without a name.
std::shared_ptr<ByteFile> spooled_pipe(const std::string& path, const std::string& name,
                                       const struct stat& status);

}  // namespace penstock::io
