// Rows of several files one after another, read ahead across files.
//
// While a file's rows are taken, the next files are already being decoded: as many as have a batch
// of rows together, and one large file at most. That bounds the memory.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "io/files/joined_schema.hpp"
#include "penstock/skipping.hpp"

namespace penstock::io {

// The rows to read from one file.
struct FileRows {
  const FilePart* part = nullptr;
  std::optional<std::uint64_t> row_count = {};    // to read, if known
  std::shared_ptr<const RowSelection> rows = {};  // numbered from the file's first; null: all
  bool selects_rows = false;                      // whether the file's source can leave out rows
};

// `schema` is the table's, of which `columns` are read. `joined` must outlive the stream.
std::unique_ptr<BatchStream> scan_files(std::shared_ptr<const JoinedFiles> joined,
                                        std::vector<FileRows> files,
                                        std::vector<std::uint32_t> columns,
                                        const ScanOptions& options);

}  // namespace penstock::io
