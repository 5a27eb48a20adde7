// Where an Arrow IPC file's record batches lie and how many rows they have, read from their descriptions alone.
//
// Arrow counts a file's rows by reading all of it. https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format has the format;
// the descriptions are flatbuffers (https://flatbuffers.dev/internals), every position of which is checked before it is read.
#pragma once
#include <arrow/io/interfaces.h>

#include <vector>

#include "penstock/status.hpp"

namespace penstock::io {

struct IpcBlock { std::uint64_t offset = 0, description_bytes = 0, body_bytes = 0; };

// Of the record batches, in their order.
Result<std::vector<IpcBlock>> read_blocks(arrow::io::RandomAccessFile& file);
Result<std::uint64_t> count_rows(arrow::io::RandomAccessFile& file, const std::vector<IpcBlock>& blocks);

}  // namespace penstock::io
