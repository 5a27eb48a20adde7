// Chunks on several devices: batches of LZ4 and Zstandard in device memory, a part on each; and an
// LZ4 file through the host, with and without the checksum of its content, which the host verifies.
#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "base/thread_pool.hpp"
#include "bench/bench_batch.hpp"
#include "bench/bench_corpora.hpp"
#include "bench/bench_devices.hpp"
#include "codec/checksum/xxhash.hpp"
#include "penstock/stream.hpp"

namespace penstock::bench {
namespace {

constexpr std::uint64_t chunk_bytes = 65536;

const ChunkLibrary& library_of(batch::Format format) {
  return *std::ranges::find(chunk_libraries(), format, &ChunkLibrary::format);
}

// Chunks are decoded on their own, so text that repeats far apart is as good as any.
Result<Bytes> make_text(std::uint64_t mib) {
  constexpr std::uint64_t unique_mib = 64;
  PENSTOCK_ASSIGN(Bytes text, corpora()[0].make(std::min(mib, unique_mib) << 20));
  const std::uint64_t unique = text.size();
  text.resize(mib << 20);
  for (std::uint64_t at = unique; at < text.size(); at += unique)
    std::memcpy(text.data() + at, text.data(), std::min(unique, text.size() - at));
  return text;
}

// A device's part of the chunks.
class ChunkPart final : public DevicesPart {
 public:
  Status open(const ChunkLibrary& library, Bytes text, const std::string& id) {
    PENSTOCK_ASSIGN(chunks_, compressed(library, std::move(text), chunk_bytes));
    PENSTOCK_ASSIGN(const auto device, open_device(id));
    PENSTOCK_TRY(batch_.open(
        device, {chunks_.input, chunks_.input_offsets, chunks_.input_sizes, chunks_.output_offsets,
                 chunks_.output_sizes, chunks_.output.size() + 16, chunk_bytes}));
    PENSTOCK_ASSIGN(decoder_, batch::Decoder::build(device, library.format));
    PENSTOCK_TRY(batch_.prepare(*decoder_));
    return check(library.format);
  }
  Status enqueue() override { return batch_.enqueue(*decoder_, batch_.queue()); }
  Queue& queue() override { return batch_.queue(); }

 private:
  Status check(batch::Format format) {
    PENSTOCK_TRY(batch_.clear_output());
    PENSTOCK_TRY(enqueue());
    PENSTOCK_ASSIGN(const BenchBatch::Output got, batch_.output(format));
    return std::equal(chunks_.output.begin(), chunks_.output.end(), got.bytes.begin())
               ? Status()
               : Status(Code::internal, "a batch of chunks is decoded wrongly");
  }
  BenchChunks chunks_;
  BenchBatch batch_;
  std::unique_ptr<batch::Decoder> decoder_;
};

// Parts are as large as each other, to a chunk. A thread opens each, as that takes seconds.
Result<std::shared_ptr<DevicesParts>> open_parts(const ChunkLibrary& library, const Bytes& text,
                                                 const std::vector<std::string>& devices) {
  const auto parts = std::make_shared<DevicesParts>();
  const std::uint64_t chunks = text.size() / chunk_bytes;
  const auto place = [&](std::size_t part) {
    return text.begin() + static_cast<std::ptrdiff_t>(chunks * part / devices.size() * chunk_bytes);
  };
  std::vector<Task<Status>> tasks;
  for (std::size_t i = 0; i < devices.size(); i++) {
    auto part = std::make_unique<ChunkPart>();
    tasks.push_back(ThreadPool::shared().start([&, i, opened = part.get()] {
      return opened->open(library, Bytes(place(i), place(i + 1)), devices[i]);
    }));
    parts->push_back(std::move(part));
  }
  for (Task<Status>& task : tasks) PENSTOCK_TRY(task.get());
  return parts;
}

Status bench_chunk_batches(const DevicesOptions& options, batch::Format format,
                           const std::vector<std::string>& devices) {
  const ChunkLibrary& library = library_of(format);
  Bytes text;  // of the last scale
  return print_rows_of_devices(
      options, std::string("batches: ") + library.name, devices,
      [&](const std::vector<std::string>& some, std::uint64_t scale) -> Result<DevicesWork> {
        if (const std::uint64_t mib = options.batch_mib * scale; text.size() != mib << 20) {
          PENSTOCK_ASSIGN(text, make_text(mib));
        }
        PENSTOCK_ASSIGN(const auto parts, open_parts(library, text, some));
        return DevicesWork([parts](bool) { return run_parts(*parts); });
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

Status bench_lz4_file(const DevicesOptions& options, const std::string& name, bool has_checksum,
                      const std::vector<std::string>& devices) {
  const auto make = [&](const std::vector<std::string>& some,
                        std::uint64_t scale) -> Result<DevicesWork> {
    PENSTOCK_ASSIGN(const Bytes text, make_text(options.batch_mib * scale));
    const std::span<const std::byte> plain = std::as_bytes(std::span(text));
    PENSTOCK_ASSIGN(std::vector<std::byte> made,
                    stream::compress(plain, {.format = stream::Format::lz4}));
    const auto file = std::make_shared<std::vector<std::byte>>(
        has_checksum ? std::move(made) : without_content_checksum(std::move(made)));
    PENSTOCK_TRY(check_file(*file, plain, some));
    return DevicesWork([file, some](bool) {
      return decode_file(*file, some, [](std::span<const std::byte>) { return Status(); });
    });
  };
  return print_rows_of_devices(options, name, devices, make);
}

}  // namespace

Status bench_devices_chunks(const DevicesOptions& options,
                            const std::vector<std::string>& devices) {
  PENSTOCK_TRY(bench_chunk_batches(options, batch::Format::lz4, devices));
  PENSTOCK_TRY(bench_chunk_batches(options, batch::Format::zstd, devices));
  PENSTOCK_TRY(bench_lz4_file(options, "file: lz4", true, devices));
  return bench_lz4_file(options, "file: lz4 without a checksum", false, devices);
}

}  // namespace penstock::bench
