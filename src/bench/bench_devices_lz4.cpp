// LZ4 on several devices: batches of chunks in device memory, a part on each; and a file through
// the host, with and without the checksum of its content, which the host verifies.
#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "bench/bench_batch.hpp"
#include "bench/bench_corpora.hpp"
#include "bench/bench_devices.hpp"
#include "codec/checksum/xxhash.hpp"
#include "penstock/stream.hpp"

namespace penstock::bench {
namespace {

constexpr std::uint64_t chunk_bytes = 65536;

const ChunkLibrary& lz4_library() {
  return *std::ranges::find(chunk_libraries(), batch::Format::lz4, &ChunkLibrary::format);
}

// A device's part of the chunks.
struct BatchPart {
  BenchChunks chunks;
  BenchBatch batch;
  std::unique_ptr<batch::Decoder> decoder;

  Status open(const std::string& id) {
    PENSTOCK_ASSIGN(const auto device, open_device(id));
    PENSTOCK_TRY(batch.open(
        device, {chunks.input, chunks.input_offsets, chunks.input_sizes, chunks.output_offsets,
                 chunks.output_sizes, chunks.output.size() + 16, chunk_bytes}));
    PENSTOCK_ASSIGN(decoder, batch::Decoder::build(device, batch::Format::lz4));
    return batch.prepare(*decoder);
  }
  Status check() {
    PENSTOCK_TRY(batch.clear_output());
    PENSTOCK_TRY(batch.enqueue(*decoder, batch.queue()));
    PENSTOCK_ASSIGN(const BenchBatch::Output got, batch.output(batch::Format::lz4));
    return std::equal(chunks.output.begin(), chunks.output.end(), got.bytes.begin())
               ? Status()
               : Status(Code::internal, "a batch of LZ4 chunks is decoded wrongly");
  }
};
using BatchParts = std::vector<std::unique_ptr<BatchPart>>;

// Parts are as large as each other, to a chunk.
Result<std::shared_ptr<BatchParts>> open_parts(const Bytes& text,
                                               const std::vector<std::string>& devices) {
  const auto parts = std::make_shared<BatchParts>();
  const std::uint64_t chunks = text.size() / chunk_bytes;
  for (std::size_t i = 0; i < devices.size(); i++) {
    const auto place = [&](std::size_t part) {
      return text.begin() +
             static_cast<std::ptrdiff_t>(chunks * part / devices.size() * chunk_bytes);
    };
    BatchPart& part = *parts->emplace_back(std::make_unique<BatchPart>());
    PENSTOCK_ASSIGN(part.chunks,
                    compressed(lz4_library(), Bytes(place(i), place(i + 1)), chunk_bytes));
    PENSTOCK_TRY(part.open(devices[i]));
    PENSTOCK_TRY(part.check());
  }
  return parts;
}

// One thread begins all parts, and waits for them. The report is of the device's own time.
Result<RunReport> decode_parts(BatchParts& parts) {
  RunReport report;
  const double start = now_seconds();
  std::vector<std::shared_ptr<Event>> begun, done;
  for (const auto& part : parts) {
    report.shares.emplace_back().begin_seconds = now_seconds() - start;
    PENSTOCK_ASSIGN(begun.emplace_back(), part->batch.queue().record());
    PENSTOCK_TRY(part->batch.enqueue(*part->decoder, part->batch.queue()));
    PENSTOCK_ASSIGN(done.emplace_back(), part->batch.queue().record());
    PENSTOCK_TRY(part->batch.queue().flush());
  }
  for (std::size_t i = 0; i < parts.size(); i++) {
    PENSTOCK_TRY(done[i]->wait());
    DeviceShareReport& share = report.shares[i];
    share.device_id = "part " + std::to_string(i);
    share.seconds = now_seconds() - start - share.begin_seconds;
    PENSTOCK_ASSIGN(share.kernel_seconds, done[i]->seconds_since(*begun[i]));
  }
  report.total_seconds = now_seconds() - start;
  return report;
}

Status bench_lz4_batches(const DevicesOptions& options, const Bytes& text,
                         const std::vector<std::string>& devices) {
  return print_rows_of_devices(options, "lz4 batches in device memory", devices,
                               [&](const std::vector<std::string>& some) -> Result<DevicesWork> {
                                 PENSTOCK_ASSIGN(const auto parts, open_parts(text, some));
                                 return DevicesWork([parts](bool) { return decode_parts(*parts); });
                               });
}

// The frame without its content's checksum (lz4_Frame_format.md): a flag, the checksum of the
// header that has it, and the four last bytes.
std::vector<std::byte> without_content_checksum(std::vector<std::byte> frame) {
  constexpr std::size_t flags = 4;
  constexpr std::byte has_checksum{4}, has_size{8};
  frame[flags] &= ~has_checksum;
  const std::size_t descriptor_bytes = (frame[flags] & has_size) == std::byte{} ? 2 : 10;
  const std::uint32_t sum =
      checksum::xxh32(std::span<const std::byte>(frame).subspan(flags, descriptor_bytes));
  frame[flags + descriptor_bytes] = static_cast<std::byte>(sum >> 8);
  frame.resize(frame.size() - 4);
  return frame;
}

DeviceShareReport share_of(const stream::DeviceReport& device, double seconds) {
  DeviceShareReport share;
  share.device_id = device.id, share.device_name = device.name;
  share.bytes_uploaded = device.bytes_in, share.bytes_downloaded = device.bytes_out;
  share.seconds = seconds, share.kernel_seconds = device.kernel_seconds;
  share.read_seconds = device.upload_seconds, share.wait_seconds = device.download_seconds;
  return share;
}

Result<RunReport> decode_file(std::span<const std::byte> file,
                              const std::vector<std::string>& devices, const stream::Sink& sink) {
  stream::DecompressOptions decoding;
  PENSTOCK_ASSIGN(decoding.device, open_device(devices[0]));
  for (std::size_t i = 1; i < devices.size(); i++) {
    PENSTOCK_ASSIGN(decoding.further_devices.emplace_back(), open_device(devices[i]));
  }
  const double start = now_seconds();
  PENSTOCK_ASSIGN(const stream::Report of_stream,
                  stream::decompress(stream::Source::memory(file), sink, decoding));
  RunReport report;
  report.total_seconds = now_seconds() - start;
  report.device_id = list_of_devices(devices);
  if (of_stream.device) report.shares.push_back(share_of(*of_stream.device, report.total_seconds));
  for (const stream::DeviceReport& device : of_stream.further_devices)
    report.shares.push_back(share_of(device, report.total_seconds));
  return report;
}

Status check_file(std::span<const std::byte> file, std::span<const std::byte> plain,
                  const std::vector<std::string>& devices) {
  std::uint64_t at = 0;
  bool is_equal = true;
  const auto compare = [&](std::span<const std::byte> part) -> Status {
    is_equal &=
        at + part.size() <= plain.size() &&
        std::equal(part.begin(), part.end(), plain.begin() + static_cast<std::ptrdiff_t>(at));
    at += part.size();
    return {};
  };
  PENSTOCK_TRY(decode_file(file, devices, compare).status());
  return is_equal && at == plain.size() ? Status()
                                        : Status(Code::internal, "lz4: the output is wrong");
}

Status bench_lz4_file(const DevicesOptions& options, const std::string& name,
                      std::span<const std::byte> file, std::span<const std::byte> plain,
                      const std::vector<std::string>& devices) {
  PENSTOCK_TRY(check_file(file, plain, devices));
  return print_rows_of_devices(
      options, name, devices, [&](const std::vector<std::string>& some) -> Result<DevicesWork> {
        return DevicesWork([file, some](bool) {
          return decode_file(file, some, [](std::span<const std::byte>) { return Status(); });
        });
      });
}

}  // namespace

Status bench_devices_lz4(const DevicesOptions& options, const std::vector<std::string>& devices) {
  PENSTOCK_ASSIGN(const Bytes text, corpora()[0].make(options.lz4_mib << 20));
  PENSTOCK_TRY(bench_lz4_batches(options, text, devices));
  const std::span<const std::byte> plain = std::as_bytes(std::span(text));
  PENSTOCK_ASSIGN(std::vector<std::byte> file,
                  stream::compress(plain, {.format = stream::Format::lz4}));
  PENSTOCK_TRY(bench_lz4_file(options, "lz4 file", file, plain, devices));
  file = without_content_checksum(std::move(file));
  return bench_lz4_file(options, "lz4 file without a checksum", file, plain, devices);
}

}  // namespace penstock::bench
