#include "codec/batch/chunk_decoder.hpp"

#include <algorithm>
#include <array>

namespace penstock::batch {
namespace {

constexpr std::uint64_t deflate_warp_bytes = 7424, deflate_list_bytes = 2048 * 4;  // MAX_TOKENS
constexpr Phase zstd_order = {
    .kernel = "zstd_order", .file = "zstd/kernels/zstd_order", .takers = Takers::one_group};
constexpr Phase zstd_sequences = {.kernel = "zstd_sequences",
                                  .file = "zstd/kernels/zstd_sequences",
                                  .takers = Takers::threads_by_number,
                                  .local_bytes = 2704 + 356,
                                  .takers_per_group = 32};
constexpr Phase zstd_literals = {.kernel = "zstd_literals",
                                 .file = "zstd/kernels/zstd_literals",
                                 .takers = Takers::threads_by_number,
                                 .local_bytes = 1244,
                                 .takers_per_group = 28,
                                 .threads_per_chunk = 4};
constexpr Phase zstd_checksum = {.kernel = "zstd_checksum",
                                 .file = "zstd/kernels/zstd_checksum",
                                 .takers = Takers::threads_by_number,
                                 .takers_per_group = 128,
                                 .threads_per_chunk = 4};

// Groups and teams as measured on one H200 (docs/performance.md): of LZ4's and Snappy's eight a
// group and six groups a multiprocessor leave the L1 cache its room, of Deflate's there are as many
// as local memory holds.
constexpr std::array table = {
    // Of blocks of 64 KiB a batch has a thousand and more, which are enough teams; of those of 4
    // MiB it has too few.
    Variant{.name = "lz4_decode_stretches",
            .format = Format::lz4,
            .phases = {Phase{.kernel = "lz4_measure_stretches",
                             .file = "lz4/kernels/lz4_walk_stretches",
                             .takers = Takers::warps,
                             .local_bytes = 2816,
                             .takers_per_group = 8,
                             .groups_per_unit = 8},
                       Phase{.kernel = "lz4_origins_of_stretches",
                             .file = "lz4/kernels/lz4_origins",
                             .takers = Takers::warps,
                             .local_bytes = 3456,
                             .takers_per_group = 8,
                             .groups_per_unit = 4}},
            .is_by_stretches = true,
            .min_output_bytes = 256 << 10,
            .takes_linked = true},
    Variant{.name = "lz4_decode_warp",
            .format = Format::lz4,
            .phases = {Phase{.kernel = "lz4_decode_warp",
                             .file = "lz4/kernels/lz4_decode_warp",
                             .takers = Takers::warps,
                             .local_bytes = 4096,
                             .takers_per_group = 8,
                             .groups_per_unit = 6}}},
    Variant{
        .name = "lz4_decode_thread",
        .format = Format::lz4,
        .phases = {Phase{.kernel = "lz4_decode_thread", .file = "lz4/kernels/lz4_decode_thread"}}},
    Variant{.name = "snappy_decode_warp",
            .format = Format::snappy,
            .phases = {Phase{.kernel = "snappy_decode_warp",
                             .file = "snappy/kernels/snappy_decode_warp",
                             .takers = Takers::warps,
                             .local_bytes = 4096,
                             .takers_per_group = 8,
                             .groups_per_unit = 6}}},
    Variant{.name = "snappy_decode_thread",
            .format = Format::snappy,
            .phases = {Phase{.kernel = "snappy_decode_thread",
                             .file = "snappy/kernels/snappy_decode_thread"}}},
    Variant{.name = "deflate_decode_warp",
            .format = Format::deflate,
            .phases = {Phase{.kernel = "deflate_decode_warp",
                             .file = "deflate/kernels/deflate_decode_warp",
                             .takers = Takers::warps,
                             .local_bytes = deflate_warp_bytes,
                             .takers_per_group = 4,
                             .groups_per_unit = 7}},
            .bytes_in_flight = deflate_list_bytes},
    Variant{.name = "deflate_decode_thread",
            .format = Format::deflate,
            .phases = {Phase{.kernel = "deflate_decode_thread",
                             .file = "deflate/kernels/deflate_decode_thread"}},
            .is_for_cpus = true},
    Variant{.name = "zlib_decode_warp",
            .format = Format::zlib,
            .phases = {Phase{.kernel = "zlib_decode_warp",
                             .file = "deflate/kernels/zlib_decode_warp",
                             .takers = Takers::warps,
                             .local_bytes = deflate_warp_bytes,
                             .takers_per_group = 4,
                             .groups_per_unit = 7}},
            .bytes_in_flight = deflate_list_bytes},
    Variant{.name = "zlib_decode_thread",
            .format = Format::zlib,
            .phases = {Phase{.kernel = "zlib_decode_thread",
                             .file = "deflate/kernels/zlib_decode_thread"}},
            .is_for_cpus = true},
    Variant{.name = "gzip_decode_warp",
            .format = Format::gzip,
            .phases = {Phase{.kernel = "gzip_decode_warp",
                             .file = "deflate/kernels/gzip_decode_warp",
                             .takers = Takers::warps,
                             .local_bytes = deflate_warp_bytes,
                             .takers_per_group = 4,
                             .groups_per_unit = 7}},
            .bytes_in_flight = deflate_list_bytes},
    Variant{.name = "gzip_decode_thread",
            .format = Format::gzip,
            .phases = {Phase{.kernel = "gzip_decode_thread",
                             .file = "deflate/kernels/gzip_decode_thread"}},
            .is_for_cpus = true},
    Variant{.name = "zstd_decode_warp",
            .format = Format::zstd,
            .phases = {zstd_order, zstd_sequences, zstd_literals,
                       Phase{.kernel = "zstd_output",
                             .file = "zstd/kernels/zstd_output",
                             .takers = Takers::warps,
                             .local_bytes = 2560,
                             .takers_per_group = 8,
                             .groups_per_unit = 6},
                       zstd_checksum},
            .bytes_per_chunk = 24 + 8,
            .bytes_per_match = 8},
    Variant{
        .name = "zstd_decode_threads",
        .format = Format::zstd,
        .phases = {zstd_order, zstd_sequences, zstd_literals,
                   Phase{.kernel = "zstd_output_thread", .file = "zstd/kernels/zstd_output_thread"},
                   zstd_checksum},
        .bytes_per_chunk = 24 + 8,
        .bytes_per_match = 8},
};

struct ErrorWords {
  ErrorCode error;
  Code code;
  const char* words;
};
constexpr std::array error_words = {
    ErrorWords{ErrorCode::truncated, Code::truncated, "the chunk ends within what begins here"},
    ErrorWords{ErrorCode::too_long, Code::capacity, "more text than there is room for"},
    ErrorWords{ErrorCode::bad_distance, Code::corrupt,
               "a match from before the text's beginning, or at distance 0"},
    ErrorWords{ErrorCode::bad_end, Code::corrupt,
               "a match nearer to the chunk's end than its format allows"},
    ErrorWords{ErrorCode::bad_block, Code::corrupt,
               "a block's header that says what its format does not have"},
    ErrorWords{ErrorCode::bad_table, Code::corrupt, "lengths of codes that make no code"},
    ErrorWords{ErrorCode::bad_code, Code::corrupt, "a code without a symbol"},
    ErrorWords{ErrorCode::bad_header, Code::corrupt,
               "a header that says what its format does not have"},
    ErrorWords{ErrorCode::bad_checksum, Code::corrupt,
               "another checksum than that of what it stands for"},
    ErrorWords{ErrorCode::needs_dictionary, Code::unsupported,
               "a stream of text that begins in a dictionary"},
    ErrorWords{ErrorCode::another_frame, Code::unsupported, "another frame, where chunks have one"},
    ErrorWords{ErrorCode::too_large, Code::capacity, "a chunk of 2 GiB or more"},
    ErrorWords{ErrorCode::bad_length, Code::corrupt, "text of another length than the chunk tells"},
    ErrorWords{ErrorCode::output_too_small, Code::capacity,
               "more chunk than there is room for, which the text from here on would make"},
};

bool has_capacity(const std::shared_ptr<Buffer>& buffer, std::uint64_t bytes) {
  return buffer != nullptr && buffer->bytes() >= bytes;
}

}  // namespace

std::string_view name_of(Format format) {
  switch (format) {
    case Format::lz4: return "LZ4";
    case Format::snappy: return "Snappy";
    case Format::deflate: return "Deflate";
    case Format::zlib: return "zlib";
    case Format::gzip: return "gzip";
    case Format::zstd: break;
  }
  return "Zstandard";
}

std::string_view message_of(ErrorCode error) {
  for (const ErrorWords& row : error_words)
    if (row.error == error) return row.words;
  return error == ErrorCode::none ? "nothing is wrong" : "an unknown fault";
}

Status status_of(Format format, std::uint64_t chunk, ChunkStatus chunk_status) {
  return status_at(std::string(name_of(format)) + " chunk " + std::to_string(chunk) + ", byte " +
                       std::to_string(chunk_status.offset),
                   chunk_status.error);
}

Status status_at(const std::string& place, ErrorCode error) {
  if (error == ErrorCode::none) return {};
  for (const ErrorWords& row : error_words)
    if (row.error == error) return Status(row.code, place + ": " + row.words);
  return Status(Code::internal,
                place + ": fault " + std::to_string(static_cast<std::uint32_t>(error)));
}

Status check_batch(const Batch& batch, const Buffer& scratch, std::uint64_t scratch_bytes) {
  constexpr std::uint32_t max_chunks =
      0xfff00000;  // chunks are handed out by a counter of 32 bits, which must not begin again
  if (batch.chunk_count > max_chunks)
    return Status(Code::invalid, "more chunks than a batch may have");
  const std::uint64_t words = std::uint64_t{batch.chunk_count} * 8;
  if (batch.input == nullptr || batch.output == nullptr)
    return Status(Code::invalid, "a batch without memory for chunks and text");
  if (!has_capacity(batch.input_offsets, words) || !has_capacity(batch.input_sizes, words) ||
      !has_capacity(batch.output_offsets, words) || !has_capacity(batch.output_capacities, words) ||
      !has_capacity(batch.output_sizes, words) || !has_capacity(batch.statuses, words))
    return Status(Code::invalid,
                  "a batch's memory for offsets, sizes or verdicts is too small for " +
                      std::to_string(batch.chunk_count) + " chunks");
  if (scratch.bytes() < scratch_bytes)
    return Status(Code::invalid, "scratch memory of " + std::to_string(scratch.bytes()) +
                                     " bytes, where " + std::to_string(scratch_bytes) +
                                     " are needed");
  return {};
}

std::vector<Argument> batch_arguments(const Batch& batch) {
  return {Argument::of(*batch.input),          Argument::of(*batch.input_offsets),
          Argument::of(*batch.input_sizes),    Argument::of(*batch.output),
          Argument::of(*batch.output_offsets), Argument::of(*batch.output_capacities),
          Argument::of(*batch.output_sizes),   Argument::of(*batch.statuses)};
}

namespace {
// The rows that fit, those for such chunks first.
std::vector<const Variant*> rows_for(Format format, const Traits& traits, Needs needs) {
  std::vector<const Variant*> rows;
  for (const Variant& row : table)
    if (row.format == format && fits(row, traits) && (row.takes_linked || !needs.is_linked))
      rows.push_back(&row);
  std::stable_partition(rows.begin(), rows.end(), [&](const Variant* row) {
    return row->min_output_bytes <= needs.max_output_bytes;
  });
  return rows;
}
}  // namespace

std::vector<std::string> Decoder::variants(Format format, const Traits& traits, Needs needs) {
  std::vector<std::string> names;
  for (const Variant* row : rows_for(format, traits, needs)) names.emplace_back(row->name);
  return names;
}

Result<std::unique_ptr<Decoder>> Decoder::build(std::shared_ptr<Device> device, Format format,
                                                std::string_view variant, Needs needs) {
  for (const Variant* row : rows_for(format, device->traits(), needs))
    if (variant.empty() || variant == row->name)
      return row->is_by_stretches ? build_stretch_decoder(std::move(device), *row)
                                  : build_kernel_decoder(std::move(device), *row);
  return Status(Code::invalid, "no variant '" + std::string(variant) + "' of " +
                                   std::string(name_of(format)) + " fits " + device->traits().id);
}

}  // namespace penstock::batch
