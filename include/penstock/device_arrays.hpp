// Reads columns of a Parquet file as Arrow arrays in a device's memory. The file's own bytes travel
// to the device, which decompresses, checks and decodes them.
//
//     PENSTOCK_ASSIGN(auto device, open_device("cuda:0"));
//     PENSTOCK_ASSIGN(auto table, open_table("lineitem.parquet"));
//     PENSTOCK_ASSIGN(auto reader, DeviceArrayReader::open(device, table, {4, 5}));
//     for (;;) {
//       PENSTOCK_ASSIGN(const auto arrays, reader->next());
//       if (!arrays) break;
//       use(*arrays->columns[0].values, arrays->row_count);  // a kernel of the caller's
//     }
//
// Buffers are as https://arrow.apache.org/docs/format/Columnar.html has them. Their addresses are
// what Buffer says; device.h names them for C.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "penstock/column.hpp"
#include "penstock/device.hpp"

namespace penstock {

// A column's rows, complete and in no use by a queue. The bytes of a NULL in `values` are
// unspecified; a NULL string has no bytes. Decimals have 64 bits, Arrow's decimal64; timestamps are
// microseconds. Booleans are a bit a row, least significant first.
struct DeviceArray {
  Type type;
  std::uint64_t row_count = 0, null_count = 0;
  std::shared_ptr<Buffer> validity;  // a bit a row, 1 if it has a value; null without NULLs
  std::shared_ptr<Buffer> offsets;   // of strings: row_count + 1 of offset_bytes each
  std::shared_ptr<Buffer> values;    // of strings: their bytes
  std::uint32_t offset_bytes = 0;    // 4: Arrow's string; 8: large_string; 0: no string
  std::uint64_t value_bytes = 0;     // used of `values`
};

// Rows that follow those of the call before.
struct DeviceArrays {
  std::uint64_t row_count = 0;
  std::vector<DeviceArray> columns;  // in the order asked for
};

struct DeviceArrayOptions {
  // Arrays have whole row groups: at most so many rows, but for a row group that has more. 0: as
  // many as suit the device's memory.
  std::uint64_t batch_rows = 0;
  // Offsets of 64 bits also if the strings have less than 2^31 bytes.
  bool has_large_offsets = false;
};

class DeviceArrayReader {
 public:
  virtual ~DeviceArrayReader() = default;
  // Begins to read. Columns are numbers of the source's schema. Code::unsupported, with the reason,
  // for a source that is not Parquet, and for columns that the host alone decodes.
  static Result<std::unique_ptr<DeviceArrayReader>> open(std::shared_ptr<Device> device,
                                                         std::shared_ptr<const TableSource> source,
                                                         std::vector<std::uint32_t> columns,
                                                         const DeviceArrayOptions& options = {});
  // Returns the next arrays, nullopt after the last. Code::corrupt and others with column, row
  // group, page and byte. One thread at a time.
  virtual Result<std::optional<DeviceArrays>> next() = 0;
};

}  // namespace penstock
