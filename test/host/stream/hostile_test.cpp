// Damaged files: every truncated prefix and every change of one byte of small files of each format
// has the published library's status and bytes, whichever method decodes it, from memory and from a
// pipe. A test says so if we are stricter.
#include <snappy-c.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "zstd_frames.hpp"
// zstd_frames.hpp comes first: it needs more of libzstd's header than the others.
#include "codec/checksum/crc32c.hpp"
#include "codec/checksum/xxhash.hpp"
#include "stream_bytes.hpp"

namespace penstock::stream {
namespace {

// The oracle takes all windows that the format's library can have.
constexpr std::uint64_t max_window_bytes = std::uint64_t{1} << 31;

struct Sample {
  std::string name, file;
  Format format;
  std::function<ExpectedOutput(std::string_view file, std::size_t max_bytes)> oracle;
  // Whether we may refuse a file that is right after a change of this byte.
  std::function<bool(std::size_t)> is_stricter = [](std::size_t) { return false; };
};

// All methods that may decode the format, each by itself; and no method, as users have it.
std::vector<std::string> methods_of(Format format) {
  std::vector<std::string> names = {""};
  for (const MethodInfo& info : methods())
    if (info.format == format) names.push_back(info.name);
  return names;
}

bool does_not_fit(const Status& status) {
  return status.code() == Code::invalid &&
         status.message().find("does not fit") != std::string::npos;
}

// The format is given: a change of the magic number must not make it another format's file.
void expect_same(const Sample& sample, std::string_view file, const std::string& what,
                 bool may_be_stricter) {
  const ExpectedOutput expected = sample.oracle(file, SIZE_MAX);
  for (const std::string& method : methods_of(sample.format)) {
    const auto found = decompress(bytes_of(file), {.format = sample.format,
                                                   .max_window_bytes = max_window_bytes,
                                                   .threads = 1,
                                                   .method = method});
    if (!method.empty() && does_not_fit(found.status())) continue;
    if (!found.ok() &&
        (may_be_stricter || zstd_test::is_listed_as_stricter(found.status().message())))
      continue;
    ASSERT_EQ(found.ok(), expected.has_value())
        << sample.name << ", " << what << ", " << method << ": " << found.status().text();
    if (found.ok()) {
      ASSERT_TRUE(text_of(*found) == *expected) << sample.name << ", " << what << ", " << method;
    } else {
      ASSERT_NE(found.status().message().find("byte"), std::string::npos) << found.status().text();
    }
  }
}

void check_prefixes(const Sample& sample, std::size_t step_bytes = 1) {
  ASSERT_TRUE(sample.oracle(sample.file, SIZE_MAX)) << sample.name;
  for (std::size_t bytes = 1; bytes <= sample.file.size(); bytes += step_bytes)
    expect_same(sample, std::string_view(sample.file).substr(0, bytes),
                "the first " + std::to_string(bytes) + " bytes", false);
}

// As from a pipe, where a byte may be the last that has come.
void check_pipe(const Sample& sample) {
  for (std::size_t bytes = 1; bytes <= std::min<std::size_t>(sample.file.size(), 200); bytes++) {
    const std::string_view file = std::string_view(sample.file).substr(0, bytes);
    const ExpectedOutput expected = sample.oracle(file, SIZE_MAX);
    const auto found =
        decompressed(dripping(file),
                     {.format = sample.format, .max_window_bytes = max_window_bytes, .threads = 1});
    ASSERT_EQ(found.ok(), expected.has_value())
        << sample.name << ", " << bytes << " bytes of a pipe: " << found.status().text();
    if (found.ok()) { ASSERT_TRUE(*found == *expected) << sample.name; }
  }
}

void check_changes(const Sample& sample) {
  constexpr std::size_t max_for_all_values = 400;  // longer files have each bit changed
  for (std::size_t at = 0; at < sample.file.size(); at++)
    for (int change = 1; change < 256; change++) {
      if (sample.file.size() > max_for_all_values && (change & (change - 1)) != 0) continue;
      std::string file = sample.file;
      file[at] = static_cast<char>(file[at] ^ change);
      const std::string what = "byte " + std::to_string(at) + " xor " + std::to_string(change);
      expect_same(sample, file, what, sample.is_stricter(at));
      if (testing::Test::HasFatalFailure()) return;
    }
}

void check(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) {
    check_prefixes(sample);
    if (!testing::Test::HasFatalFailure()) check_pipe(sample);
    if (!testing::Test::HasFatalFailure()) check_changes(sample);
  }
}

Sample gzip_sample(std::string name, std::string file) {
  return {std::move(name), std::move(file), Format::gzip, gzip_says};
}

std::string gzip_with_all_fields() {
  std::string extra = "XY\3abc", name = "name.txt", comment = "a comment";
  extra.insert(3, 1, '\0');
  gz_header header{};
  header.extra = reinterpret_cast<Bytef*>(extra.data()),
  header.extra_len = static_cast<uInt>(extra.size());
  header.name = reinterpret_cast<Bytef*>(name.data()),
  header.comment = reinterpret_cast<Bytef*>(comment.data());
  header.hcrc = 1;
  return zlib_made("fields of every kind", 9, 31, {}, &header);
}

TEST(StreamHostile, GzipMembersAreRefusedWhereZlibRefusesThem) {
  check({gzip_sample("empty", zlib_made("", 6)), gzip_sample("stored", zlib_made("stored", 0)),
         gzip_sample("fixed", zlib_made("fixed fixed", 9)),
         gzip_sample("fields", gzip_with_all_fields()),
         gzip_sample("two members", zlib_made("one", 1) + zlib_made("and two", 6)),
         gzip_sample("padded", zlib_made("padded", 6) + std::string(9, '\0')),
         gzip_sample("dynamic", zlib_made(words(900), 9))});
}

TEST(StreamHostile, GzipMembersThatNameTheirSizeAreRefusedWhereZlibRefusesThem) {
  const std::string text = words(1500);
  for (const std::uint64_t block_bytes : {1024, 70'000}) {
    const auto file =
        compress(bytes_of(text), {.format = Format::gzip, .block_bytes = block_bytes});
    ASSERT_TRUE(file.ok());
    Sample sample = gzip_sample("sized " + std::to_string(block_bytes), text_of(*file));
    // Stricter: a wrong size is an error; other programs do not read it. The fields lie in each
    // member's bytes 3 and 10 to 19.
    const std::string bytes = sample.file;
    sample.is_stricter = [bytes](std::size_t at) {
      for (std::size_t member = bytes.find("\x1f\x8b\x08\x04"); member != std::string::npos;
           member = bytes.find("\x1f\x8b\x08\x04", member + 1))
        if (at == member + 3 || (at >= member + 10 && at < member + 20)) return true;
      return false;
    };
    check({sample});
  }
}

TEST(StreamHostile, ZlibStreamsAreRefusedWhereZlibRefusesThem) {
  const auto oracle = [](std::string_view file, std::size_t) {
    std::string_view rest;
    const ExpectedOutput output = zlib_says(file, 15, &rest);
    return rest.empty() ? output : std::nullopt;
  };
  check({{"fixed", zlib_made("zlib zlib zlib", 9, 15), Format::zlib, oracle},
         {"dynamic", zlib_made(words(800, 2), 6, 15), Format::zlib, oracle}});
}

TEST(StreamHostile, ZstdFramesAreRefusedWhereLibzstdRefusesThem) {
  const std::string skippable("\x5a\x2a\x4d\x18\3\0\0\0abc", 11), run(2000, 'r');
  check({{"empty", zstd_made("", 3), Format::zstd, zstd_says},
         {"raw", zstd_made("raw", 3), Format::zstd, zstd_says},
         {"run", zstd_made(run, 3), Format::zstd, zstd_says},
         {"no checksum", zstd_made(words(120), 3, false), Format::zstd, zstd_says},
         {"no size", zstd_made(words(120), 3, true, false), Format::zstd, zstd_says},
         {"skippable", skippable + zstd_made("a", 1) + skippable + zstd_made("b", 1) + skippable,
          Format::zstd, zstd_says},
         {"sequences", zstd_made(words(3000), 19), Format::zstd, zstd_says}});
}

TEST(StreamHostile, LongFilesThatAreCutAreRefusedByThreadsToo) {
  const std::string text = words(1'000'000);
  LZ4F_preferences_t linked{}, independent{};
  independent.frameInfo.blockMode = LZ4F_blockIndependent;
  const auto sized = compress(bytes_of(text), {.format = Format::gzip, .block_bytes = 100'000});
  ASSERT_TRUE(sized.ok());
  for (const Sample& sample :
       {gzip_sample("gzip", zlib_made(text, 6)), gzip_sample("sized", text_of(*sized)),
        Sample{"blocks", zstd_made(text, 1, true, true, 17), Format::zstd, zstd_says},
        Sample{"linked", lz4_made(text, 1, linked), Format::lz4, lz4_says},
        Sample{"independent", lz4_made(text, 1, independent), Format::lz4, lz4_says}})
    check_prefixes(sample, 9973);
}

TEST(StreamHostile, Lz4FramesAreRefusedWhereLiblz4RefusesThem) {
  LZ4F_preferences_t plain{}, checked{}, independent{};
  checked.frameInfo = {LZ4F_max64KB,
                       LZ4F_blockLinked,
                       LZ4F_contentChecksumEnabled,
                       LZ4F_frame,
                       0,
                       0,
                       LZ4F_blockChecksumEnabled};
  independent.frameInfo = {
      LZ4F_max64KB,        LZ4F_blockIndependent, LZ4F_contentChecksumEnabled, LZ4F_frame, 120, 0,
      LZ4F_noBlockChecksum};
  const std::string skippable("\x50\x2a\x4d\x18\3\0\0\0abc", 11),
      again = lz4_made("again", 1, plain);
  check({{"empty", lz4_made("", 1, checked), Format::lz4, lz4_says},
         {"stored", lz4_made("stored", 1, checked), Format::lz4, lz4_says},
         {"sized", lz4_made(words(120), 9, independent), Format::lz4, lz4_says},
         {"plain", lz4_made(std::string(90, 'x'), 3, plain), Format::lz4, lz4_says},
         {"frames", skippable + again + skippable + again, Format::lz4, lz4_says},
         {"linked", lz4_made(words(3000), 12, checked), Format::lz4, lz4_says}});
}

TEST(StreamHostile, LinkedBlocksThatReachBackAreRefusedWhereLiblz4RefusesThem) {
  LZ4F_preferences_t linked{};
  linked.frameInfo = {
      LZ4F_max64KB,        LZ4F_blockLinked, LZ4F_noContentChecksum, LZ4F_frame, 0, 0,
      LZ4F_noBlockChecksum};
  std::string text = words(1000);
  while (text.size() < 140'000)
    text += text;  // the second and third block are matches into the first
  check({{"linked", lz4_made(text, 9, linked), Format::lz4, lz4_says}});
}

// A decoder after the framing format's text, chunk by chunk, with a CRC that goes bit by bit.
std::uint32_t slow_masked_crc32c(std::string_view text) {
  std::uint32_t value = ~0u;
  for (const char c : text) {
    value ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; bit++) value = value & 1 ? value >> 1 ^ 0x82f63b78 : value >> 1;
  }
  value = ~value;
  return (value >> 15 | value << 17) + 0xa282ead8u;
}
ExpectedOutput snappy_says(std::string_view file, std::size_t) {
  std::string all;
  for (bool is_first = true; !file.empty(); is_first = false) {
    if (file.size() < 4) return std::nullopt;
    const auto at = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(file[i]));
    };
    const std::uint32_t kind = at(0), size = at(1) | at(2) << 8 | at(3) << 16;
    if (file.size() < 4 + size || (is_first && kind != 255)) return std::nullopt;
    const std::string_view chunk = file.substr(4, size);
    if (kind == 255 && chunk != "sNaPpY") return std::nullopt;
    if (kind >= 2 && kind < 128) return std::nullopt;
    if (kind < 2) {
      if (size < 4) return std::nullopt;
      const std::uint32_t said = at(4) | at(5) << 8 | at(6) << 16 | at(7) << 24;
      std::string text(chunk.substr(4));
      std::size_t bytes = 0;
      if (kind == 0) {
        if (snappy_uncompressed_length(chunk.data() + 4, size - 4, &bytes) != SNAPPY_OK ||
            bytes > 65536)
          return std::nullopt;
        text.resize(bytes);
        if (snappy_uncompress(chunk.data() + 4, size - 4, text.data(), &bytes) != SNAPPY_OK)
          return std::nullopt;
      }
      if (text.size() > 65536 || slow_masked_crc32c(text) != said) return std::nullopt;
      all += text;
    }
    file.remove_prefix(4 + size);
  }
  return all;
}
std::string snappy_chunk(std::string_view text, bool is_stored) {
  std::string body(snappy_max_compressed_length(text.size()), 0);
  std::size_t bytes = body.size();
  EXPECT_EQ(snappy_compress(text.data(), text.size(), body.data(), &bytes), SNAPPY_OK);
  body.resize(bytes);
  if (is_stored) body = text;
  std::string chunk;
  const auto number = [&](std::size_t value, int count) {
    for (int i = 0; i < count; i++) chunk += static_cast<char>(value >> (8 * i));
  };
  number(is_stored ? 1 : 0, 1);
  number(body.size() + 4, 3);
  number(slow_masked_crc32c(text), 4);
  return chunk + body;
}

TEST(StreamHostile, SnappyChunksAreRefusedWhereTheFramingFormatRefusesThem) {
  const std::string head("\xff\x06\0\0sNaPpY", 10), padding("\xfe\2\0\0zz", 6);
  check({{"chunks", head + snappy_chunk(words(60), false) + padding + snappy_chunk("stored", true),
          Format::snappy, snappy_says},
         {"long", head + snappy_chunk(words(2000), false), Format::snappy, snappy_says}});
}

TEST(StreamHostile, TheChecksumOfSnappyChunksIsThatOfRfc3720) {
  const std::string zeros(32, '\0'), ones(32, '\xff');
  EXPECT_EQ(checksum::crc32c(bytes_of(zeros)), 0x8a9136aau);
  EXPECT_EQ(checksum::crc32c(bytes_of(ones)), 0x62a8ab43u);
}

TEST(StreamHostile, ABombEndsAtTheLimit) {
  const std::string zeros(20 << 20, '\0');
  LZ4F_preferences_t plain{};
  for (const std::string& file : {zlib_made(zeros, 9), zlib_made(zeros, 9, 15), zstd_made(zeros, 3),
                                  lz4_made(zeros, 1, plain)})
    for (const bool is_pipe : {false, true}) {
      std::uint64_t got = 0;
      const auto count = [&](std::span<const std::byte> bytes) {
        return got += bytes.size(), Status();
      };
      const Source source = is_pipe ? dripping(file, 65536) : Source::memory(bytes_of(file));
      const auto report = decompress(source, count, {.max_output_bytes = 3'000'000});
      EXPECT_EQ(report.status().code(), Code::capacity) << report.status().text();
      EXPECT_LE(got, 3'000'000u);
      EXPECT_TRUE(decompress(bytes_of(file), {.max_output_bytes = zeros.size()}).ok());
    }
}

// Gives a file, and says how much of it has been asked for.
Source counted(const std::string& file, std::shared_ptr<std::atomic<std::size_t>> read) {
  return Source::reader("a pipe", [&file, read](std::span<std::byte> into) -> Result<std::size_t> {
    const std::size_t count = std::min(into.size(), file.size() - *read);
    if (count > 0) std::memcpy(into.data(), file.data() + *read, count);
    *read += count;
    return count;
  });
}
// Until it has been the same for some time.
std::size_t settled(const std::atomic<std::size_t>& count) {
  for (std::size_t before = SIZE_MAX; before != count;) {
    before = count;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  return count;
}

// The record of a block in memory is twenty times as long as a stored block of no bytes: 100 MB of
// such blocks took 2 GB, and a pipe may go on.
TEST(StreamHostile, BlocksOfNoOutputAreNotAllHeldAtOnce) {
  constexpr std::size_t count = 2'000'000, max_bytes = 5 << 20;
  LZ4F_preferences_t independent{};
  independent.frameInfo.blockMode = LZ4F_blockIndependent;
  const std::string text = words(100), frame = lz4_made(text, 1, independent), end(4, '\0');
  std::string lz4 = frame.substr(0, frame.size() - end.size()), snappy("\xff\x06\0\0sNaPpY", 10);
  std::string zstd = zstd_made(text, 3);
  snappy += snappy_chunk(text, true);
  const std::string empty_chunk = snappy_chunk("", true), empty_frame = zstd_made("", 3);
  for (std::size_t i = 0; i < count; i++)
    lz4 += std::string_view("\0\0\0\x80", 4), snappy += empty_chunk, zstd += empty_frame;
  for (const std::string& file : {lz4 + end, snappy, zstd}) {
    const auto read = std::make_shared<std::atomic<std::size_t>>(0);
    std::size_t at_output = 0;
    const auto sink = [&](std::span<const std::byte> bytes) {
      EXPECT_EQ(text_of(bytes), text);
      return at_output = settled(*read), Status();
    };
    const auto report = decompress(counted(file, read), sink, {.threads = 1});
    ASSERT_TRUE(report.ok()) << report.status().text();
    EXPECT_EQ(report->bytes_in, file.size());
    EXPECT_LT(at_output, max_bytes);
  }
}

TEST(StreamHostile, TrailingBytesAreNamedWithTheirOffset) {
  for (const std::string& file : {zstd_made("one", 3), zlib_made("one", 6, 15)}) {
    const auto found = decompress(bytes_of(file + "junk"), {});
    EXPECT_EQ(found.status().code(), Code::corrupt) << found.status().text();
    EXPECT_NE(found.status().message().find("byte " + std::to_string(file.size())),
              std::string::npos)
        << found.status().text();
  }
}

TEST(StreamHostile, TrailingGarbageAfterGzipMembersIsIgnoredAndCounted) {
  const std::string text = words(3000), gzip = zlib_made(text, 6);
  const auto sized = compress(bytes_of(text), {.format = Format::gzip, .block_bytes = 1024});
  ASSERT_TRUE(sized.ok());
  for (const std::string& members : {gzip, text_of(*sized)})
    for (const std::string& zeros : {std::string(), std::string(3, '\0')})
      for (const std::string garbage : {"", "junk"})
        for (const bool is_pipe : {false, true}) {
          const std::string file = members + zeros + garbage;
          std::string all;
          const auto append = [&](std::span<const std::byte> bytes) {
            return all += text_of(bytes), Status();
          };
          const auto report =
              decompress(is_pipe ? dripping(file) : Source::memory(bytes_of(file)), append);
          ASSERT_TRUE(report.ok()) << report.status().text();
          EXPECT_EQ(all, text);
          EXPECT_EQ(report->ignored_bytes, garbage.size());
          EXPECT_EQ(report->bytes_in, file.size());
          EXPECT_EQ(report->methods.size(), 1u);
        }
  EXPECT_EQ(decompress(bytes_of(gzip + gzip.substr(0, 9)), {}).status().code(), Code::truncated);
}

// Subfields are their writers' own (RFC 1952, 2.3.1.1): another program's "BC" names no size. The
// last of the sizes leads to zeros inside of the member, as they may stand after one.
TEST(StreamHostile, MembersWithForeignSubfieldsAreDecodedAsPlainOnes) {
  const std::string text = words(100) + std::string(3000, '\0'),
                    body = zlib_made(text, 0).substr(10);
  for (const std::string& field : {std::string("BC\3\0\x11\0\0", 7), std::string("BC\2\0\x11\0", 6),
                                   std::string("BC\2\0\xff\xff", 6), std::string("BC\2\0\0\0", 6),
                                   std::string("BC\2\0\xff\1", 6)}) {
    const std::string member = std::string("\x1f\x8b\x08\4\0\0\0\0\0\xff", 10) +
                               static_cast<char>(field.size()) + '\0' + field + body;
    for (const std::string& file : {member, member + member, zlib_made(text, 1) + member})
      for (const bool is_pipe : {false, true}) {
        const auto found =
            decompressed(is_pipe ? dripping(file, 1000) : Source::memory(bytes_of(file)));
        ASSERT_TRUE(found.ok()) << found.status().text();
        EXPECT_TRUE(*found == text || *found == text + text);
      }
  }
}

TEST(StreamHostile, WindowsAboveTheLimitAreRefused) {
  const std::string text(100'000, 'w');
  std::string file = zstd_made(text, 3, true, false);
  ASSERT_EQ(file[4] & 0x20, 0);          // the window's descriptor follows
  file[5] = static_cast<char>(18 << 3);  // 256 MiB
  for (const char* const method : {"", "zstd-frames", "zstd-parallel"}) {
    const Status status = decompress(bytes_of(file), {.method = method}).status();
    EXPECT_EQ(status.code(), Code::capacity) << status.text();
    EXPECT_NE(status.message().find("268435456 > 134217728"), std::string::npos) << status.text();
    EXPECT_EQ(
        output_of(decompress(bytes_of(file), {.max_window_bytes = 256 << 20, .method = method})),
        text);
  }
  EXPECT_EQ(decompressed(dripping(file)).status().code(), Code::capacity);
  EXPECT_EQ(*decompressed(dripping(file), {.max_window_bytes = 256 << 20}), text);
}

// A frame of a raw block "hello" and a compressed one.
std::string zstd_around(std::string_view block, bool has_checksum, std::string_view output) {
  const auto header = [](std::size_t bytes, unsigned type, bool is_last) {
    const std::size_t value = bytes << 3 | type << 1 | is_last;
    return std::string{static_cast<char>(value), static_cast<char>(value >> 8), '\0'};
  };
  std::string frame = std::string("\x28\xb5\x2f\xfd") + (has_checksum ? '\4' : '\0') + '\x58';
  frame += header(5, 0, false) + "hello" + header(block.size(), 2, true) + std::string(block);
  checksum::Xxh64 hash;
  hash.update(bytes_of(output));
  for (int i = 0; has_checksum && i < 4; i++) frame += static_cast<char>(hash.digest() >> (8 * i));
  return frame;
}

// libzstd 1.5.4 refuses the first and accepts the others, with the output that is hashed here.
TEST(StreamHostile, SmallZstdFramesHaveTheStatusOfOurDecoder) {
  const std::string literals("\x28world", 6);
  const std::string zero_in_two_bytes = literals + std::string("\x80\0", 2);
  const std::string extraneous = literals + std::string("\x80\0\x54\0\1\0", 6);
  const std::string offset_zero("\0\1\x54\0\1\0\3", 7);  // a repeat offset of 1, less 1
  for (const bool has_checksum : {false, true})
    for (const char* const method : {"", "zstd-frames", "zstd-parallel"}) {
      const auto decode = [&](std::string_view block, std::string_view output) {
        return decompress(bytes_of(zstd_around(block, has_checksum, output)), {.method = method});
      };
      EXPECT_EQ(output_of(decode(zero_in_two_bytes, "helloworld")), "helloworld");
      EXPECT_EQ(decode(extraneous, "helloworld").status().code(), Code::corrupt);
      EXPECT_EQ(decode(offset_zero, "helloooo").status().code(), Code::corrupt);
    }
}

// An FSE table of 32 states of weight 1, and a stream that has no bits for the first two states.
TEST(StreamHostile, HuffmanWeightsWithoutStatesAreRefusedInSmallZstdFrames) {
  const std::string tree("\4\x10\xf8\1\1", 5),
      block = std::string("\x42\x80\1", 3) + tree + '\1' + '\0';
  for (const char* const method : {"", "zstd-frames", "zstd-parallel"}) {
    const Status status =
        decompress(bytes_of(zstd_around(block, false, "")), {.method = method}).status();
    EXPECT_EQ(status.code(), Code::corrupt);
    EXPECT_NE(status.message().find("no two states"), std::string::npos) << status.text();
  }
}

TEST(StreamHostile, FilesOfOtherFormatsAreNamed) {
  EXPECT_EQ(decompress(bytes_of(std::string("\xfd"
                                            "7zXZ\0more",
                                            10)))
                .status()
                .code(),
            Code::unsupported);
  EXPECT_NE(decompress(bytes_of("BZh91AY")).status().message().find("bzip2"), std::string::npos);
  EXPECT_EQ(decompress(bytes_of("just text")).status().code(), Code::invalid);
  EXPECT_EQ(decompress(bytes_of("")).status().code(), Code::truncated);
}

}  // namespace
}  // namespace penstock::stream
