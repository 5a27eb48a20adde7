// Compressed files decoded on every device: the bytes of the host's methods, their statuses on
// damaged files, and files that devices do not decode.
#include <lz4.h>
#include <snappy-c.h>

#include <algorithm>

#include "codec/checksum/crc32.hpp"
#include "codec/checksum/crc32c.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "stream/device/device_session.hpp"
#include "stream/device/device_stages.hpp"
#include "stream/lz4/lz4_methods.hpp"
#include "stream_bytes.hpp"

namespace penstock::stream {
namespace {

struct File {
  std::string name, bytes;
  Format format;
};

std::string independent_lz4(std::string_view text, LZ4F_blockSizeID_t block_size,
                            bool has_block_checksums, int level = 1) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo = {block_size,
                           LZ4F_blockIndependent,
                           LZ4F_contentChecksumEnabled,
                           LZ4F_frame,
                           text.size(),
                           0,
                           has_block_checksums ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum};
  return lz4_made(text, level, preferences);
}
std::string sized_gzip(std::string_view text, std::uint64_t block_bytes) {
  const auto file = compress(bytes_of(text), {.format = Format::gzip, .block_bytes = block_bytes});
  EXPECT_TRUE(file.ok());
  return text_of(*file);
}
void add_number(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) to += static_cast<char>(value >> (8 * i));
}
std::string framed_snappy(std::string_view text, std::size_t stored_chunk) {
  std::string file("\xff\x06\0\0sNaPpY", 10);
  for (std::size_t at = 0, index = 0; at < text.size(); at += 65536, index++) {
    const std::string_view part = text.substr(at, 65536);
    std::string body(snappy_max_compressed_length(part.size()), 0);
    std::size_t bytes = body.size();
    EXPECT_EQ(snappy_compress(part.data(), part.size(), body.data(), &bytes), SNAPPY_OK);
    body.resize(bytes);
    const bool is_stored = index == stored_chunk;
    if (is_stored) body = part;
    const std::uint32_t checksum = checksum::crc32c(bytes_of(part));
    add_number(file, is_stored, 1), add_number(file, body.size() + 4, 3);
    add_number(file, (checksum >> 15 | checksum << 17) + 0xa282ead8u, 4);
    file += body;
  }
  return file;
}
// Frames without an end mark: 8 MiB of text a block.
std::string legacy_lz4(std::string_view text) {
  std::string file;
  add_number(file, 0x184c2102, 4);
  for (std::size_t at = 0; at < text.size(); at += 8 << 20) {
    const std::string_view part = text.substr(at, 8 << 20);
    std::string block(LZ4_compressBound(static_cast<int>(part.size())), 0);
    const int bytes = LZ4_compress_default(part.data(), block.data(), static_cast<int>(part.size()),
                                           static_cast<int>(block.size()));
    add_number(file, static_cast<std::uint64_t>(bytes), 4);
    file += block.substr(0, static_cast<std::size_t>(bytes));
  }
  return file;
}

// Text that compresses, between bytes that do not: blocks of both kinds.
std::string mixed(std::size_t bytes) {
  std::string text = words(bytes);
  std::mt19937 random(3);
  for (std::size_t at = bytes / 3; at < bytes / 2; at++) text[at] = static_cast<char>(random());
  return text;
}

// Blocks that are linked; each `flush_bytes` of text end one, so that blocks do not fill their
// rooms.
std::string linked_lz4(std::string_view text, LZ4F_blockSizeID_t block_size,
                       std::size_t flush_bytes) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo = {
      block_size, LZ4F_blockLinked,         LZ4F_contentChecksumEnabled, LZ4F_frame, 0,
      0,          LZ4F_blockChecksumEnabled};
  std::string file(LZ4F_HEADER_SIZE_MAX + 2 * LZ4F_compressBound(text.size(), &preferences) +
                       64 * (text.size() / flush_bytes + 2),
                   0);
  LZ4F_cctx* context = nullptr;
  EXPECT_FALSE(LZ4F_isError(LZ4F_createCompressionContext(&context, LZ4F_VERSION)));
  std::size_t bytes = LZ4F_compressBegin(context, file.data(), file.size(), &preferences);
  const auto add = [&](std::size_t made) {
    EXPECT_FALSE(LZ4F_isError(made));
    bytes += made;
  };
  for (std::size_t at = 0; at < text.size(); at += flush_bytes) {
    const std::string_view part = text.substr(at, flush_bytes);
    add(LZ4F_compressUpdate(context, file.data() + bytes, file.size() - bytes, part.data(),
                            part.size(), nullptr));
    add(LZ4F_flush(context, file.data() + bytes, file.size() - bytes, nullptr));
  }
  add(LZ4F_compressEnd(context, file.data() + bytes, file.size() - bytes, nullptr));
  LZ4F_freeCompressionContext(context);
  file.resize(bytes);
  return file;
}
bool supports_dependent_blocks(const Device& device) {
  return !batch::Decoder::variants(batch::Format::lz4, device.traits(), {65536, true}).empty();
}
// `frame` is such a frame.
bool has_stored_block(const std::string& frame) {
  for (std::size_t at = 7;;) {
    std::uint32_t size = 0;
    std::memcpy(&size, frame.data() + at, 4);
    if (size == 0 || size >> 31 != 0) return size != 0;
    at += 4 + size + 4;
  }
}
// Blocks that fill their rooms; that end early, some of them stored; frames alone, and between
// frames of others.
std::vector<File> linked_files(std::string_view text) {
  const std::string full = linked_lz4(text, LZ4F_max64KB, 65536),
                    flushed = linked_lz4(text, LZ4F_max64KB, 7'001);
  const std::size_t half = text.size() / 2;
  EXPECT_TRUE(has_stored_block(flushed));
  return {{"linked", full, Format::lz4},
          {"linked and flushed", flushed, Format::lz4},
          {"a linked frame among others",
           independent_lz4(text.substr(0, half / 2), LZ4F_max64KB, false) +
               linked_lz4(text.substr(half / 2, half), LZ4F_max64KB, 30'000) +
               linked_lz4(text.substr(half / 2 + half), LZ4F_max64KB, 65536),
           Format::lz4}};
}

std::vector<File> files_of(std::string_view text) {
  const std::string two_frames =
      independent_lz4(text.substr(0, text.size() / 2), LZ4F_max4MB, false) +
      independent_lz4(text.substr(text.size() / 2), LZ4F_max64KB, true);
  return {{"64 KiB blocks", independent_lz4(text, LZ4F_max64KB, true), Format::lz4},
          {"4 MiB blocks", independent_lz4(text, LZ4F_max4MB, false, 9), Format::lz4},
          {"two frames", two_frames, Format::lz4},
          {"legacy", legacy_lz4(text), Format::lz4},
          {"snappy", framed_snappy(text, 1), Format::snappy},
          {"bgzip's", sized_gzip(text, 65280), Format::gzip},
          {"pgzip's", sized_gzip(text, 1 << 20), Format::gzip}};
}

Result<std::string> fetched(Device& device, const DeviceOutput& output) {
  std::string all(output.bytes, '\0');
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  PENSTOCK_TRY(queue->download(all.data(), *output.buffer, all.size()));
  PENSTOCK_TRY(queue->finish());
  return all;
}

// Decodes a file, expects its text, and returns the report.
std::optional<Report> report_of(const std::shared_ptr<Device>& device, const File& file,
                                std::string_view text) {
  std::string all;
  const auto sink = [&](std::span<const std::byte> bytes) {
    return all += text_of(bytes), Status();
  };
  const auto report = decompress(Source::memory(bytes_of(file.bytes)), sink, {.device = device});
  EXPECT_TRUE(report.ok()) << report.status().text();
  EXPECT_TRUE(all == text);
  return report.ok() ? std::optional(*report) : std::nullopt;
}

void expect_output(const std::shared_ptr<Device>& device, const File& file, std::string_view text) {
  SCOPED_TRACE(file.name);
  const auto report = report_of(device, file, text);
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->methods.size(), 1u);
  EXPECT_TRUE(report->methods.front().ends_with("-device"));
  ASSERT_TRUE(report->device.has_value());
  EXPECT_EQ(report->device->id, device->traits().id);
  EXPECT_EQ(report->bytes_out, text.size());
  EXPECT_GT(report->device->bytes_out, 0u);
}

TEST(StreamOnDevice, FilesOfSeveralBatchesComeBack) {
  const std::string text = mixed(10 << 20);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const File& file : files_of(text)) expect_output(device, file, text);
  });
}

// gzip's files, which say nothing of where members and blocks end: as gzip and pigz make them.
std::vector<File> gzip_files(std::string_view text) {
  std::vector<File> files;
  for (const int level : {1, 6, 9})
    files.push_back({"gzip -" + std::to_string(level), zlib_made(text, level), Format::gzip});
  const std::size_t half = text.size() / 2;
  files.push_back({"stored", zlib_made(text, 0), Format::gzip});
  files.push_back({"two members",
                   zlib_made(text.substr(0, half), 6) + zlib_made(text.substr(half), 1),
                   Format::gzip});
  files.push_back(
      {"empty members",
       zlib_made("", 6) + zlib_made(text, 6) + zlib_made("", 6) + std::string(512, '\0'),
       Format::gzip});
  files.push_back({"sized members between",
                   zlib_made(text.substr(0, half), 6) +
                       sized_gzip(text.substr(half, 100'000), 65280) +
                       zlib_made(text.substr(std::min(text.size(), half + 100'000)), 6),
                   Format::gzip});
  return files;
}

TEST(StreamOnDevice, OrdinaryGzipFilesComeBack) {
  const std::string text = mixed(10 << 20);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const File& file : gzip_files(text)) {
      SCOPED_TRACE(file.name);
      const auto report = report_of(device, file, text);
      ASSERT_TRUE(report.has_value());
      EXPECT_EQ(report->methods.front(), "gzip-streams-device");
      EXPECT_EQ(report->bytes_in, file.bytes.size());
      EXPECT_EQ(report->device->kernels.front(), "deflate_segments");
      if (file.name == "sized members between") continue;  // which two ways take
      TAKE(const DeviceOutput there,
           decompress_to_device(Source::memory(bytes_of(file.bytes)), {.device = device}));
      EXPECT_EQ(there.report.bytes_in, file.bytes.size());
      TAKE(const std::string stayed, fetched(*device, there));
      EXPECT_TRUE(stayed == text);
    }
  });
}

TEST(StreamOnDevice, ZlibStreamsComeBackAndStayThere) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const std::string& text : {std::string(), std::string("x"), words(5000), mixed(10 << 20),
                                    std::string(3 << 20, '\xff')})
      for (const int level : {0, 1, 9}) {
        const File file{"zlib -" + std::to_string(level), zlib_made(text, level, 15), Format::zlib};
        SCOPED_TRACE(file.name + " of " + std::to_string(text.size()));
        const auto report = report_of(device, file, text);
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(report->methods, std::vector<std::string>{"zlib-stream-device"});
        EXPECT_EQ(report->bytes_in, file.bytes.size());
        EXPECT_EQ(report->member_count, 1u);
        TAKE(const DeviceOutput there,
             decompress_to_device(Source::memory(bytes_of(file.bytes)), {.device = device}));
        TAKE(const std::string stayed, fetched(*device, there));
        EXPECT_TRUE(stayed == text);
      }
  });
}

TEST(StreamOnDevice, TrailingGarbageAfterGzipMembersIsIgnoredAndCounted) {
  const std::string text = words(3000);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const std::string& members : {zlib_made(text, 6), sized_gzip(text, 1024)})
      for (const std::string& zeros : {std::string(), std::string(3, '\0')})
        for (const std::string garbage : {"", "junk"}) {
          const File file{"garbage", members + zeros + garbage, Format::gzip};
          const auto report = report_of(device, file, text);
          ASSERT_TRUE(report.has_value());
          EXPECT_EQ(report->ignored_bytes, garbage.size());
          EXPECT_EQ(report->methods.size(), 1u);
          TAKE(const DeviceOutput there,
               decompress_to_device(Source::memory(bytes_of(file.bytes)), {.device = device}));
          EXPECT_EQ(there.report.ignored_bytes, garbage.size());
          TAKE(const std::string stayed, fetched(*device, there));
          EXPECT_EQ(stayed, text);
        }
  });
}

TEST(StreamOnDevice, MembersWithForeignSubfieldsAreDecodedAsPlainOnes) {
  const std::string text = words(100) + std::string(3000, '\0'),
                    body = zlib_made(text, 0).substr(10),
                    head("\x1f\x8b\x08\4\0\0\0\0\0\xff\6\0BC\2\0", 16);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const std::string& size : {std::string("\x11\0", 2), std::string("\xff\xff", 2),
                                    std::string("\0\0", 2), std::string("\xff\1", 2)}) {
      const std::string member = head + size + body;
      const auto here = decompressed(Source::memory(bytes_of(member + member)), {.device = device});
      ASSERT_OK(here);
      EXPECT_EQ(*here, text + text);
    }
  });
}

TEST(StreamOnDevice, AnOrdinaryGzipBombEndsAtTheLimit) {
  const std::string file = zlib_made(std::string(20 << 20, '\0'), 6);
  on_each_device([&](Device& found) {
    const DecompressOptions options = {.max_output_bytes = 3'000'000,
                                       .device = *open_device(found.traits().id)};
    EXPECT_EQ(decompress(bytes_of(file), options).status().code(), Code::capacity);
    EXPECT_EQ(decompress_to_device(Source::memory(bytes_of(file)), options).status().code(),
              Code::capacity);
  });
}

std::vector<File> zstd_files(std::string_view text) {
  const std::string skipped("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
  const std::string_view half = text.substr(0, text.size() / 2),
                         rest = text.substr(text.size() / 2);
  return {{"one frame", zstd_made(text, 3), Format::zstd},
          {"without sizes and checksums", zstd_made(text, 7, false, false), Format::zstd},
          {"two frames", skipped + zstd_made(half, 1) + skipped + zstd_made(rest, 9, false),
           Format::zstd}};
}

TEST(StreamOnDevice, ZstandardFramesComeBackAndStayThere) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const std::string& text : {std::string(), std::string("x"), words(1000), mixed(3'000'000)})
      for (const File& file : zstd_files(text)) {
        SCOPED_TRACE(file.name);
        if (!text.empty()) expect_output(device, file, text);
        TAKE(const DeviceOutput there,
             decompress_to_device(Source::memory(bytes_of(file.bytes)), {.device = device}));
        EXPECT_EQ(there.report.bytes_in, file.bytes.size());
        TAKE(const std::string all, fetched(*device, there));
        EXPECT_TRUE(all == text);
      }
  });
}

TEST(StreamOnDevice, APipeIsDecodedToo) {
  const std::string text = mixed(3 << 20);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const File& file : files_of(text)) {
      const auto all = decompressed(dripping(file.bytes, 60'000), {.device = device});
      ASSERT_OK(all);
      EXPECT_TRUE(*all == text) << file.name;
    }
  });
}

// Devices get a whole pipe at once.
TEST(StreamOnDevice, APipeIsHeldForMethodsThatTakeFiles) {
  const std::string text = mixed(3 << 20);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    std::vector<File> files = gzip_files(text);
    files.push_back({"zlib", zlib_made(text, 6, 15), Format::zlib});
    for (File& file : zstd_files(text)) files.push_back(file);
    std::string small;
    for (std::size_t at = 0; at < text.size(); at += 9000)
      small += zstd_made(text.substr(at, 9000), 1);
    files.push_back({"small frames", small, Format::zstd});
    for (const File& file : files) {
      SCOPED_TRACE(file.name);
      std::string all;
      const auto sink = [&](std::span<const std::byte> bytes) {
        return all += text_of(bytes), Status();
      };
      const auto report = decompress(dripping(file.bytes, 60'000), sink, {.device = device});
      ASSERT_OK(report);
      EXPECT_TRUE(all == text);
      // A skippable frame at the beginning is read before.
      const std::size_t skipped = file.bytes.starts_with("\x50\x2a\x4d\x18") ? 11 : 0;
      EXPECT_EQ(report->buffered_bytes, file.bytes.size() - skipped);
      for (const std::string& method : report->methods)
        EXPECT_TRUE(method.ends_with("-device")) << method;
      if (file.name == "sized members between") continue;  // which two ways take
      TAKE(const DeviceOutput there,
           decompress_to_device(dripping(file.bytes, 60'000), {.device = device}));
      TAKE(const std::string stayed, fetched(*device, there));
      EXPECT_TRUE(stayed == text);
    }
    // Behind members that are decoded as they come.
    const std::string sized = sized_gzip(text, 65280), both = sized + zlib_made(text, 6);
    const auto mixed_members = decompressed(dripping(both, 60'000), {.device = device});
    ASSERT_OK(mixed_members);
    EXPECT_TRUE(*mixed_members == text + text);
  });
}

TEST(StreamOnDevice, APipeThatIsNotHeldIsReadAsBefore) {
  const std::string bytes = mixed(5'000'000);
  for (const std::uint64_t most : {0, 1000, 4'999'999, 5'000'000}) {
    TAKE(const auto input, Input::open(dripping(bytes, 70'000)));
    TAKE(const auto first, input->peek(100));
    ASSERT_GE(first.size(), 100u);
    input->skip(10);
    TAKE(const bool is_held, input->buffer_rest(most));
    EXPECT_EQ(is_held, most == 5'000'000 || most == 4'999'999);
    EXPECT_EQ(input->size(), is_held ? std::optional<std::uint64_t>(bytes.size()) : std::nullopt);
    std::string all;
    for (;;) {
      TAKE(const auto rest, input->peek(1));
      if (rest.empty()) break;
      all += text_of(rest), input->skip(rest.size());
    }
    EXPECT_TRUE(all == bytes.substr(10));
  }
}

TEST(StreamOnDevice, EmptyAndShortFilesComeBack) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const std::string text : {"", "x", "only a few bytes"})
      for (const File& file : files_of(text)) {
        if (text.empty() && file.name == "legacy") continue;
        const auto all = decompressed(Source::memory(bytes_of(file.bytes)), {.device = device});
        ASSERT_OK(all);
        EXPECT_TRUE(*all == text) << file.name;
      }
  });
}

// Returns "lz4 frame 1": what a message names beside the byte.
std::string member_of(const Status& status) {
  const std::string& message = status.message();
  const std::size_t begin = message.rfind(" (");
  return message.substr(0, message.find(':')) +
         message.substr(begin, message.find(',', begin) - begin);
}

// Expects the status of the host's methods, code and all.
void expect_same(const std::shared_ptr<Device>& device, const File& file, const std::string& what) {
  const auto expected = decompress(bytes_of(file.bytes), {.format = file.format, .threads = 1});
  const auto found =
      decompress(bytes_of(file.bytes),
                 {.format = file.format, .threads = 1, .device = device, .fallback = true});
  const bool is_stricter =
      !found.ok() && found.status().message().find("invalid distance") != std::string::npos;
  if (is_stricter && file.format == Format::lz4 && expected.ok()) return;  // which liblz4 takes
  ASSERT_EQ(found.ok(), expected.ok())
      << file.name << ", " << what << ": " << found.status().text() << expected.status().text();
  if (found.ok()) {
    ASSERT_TRUE(*found == *expected) << file.name << ", " << what;
    return;
  }
  ASSERT_EQ(found.status().code(), expected.status().code())
      << what << ": " << found.status().text() << expected.status().text();
  ASSERT_EQ(member_of(found.status()), member_of(expected.status())) << file.name << ", " << what;
  ASSERT_NE(found.status().message().find("byte "), std::string::npos) << found.status().text();
}

void expect_same_statuses(const std::shared_ptr<Device>& device, const File& file,
                          std::size_t step) {
  for (std::size_t bytes = 1; bytes <= file.bytes.size(); bytes += step)
    expect_same(device, {file.name, file.bytes.substr(0, bytes), file.format},
                "the first " + std::to_string(bytes) + " bytes");
  for (std::size_t bit = 0; bit < 8 * file.bytes.size(); bit += step) {
    File changed = file;
    changed.bytes[bit / 8] = static_cast<char>(changed.bytes[bit / 8] ^ 1 << bit % 8);
    expect_same(device, changed, "bit " + std::to_string(bit));
    if (testing::Test::HasFatalFailure()) return;
  }
}

std::vector<File> small_files() {
  const std::string text = words(400);
  return {{"lz4", independent_lz4(text, LZ4F_max64KB, false, 9), Format::lz4},
          {"lz4 with block checksums", independent_lz4(text.substr(0, 200), LZ4F_max64KB, true),
           Format::lz4},
          {"legacy", legacy_lz4(text), Format::lz4},
          {"snappy", framed_snappy(text, 9), Format::snappy},
          {"gzip", sized_gzip(words(1500), 1024), Format::gzip}};
}

TEST(StreamOnDevice, DamagedFilesGetTheStatusesOfTheHostsMethods) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const File& file : small_files()) expect_same_statuses(device, file, 1);
  });
}

TEST(StreamOnDevice, DamagedGzipFilesGetTheStatusesOfTheHostsMethods) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    const std::string text = words(6000);
    expect_same_statuses(device, {"gzip", zlib_made(text, 6), Format::gzip}, 3);
    expect_same_statuses(
        device,
        {"two members", zlib_made(text.substr(0, 500), 9) + zlib_made("x", 6), Format::gzip}, 1);
  });
}

TEST(StreamOnDevice, DamagedZlibStreamsGetTheStatusesOfTheHostsMethods) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    const std::string file = zlib_made(words(2000), 6, 15);
    expect_same_statuses(device, {"zlib", file, Format::zlib}, 3);
    for (const std::string& behind : {std::string(1, '\0'), file}) {
      expect_same(device, {"zlib", file + behind, Format::zlib}, "what stands behind the stream");
      const auto there =
          decompress_to_device(Source::memory(bytes_of(file + behind)), {.device = device});
      EXPECT_EQ(there.status().code(), Code::corrupt) << there.status().text();
    }
  });
}

// Which of two faults of a frame is told, and so the code, may differ: on devices all blocks are
// looked at before any of them is decoded.
TEST(StreamOnDevice, DamagedZstandardFramesAreRefusedAsByTheHostsDecoder) {
  const std::string text = words(300);
  const std::string file = zstd_made(text, 19) + zstd_made(text, 1, false, false);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (std::size_t bit = 0; bit < 8 * file.size(); bit++) {
      std::string changed = file;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
      const auto expected = decompress(
          bytes_of(changed), {.format = Format::zstd, .threads = 1, .method = "zstd-parallel"});
      const auto here =
          decompress(bytes_of(changed),
                     {.format = Format::zstd, .threads = 1, .device = device, .fallback = true});
      ASSERT_EQ(here.ok(), expected.ok())
          << "bit " << bit << ": " << here.status().text() << expected.status().text();
      if (here.ok())
        ASSERT_TRUE(*here == *expected) << "bit " << bit;
      else
        ASSERT_NE(here.status().message().find("byte "), std::string::npos) << here.status().text();
    }
  });
}

// The begins of a frame's blocks, behind their sizes; the blocks have checksums.
std::vector<std::size_t> blocks_of(const std::string& frame) {
  std::vector<std::size_t> blocks;
  for (std::size_t at = 15;;) {  // behind the header, which has a content size
    std::uint32_t size = 0;
    std::memcpy(&size, frame.data() + at, 4);
    if (size == 0) return blocks;
    blocks.push_back(at + 4);
    at += 4 + (size & 0x7fffffff) + 4;
  }
}

// A member in which only the last piece makes text: each stride of 32 KiB has a dynamic block
// without text, and stored ones.
std::string late_gzip(std::string_view text, std::size_t strides) {
  std::string dynamic;  // of codes of lengths 1 for 1 and 18; then an empty stored block
  unsigned used = 0;
  const auto put = [&](unsigned value, unsigned bits) {
    for (unsigned i = 0; i < bits; i++, used++) {
      if (used % 8 == 0) dynamic += '\0';
      dynamic.back() = static_cast<char>(dynamic.back() | (value >> i & 1) << used % 8);
    }
  };
  put(0, 1), put(2, 2), put(0, 5), put(0, 5), put(14, 4);
  for (const unsigned length : {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
    put(length, 3);
  put(0, 1), put(1, 1), put(138 - 11, 7), put(1, 1), put(117 - 11, 7), put(0, 1), put(0, 1),
      put(1, 1), put(0, 3);
  dynamic += std::string("\0\0\xff\xff", 4);
  const std::string stored("\0\0\0\xff\xff", 5);
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10), stride = dynamic;
  while (stride.size() + stored.size() <= 32768) stride += stored;
  for (std::size_t i = 0; i < strides; i++) file += stride;
  file += '\1';
  add_number(file, text.size(), 2), add_number(file, ~text.size() & 0xffff, 2);
  file += text;
  add_number(file, checksum::crc32(0, bytes_of(text)), 4), add_number(file, text.size(), 4);
  return file;
}

// A batch of a CPU has some thousand pieces.
TEST(StreamOnDevice, OutputBehindABatchOfNoneIsNotLost) {
  const std::string text = "what comes late", file = late_gzip(text, 1100);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    const auto all = decompressed(Source::memory(bytes_of(file)), {.device = device});
    ASSERT_OK(all);
    EXPECT_EQ(*all, text);
    std::string wrong = file;
    wrong[wrong.size() - 6] ^= 1;  // of the CRC-32
    EXPECT_EQ(decompressed(Source::memory(bytes_of(wrong)), {.device = device}).status().code(),
              Code::corrupt);
  });
}

// Blocks of a byte each: what such a frame may become is more than a device has room for.
TEST(StreamOnDevice, AFrameOfVeryManyBlocksWithoutASizeIsNotADevices) {
  std::string file("\x28\xb5\x2f\xfd\x00\x58", 6);  // a window of 2 MiB
  const std::string coded("\x1c\x00\x00\x08\x61\x00",
                          6);  // compressed: a raw literal, no sequences
  for (int i = 0; i < 200'000; i++) file += coded;
  file += std::string("\x01\x00\x00", 3);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    if (device->traits().max_allocation_bytes > std::uint64_t{24} << 30) return;
    EXPECT_EQ(decompress(bytes_of(file), {.device = device}).status().code(), Code::unsupported);
    const auto left = decompress(bytes_of(file), {.device = device, .fallback = true});
    ASSERT_OK(left);
    EXPECT_EQ(text_of(*left), std::string(200'000, 'a'));
  });
}

TEST(StreamOnDevice, WindowsAboveTheLimitAreRefused) {
  const std::string text(100'000, 'w');
  std::string file = zstd_made(text, 3, true, false);
  ASSERT_EQ(file[4] & 0x20, 0);          // the window's descriptor follows
  file[5] = static_cast<char>(18 << 3);  // 256 MiB
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    const Status refused = decompress(bytes_of(file), {.device = device}).status();
    EXPECT_EQ(refused.code(), Code::capacity) << refused.text();
    EXPECT_EQ(
        decompress_to_device(Source::memory(bytes_of(file)), {.device = device}).status().text(),
        refused.text());
    EXPECT_EQ(
        output_of(decompress(bytes_of(file), {.max_window_bytes = 256 << 20, .device = device})),
        text);
  });
}

TEST(StreamOnDevice, AFrameOfMoreOutputThanItStatesIsCorrupt) {
  std::string file = zstd_made(std::string(200, 'x') + words(300), 3, false);
  ASSERT_EQ(file[4] & 0xc0, 0x40);  // two bytes of content size, less 256
  file[5] = 0, file[6] = 0;
  on_each_device([&](Device& found) {
    const Status told =
        decompress(bytes_of(file), {.device = *open_device(found.traits().id)}).status();
    EXPECT_EQ(told.code(), Code::corrupt) << told.text();
    EXPECT_NE(told.message().find("(frame 1,"), std::string::npos) << told.text();
  });
}

// Blocks are decoded at once, and faults told in the file's order: of the first block that has one,
// be it of its checksum or of its bytes.
TEST(StreamOnDevice, TheFirstOfSeveralErrorsIsTold) {
  const std::string file = independent_lz4(words(400'000), LZ4F_max64KB, true);
  const std::vector<std::size_t> blocks = blocks_of(file);
  ASSERT_EQ(blocks.size(), 7u);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const auto& [first, second] : {std::pair{1, 3}, std::pair{2, 4}}) {
      File changed{"lz4", file, Format::lz4};
      changed.bytes[blocks[first] + 100] ^= 1, changed.bytes[blocks[second] + 100] ^= 1;
      expect_same(device, changed,
                  "blocks " + std::to_string(first) + " and " + std::to_string(second));
      const Status told = decompress(bytes_of(changed.bytes), {.device = device}).status();
      const std::string place =
          "byte " + std::to_string(blocks[first + 1] - 8);  // of the block's checksum
      EXPECT_NE(told.message().find(place), std::string::npos) << told.text() << ", not " << place;
    }
  });
}

// liblz4 takes it where the block's capacity is larger than its output (lz4_block.kc).
TEST(StreamOnDevice, AnLz4BlockThatEndsInOneLiteralIsTaken) {
  LZ4F_preferences_t independent{};
  independent.frameInfo.blockMode = LZ4F_blockIndependent;
  independent.frameInfo.blockSizeID = LZ4F_max64KB;
  const std::string head = lz4_made("", 1, independent).substr(0, 7);
  const std::string block =
      '\xe3' + words(14) + std::string("\x0e\0", 2) + '\x10' + 'z';  // with a match of 7 bytes
  std::string file = head;
  add_number(file, block.size(), 4);
  file += block + std::string(4, '\0');
  const std::string text = words(14) + words(14).substr(0, 7) + 'z';
  ASSERT_EQ(lz4_says(file), text);
  EXPECT_EQ(output_of(decompress(bytes_of(file), {})), text);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    EXPECT_EQ(output_of(decompress(bytes_of(file), {.device = device})), text);
  });
}

TEST(StreamOnDevice, AMessageDoesNotOfferWhatTheDeviceHasJustRefused) {
  LZ4F_preferences_t linked{}, independent{};
  linked.frameInfo.blockMode = LZ4F_blockLinked;
  independent.frameInfo.blockMode = LZ4F_blockIndependent;
  const std::string text = words(100'000), dictionary = words(500, 3);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    if (!found.traits().is_cpu) return;
    const Status is_linked =
        decompress(bytes_of(lz4_made(text, 1, linked)), {.device = device}).status();
    EXPECT_NE(is_linked.message().find("on a GPU: dependent blocks"), std::string::npos)
        << is_linked.text();
    const Status has_dictionary = decompress(bytes_of(lz4_made(text, 1, independent)),
                                             {.dictionary = bytes_of(dictionary), .device = device})
                                      .status();
    EXPECT_NE(has_dictionary.message().find("without a dictionary"), std::string::npos)
        << has_dictionary.text();
  });
}

TEST(StreamOnDevice, WhatDevicesDoNotDecodeIsAnErrorUnlessTheyMayBeLeft) {
  const std::string text = words(200'000), dictionary = text.substr(70'000, 9'000);
  LZ4F_preferences_t linked{};
  linked.frameInfo.blockMode = LZ4F_blockLinked, linked.frameInfo.blockSizeID = LZ4F_max64KB;
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const std::string& file :
         {lz4_made(text, 1, linked), zlib_made(text, 6, 15, dictionary)}) {
      if (file[0] == '\x04' && supports_dependent_blocks(*device))
        continue;  // the magic number of LZ4
      DecompressOptions options = {.device = device};
      if (file[0] == '\x78') options.dictionary = bytes_of(dictionary);
      const Status refused = decompress(bytes_of(file), options).status();
      EXPECT_EQ(refused.code(), Code::unsupported) << refused.text();
      EXPECT_NE(refused.message().find("not decoded on "), std::string::npos) << refused.text();
      std::string all;
      const auto sink = [&](std::span<const std::byte> bytes) {
        return all += text_of(bytes), Status();
      };
      options.fallback = true;
      const auto report = decompress(Source::memory(bytes_of(file)), sink, options);
      ASSERT_OK(report);
      EXPECT_TRUE(all == text);
      EXPECT_FALSE(report->device.has_value());
      EXPECT_FALSE(report->methods.front().ends_with("-device"));
    }
  });
}

TEST(StreamOnDevice, WithoutADeviceItsMethodsDoNotFit) {
  const std::string file = independent_lz4(words(1000), LZ4F_max64KB, false);
  EXPECT_EQ(decompress(bytes_of(file), {.method = "lz4-blocks-device"}).status().code(),
            Code::invalid);
}

TEST(StreamOnDevice, ABombEndsAtTheLimit) {
  const std::string zeros(20 << 20, '\0');
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const File& file : files_of(zeros)) {
      std::uint64_t got = 0;
      const auto count = [&](std::span<const std::byte> bytes) {
        return got += bytes.size(), Status();
      };
      const auto report = decompress(Source::memory(bytes_of(file.bytes)), count,
                                     {.max_output_bytes = 3'000'000, .device = device});
      EXPECT_EQ(report.status().code(), Code::capacity)
          << file.name << ": " << report.status().text();
      EXPECT_LE(got, 3'000'000u);
    }
  });
}

// "two frames" has a block that does not fill its room, with another behind it.
TEST(StreamOnDevice, OutputStaysInTheDevicesMemory) {
  const std::string text = mixed(3'000'000);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const File& file : files_of(text)) {
      SCOPED_TRACE(file.name);
      TAKE(const DeviceOutput there,
           decompress_to_device(Source::memory(bytes_of(file.bytes)), {.device = device}));
      EXPECT_EQ(there.report.bytes_in, file.bytes.size());
      EXPECT_EQ(there.report.bytes_out, text.size());
      TAKE(const std::string all, fetched(*device, there));
      EXPECT_TRUE(all == text);
    }
    for (const std::string few : {"", "x"}) {
      const std::string file = independent_lz4(few, LZ4F_max64KB, false);
      TAKE(const DeviceOutput there,
           decompress_to_device(Source::memory(bytes_of(file)), {.device = device}));
      TAKE(const std::string all, fetched(*device, there));
      EXPECT_EQ(all, few);
    }
  });
}

TEST(StreamOnDevice, OutputThatStaysThereIsJudgedAsOutputThatComesBack) {
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    for (const File& file : small_files())
      for (std::size_t bit = 0; bit < 8 * file.bytes.size(); bit += 7) {
        std::string changed = file.bytes;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
        const auto expected =
            decompress(bytes_of(changed), {.format = file.format, .device = device});
        const auto there = decompress_to_device(Source::memory(bytes_of(changed)),
                                                {.format = file.format, .device = device});
        // A member that lost its size is refused before it is decoded.
        if (there.status().message().find("mixed with others") != std::string::npos) {
          ASSERT_EQ(there.status().code(), Code::unsupported);
          if (!expected.ok()) {
            ASSERT_EQ(member_of(there.status()), member_of(expected.status()));
          }
          continue;
        }
        ASSERT_EQ(there.ok(), expected.ok()) << file.name << ", bit " << bit << ": "
                                             << there.status().text() << expected.status().text();
        ASSERT_EQ(there.status().text(), expected.status().text()) << file.name << ", bit " << bit;
      }
  });
}

TEST(StreamOnDevice, WhatHasNoPlaceInADevicesMemoryIsRefused) {
  const std::string text = words(300'000), file = independent_lz4(text, LZ4F_max64KB, false);
  EXPECT_EQ(decompress_to_device(Source::memory(bytes_of(file)), {}).status().code(),
            Code::invalid);
  on_each_device([&](Device& found) {
    const auto device = *open_device(found.traits().id);
    const std::string zlib = zlib_made(text, 6, 15, "needs this");
    const auto left =
        decompress_to_device(Source::memory(bytes_of(zlib)), {.device = device, .fallback = true});
    EXPECT_EQ(left.status().code(), Code::unsupported) << left.status().text();
    const auto limited = decompress_to_device(Source::memory(bytes_of(file)),
                                              {.max_output_bytes = 1000, .device = device});
    EXPECT_EQ(limited.status().code(), Code::capacity) << limited.status().text();
  });
}

// Linked blocks where a device has a way for them.
void expect_linked(const std::shared_ptr<Device>& device, std::string_view text) {
  for (const File& file : linked_files(text)) {
    SCOPED_TRACE(file.name);
    const auto all = decompressed(Source::memory(bytes_of(file.bytes)), {.device = device});
    ASSERT_OK(all);
    EXPECT_TRUE(*all == text);
    TAKE(const DeviceOutput there,
         decompress_to_device(Source::memory(bytes_of(file.bytes)), {.device = device}));
    TAKE(const std::string output_there, fetched(*device, there));
    EXPECT_TRUE(output_there == text);
  }
}
TEST(StreamOnDevice, LinkedBlocksComeBack) {
  const std::string text = mixed(20 << 20);
  on_each_device([&](Device& found) {
    if (supports_dependent_blocks(found)) expect_linked(*open_device(found.traits().id), text);
  });
}
TEST(StreamOnDevice, LinkedBlocksComeBackFromWarpsOnTheHostExecutor) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device({.subgroup_size = 32});
  expect_linked(device, mixed(100'000));
  const std::string text = words(500);
  expect_same_statuses(device, {"linked", linked_lz4(text, LZ4F_max64KB, 170), Format::lz4}, 101);
}
// A frame in several batches, each of which reaches into the one before.
TEST(StreamOnDevice, LinkedBlocksReachIntoTheBatchBeforeOnTheHostExecutor) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device({.subgroup_size = 32});
  const std::string text = mixed(110'000);
  for (const std::size_t flush_bytes : {9'000, 65'536}) {
    const std::string file =
        linked_lz4(text, LZ4F_max64KB, flush_bytes) + linked_lz4(text, LZ4F_max64KB, flush_bytes);
    TAKE(const auto input, Input::open(Source::memory(bytes_of(file))));
    const DecompressOptions options{.device = device};
    Context context{*input, options, 1};
    context.session = std::make_shared<DeviceSession>(device);
    const auto is_wanted = [](const Method& row) {
      return row.name == std::string("lz4-dependent-device");
    };
    const auto method = std::find_if(lz4_methods().begin(), lz4_methods().end(), is_wanted);
    const auto decoder = make_chunk_decoder(
        std::get<DeviceChunks>(method->decoder).make(context, 128 << 10), context);
    std::string all;
    for (;;) {
      TAKE(const auto bytes, decoder->next());
      if (bytes.empty()) break;
      all += text_of(bytes);
    }
    EXPECT_TRUE(all == text + text);
  }
}

// The kernels of GPUs, under sanitizers.
TEST(StreamOnDevice, WarpsOnTheHostExecutorDecodeAndRefuse) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const auto device = kernel::make_host_device({.subgroup_size = 32});
  const std::string text = mixed(140'000);
  for (const File& file : files_of(text))
    if (file.name != "legacy") expect_output(device, file, text);
  for (const File& file : small_files())
    if (file.name != "legacy")
      expect_same_statuses(device, file, 401);  // its blocks have 8 MiB of room
  // Blocks of 4 MiB, several warps a block.
  const auto there = decompress_to_device(
      Source::memory(bytes_of(independent_lz4(text, LZ4F_max4MB, false))), {.device = device});
  ASSERT_OK(there);
  EXPECT_EQ(there->report.device->kernels, std::vector<std::string>{"lz4_decode_segments"});
  TAKE(const std::string all, fetched(*device, *there));
  EXPECT_TRUE(all == text);
}

}  // namespace
}  // namespace penstock::stream
