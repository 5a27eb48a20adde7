// A file that is opened for each read, so that a table of any number of files holds no descriptors.
#pragma once
#include <arrow/io/interfaces.h>

#include <memory>
#include <string>

#include "penstock/status.hpp"

namespace penstock::io {

// Reads fail once the file has changed. Several threads may read at once.
Result<std::shared_ptr<arrow::io::RandomAccessFile>> open_on_demand(const std::string& path);

}  // namespace penstock::io
