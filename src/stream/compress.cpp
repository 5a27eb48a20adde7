// compress(): completes the options and runs a format's compressor over the input.
#include <algorithm>

#include "base/cancellation.hpp"
#include "base/exception_boundary.hpp"
#include "stream/device/device_compress.hpp"
#include "stream/formats.hpp"

namespace penstock::stream {
namespace {

// Returns the names of the formats for which `has` holds: "gzip, zstd, lz4".
template <class Has> std::string names_of_formats(Has has) {
  std::string names;
  for (const FormatRow& row : format_rows())
    if (row.compressor != nullptr && has(*row.compressor))
      names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

Status check_device(const Compressor& compressor, const CompressOptions& options) {
  if (compressor.make_framing == nullptr)
    return Status(Code::unsupported,
                  std::string(name_of(options.format)) +
                      ": compression on devices is not supported; it is for " +
                      names_of_formats([](const Compressor& row) { return row.make_framing; }));
  if (options.level > 1)
    return Status(Code::invalid, "compression level " + std::to_string(options.level) +
                                     " is not supported on devices, which have level 1");
  return {};
}

Result<CompressOptions> completed(CompressOptions options) {
  const Compressor* const compressor = row_of(options.format).compressor;
  const std::string name(name_of(options.format));
  const bool is_on_device = options.device != nullptr;
  if (compressor == nullptr)
    return Status(Code::unsupported, name + ": compression is not supported; it is for " +
                                         names_of_formats([](const Compressor&) { return true; }));
  if (is_on_device) PENSTOCK_TRY(check_device(*compressor, options));
  if (options.level == 0) options.level = default_level(options.format, is_on_device);
  if (options.level > compressor->max_level)
    return Status(Code::invalid, "compression level " + std::to_string(options.level) +
                                     " is out of range; " + name + " has 1 to " +
                                     std::to_string(compressor->max_level));
  if (options.block_bytes == 0)
    options.block_bytes = block_bytes_for(options.format, options.level, is_on_device);
  constexpr std::uint64_t min_block_bytes = 1 << 10, max_block_bytes = 1 << 30;
  if (options.block_bytes < min_block_bytes || options.block_bytes > max_block_bytes)
    return Status(Code::invalid, "block size of " + std::to_string(options.block_bytes) +
                                     " bytes is out of range; 1 KiB to 1 GiB are allowed");
  if (compressor->check_block_bytes != nullptr)
    PENSTOCK_TRY(compressor->check_block_bytes(options.block_bytes));
  return options;
}

Result<Report> run(Input& input, const Sink& sink, const CompressOptions& options) {
  const Compressor& compressor = *row_of(options.format).compressor;
  const auto session =
      options.device != nullptr ? std::make_shared<DeviceSession>(options.device) : nullptr;
  Report report{.format = options.format,
                .threads = session ? batches_in_flight : thread_count(options.threads)};
  const auto goes_on = [&] {
    return options.progress({input.offset(), report.bytes_out, input.size()});
  };
  const CancellationScope scope(options.progress ? goes_on : std::function<bool()>());
  Pipeline<EncodeJob> pipeline(
      session ? make_device_compressor(input, options, compressor.make_framing(options), session)
              : compressor.make(input, options),
      report.threads);
  for (;;) {
    PENSTOCK_ASSIGN(const auto bytes, pipeline.next());
    if (bytes.empty()) break;
    PENSTOCK_TRY(sink(bytes));
    report.bytes_out += bytes.size();
    if (options.progress && !goes_on()) return Status(Code::cancelled, "cancelled");
  }
  report.bytes_in = input.offset();
  if (session) report.device = session->report();
  return report;
}

}  // namespace

std::uint32_t max_level(Format format) {
  const Compressor* const compressor = row_of(format).compressor;
  return compressor == nullptr ? 0 : compressor->max_level;
}

std::uint32_t default_level(Format format, bool is_on_device) {
  const Compressor* const compressor = row_of(format).compressor;
  if (compressor == nullptr) return 0;
  return is_on_device ? 1 : compressor->default_level;
}

std::uint64_t block_bytes_for(Format format, std::uint32_t level, bool is_on_device) {
  const Compressor* const compressor = row_of(format).compressor;
  if (compressor == nullptr) return 0;
  if (is_on_device) return compressor->device_block_bytes;
  return compressor->default_block_bytes(level == 0 ? compressor->default_level : level);
}

Result<bool> take_input_block(Input& input, std::uint64_t block_bytes, bool allows_empty,
                              EncodeJob& job) {
  PENSTOCK_ASSIGN(const auto bytes, input.peek(block_bytes));
  if (bytes.empty() && !allows_empty) return false;
  job.input = bytes.first(std::min<std::uint64_t>(bytes.size(), block_bytes));
  job.keep_alive(input.owner());
  input.skip(job.input.size());
  return true;
}

Result<Report> compress(const Source& source, const Sink& sink, const CompressOptions& options) {
  return catch_exceptions([&]() -> Result<Report> {
    PENSTOCK_ASSIGN(const CompressOptions complete, completed(options));
    PENSTOCK_ASSIGN(const auto input, Input::open(source));
    return run(*input, sink, complete);
  });
}

Result<std::vector<std::byte>> compress(std::span<const std::byte> bytes,
                                        const CompressOptions& options) {
  return catch_exceptions([&]() -> Result<std::vector<std::byte>> {
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
