#include "codec/batch/chunk_decoder.hpp"

#include <algorithm>
#include <array>

#include "codec/batch/kernels/batch_limits.h"
#include "codec/deflate/kernels/deflate_limits.h"
#include "codec/lz4/kernels/lz4_limits.h"
#include "codec/snappy/kernels/snappy_limits.h"
#include "codec/zstd/kernels/zstd_limits.h"

namespace penstock::batch {
namespace {

constexpr std::uint64_t decode_list_bytes = DEFLATE_DECODE_TOKENS * 4;
static_assert(max_chunk_bytes == BATCH_MAX_CHUNK_BYTES);
constexpr Phase zstd_order = {.kernel = "zstd_order",
                              .file = "zstd/kernels/zstd_order",
                              .granularity = Granularity::single_group};
constexpr Phase zstd_sequences = {.kernel = "zstd_sequences",
                                  .file = "zstd/kernels/zstd_sequences",
                                  .granularity = Granularity::threads_per_chunk,
                                  .local_bytes = ZSTD_SEQUENCES_THREAD_BYTES,
                                  .max_workers_per_group = 32};
constexpr Phase zstd_literals = {.kernel = "zstd_literals",
                                 .file = "zstd/kernels/zstd_literals",
                                 .granularity = Granularity::threads_per_chunk,
                                 .local_bytes = ZSTD_LITERALS_THREAD_BYTES,
                                 .max_workers_per_group = 28,
                                 .threads_per_chunk = 4};
constexpr Phase zstd_checksum = {.kernel = "zstd_checksum",
                                 .file = "zstd/kernels/zstd_checksum",
                                 .granularity = Granularity::threads_per_chunk,
                                 .max_workers_per_group = 128,
                                 .threads_per_chunk = 4};

// Groups and warps as measured on one H200 (docs/lab/lz4.md, docs/lab/deflate.md). LZ4 and Snappy
// run eight warps per group and six groups per multiprocessor, which leaves the L1 cache enough of
// the memory that it shares with local memory. Deflate runs as many warps as local memory holds.
constexpr std::array table = {
    // A batch of 64 KiB blocks has a thousand chunks or more, enough warps for a GPU. A batch of
    // 4 MiB blocks has too few, so several warps share a block.
    Variant{.name = "lz4_decode_segments",
            .format = Format::lz4,
            .phases = {Phase{.kernel = "lz4_measure_segments",
                             .file = "lz4/kernels/lz4_scan_segments",
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = LZ4_SCAN_WARP_BYTES,
                             .max_workers_per_group = 8,
                             .groups_per_multiprocessor = 8},
                       Phase{.kernel = "lz4_segment_source_indices",
                             .file = "lz4/kernels/lz4_source_indices",
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = LZ4_SOURCE_WARP_BYTES,
                             .max_workers_per_group = 8,
                             .groups_per_multiprocessor = 4}},
            .splits_blocks = true,
            .min_output_bytes = 256 << 10,
            .supports_dependent_blocks = true},
    Variant{.name = "lz4_decode_warp",
            .format = Format::lz4,
            .phases = {Phase{.kernel = "lz4_decode_warp",
                             .file = "lz4/kernels/lz4_decode_warp",
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = LZ4_DECODE_WARP_BYTES,
                             .max_workers_per_group = 8,
                             .groups_per_multiprocessor = 6}}},
    Variant{
        .name = "lz4_decode_thread",
        .format = Format::lz4,
        .phases = {Phase{.kernel = "lz4_decode_thread", .file = "lz4/kernels/lz4_decode_thread"}}},
    // As for LZ4: pages of Parquet of 1 MiB are too few warps for a GPU.
    Variant{.name = "snappy_decode_segments",
            .format = Format::snappy,
            .phases = {Phase{.kernel = "snappy_find_segments",
                             .file = "snappy/kernels/snappy_find_segments",
                             .granularity = Granularity::group_per_chunk,
                             .local_bytes = SNAPPY_FIND_WARP_BYTES,
                             .max_workers_per_group = 32,
                             .groups_per_multiprocessor = 1},
                       Phase{.kernel = "snappy_decode_segments",
                             .file = "snappy/kernels/snappy_decode_segments",
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = SNAPPY_DECODE_WARP_BYTES,
                             .max_workers_per_group = 8,
                             .groups_per_multiprocessor = 6}},
            .splits_blocks = true,
            .min_output_bytes = 128 << 10},
    Variant{.name = "snappy_decode_warp",
            .format = Format::snappy,
            .phases = {Phase{.kernel = "snappy_decode_warp",
                             .file = "snappy/kernels/snappy_decode_warp",
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = SNAPPY_DECODE_WARP_BYTES,
                             .max_workers_per_group = 8,
                             .groups_per_multiprocessor = 6}}},
    Variant{.name = "snappy_decode_thread",
            .format = Format::snappy,
            .phases = {Phase{.kernel = "snappy_decode_thread",
                             .file = "snappy/kernels/snappy_decode_thread"}}},
    Variant{.name = "deflate_decode_warp",
            .format = Format::deflate,
            .phases = {Phase{.kernel = "deflate_decode_warp",
                             .file = "deflate/kernels/deflate_decode_warp",
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = DEFLATE_DECODE_WARP_BYTES,
                             .max_workers_per_group = 4,
                             .groups_per_multiprocessor = 7}},
            .bytes_per_active_chunk = decode_list_bytes},
    Variant{.name = "deflate_decode_thread",
            .format = Format::deflate,
            .phases = {Phase{.kernel = "deflate_decode_thread",
                             .file = "deflate/kernels/deflate_decode_thread"}},
            .is_for_cpus = true},
    Variant{.name = "zlib_decode_warp",
            .format = Format::zlib,
            .phases = {Phase{.kernel = "zlib_decode_warp",
                             .file = "deflate/kernels/zlib_decode_warp",
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = DEFLATE_DECODE_WARP_BYTES,
                             .max_workers_per_group = 4,
                             .groups_per_multiprocessor = 7}},
            .bytes_per_active_chunk = decode_list_bytes},
    Variant{.name = "zlib_decode_thread",
            .format = Format::zlib,
            .phases = {Phase{.kernel = "zlib_decode_thread",
                             .file = "deflate/kernels/zlib_decode_thread"}},
            .is_for_cpus = true},
    Variant{.name = "gzip_decode_warp",
            .format = Format::gzip,
            .phases = {Phase{.kernel = "gzip_decode_warp",
                             .file = "deflate/kernels/gzip_decode_warp",
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = DEFLATE_DECODE_WARP_BYTES,
                             .max_workers_per_group = 4,
                             .groups_per_multiprocessor = 7}},
            .bytes_per_active_chunk = decode_list_bytes},
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
                             .granularity = Granularity::warp_per_chunk,
                             .local_bytes = ZSTD_OUTPUT_WARP_BYTES,
                             .max_workers_per_group = 8,
                             .groups_per_multiprocessor = 6},
                       zstd_checksum},
            .bytes_per_chunk = ZSTD_PLAN_WORDS * 4 + 8,
            .bytes_per_match = 8},
    Variant{
        .name = "zstd_decode_thread",
        .format = Format::zstd,
        .phases = {zstd_order, zstd_sequences, zstd_literals,
                   Phase{.kernel = "zstd_output_thread", .file = "zstd/kernels/zstd_output_thread"},
                   zstd_checksum},
        .bytes_per_chunk = ZSTD_PLAN_WORDS * 4 + 8,
        .bytes_per_match = 8},
};

struct ErrorRow {
  ErrorCode error;
  Code code;
  const char* message;
};
constexpr ErrorRow errors[] = {
#define PENSTOCK_ERROR_(name, number, code, message) {ErrorCode::name, Code::code, message},
    PENSTOCK_CHUNK_ERRORS(PENSTOCK_ERROR_)
#undef PENSTOCK_ERROR_
};

bool holds(const std::shared_ptr<Buffer>& buffer, std::uint64_t bytes) {
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

namespace {
std::string_view word_of(Format format) {
  switch (format) {
    case Format::lz4: return "lz4";
    case Format::snappy: return "snappy";
    case Format::deflate: return "deflate";
    case Format::zlib: return "zlib";
    case Format::gzip: return "gzip";
    case Format::zstd: break;
  }
  return "zstd";
}
}  // namespace

std::string decoding_family(Format format) { return std::string(word_of(format)) + "_decode"; }
std::string encoding_family(Format format) { return std::string(word_of(format)) + "_encode"; }

std::string_view message(ErrorCode error) {
  for (const ErrorRow& row : errors)
    if (row.error == error) return row.message;
  return error == ErrorCode::none ? "no error" : "unknown error";
}

Status status_of(Format format, std::uint64_t chunk, ChunkStatus chunk_status) {
  return status_at(std::string(name_of(format)) + " chunk " + std::to_string(chunk) + ", byte " +
                       std::to_string(chunk_status.offset),
                   chunk_status.error);
}

Status status_at(const std::string& location, ErrorCode error) {
  if (error == ErrorCode::none) return {};
  for (const ErrorRow& row : errors)
    if (row.error == error) return Status(row.code, location + ": " + row.message);
  return Status(Code::internal,
                location + ": error " + std::to_string(static_cast<std::uint32_t>(error)));
}

Status check_batch(const Batch& batch, const Buffer& scratch, std::uint64_t scratch_bytes) {
  // Chunks are handed out by a counter of 32 bits, which must not wrap.
  constexpr std::uint32_t max_chunks = 0xfff00000;
  if (batch.chunk_count > max_chunks) return Status(Code::invalid, "the batch has too many chunks");
  const std::uint64_t words = std::uint64_t{batch.chunk_count} * 8;
  if (batch.input == nullptr || batch.output == nullptr)
    return Status(Code::invalid, "the batch has no input or no output buffer");
  if (!holds(batch.input_offsets, words) || !holds(batch.input_sizes, words) ||
      !holds(batch.output_offsets, words) || !holds(batch.output_capacities, words) ||
      !holds(batch.output_sizes, words) || !holds(batch.statuses, words))
    return Status(Code::invalid, "the buffers for offsets, sizes or statuses are too small for " +
                                     std::to_string(batch.chunk_count) + " chunks");
  if (scratch.bytes() < scratch_bytes)
    return Status(Code::invalid, "the scratch memory has " + std::to_string(scratch.bytes()) +
                                     " bytes, but " + std::to_string(scratch_bytes) +
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
// Returns the rows of a format, starting with the rows preferred for the output size.
std::vector<const Variant*> rows_of(Format format, Requirements requirements) {
  std::vector<const Variant*> rows;
  for (const Variant& row : table)
    if (row.format == format &&
        (row.supports_dependent_blocks || !requirements.has_dependent_blocks))
      rows.push_back(&row);
  std::stable_partition(rows.begin(), rows.end(), [&](const Variant* row) {
    return row->min_output_bytes <= requirements.max_output_bytes;
  });
  return rows;
}

// Returns the rows that fit the device.
std::vector<const Variant*> rows_for(Format format, const Traits& traits,
                                     Requirements requirements) {
  std::vector<const Variant*> rows = rows_of(format, requirements);
  std::erase_if(rows, [&](const Variant* row) { return !fits(*row, traits); });
  return rows;
}

// Chunks of both sizes where the table tells them apart.
std::vector<kernel::VariantCase> view_of_decoders(const Traits& traits) {
  std::vector<kernel::VariantCase> cases;
  for (const Format format :
       {Format::lz4, Format::snappy, Format::deflate, Format::zlib, Format::gzip, Format::zstd})
    for (const std::uint64_t bytes : {std::uint64_t{64} << 10, std::uint64_t{4} << 20}) {
      const std::string family = decoding_family(format);
      kernel::VariantCase each{
          family, "chunks of " + std::string(bytes < 1 << 20 ? "64 KiB" : "4 MiB"), {}};
      for (const Variant* row : rows_of(format, {bytes}))
        each.rows.push_back(view_of(family, *row, traits));
      const bool is_as_before = !cases.empty() && cases.back().family == family &&
                                cases.back().rows.front().name == each.rows.front().name;
      if (!is_as_before) cases.push_back(std::move(each));
    }
  return cases;
}
const kernel::VariantTable table_of_decoders(view_of_decoders);

Result<std::unique_ptr<Decoder>> build_decoder(std::shared_ptr<Device> device, const Variant& row) {
  if (!row.splits_blocks) return build_kernel_decoder(std::move(device), row);
  return row.format == Format::snappy ? build_snappy_segment_decoder(std::move(device), row)
                                      : build_large_block_decoder(std::move(device), row);
}
}  // namespace

std::vector<std::string> Decoder::variants(Format format, const Traits& traits,
                                           Requirements requirements) {
  std::vector<std::string> names;
  for (const Variant* row : rows_for(format, traits, requirements)) names.emplace_back(row->name);
  return names;
}

Result<const Variant*> choose_decoder(Format format, const Traits& traits,
                                      Requirements requirements, std::string_view asked) {
  const std::vector<const Variant*> rows = rows_for(format, traits, requirements);
  PENSTOCK_ASSIGN(
      const kernel::ChosenRow chosen,
      kernel::choose_row(decoding_family(format), Decoder::variants(format, traits, requirements),
                         asked, traits));
  return rows[chosen.index];
}

Result<std::unique_ptr<Decoder>> Decoder::build(std::shared_ptr<Device> device, Format format,
                                                std::string_view variant,
                                                Requirements requirements) {
  PENSTOCK_ASSIGN(const Variant* const row,
                  choose_decoder(format, device->traits(), requirements, variant));
  return build_decoder(std::move(device), *row);
}

}  // namespace penstock::batch
