// Finds the record batches of an Arrow IPC file and their numbers of rows, from their descriptions
// alone.
//
// Arrow counts a file's rows by reading all of it.
// https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format has the format; the
// descriptions are flatbuffers (https://flatbuffers.dev/internals), every position of which is
// checked before it is read.
#pragma once
#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <memory>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::io {

struct IpcBlock {
  std::uint64_t offset = 0, description_bytes = 0, body_bytes = 0;
};

struct IpcFooter {
  std::vector<IpcBlock> blocks;  // of the record batches, in their order
  bool is_little_endian = true;  // the values
};
Result<IpcFooter> read_footer(arrow::io::RandomAccessFile& file);
Result<std::uint64_t> count_rows(arrow::io::RandomAccessFile& file,
                                 const std::vector<IpcBlock>& blocks);
// Returns the flatbuffer that describes a record batch, without the length before it.
Result<std::shared_ptr<arrow::Buffer>> read_description(arrow::io::RandomAccessFile& file,
                                                        const IpcBlock& block);

}  // namespace penstock::io
