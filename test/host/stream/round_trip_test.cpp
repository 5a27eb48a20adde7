// Files of every kind through compress() and decompress(), beside the published libraries; sources,
// sinks, reports and their errors.
#include <lz4.h>
#include <zdict.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "stream_bytes.hpp"

namespace penstock::stream {
namespace {

std::string noise(std::size_t bytes) {
  std::mt19937 random(3);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}
std::string periodic(std::size_t bytes, std::size_t period) {
  const std::string part = noise(period);
  std::string text;
  while (text.size() < bytes) text += part;
  text.resize(bytes);
  return text;
}
std::vector<std::string> outputs() {
  std::vector<std::string> all = {
      "", "a", words(70'000), words(300'001), noise(200'000), std::string(500'000, '\0')};
  for (std::size_t period = 1; period <= 64; period++)
    all.push_back(periodic(3000 + period, period));
  return all;
}
ExpectedOutput library_says(Format format, std::string_view file) {
  return format == Format::gzip   ? gzip_says(file)
         : format == Format::zstd ? zstd_says(file)
                                  : lz4_says(file);
}

TEST(StreamRoundTrip, TheFormatsOwnLibrariesReadWhatEveryLevelWrites) {
  for (const Format format : {Format::gzip, Format::zstd, Format::lz4})
    for (std::uint32_t level = 1; level <= max_level(format); level++)
      for (const std::string& text : {std::string(), words(100'000), noise(70'000)}) {
        const auto file =
            compress(bytes_of(text), {.format = format, .level = level, .block_bytes = 65536});
        ASSERT_TRUE(file.ok()) << file.status().text();
        ASSERT_EQ(library_says(format, text_of(*file)), text)
            << name_of(format) << " level " << level;
        const auto found = decompress(*file);
        ASSERT_TRUE(found.ok()) << found.status().text();
        ASSERT_EQ(text_of(*found), text);
      }
}

TEST(StreamRoundTrip, OutputsOfEveryPeriodComeBackFromEveryFormat) {
  LZ4F_preferences_t linked{}, independent{};
  independent.frameInfo.blockMode = LZ4F_blockIndependent;
  for (const std::string& text : outputs())
    for (const std::string& file : {zlib_made(text, 6), zlib_made(text, 1, 15), zstd_made(text, 1),
                                    zstd_made(text, 3, false, false), lz4_made(text, 1, linked),
                                    lz4_made(text, 9, independent)}) {
      const auto found = decompress(bytes_of(file));
      ASSERT_TRUE(found.ok()) << found.status().text();
      ASSERT_TRUE(text_of(*found) == text) << text.size();
    }
}

TEST(StreamRoundTrip, APipeThatDripsGivesTheSameAsMemory) {
  LZ4F_preferences_t linked{}, sized{};
  sized.frameInfo = {LZ4F_max256KB,
                     LZ4F_blockIndependent,
                     LZ4F_contentChecksumEnabled,
                     LZ4F_frame,
                     300'000,
                     0,
                     LZ4F_blockChecksumEnabled};
  const std::string text = words(300'000);
  const std::string bgzf =
      text_of(*compress(bytes_of(text), {.format = Format::gzip, .block_bytes = 65280}));
  for (const std::string& file :
       {bgzf, zlib_made(text, 6), zlib_made(text, 6, 15), zstd_made(text, 3),
        zstd_made(text, 3, true, false), lz4_made(text, 1, linked), lz4_made(text, 1, sized),
        zstd_made(text, 1) + zstd_made(text, 2)})
    for (const std::size_t step_bytes : {1, 7, 4096, 100'000}) {
      const auto found = decompressed(dripping(file, step_bytes));
      ASSERT_TRUE(found.ok()) << found.status().text();
      ASSERT_EQ(*found, text_of(*decompress(bytes_of(file)))) << step_bytes;
      ASSERT_GE(found->size(), text.size());
    }
}

TEST(StreamRoundTrip, FilesComeBackThroughMapsAndThroughPipes) {
  const std::string path = testing::TempDir() + "stream_round_trip.zst", text = words(5'000'000);
  std::string file;
  const auto append = [&](std::span<const std::byte> bytes) {
    return file += text_of(bytes), Status();
  };
  const auto written =
      compress(dripping(text, 12345), append, {.level = 1, .block_bytes = 1 << 20, .threads = 3});
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->bytes_in, text.size());
  EXPECT_EQ(written->bytes_out, file.size());
  std::ofstream(path, std::ios::binary) << file;
  std::string found;
  const auto report = decompress(Source::file(path), [&](std::span<const std::byte> bytes) {
    return found += text_of(bytes), Status();
  });
  ASSERT_TRUE(report.ok()) << report.status().text();
  EXPECT_TRUE(found == text);
  EXPECT_EQ(report->member_count, 5u);
  EXPECT_EQ(report->bytes_in, file.size());
  EXPECT_EQ(report->methods, std::vector<std::string>{"zstd-frames"});
  std::filesystem::remove(path);
}

TEST(StreamRoundTrip, AFrameLargerThanMemoryShouldHoldIsStreamed) {
  const std::string text(70 << 20, 'z');
  const std::string file = zstd_made(text, 1);
  std::uint64_t bytes_out = 0, largest = 0;
  const auto count = [&](std::span<const std::byte> bytes) {
    bytes_out += bytes.size();
    largest = std::max<std::uint64_t>(largest, bytes.size());
    return Status();
  };
  const auto report = decompress(Source::memory(bytes_of(file)), count);
  ASSERT_TRUE(report.ok()) << report.status().text();
  EXPECT_EQ(bytes_out, text.size());
  EXPECT_LE(largest, 4u << 20);
  EXPECT_EQ(report->methods, std::vector<std::string>{"zstd-parallel"});
  const auto piped = decompress(dripping(file, 65536), count);
  ASSERT_TRUE(piped.ok()) << piped.status().text();
  EXPECT_EQ(bytes_out, 2 * text.size());
  EXPECT_EQ(piped->methods, std::vector<std::string>{"zstd-parallel"});
}

TEST(StreamRoundTrip, LongStreamsAreDecodedByThreadsAndLeaveWhatFollows) {
  const std::string text = words(12'000'000), gzip = zlib_made(text, 6),
                    zlib = zlib_made(text, 6, 15);
  std::string found;
  const auto append = [&](std::span<const std::byte> bytes) {
    return found += text_of(bytes), Status();
  };
  const auto two = decompress(Source::memory(bytes_of(gzip + gzip + std::string(600, '\0'))),
                              append, {.threads = 3});
  ASSERT_TRUE(two.ok()) << two.status().text();
  EXPECT_TRUE(found == text + text);
  EXPECT_EQ(two->member_count, 2u);
  EXPECT_EQ(two->methods, std::vector<std::string>{"gzip-parallel"});
  found.clear();
  const auto one = decompress(Source::memory(bytes_of(zlib)), append, {.threads = 2});
  ASSERT_TRUE(one.ok()) << one.status().text();
  EXPECT_TRUE(found == text);
  EXPECT_EQ(one->methods, std::vector<std::string>{"zlib-parallel"});
  // Each is told with the byte where it ends too early, or goes on too long.
  struct Damage {
    std::string file;
    std::size_t offset;
  };
  for (const auto& [file, offset] : {Damage{gzip.substr(0, gzip.size() - 1), gzip.size() - 1},
                                     Damage{zlib.substr(0, zlib.size() - 1), zlib.size() - 1},
                                     Damage{zlib + "x", zlib.size()}}) {
    const Status status = decompress(bytes_of(file)).status();
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.message().find("byte " + std::to_string(offset)), std::string::npos)
        << status.text();
  }
}

TEST(StreamRoundTrip, MembersOfSeveralKindsFollowOneAnother) {
  const std::string text = words(100'000);
  const std::string sized =
      text_of(*compress(bytes_of(text), {.format = Format::gzip, .block_bytes = 4096}));
  const std::string plain = zlib_made(text, 6), mixed = plain + sized + plain + plain + sized;
  std::string found;
  const auto report = decompress(
      Source::memory(bytes_of(mixed)),
      [&](std::span<const std::byte> bytes) { return found += text_of(bytes), Status(); });
  ASSERT_TRUE(report.ok()) << report.status().text();
  EXPECT_TRUE(found == text + text + text + text + text);
  EXPECT_EQ(report->member_count, 3 + 2 * 26u);  // 25 blocks and bgzip's end
  EXPECT_EQ(report->methods, (std::vector<std::string>{"gzip-whole", "gzip-members"}));
}

// mgzip's field holds the size of the Deflate stream alone.
TEST(StreamRoundTrip, MembersWithTheSizeFieldsOfPythonsToolsAreFound) {
  const std::string text = words(5000);
  const std::string plain = zlib_made(text, 6), body = plain.substr(10);
  std::string whole;
  for (const bool is_mgzip : {true, false}) {
    const std::uint32_t size =
        static_cast<std::uint32_t>(is_mgzip ? body.size() - 8 : body.size() + 20);
    std::string field = std::string(is_mgzip ? "MZ\4" : "IG\4") + '\0';
    for (int i = 0; i < 4; i++) field += static_cast<char>(size >> (8 * i));
    whole += std::string("\x1f\x8b\x08\4\0\0\0\0\0\xff\x08\0", 12) + field + body;
  }
  std::string found;
  const auto report = decompress(
      Source::memory(bytes_of(whole)),
      [&](std::span<const std::byte> bytes) { return found += text_of(bytes), Status(); });
  ASSERT_TRUE(report.ok()) << report.status().text();
  EXPECT_EQ(found, text + text);
  EXPECT_EQ(report->methods, std::vector<std::string>{"gzip-members"});
}

TEST(StreamRoundTrip, LegacyFramesOfLz4ComeBack) {
  const std::string text = words(9'000'000);
  std::string file("\x02\x21\x4c\x18");
  for (std::size_t at = 0; at < text.size(); at += 8 << 20) {
    const std::string_view block = std::string_view(text).substr(at, 8 << 20);
    std::string out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(block.size()))),
                    '\0');
    const int made = LZ4_compress_default(block.data(), out.data(), static_cast<int>(block.size()),
                                          static_cast<int>(out.size()));
    for (int i = 0; i < 4; i++) file += static_cast<char>(made >> (8 * i));
    file.append(out.data(), static_cast<std::size_t>(made));
  }
  LZ4F_preferences_t plain{};
  const auto found = decompress(bytes_of(file + lz4_made("after", 1, plain) + file));
  ASSERT_TRUE(found.ok()) << found.status().text();
  EXPECT_TRUE(text_of(*found) == text + "after" + text);
}

TEST(StreamRoundTrip, DictionariesAreUsedAndAskedFor) {
  std::string samples;
  std::vector<std::size_t> sizes;
  for (unsigned i = 0; i < 300; i++) sizes.push_back(200), samples += words(200, i);
  std::string trained(4096, '\0');
  const std::size_t bytes =
      ZDICT_trainFromBuffer(trained.data(), trained.size(), samples.data(), sizes.data(),
                            static_cast<unsigned>(sizes.size()));
  ASSERT_FALSE(ZDICT_isError(bytes));
  trained.resize(bytes);
  const std::string text = words(1000, 999);
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  std::string file(ZSTD_compressBound(text.size()), '\0');
  file.resize(ZSTD_compress_usingDict(context, file.data(), file.size(), text.data(), text.size(),
                                      trained.data(), trained.size(), 3));
  ZSTD_freeCCtx(context);
  EXPECT_EQ(output_of(decompress(bytes_of(file), {.dictionary = bytes_of(trained)})), text);
  EXPECT_EQ(output_of(decompress(bytes_of(file),
                                 {.dictionary = bytes_of(trained), .method = "zstd-parallel"})),
            text);
  const Status missing = decompress(bytes_of(file)).status();
  EXPECT_EQ(missing.code(), Code::invalid);
  EXPECT_NE(missing.message().find("dictionary " +
                                   std::to_string(ZDICT_getDictID(trained.data(), trained.size()))),
            std::string::npos);
  EXPECT_EQ(decompress(bytes_of(file), {.dictionary = bytes_of("another")}).status().code(),
            Code::invalid);

  const std::string zlib = zlib_made(text, 9, 15, samples.substr(0, 20'000));
  EXPECT_EQ(
      output_of(decompress(bytes_of(zlib), {.dictionary = bytes_of(samples.substr(0, 20'000))})),
      text);
  EXPECT_EQ(decompress(bytes_of(zlib)).status().code(), Code::invalid);
  EXPECT_EQ(decompress(bytes_of(zlib), {.dictionary = bytes_of("another")}).status().code(),
            Code::invalid);
}

TEST(StreamRoundTrip, DictionariesOfLz4ReachIntoEveryIndependentAndTheFirstLinkedBlock) {
  const std::string dictionary = noise(70'000),
                    text = dictionary.substr(5000) + dictionary.substr(5000) + "end";
  for (const bool is_linked : {true, false}) {
    LZ4F_preferences_t preferences{};
    preferences.frameInfo.blockMode = is_linked ? LZ4F_blockLinked : LZ4F_blockIndependent;
    preferences.frameInfo.dictID = 7;
    LZ4F_CDict* const prepared = LZ4F_createCDict(dictionary.data(), dictionary.size());
    LZ4F_cctx* context = nullptr;
    LZ4F_createCompressionContext(&context, LZ4F_VERSION);
    std::string file(LZ4F_compressFrameBound(text.size(), &preferences), '\0');
    file.resize(LZ4F_compressFrame_usingCDict(context, file.data(), file.size(), text.data(),
                                              text.size(), prepared, &preferences));
    LZ4F_freeCompressionContext(context);
    LZ4F_freeCDict(prepared);
    EXPECT_LT(file.size(), 10'000u);
    EXPECT_EQ(output_of(decompress(bytes_of(file), {.dictionary = bytes_of(dictionary)})), text);
    EXPECT_EQ(decompress(bytes_of(file)).status().code(), Code::invalid);
  }
}

TEST(StreamRoundTrip, ErrorsOfSinksAndReadersAreReturned) {
  const std::string text = words(3'000'000), file = zstd_made(text, 1);
  const auto full = [](std::span<const std::byte>) { return Status(Code::io, "the disk is full"); };
  EXPECT_EQ(decompress(Source::memory(bytes_of(file)), full).status().message(),
            "the disk is full");
  EXPECT_EQ(compress(Source::memory(bytes_of(text)), full).status().message(), "the disk is full");
  const auto fails = Source::reader("x", [](std::span<std::byte>) -> Result<std::size_t> {
    return Status(Code::io, "unplugged");
  });
  EXPECT_EQ(decompressed(fails).status().message(), "unplugged");
  const auto throws = Source::reader(
      "x", [](std::span<std::byte>) -> Result<std::size_t> { throw std::runtime_error("thrown"); });
  EXPECT_EQ(decompressed(throws).status().code(), Code::internal);
  const auto cancels = [](const Progress&) { return false; };
  EXPECT_EQ(decompress(bytes_of(file), {.progress = cancels}).status().code(), Code::cancelled);
  EXPECT_EQ(compress(bytes_of(text), {.progress = cancels}).status().code(), Code::cancelled);
  EXPECT_EQ(decompressed(Source::file("/nowhere/at/all.gz")).status().code(), Code::invalid);
}

TEST(StreamRoundTrip, OptionsThatAFormatDoesNotHaveAreRefused) {
  for (const CompressOptions& options : {CompressOptions{.format = Format::zlib},
                                         {.format = Format::gzip, .level = 13},
                                         {.format = Format::lz4, .block_bytes = 100'000},
                                         {.format = Format::zstd, .block_bytes = 10}})
    EXPECT_FALSE(compress(bytes_of("x"), options).ok());
  EXPECT_EQ(decompress(bytes_of(zstd_made("x", 1)), {.method = "gzip-whole"}).status().code(),
            Code::invalid);
}

}  // namespace
}  // namespace penstock::stream
