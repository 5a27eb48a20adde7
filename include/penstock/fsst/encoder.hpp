// Encoding of string columns on a device: text that lies there becomes codes that lie there, the
// very codes that encode() makes with the same symbol tables.
//
// Tables are trained on the host, from a sample that is download_strings. Nothing waits inside
// enqueue(), and nothing is allocated after the first one; an encoder is for one queue at a time.
// All row groups are encoded by the same launches.
//
//     // waits
//     PENSTOCK_ASSIGN(auto row_groups, fsst::train(device, *queue, texts));
//     PENSTOCK_ASSIGN(auto encoder, fsst::DeviceEncoder::build(device, texts, row_groups));
//     PENSTOCK_ASSIGN(auto codes, fsst::DeviceCodes::allocate(*device, texts, texts.string_bytes));
//     PENSTOCK_TRY(encoder->enqueue(*queue, texts, codes));
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

// Strings in a device's memory as Arrow's string or large_string has them.
struct PlainStrings {
  std::uint64_t row_count = 0;
  std::uint64_t string_bytes = 0;   // of `bytes`, from their first on; offsets end there or before
  std::uint32_t offset_bytes = 8;   // 4 or 8
  std::shared_ptr<Buffer> offsets;  // row_count + 1; the first may be above zero
  std::shared_ptr<Buffer>
      bytes;  // padded to a multiple of 16; kernels read what the padding has, and use none of it
  std::shared_ptr<Buffer> validity;  // a bit a row, or null: all rows are there

  // Enqueues the uploads of a plain string column and waits for them; zeros are the padding.
  // Code::unsupported for a dictionary.
  static Result<PlainStrings> upload(Device& device, Queue& queue, const Column& column);
};

// Memory for codes and their offsets.
struct DeviceCodes {
  std::shared_ptr<Buffer>
      codes;  // with room for zeros behind the codes, 1 to 16 bytes up to a multiple of 16
  std::shared_ptr<Buffer> offsets;  // row_count + 1, of offset_bytes
  std::uint32_t offset_bytes = 4;   // 4 (up to 2^31 - 1 bytes of codes) or 8

  // For up to `code_bytes` of codes, which are never more than twice the text; offsets of 4 bytes
  // where these are enough.
  static Result<DeviceCodes> allocate(Device& device, const PlainStrings& texts,
                                      std::uint64_t code_bytes);
};

// Row groups of so many rows, each with a table trained on a sample of its texts: about 50 KB a row
// group are download_strings. Waits.
Result<std::vector<RowGroup>> train(const std::shared_ptr<Device>& device, Queue& queue,
                                    const PlainStrings& texts,
                                    std::uint64_t row_group_rows = 1 << 17);

class DeviceEncoder {
 public:
  virtual ~DeviceEncoder() = default;
  // For columns of as many rows as `texts` and no more text, with these row groups (their
  // first_string_byte does not matter) and offsets of codes of `code_offset_bytes`. `variant`:
  // "fsst_encode_tiles" (GPUs first), "fsst_encode_rows" (CPUs first); the first that fits where it
  // is empty. Waits for the upload of tables. Code::unsupported for a table of which two symbols of
  // three bytes and more share a slot of the hash table that encode() has: none that train() makes.
  static Result<std::unique_ptr<DeviceEncoder>> build(std::shared_ptr<Device> device,
                                                      const PlainStrings& texts,
                                                      std::span<const RowGroup> row_groups,
                                                      std::uint32_t code_offset_bytes = 4,
                                                      std::string_view variant = {});
  static std::vector<std::string> variants(
      const Traits& traits);  // that fit a device, the one that is taken first
  // Rows that are missing get no codes.
  virtual Status enqueue(Queue& queue, const PlainStrings& texts, const DeviceCodes& codes) = 0;
  // Waits. The last enqueued column, encoded. Code::corrupt, naming the first bad row, for offsets
  // that descend or end outside the text and for a row of a GiB and more; Code::capacity, saying
  // how many bytes there are, for codes that do not fit their memory: nothing outside it was
  // written.
  virtual Result<DeviceStrings> check(Queue& queue) = 0;
  // Fetches what check() found good since the last enqueue(): the column that encode() makes;
  // Code::invalid where it has not. Waits.
  virtual Result<EncodedStrings> download(Queue& queue) = 0;
  virtual std::string_view variant() const = 0;
};

}  // namespace penstock::fsst
