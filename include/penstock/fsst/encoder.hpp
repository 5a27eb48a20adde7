// Encoding of string columns on a device. Strings in device memory become codes in device memory.
// The codes equal the result of encode() with the same symbol tables, byte for byte.
//
// Symbol tables are trained on the host, from a sample that is downloaded. enqueue() never waits,
// and allocates nothing after its first call. An encoder serves one queue at a time. All row groups
// are encoded by the same launches.
//
//     // waits
//     PENSTOCK_ASSIGN(auto row_groups, fsst::train(device, *queue, strings));
//     PENSTOCK_ASSIGN(auto encoder, fsst::DeviceEncoder::build(device, strings, row_groups));
//     PENSTOCK_ASSIGN(auto codes,
//                     fsst::DeviceCodes::allocate(*device, strings, strings.string_bytes));
//     PENSTOCK_TRY(encoder->enqueue(*queue, strings, codes));
//     // waits
//     PENSTOCK_ASSIGN(fsst::DeviceStrings urls, encoder->check(*queue));
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/fsst/decoder.hpp"

namespace penstock::fsst {

// Plain strings in a device's memory: Arrow's string or large_string.
struct PlainStrings {
  std::uint64_t row_count = 0;
  std::uint64_t string_bytes = 0;   // size of `bytes`; no offset is larger
  std::uint32_t offset_bytes = 8;   // of one offset: 4 or 8
  std::shared_ptr<Buffer> offsets;  // row_count + 1; the first may be above zero
  // Padded to a multiple of 16 bytes. Kernels load the padding and ignore it.
  std::shared_ptr<Buffer> bytes;
  std::shared_ptr<Buffer> validity;  // one bit per row; null: no row is null

  // Uploads a plain string column, padded with zeros, and waits. Code::unsupported for a
  // dictionary.
  static Result<PlainStrings> upload(Device& device, Queue& queue, const Column& column);
};

// Device memory for codes and their offsets.
struct DeviceCodes {
  // Has capacity for 1 to 16 zero bytes after the codes, up to a multiple of 16.
  std::shared_ptr<Buffer> codes;
  std::shared_ptr<Buffer> offsets;  // row_count + 1 of offset_bytes each
  std::uint32_t offset_bytes = 4;   // 4 (up to 2^31 - 1 bytes of codes) or 8

  // Allocates memory for up to `code_bytes` bytes of codes, which are at most twice the strings'.
  // Offsets have 4 bytes if that is enough.
  static Result<DeviceCodes> allocate(Device& device, const PlainStrings& strings,
                                      std::uint64_t code_bytes);
};

// Divides the rows into groups of row_group_rows and trains a symbol table for each on a sample of
// its strings. Downloads about 50 KB per row group. Waits.
Result<std::vector<RowGroup>> train(const std::shared_ptr<Device>& device, Queue& queue,
                                    const PlainStrings& strings,
                                    std::uint64_t row_group_rows = 1 << 17);

class DeviceEncoder {
 public:
  virtual ~DeviceEncoder() = default;
  // Builds an encoder of columns with as many rows as `strings`, at most as many bytes, these row
  // groups (first_string_byte is ignored) and code offsets of `code_offset_bytes`. `variant`:
  // "fsst_encode_tiles" (default on GPUs) or "fsst_encode_rows" (default on CPUs). If empty, the
  // first that fits. Waits for the upload of tables. Code::unsupported for a table in which two
  // symbols of three bytes and more share a slot of encode()'s hash table; train() returns none.
  static Result<std::unique_ptr<DeviceEncoder>> build(std::shared_ptr<Device> device,
                                                      const PlainStrings& strings,
                                                      std::span<const RowGroup> row_groups,
                                                      std::uint32_t code_offset_bytes = 4,
                                                      std::string_view variant = {});
  // Returns the variants that fit a device, the default first.
  static std::vector<std::string> variants(const Traits& traits);
  // Encodes a column. Null rows get no codes.
  virtual Status enqueue(Queue& queue, const PlainStrings& strings, const DeviceCodes& codes) = 0;
  // Waits. Returns the last enqueued column, encoded. Code::corrupt names the first row whose
  // offsets descend, lie outside the strings or are 1 GiB or more apart. Code::capacity for codes
  // that do not fit their memory; the message says how many bytes they take. Nothing outside the
  // memory is written.
  virtual Result<DeviceStrings> check(Queue& queue) = 0;
  // Downloads the column that the last check() returned: the result of encode(). Code::invalid if
  // there was no successful check() since the last enqueue(). Waits.
  virtual Result<EncodedStrings> download(Queue& queue) = 0;
  virtual std::string_view variant() const = 0;
};

}  // namespace penstock::fsst
