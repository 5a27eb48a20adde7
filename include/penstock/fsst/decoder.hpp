// FSST columns on a device: codes go there once, and are decoded where they lie, to text and
// offsets that stay there.
//
// Nothing waits inside enqueue() but for the compiler, when a way of decoding is first asked for,
// and nothing is allocated after that, so that decoding takes its place among other work of a
// queue; a decoder is for one queue at a time. Codes are validated while they are measured and
// decoded; of a column that is not sound check() says why in the words of validate(), and its text,
// which stays inside its memory, is not to be used. The words need the codes, which have to lie
// there unchanged until then. Row groups of a column, each with its symbol table, are decoded by
// one launch. Rows of many megabytes are slow: each piece of one is measured from its beginning.
//
//     PENSTOCK_ASSIGN(auto there, fsst::DeviceStrings::upload(*device, *queue, urls));
//     PENSTOCK_ASSIGN(auto decoder, fsst::Decoder::build(device, there));
//     PENSTOCK_ASSIGN(auto text, fsst::DeviceOutput::allocate(*device, there));
//     PENSTOCK_TRY(decoder->enqueue(*queue, there, text));
//     PENSTOCK_TRY(decoder->check(*queue));      // waits
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"
#include "penstock/fsst.hpp"

namespace penstock::fsst {

// Encoded strings in a device's memory, and what kernels share out among groups; made for one
// device.
struct DeviceStrings {
  std::uint64_t row_count = 0, code_bytes = 0, string_bytes = 0;
  std::uint64_t tile_count = 0;  // of codes
  std::uint32_t offset_bytes = 4, group_count = 0, block_count = 0, span_count = 0;
  std::shared_ptr<Buffer> codes;    // bytes, padded with zeros to a multiple of 16
  std::shared_ptr<Buffer> offsets;  // row_count + 1, of offset_bytes
  std::shared_ptr<Buffer> groups;   // u64: each row group's first row, then row_count
  std::shared_ptr<Buffer> tables;   // 768 words a row group: src/codec/fsst/kernels/fsst_tables.kc
  std::shared_ptr<Buffer>
      first_tiles;  // u64: each row group's first tile of codes, then their count
  std::shared_ptr<Buffer> spans, span_groups,
      blocks;  // of the variant for warps (fsst_warps.kc); null on other devices
  std::shared_ptr<const std::vector<RowGroup>> row_groups;  // on the host, for errors' words

  // Enqueues the uploads and waits for them. What validate_layout() says of columns that are not
  // sound; Code::unsupported for a column without rows.
  static Result<DeviceStrings> upload(Device& device, Queue& queue, const EncodedStrings& strings);
  // For matcher.hpp alone, of what the caller brings: `codes` with 16 bytes of zeros or fewer
  // behind them, so that there are whole 16s, and `offsets`. They need not be there before
  // something is enqueued. Waits for what is small. Decoders want more than this has.
  static Result<DeviceStrings> wrap_for_matching(Device& device, const EncodedStrings& strings,
                                                 std::shared_ptr<Buffer> codes,
                                                 std::shared_ptr<Buffer> offsets);
};

// Text in a device's memory as Arrow's large_string has it, without validity;
// arrow_string_layouts.hpp makes string and string_view of it.
struct DeviceOutput {
  std::shared_ptr<Buffer> offsets;  // u64, row_count + 1
  std::shared_ptr<Buffer> bytes;    // string_bytes; padded to a multiple of 16
  static Result<DeviceOutput> allocate(Device& device, const DeviceStrings& strings);
};

// What is made of text offsets that come with a column.
enum class GivenOffsets {
  trusted,    // text that does not fit them is noticed where a piece of codes ends that is decoded
              // by itself (a row, a tile's row group, a span); between such places it may lie
              // shifted, and bytes stay as they were
  validated,  // each row's
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  // `variant`: "fsst_decode_spans" (NVIDIA, sm_90 and later), "fsst_decode_tiles" (GPUs),
  // "fsst_decode_rows"; the first that fits where it is empty. Code::invalid for one that does not
  // fit.
  static Result<std::unique_ptr<Decoder>> build(std::shared_ptr<Device> device,
                                                const DeviceStrings& strings,
                                                std::string_view variant = {});
  static std::vector<std::string> variants(
      const Traits& traits);  // that fit a device, the one that is taken first
  // Finds the offsets of all rows and checks every code, then decodes.
  virtual Status enqueue(Queue& queue, const DeviceStrings& strings, const DeviceOutput& text) = 0;
  // Decodes to offsets that are there already, as formats keep them that store lengths. Whatever
  // these say, nothing outside text.bytes is written, and codes without a symbol are noticed.
  // Offsets that do not fit the codes are Code::corrupt in check(): all of them, and rows that end
  // within an escape, where they are validated, as what is from outside should be.
  virtual Status enqueue_decode(Queue& queue, const DeviceStrings& strings,
                                const DeviceOutput& text,
                                GivenOffsets how = GivenOffsets::trusted) = 0;
  // Waits. Code::corrupt when a column that was enqueued since the last check was not sound: of the
  // last one with what validate() says of it: row, byte and what is wrong; where offsets were given
  // the first row whose text does not fit them, and then all codes are download_strings to find it.
  // Columns enqueued behind one that is not sound may be left undecoded.
  virtual Status check(Queue& queue) = 0;
  virtual std::string_view variant() const = 0;
};

// Decodes chosen rows without the others.
class SelectedRowDecoder {
 public:
  virtual ~SelectedRowDecoder() = default;
  // For up to `max_rows` rows at once. `variant`: "fsst_chosen_tiles" (GPUs), "fsst_chosen_rows";
  // the first that fits where it is empty. Code::invalid for one that does not fit.
  static Result<std::unique_ptr<SelectedRowDecoder>> build(std::shared_ptr<Device> device,
                                                           const DeviceStrings& strings,
                                                           std::uint64_t max_rows,
                                                           std::string_view variant = {});
  static std::vector<std::string> variants(
      const Traits& traits);  // that fit a device, the one that is taken first
  // `rows`: `count` row numbers, u64 each, in any order; a row may stand twice. `text`: count + 1
  // offsets, and bytes for as much text as there may be.
  virtual Status enqueue(Queue& queue, const DeviceStrings& strings, const Buffer& rows,
                         std::uint64_t count, const DeviceOutput& text) = 0;
  // The rows of a bitmap (bitmap_bytes() in matcher.hpp), ascending. `text`: max_rows + 1
  // offsets; those behind the last chosen row are all the text's end.
  virtual Status enqueue_bitmap(Queue& queue, const DeviceStrings& strings, const Buffer& bits,
                                const DeviceOutput& text) = 0;
  // Waits. How many rows the last enqueued selection has. Code::corrupt, naming row and byte, when
  // codes were not sound: nothing is decoded then; Code::invalid for a row that the column does not
  // have, Code::capacity for more rows than max_rows or more text than `text` has room for.
  virtual Result<std::uint64_t> check(Queue& queue) = 0;
  virtual std::string_view variant() const = 0;
};

}  // namespace penstock::fsst
