// Decompresses and compresses files: gzip, zlib, zstd, lz4 and framed Snappy, told apart by their
// first bytes.
//
// Independent members, frames and blocks are processed by several threads and delivered in order,
// so that neither side need fit in memory. Every checksum in a file is verified. Errors name the
// format, the member, frame or chunk, and the byte of the compressed file:
//
//     gzip: invalid block type (member 1, byte 1234)
//
// Code::truncated: the file ends too early. Code::corrupt: it contradicts its format.
// Code::unsupported: it uses a feature that no decoder here has, and the message names it.
// Code::capacity: a limit of the options was reached.
//
//     // In memory; the format is detected.
//     PENSTOCK_ASSIGN(std::vector<std::byte> bytes, stream::decompress(compressed));
//     // A file, in parts.
//     const auto print = [](std::span<const std::byte> part) {
//       std::fwrite(part.data(), 1, part.size(), stdout);
//       return Status();
//     };
//     PENSTOCK_ASSIGN(stream::Report report,
//                     stream::decompress(stream::Source::file("logs.json.zst"), print));
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "penstock/device.hpp"
#include "penstock/status.hpp"

namespace penstock::stream {

// gzip: RFC 1952. zlib: RFC 1950. zstd: RFC 8878. lz4: LZ4 frame format 1.6.3, and legacy frames.
// snappy: its framing format of 2013-10-25.
enum class Format : unsigned char { gzip, zlib, zstd, lz4, snappy };
std::vector<Format> formats();  // all of them
std::string_view name_of(Format format);
std::optional<Format> format_named(std::string_view name);
std::string_view suffix_of(Format format);  // ".gz", ".zz", ".zst", ".lz4", ".sz"
// Returns what Report::member_count counts: "member", "frame" or "stream".
std::string_view member_name_of(Format format);

// Says where bytes come from. Nothing is opened or read before decompress() or compress().
class Source {
 public:
  // Fills `into` from its beginning and returns how many bytes it wrote; 0 at the end. Called by
  // one thread at a time, but not always by the same one. An exception that it throws is returned
  // as an error.
  using Read = std::function<Result<std::size_t>(std::span<std::byte> into)>;
  struct Reader {
    std::string name;
    Read read;
  };
  struct Descriptor {
    std::string name;
    int number = -1;
  };
  using Location = std::variant<std::string, std::span<const std::byte>, Reader, Descriptor>;

  // A file, pipe or device. A file that is shortened while it is read is Code::truncated.
  static Source file(std::string path) { return Source(std::move(path)); }
  // A file that is open, and stays so during the call. An ordinary one is read from its beginning,
  // wherever it stands. `name` is for messages.
  static Source descriptor(std::string name, int number) {
    return Source(Descriptor{std::move(name), number});
  }
  // The bytes outlive the call.
  static Source memory(std::span<const std::byte> bytes) { return Source(bytes); }
  static Source reader(std::string name, Read read) {
    return Source(Reader{std::move(name), std::move(read)});
  }
  const Location& location() const { return location_; }

 private:
  explicit Source(Location location) : location_(std::move(location)) {}
  Location location_;
};

// Takes bytes in order, on the caller's thread, as they are produced; none of the parts is empty.
// An error ends the call, which returns it.
using Sink = std::function<Status(std::span<const std::byte> bytes)>;

struct Progress {
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::optional<std::uint64_t> bytes_in_total;  // of files and memory
};
// Called on the caller's thread. Returning false ends the call with Code::cancelled.
using OnProgress = std::function<bool(const Progress& progress)>;

struct DecompressOptions {
  std::optional<Format> format = {};  // without one, it is detected
  // More output is Code::capacity; the sink never receives more.
  std::uint64_t max_output_bytes = UINT64_MAX;
  // Larger windows of zstd frames are Code::capacity: a file of few bytes can make a decoder take
  // that much memory. The default is that of zstd; the format's largest that is supported is 2 GiB.
  std::uint64_t max_window_bytes = std::uint64_t{128} << 20;
  // Threads that decode, beside the caller's; 0: as many as this process may use.
  std::uint32_t threads = 0;
  std::span<const std::byte> dictionary = {};  // of zstd (trained or raw), lz4 and zlib
  std::string method = {};                     // one of methods(); without it, the first that fits
  // Decodes by the methods for devices. Input that fits none of them is Code::unsupported, unless
  // `fallback` leaves it to the host's methods. Some methods need the whole input: they read a pipe
  // to its end, if it has no more than a quarter of the machine's memory. The host verifies
  // checksums of contents beside the device, but for gzip, zlib and small zstd frames.
  std::shared_ptr<Device> device = {};
  bool fallback = false;
  // Decode batches of independent chunks beside `device`, each with batches of its own in flight;
  // output is in order all the same. A single stream runs on `device` alone.
  std::vector<std::shared_ptr<Device>> further_devices = {};
  // If a device is lost or lacks memory, another one decodes its batches, and the report says so.
  // If false, that is an error.
  bool devices_take_over = false;
  OnProgress progress = {};
};

// The work of a device. Times are the device's own, summed over batches, several of which are in
// flight at once.
struct DeviceReport {
  std::string id = {}, name = {};         // "cuda:0", "NVIDIA H200"
  std::vector<std::string> kernels = {};  // variants of batch.hpp that ran
  // Bytes that were uploaded and downloaded. Stored blocks are not.
  std::uint64_t bytes_in = 0, bytes_out = 0;
  double upload_seconds = 0, kernel_seconds = 0, download_seconds = 0;
  std::string failure = {};  // why other devices took over its batches
};

struct Report {
  Format format = Format::gzip;
  std::uint64_t bytes_in = 0, bytes_out = 0;
  // Members (gzip), frames (zstd, lz4) or streams (zlib, snappy); skippable frames are not counted.
  std::uint64_t member_count = 0;
  std::uint64_t unchecked_member_count = 0;  // those without a checksum of their content
  std::string first_name = {};               // gzip: FNAME of the first member
  std::uint64_t ignored_bytes = 0;           // gzip: trailing garbage after the last member
  // gzip: the last member is one of bgzip's, but not the empty one that it ends files with. The
  // file may be cut.
  bool lacks_bgzip_end = false;
  std::uint32_t threads = 0;
  std::vector<std::string> methods = {};    // that ran, each once, in the order of their first use
  std::optional<DeviceReport> device = {};  // if one decoded or compressed
  // Reports of the further devices that decoded, or failed.
  std::vector<DeviceReport> further_devices = {};
  // Bytes of a pipe that was read to its end first, for a method that needs the whole input.
  std::uint64_t buffered_bytes = 0;
};

// Decodes all members, frames and skippable frames of the source. As gzip does, ignores zeros and
// other trailing garbage after gzip members; the latter is in the report.
// docs/decisions/32-stricter-than-the-programs.md lists where it is stricter than the formats' own
// programs.
Result<Report> decompress(const Source& source, const Sink& sink,
                          const DecompressOptions& options = {});
// Decodes host memory into a vector.
Result<std::vector<std::byte>> decompress(std::span<const std::byte> compressed,
                                          const DecompressOptions& options = {});

// Output that is kept in a device's memory.
struct DeviceOutput {
  std::shared_ptr<Buffer> buffer;  // holds the output from its beginning, and may be larger
  std::uint64_t bytes = 0;
  Report report;
};
// Decodes the whole source at once into the memory of options.device, which must hold the input,
// the output and the decoders' scratch memory. Input that the device does not decode is
// Code::unsupported; so is a pipe that decompress() would not buffer. Verifies checksums as
// decompress() does: the output is downloaded for checksums that the host computes.
Result<DeviceOutput> decompress_to_device(const Source& source, const DecompressOptions& options);

struct MethodInfo {
  Format format;
  std::string name, summary;
  bool is_for_devices = false;
};
// Returns the methods of each format, in the order in which they are tried.
std::vector<MethodInfo> methods();

struct CompressOptions {
  Format format = Format::zstd;  // gzip, zstd or lz4
  // gzip 1 to 12, zstd 1 to 22, lz4 1 to 12; 0: 6, 3 and 1. Devices have level 1 alone.
  std::uint32_t level = 0;
  std::uint64_t block_bytes = 0;  // 0: block_bytes_for(); lz4: 64 KiB, 256 KiB, 1 MiB or 4 MiB
  std::uint32_t threads = 0;
  // Compresses gzip and lz4 on the device, blocks in batches; zstd is Code::unsupported. The host
  // computes the checksums.
  std::shared_ptr<Device> device = {};
  OnProgress progress = {};
};
std::uint32_t max_level(Format format);
std::uint32_t default_level(Format format, bool is_on_device = false);
// gzip: 1 MiB. lz4: 4 MiB. zstd: four times the level's window, 2 MiB to 64 MiB, so that the
// matches that a block cannot reach cost little. Devices want many blocks at once: 65280 bytes of
// gzip, as in bgzip, and 64 KiB of lz4.
std::uint64_t block_bytes_for(Format format, std::uint32_t level, bool is_on_device = false);

// Compresses blocks of the input by several threads. The formats' own programs read the result:
// - gzip has a member for each block. Blocks of at most 65280 bytes are BGZF, as bgzip writes it.
//   Larger members name their size in pgzip's field, so that both are decoded in parallel.
// - zstd has a frame for each block, with content size and checksum.
// - lz4 has one frame of independent blocks, with a checksum of its content.
Result<Report> compress(const Source& source, const Sink& sink,
                        const CompressOptions& options = {});
Result<std::vector<std::byte>> compress(std::span<const std::byte> bytes,
                                        const CompressOptions& options = {});

}  // namespace penstock::stream
