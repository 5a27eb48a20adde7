// A file has one verdict, by whatever method and from wherever it is read, and it is that of the
// format's program or a stricter one.
#include <algorithm>

#include "stream_bytes.hpp"

namespace penstock::stream {
namespace {

class BitWriter {
 public:
  // Appends the lowest bits of a number, the lowest first.
  void put(unsigned value, unsigned bits) {
    for (unsigned bit = 0; bit < bits; bit++, count_++) {
      if (count_ % 8 == 0) bytes_ += '\0';
      if (value >> bit & 1) bytes_.back() = static_cast<char>(bytes_.back() | 1 << (count_ % 8));
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  unsigned count_ = 0;
};

// Returns a Deflate stream of one dynamic block with the text "aaa", which states a code of so many
// distances. The last repeat of its code lengths goes `excess` beyond the last of them.
std::string deflate_with_distances(unsigned distances, unsigned excess) {
  BitWriter out;
  out.put(1, 1), out.put(2, 2);
  out.put(0, 5), out.put(distances - 1, 5), out.put(15, 4);
  // Lengths of the code lengths' code, in the format's order: 18 has one bit, 0 and 1 have two.
  for (const unsigned symbol : {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15})
    out.put(symbol == 18 ? 1 : symbol < 2 ? 2 : 0, 3);
  const auto zeros = [&](unsigned count) { out.put(0, 1), out.put(count - 11, 7); };
  const auto one = [&] { out.put(3, 2); };
  zeros(97), one(), zeros(138), zeros(20), one();  // "a" and the end of the block
  zeros(distances + excess);
  out.put(0, 3), out.put(1, 1);
  return out.bytes();
}

std::string number(std::uint32_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; i++) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string trailer_of(const std::string& text) {
  return number(libdeflate_crc32(0, text.data(), text.size()), 4) +
         number(static_cast<std::uint32_t>(text.size()), 4);
}
std::string gzip_of(const std::string& body) {
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + body + trailer_of("aaa");
}
std::string bgzip_of(const std::string& body, const std::string& text) {
  const auto bytes = static_cast<std::uint32_t>(18 + body.size() + 8);
  return std::string("\x1f\x8b\x08\4\0\0\0\0\0\xff\6\0BC\2\0", 16) + number(bytes - 1, 2) + body +
         trailer_of(text);
}
std::string zlib_of(const std::string& body) {
  return "\x78\x9c" + body + std::string("\x02\x49\x01\x24", 4);
}

// Returns which methods take the file: all of a format's, none, or their names.
std::string methods_that_take(const std::string& file, const std::string& output) {
  std::string taking, refusing;
  const auto note = [&](const std::string& name, const Result<std::string>& found) {
    if (found.status().message().find("does not fit") != std::string::npos) return;
    if (found.ok()) { EXPECT_EQ(*found, output) << name; }
    (found.ok() ? taking : refusing) += name + " ";
  };
  const Format format = file[0] == '\x1f' ? Format::gzip : Format::zlib;
  note("pipe", decompressed(dripping(file)));
  for (const MethodInfo& method : methods())
    if (method.format == format && !method.is_for_devices)
      note(method.name, decompressed(Source::memory(bytes_of(file)), {.method = method.name}));
  return taking.empty() ? "none" : refusing.empty() ? "all" : taking;
}

TEST(StreamVerdicts, DeflateCodesThatZlibRefusesAreRefusedByEveryMethod) {
  const struct {
    unsigned distances, excess;
  } rows[] = {{30, 0}, {31, 0}, {32, 0}, {11, 1}, {30, 1}, {20, 7}};
  for (const auto& row : rows) {
    const std::string body = deflate_with_distances(row.distances, row.excess);
    const bool is_valid = row.distances <= 30 && row.excess == 0;
    for (const std::string& file : {gzip_of(body), zlib_of(body), bgzip_of(body, "aaa")})
      EXPECT_EQ(methods_that_take(file, "aaa"), is_valid ? "all" : "none")
          << row.distances << " distances, " << row.excess << " lengths too many";
    EXPECT_EQ(gzip_says(gzip_of(body), SIZE_MAX).has_value(), is_valid);
  }
}

TEST(StreamVerdicts, TheFormatIsFoundBehindLongSkippableFrames) {
  const std::string text = words(5000);
  const auto skippable = [](std::uint32_t bytes) {
    return number(0x184d2a53, 4) + number(bytes, 4) + std::string(bytes, 's');
  };
  const std::string before = skippable(7) + skippable(2 << 20) + skippable(0);
  for (const std::string& frame : {lz4_made(text, 1, {}), zstd_made(text, 3)}) {
    const std::string file = before + frame;
    for (const Source& source : {Source::memory(bytes_of(file)), dripping(file, 9999)}) {
      const auto found = decompressed(source);
      ASSERT_TRUE(found.ok()) << found.status().text();
      EXPECT_TRUE(*found == text);
    }
  }
  const auto alone = decompressed(dripping(before, 9999));
  ASSERT_TRUE(alone.ok()) << alone.status().text();
  EXPECT_EQ(*alone, "");
  EXPECT_EQ(decompressed(Source::memory(bytes_of(before + "text"))).status().code(), Code::corrupt);
}

// Returns a frame of blocks that have more output than a frame has that is decoded whole, and then
// of this block.
std::string long_zstd_frame(std::string_view last_block) {
  const auto header = [](std::size_t bytes, unsigned type, bool is_last) {
    return number(static_cast<std::uint32_t>(bytes << 3 | type << 1 | is_last), 3);
  };
  std::string frame = number(0xfd2fb528, 4) + std::string("\0\x58", 2);  // a window of 2 MiB
  for (unsigned block = 0; block < 65 * 8; block++) frame += header(128 << 10, 1, false) + 'x';
  return frame + header(5, 0, false) + "hello" + header(last_block.size(), 2, true) +
         std::string(last_block);
}

// libzstd 1.5.4 accepts the second and refuses the first.
TEST(StreamVerdicts, LongZstdFramesOfAPipeHaveTheVerdictOfFiles) {
  const std::string literals("\x28world", 6);
  const std::string zero_in_two_bytes = literals + std::string("\x80\0", 2);
  const std::string extraneous = literals + std::string("\x80\0\x54\0\1\0", 6);
  for (const bool is_pipe : {false, true})
    for (const bool is_valid : {true, false}) {
      const std::string frame = long_zstd_frame(is_valid ? zero_in_two_bytes : extraneous);
      std::uint64_t bytes = 0;
      std::string end;
      const auto sink = [&](std::span<const std::byte> part) {
        bytes += part.size();
        end = text_of(part.last(std::min<std::size_t>(part.size(), 10)));
        return Status();
      };
      const auto report =
          decompress(is_pipe ? dripping(frame, 5000) : Source::memory(bytes_of(frame)), sink, {});
      ASSERT_EQ(report.ok(), is_valid) << report.status().text();
      if (is_valid) {
        EXPECT_EQ(bytes, (std::uint64_t{65} << 20) + 10);
        EXPECT_EQ(end.substr(end.size() - 5), "world");
      } else {
        EXPECT_EQ(report.status().code(), Code::corrupt);
      }
    }
}

TEST(StreamVerdicts, AFileOfBgzipWithoutItsLastMemberIsReportedAsCut) {
  const auto member = [](const std::string& text) {
    return bgzip_of(zlib_made(text, 6, -15), text);
  };
  const std::string end = member(""), two = member("one ") + member("two"),
                    plain = zlib_made("plain", 6);
  ASSERT_EQ(end.size(), 28u);
  const auto is_cut = [](const std::string& file, const std::string& method) {
    const auto report = decompress(Source::memory(bytes_of(file)), [](auto) { return Status(); },
                                   {.method = method});
    EXPECT_TRUE(report.ok()) << report.status().text();
    return report.ok() && report->lacks_bgzip_end;
  };
  for (const char* const method : {"", "gzip-members"}) {
    EXPECT_TRUE(is_cut(two, method));
    EXPECT_TRUE(is_cut(end + two, method));
    EXPECT_FALSE(is_cut(two + end, method));
  }
  EXPECT_FALSE(is_cut(plain, ""));
  EXPECT_FALSE(is_cut(two + plain, ""));
  EXPECT_TRUE(is_cut(plain + two, ""));
}

}  // namespace
}  // namespace penstock::stream
