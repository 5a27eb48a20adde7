// Decoding of FSST columns on a device. Codes are uploaded once and decoded in device memory; the
// output stays in device memory as Arrow's large_string.
//
// enqueue() never waits, except for the compiler when a variant is first used, and allocates
// nothing after that. Decoding therefore runs in order with other work of a queue. A decoder serves
// one queue at a time. All row groups of a column are decoded by the same launches.
//
// Codes are checked while they are measured and decoded. For a corrupt column check() returns the
// message of validate(). Its output stays within its memory and must not be used. check() reads the
// codes again for that message, so they must still be in place and unchanged.
//
// Rows of many megabytes are slow: each part of such a row is measured from the row's beginning.
//
//     PENSTOCK_ASSIGN(auto codes, fsst::DeviceStrings::upload(*device, *queue, urls));
//     PENSTOCK_ASSIGN(auto decoder, fsst::Decoder::build(device, codes));
//     PENSTOCK_ASSIGN(auto output, fsst::DeviceOutput::allocate(*device, codes));
//     PENSTOCK_TRY(decoder->enqueue(*queue, codes, output));
//     PENSTOCK_TRY(decoder->check(*queue));      // waits
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"
#include "penstock/fsst.hpp"

namespace penstock::fsst {

// Encoded strings in a device's memory, and how their codes are divided among thread blocks.
// Belongs to the device that it was uploaded to.
struct DeviceStrings {
  std::uint64_t row_count = 0, code_bytes = 0, string_bytes = 0;
  std::uint64_t tile_count = 0;  // of codes
  std::uint32_t offset_bytes = 4, group_count = 0, thread_block_count = 0, span_count = 0;
  std::shared_ptr<Buffer> codes;       // bytes, padded with zeros to a multiple of 16
  std::shared_ptr<Buffer> offsets;     // row_count + 1 of offset_bytes each
  std::shared_ptr<Buffer> group_rows;  // u64: each row group's first row, then row_count
  // 768 u32 per row group, laid out as src/codec/fsst/kernels/fsst_tables.kc says.
  std::shared_ptr<Buffer> tables;
  // u64: each row group's first tile of codes, then the number of tiles.
  std::shared_ptr<Buffer> first_tiles;
  // For the warp-cooperative variant (fsst_warps.kc); null on other devices.
  std::shared_ptr<Buffer> spans, span_row_groups, thread_blocks;
  std::shared_ptr<const std::vector<RowGroup>> row_groups;  // on the host, for error messages

  // Uploads a column and waits. Returns the errors of validate_layout(), and Code::unsupported for
  // a column without rows.
  static Result<DeviceStrings> upload(Device& device, Queue& queue, const EncodedStrings& strings);
  // Wraps codes and offsets that the caller uploads, for matcher.hpp only; decoders refuse the
  // result. `codes` is padded with zeros to a multiple of 16 bytes. Both buffers need to be filled
  // only when a kernel that reads them is enqueued. Uploads the row groups' first rows and waits.
  static Result<DeviceStrings> wrap_for_matching(Device& device, const EncodedStrings& strings,
                                                 std::shared_ptr<Buffer> codes,
                                                 std::shared_ptr<Buffer> offsets);
};

// Decoded strings in a device's memory: Arrow's large_string without validity.
// arrow_string_layouts.hpp converts it to string or string_view.
struct DeviceOutput {
  std::shared_ptr<Buffer> offsets;  // u64, row_count + 1
  std::shared_ptr<Buffer> bytes;    // string_bytes, padded to a multiple of 16
  static Result<DeviceOutput> allocate(Device& device, const DeviceStrings& strings);
};

// How far Decoder::enqueue_decode() checks string offsets that come with a column.
enum class GivenOffsets {
  // Compares them only where a separately decoded part of the codes ends: a row, a tile's row group
  // or a span, depending on the variant. Between those positions the output may be shifted, and
  // some
  // of its bytes may be left unwritten.
  trusted,
  // Checks the offset of every row.
  validated,
};

// Decodes all rows of a column.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // `variant`: "fsst_decode_spans" (NVIDIA, sm_90 and later), "fsst_decode_tiles" (GPUs) or
  // "fsst_decode_rows". If empty, the first that fits the device. Code::invalid for one that does
  // not fit.
  static Result<std::unique_ptr<Decoder>> build(std::shared_ptr<Device> device,
                                                const DeviceStrings& strings,
                                                std::string_view variant = {});
  // Returns the variants that fit a device, the default first.
  static std::vector<std::string> variants(const Traits& traits);
  // Finds the output offsets of all rows, checks every code, then decodes.
  virtual Status enqueue(Queue& queue, const DeviceStrings& strings,
                         const DeviceOutput& output) = 0;
  // Decodes to the offsets that output.offsets holds, for formats that store lengths. Nothing
  // outside output.bytes is written, whatever the offsets say. Codes without a symbol are always
  // reported. check() returns Code::corrupt for offsets that do not fit the codes. With
  // GivenOffsets::validated, as for untrusted input, it finds all such offsets, and rows that end
  // within an escape.
  virtual Status enqueue_decode(Queue& queue, const DeviceStrings& strings,
                                const DeviceOutput& output,
                                GivenOffsets how = GivenOffsets::trusted) = 0;
  // Waits. Returns Code::corrupt if a column that was enqueued since the last check was corrupt.
  // The message is about the last column and is that of validate(): row, byte and error. If offsets
  // were given, it names the first row that does not fit them; all codes are downloaded to find it.
  // Columns enqueued after a corrupt one may be left undecoded.
  virtual Status check(Queue& queue) = 0;
  virtual std::string_view variant() const = 0;
};

// Decodes selected rows without decoding the others.
class SelectedRowDecoder {
 public:
  virtual ~SelectedRowDecoder() = default;
  // Builds a decoder of up to `max_rows` rows at once. `variant`: "fsst_selected_tiles" (GPUs) or
  // "fsst_selected_rows". If empty, the first that fits. Code::invalid for one that does not fit.
  static Result<std::unique_ptr<SelectedRowDecoder>> build(std::shared_ptr<Device> device,
                                                           const DeviceStrings& strings,
                                                           std::uint64_t max_rows,
                                                           std::string_view variant = {});
  // Returns the variants that fit a device, the default first.
  static std::vector<std::string> variants(const Traits& traits);
  // Decodes rows by number. `rows`: `count` row numbers, u64 each, in any order; a row may occur
  // more than once. `output`: count + 1 offsets, and capacity for the strings.
  virtual Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& rows,
                         std::uint64_t count, const DeviceOutput& output) = 0;
  // Decodes the rows whose bit is set, ascending. `bits`: bitmap_bytes() bytes (matcher.hpp).
  // `output`: max_rows + 1 offsets; those after the last selected row are the end of the output.
  virtual Status enqueue_bitmap(Queue& queue, const DeviceStrings& strings, const Buffer& bits,
                                const DeviceOutput& output) = 0;
  // Waits. Returns how many rows the last selection has. Code::corrupt names row and byte of
  // corrupt codes; nothing is decoded then. Code::invalid for a row number that the column does not
  // have. Code::capacity for more than max_rows rows or for strings that do not fit `output`.
  virtual Result<std::uint64_t> check(Queue& queue) = 0;
  virtual std::string_view variant() const = 0;
};

}  // namespace penstock::fsst
