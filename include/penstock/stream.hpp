// Compressed files as the world has them: gzip, zlib, zstd, lz4 and framed snappy, told apart by
// their first bytes.
//
// What is independent (members, frames, blocks) is decoded and compressed by several threads and
// delivered in order, piece by piece, so that neither side need fit in memory. Every checksum that
// a file holds is verified. Errors name the format, the member, frame or chunk, and the byte of the
// compressed file: Code::truncated where it ends too early, Code::corrupt where it contradicts its
// format, Code::unsupported where it needs what is not here, Code::capacity where a limit of the
// options was reached.
//
//     // of host memory; format by content
//     PENSTOCK_ASSIGN(std::vector<std::byte> text, stream::decompress(compressed));
//     const auto print = [](std::span<const std::byte> bytes) { std::fwrite(bytes.data(), 1,
//         bytes.size(), stdout); return Status(); };
//     PENSTOCK_ASSIGN(stream::Report report,
//         stream::decompress(stream::Source::file("logs.json.zst"), print));
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
std::string_view name_of(Format format);
std::optional<Format> format_named(std::string_view name);
std::string_view suffix_of(Format format);  // ".gz", ".zz", ".zst", ".lz4", ".sz"

// Where bytes come from. Nothing is opened or read before decompress() or compress().
class Source {
 public:
  // Fills `into` from its beginning and returns how many bytes there were; 0 at the end. Called by
  // one thread at a time, but not always by the same one. What it throws is returned as an error.
  using Read = std::function<Result<std::size_t>(std::span<std::byte> into)>;
  struct Reader {
    std::string name;
    Read read;
  };

  // Mapped where it is an ordinary file, which must not be shortened meanwhile; read where it is a
  // pipe or a device.
  static Source file(std::string path) { return Source(std::move(path)); }
  static Source memory(std::span<const std::byte> bytes) {
    return Source(bytes);
  }  // which outlives the call
  static Source reader(std::string name, Read read) {
    return Source(Reader{std::move(name), std::move(read)});
  }
  const std::variant<std::string, std::span<const std::byte>, Reader>& place() const {
    return place_;
  }

 private:
  explicit Source(std::variant<std::string, std::span<const std::byte>, Reader> place)
      : place_(std::move(place)) {}
  std::variant<std::string, std::span<const std::byte>, Reader> place_;
};

// Takes bytes in order, on the caller's thread, as they are made; none of them is empty. An error
// ends the making, and is what is returned.
using Sink = std::function<Status(std::span<const std::byte> bytes)>;

struct Progress {
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::optional<std::uint64_t> bytes_in_total;  // of files and memory
};
using OnProgress = std::function<bool(const Progress& progress)>;  // on the caller's thread; false
                                                                   // ends it with Code::cancelled

struct DecompressOptions {
  std::optional<Format> format = {};  // without one, what the first bytes say
  std::uint64_t max_output_bytes =
      UINT64_MAX;             // what would become more is Code::capacity; the sink never gets more
  std::uint32_t threads = 0;  // that decode, beside the caller's; 0: as many as there are cores
  std::span<const std::byte> dictionary = {};  // of zstd (trained or raw), lz4 and zlib
  std::string variant = {};  // the one way to decode (variants()); without it, the first that fits
  // Decodes by the ways for devices; what none of them fits (variants() names them) is
  // Code::unsupported, unless it may be left to the host's ways. Some take whole files: a pipe is
  // read to its end for them, where it has no more than a quarter of the machine's memory.
  // Checksums of contents but gzip's and zlib's are verified by the host, beside the device.
  std::shared_ptr<Device> device = {};
  bool may_leave_device = false;
  OnProgress progress = {};
};

// What a device had of it. Times are the device's own, summed over batches, several of which are on
// their way at once.
struct DeviceReport {
  std::string id, name;                   // "cuda:0", "NVIDIA H200"
  std::vector<std::string> kernels = {};  // ways of batch.hpp that ran
  std::uint64_t bytes_in = 0,
                bytes_out = 0;  // what went there and came back; stored blocks do not go there
  double upload_seconds = 0, kernel_seconds = 0, download_seconds = 0;
};

// A member (gzip), frame (zstd, lz4) or stream (zlib, snappy) of what was read.
struct Report {
  Format format = Format::gzip;
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::uint64_t member_count = 0;  // members, frames or streams; skippable frames are not counted
  std::uint64_t unchecked_member_count = 0;  // those that have no checksum of their content
  std::string first_name = {};               // gzip: the first member's FNAME
  std::uint32_t threads = 0;
  std::vector<std::string> variants =
      {};  // which ways ran, each once, in the order of their first piece
  std::optional<DeviceReport> device = {};  // where one decoded or compressed
  std::uint64_t held_bytes =
      0;  // of a pipe that was read to its end first, for a device's way that takes files
};

// Decodes all members, frames and skippable frames of the source, which end where it ends; zeros
// behind gzip members are let be, as gzip does. Where the list of ARCHITECTURE.md says so, it is
// stricter than the formats' own programs.
Result<Report> decompress(const Source& source, const Sink& sink,
                          const DecompressOptions& options = {});
// The same of host memory, which must have room for the result.
Result<std::vector<std::byte>> decompress(std::span<const std::byte> compressed,
                                          const DecompressOptions& options = {});

// Text that stays in a device's memory.
struct DeviceOutput {
  std::shared_ptr<Buffer>
      output;  // of at least `bytes` bytes, which lie behind one another from its beginning
  std::uint64_t bytes = 0;
  Report report;
};
// A file or memory decoded by options.device, all of it at once, so that the file, room for its
// text and what decoders want beside them must have their place there. What the device does not
// decode is Code::unsupported; so is a pipe of more than decompress() would hold. Checksums are
// verified as by decompress(): where the host does it, texts come to it again, in download_seconds.
Result<DeviceOutput> decompress_to_device(const Source& source, const DecompressOptions& options);

// The ways to decode, in the order in which they are asked whether they fit.
struct Variant {
  Format format;
  std::string name, summary;
  bool is_for_devices = false;
};
std::vector<Variant> variants();

struct CompressOptions {
  Format format = Format::zstd;  // gzip, zstd or lz4
  std::uint32_t level =
      0;  // gzip 1 to 12, zstd 1 to 22, lz4 1 to 12; 0: 6, 3 and 1; on devices 1 alone
  std::uint64_t block_bytes = 0;  // 0: block_bytes_for(); lz4: 64 KiB, 256 KiB, 1 MiB or 4 MiB
  std::uint32_t threads = 0;
  // Compresses gzip and lz4 there, blocks in batches; zstd is Code::unsupported. Checksums are the
  // host's.
  std::shared_ptr<Device> device = {};
  OnProgress progress = {};
};
std::uint32_t max_level(Format format);
std::uint32_t default_level(Format format, bool is_on_device = false);
// gzip: 1 MiB. lz4: 4 MiB. zstd: four times the level's window, 2 MiB to 64 MiB, so that what a
// block does not see of its past costs little. On devices, which want many blocks at once, 65280
// bytes of gzip, as bgzip has them, and 64 KiB of lz4.
std::uint64_t block_bytes_for(Format format, std::uint32_t level, bool is_on_device = false);

// Blocks of the input compressed by several threads, written so that the formats' own programs read
// it: gzip has a member a block (blocks of at most 65280 bytes are BGZF, as bgzip writes it; the
// others name their size in pgzip's field, so that both are decoded in parallel); zstd a frame a
// block, with content size and checksum; lz4 one frame of independent blocks with a checksum of its
// content.
Result<Report> compress(const Source& source, const Sink& sink,
                        const CompressOptions& options = {});
Result<std::vector<std::byte>> compress(std::span<const std::byte> bytes,
                                        const CompressOptions& options = {});

}  // namespace penstock::stream
