#include <algorithm>
#include <bit>

#include "base/exception_boundary.hpp"
#include "stream/device/device_batch.hpp"
#include "stream/pipeline/compressors.hpp"

namespace penstock::stream {
namespace {

constexpr Compressor table[] = {
    {Format::gzip, 6, 12, make_gzip_compressor, make_gzip_framing,
     0xff00},  // BGZF, the largest that it is
    {Format::zstd, 3, 22, make_zstd_compressor},
    {Format::lz4, 1, 12, make_lz4_compressor, make_lz4_framing, 64 << 10},
};

// As libzstd has them for long inputs; its table is no part of its interface.
std::uint64_t zstd_window_bytes(std::uint32_t level) {
  constexpr std::uint8_t window_logs[] = {21, 19, 20, 21, 21, 21, 21, 21, 21, 22, 22, 22,
                                          22, 22, 22, 22, 22, 23, 23, 23, 25, 26, 27};
  return std::uint64_t{1} << window_logs[std::min<std::size_t>(level, std::size(window_logs) - 1)];
}

Status check_device(const Compressor& compressor, const CompressOptions& options) {
  if (compressor.make_framing == nullptr)
    return Status(Code::unsupported, std::string(name_of(options.format)) +
                                         " is not compressed on devices; gzip and lz4 are");
  if (options.level > 1)
    return Status(Code::invalid,
                  "level " + std::to_string(options.level) + "; devices compress at level 1 alone");
  return {};
}

Result<CompressOptions> completed(CompressOptions options) {
  const Compressor* const compressor = compressor_of(options.format);
  const bool is_on_device = options.device != nullptr;
  if (compressor == nullptr)
    return Status(Code::unsupported,
                  std::string(name_of(options.format)) + " is not written; gzip, zstd and lz4 are");
  if (is_on_device) PENSTOCK_TRY(check_device(*compressor, options));
  if (options.level == 0) options.level = default_level(options.format, is_on_device);
  if (options.level > compressor->max_level)
    return Status(Code::invalid, "level " + std::to_string(options.level) + "; " +
                                     std::string(name_of(options.format)) + " has levels 1 to " +
                                     std::to_string(compressor->max_level));
  if (options.block_bytes == 0)
    options.block_bytes = block_bytes_for(options.format, options.level, is_on_device);
  constexpr std::uint64_t min_block_bytes = 1 << 10, max_block_bytes = 1 << 30;
  if (options.block_bytes < min_block_bytes || options.block_bytes > max_block_bytes)
    return Status(Code::invalid, "blocks of " + std::to_string(options.block_bytes) +
                                     " bytes; they may have 1 KiB to 1 GiB");
  const bool is_lz4_size = std::has_single_bit(options.block_bytes) &&
                           std::countr_zero(options.block_bytes) % 2 == 0 &&
                           options.block_bytes >= 65536 && options.block_bytes <= 4 << 20;
  if (options.format == Format::lz4 && !is_lz4_size)
    return Status(Code::invalid, "lz4's blocks have 64 KiB, 256 KiB, 1 MiB or 4 MiB");
  return options;
}

Result<Report> run(Input& input, const Sink& sink, const CompressOptions& options) {
  const Compressor& compressor = *compressor_of(options.format);
  const auto device =
      options.device != nullptr ? std::make_shared<DeviceRun>(options.device) : nullptr;
  Report report{.format = options.format,
                .threads = device ? batches_in_flight : thread_count(options.threads)};
  Pipeline pipeline(
      device ? make_device_compressor(input, options, compressor.make_framing(options), device)
             : compressor.make(input, options),
      report.threads);
  for (;;) {
    PENSTOCK_ASSIGN(const auto bytes, pipeline.next());
    if (bytes.empty()) break;
    PENSTOCK_TRY(sink(bytes));
    report.bytes_out += bytes.size();
    if (options.progress && !options.progress({input.offset(), report.bytes_out, input.size()}))
      return Status(Code::cancelled, "cancelled");
  }
  report.bytes_in = input.offset();
  if (device) report.device = device->report();
  return report;
}

}  // namespace

const Compressor* compressor_of(Format format) {
  for (const Compressor& row : table)
    if (row.format == format) return &row;
  return nullptr;
}

std::uint32_t max_level(Format format) {
  return compressor_of(format) ? compressor_of(format)->max_level : 0;
}
std::uint32_t default_level(Format format, bool is_on_device) {
  return compressor_of(format) == nullptr ? 0
         : is_on_device                   ? 1
                                          : compressor_of(format)->default_level;
}

std::uint64_t block_bytes_for(Format format, std::uint32_t level, bool is_on_device) {
  constexpr std::uint64_t mebibyte = 1 << 20;
  if (is_on_device && compressor_of(format) != nullptr)
    return compressor_of(format)->device_block_bytes;
  if (format == Format::gzip) return mebibyte;
  if (format != Format::zstd) return 4 * mebibyte;
  return std::clamp(4 * zstd_window_bytes(level == 0 ? default_level(format) : level), 2 * mebibyte,
                    64 * mebibyte);
}

Result<bool> take_input_block(Input& input, std::uint64_t block_bytes, bool begins, Piece& piece) {
  PENSTOCK_ASSIGN(const auto bytes, input.peek(block_bytes));
  if (bytes.empty() && !begins) return false;
  piece.input = bytes.first(std::min<std::uint64_t>(bytes.size(), block_bytes));
  piece.keep(input.owner());
  input.skip(piece.input.size());
  return true;
}

Result<Report> compress(const Source& source, const Sink& sink, const CompressOptions& options) {
  return guard([&]() -> Result<Report> {
    PENSTOCK_ASSIGN(const CompressOptions complete, completed(options));
    PENSTOCK_ASSIGN(const auto input, Input::open(source));
    return run(*input, sink, complete);
  });
}

Result<std::vector<std::byte>> compress(std::span<const std::byte> bytes,
                                        const CompressOptions& options) {
  return guard([&]() -> Result<std::vector<std::byte>> {
    std::vector<std::byte> all;
    const auto append = [&](std::span<const std::byte> part) {
      all.insert(all.end(), part.begin(), part.end());
      return Status();
    };
    PENSTOCK_TRY(compress(Source::memory(bytes), append, options).status());
    return all;
  });
}

}  // namespace penstock::stream
