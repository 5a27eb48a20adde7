// zlib streams and gzip members decoded on every device by every variant that fits it, against
// zlib: texts of all lengths, headers with all that they may have, checksums, and the verdict on
// what is not sound. test/on_device/codec/deflate_test.cpp has the blocks between.
#include <gtest/gtest.h>

#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::chunks {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);
const Reference zlib = deflate_reference({.window = zlib_window}),
                gzip = deflate_reference({.window = gzip_window});

// Flags of RFC 1952, 2.3.1.
constexpr unsigned has_text = 1, has_checksum = 2, has_extra = 4, has_name = 8, has_comment = 16,
                   most_flags = 31;
void put_number(Bytes& bytes, std::uint64_t number, unsigned count) {
  for (unsigned i = 0; i < count; i++) bytes.push_back(static_cast<std::uint8_t>(number >> 8 * i));
}
struct HeaderFields {
  unsigned flags = 0;
  Bytes extra = {'x', 'y', 2, 0, 7, 0}, name = {'a', '.', 'c'}, comment = {'b'};
};
Bytes gzip_header(const HeaderFields& fields) {
  Bytes header = {0x1f, 0x8b, Z_DEFLATED, static_cast<std::uint8_t>(fields.flags), 1, 2, 3,
                  4,    0,    255};
  const auto put = [&](const Bytes& bytes) {
    header.insert(header.end(), bytes.begin(), bytes.end());
  };
  if (fields.flags & has_extra) put_number(header, fields.extra.size(), 2), put(fields.extra);
  if (fields.flags & has_name) put(fields.name), header.push_back(0);
  if (fields.flags & has_comment) put(fields.comment), header.push_back(0);
  if (fields.flags & has_checksum)
    put_number(header, crc32(0, header.data(), static_cast<uInt>(header.size())), 2);
  return header;
}
Bytes gzip_member(const Bytes& text, const HeaderFields& fields) {
  Bytes member = gzip_header(fields);
  const Bytes blocks = deflate_compressed(text);
  member.insert(member.end(), blocks.begin(), blocks.end());
  put_number(member, crc32(0, text.data(), static_cast<uInt>(text.size())), 4);
  put_number(member, text.size(), 4);
  return member;
}
Bytes with(Bytes bytes, std::size_t place, std::uint8_t byte) { return bytes[place] = byte, bytes; }
Bytes with_behind(Bytes bytes, const Bytes& more) {
  return bytes.insert(bytes.end(), more.begin(), more.end()), bytes;
}

template <class Body> void on_each_way_of_both(Body body) {
  for (const Reference& reference : {zlib, gzip})
    on_each_way(reference.format, [&](const Way& way) { body(way, reference); });
}
void expect_fault(const Way& way, Format format, const Bytes& chunk, Fault fault,
                  std::size_t offset) {
  TAKE(const auto result, decoded(way, format, {{chunk, 1000}}));
  EXPECT_EQ(result[0].verdict.fault, fault);
  EXPECT_EQ(result[0].verdict.offset, offset);
  EXPECT_TRUE(result[0].text.empty());
}

TEST(ZlibAndGzipChunks, TextsOfAllKindsComeBack) {
  on_each_way_of_both([](const Way& way, const Reference& reference) {
    expect_texts(way, reference, texts_of_all_kinds(65536));
  });
  for (const int window : {zlib_window, gzip_window})
    on_each_way(deflate_reference({.window = window}).format, [&](const Way& way) {
      expect_texts(way, deflate_reference({.level = 0, .window = window}),
                   texts_of_all_kinds(20000));
      expect_texts(way, deflate_reference({.level = 9, .window = window - 6}),
                   texts_of_all_kinds(20000));  // of 512 bytes
    });
}

// Rows of 512 bytes and blocks of 16, which checksums go by.
TEST(ZlibAndGzipChunks, ChecksumsOfAllLengthsAtAllPlacesAreRight) {
  std::vector<Bytes> texts;
  for (std::uint32_t bytes = 480; bytes < 560; bytes++) texts.push_back(mixed_text(bytes, bytes));
  for (std::uint32_t bytes = 1024; bytes < 9000; bytes += 61)
    texts.push_back(random_text(bytes, bytes));
  on_each_way_of_both([&](const Way& way, const Reference& reference) {
    expect_neighbours_kept(reference);
    expect_texts(way, reference, texts, {5, 1});
  });
}

TEST(ZlibAndGzipChunks, ChecksumsOfLargeTextsAreReducedInTime) {
  std::vector<Bytes> texts = large_texts();
  for (const std::uint64_t bytes : {524'287, 524'288, 524'800, 3'000'000})
    texts.emplace_back(bytes, 255);
  on_each_way_of_both([&](const Way& way, const Reference& reference) {
    expect_texts(way, reference, texts, {3, 1});
  });
}

TEST(ZlibAndGzipChunks, EveryPrefixGetsTheVerdictOfTheReference) {
  on_each_way_of_both([](const Way& way, const Reference& reference) {
    for (std::uint32_t seed = 0; seed < 3; seed++) {
      const Bytes text = mixed_text(900, seed);
      expect_verdicts(way, reference, prefixes(reference.compressed(text), text.size()));
    }
    expect_verdicts(way, reference, prefixes(reference.compressed({}), 0));
  });
}

TEST(ZlibAndGzipChunks, EveryChangedByteGetsTheVerdictOfTheReference) {
  on_each_way_of_both([](const Way& way, const Reference& reference) {
    const Bytes words = words_text(300, 1), mixed = mixed_text(400, 2);
    expect_verdicts(way, reference, single_changes(reference.compressed(words), words.size(), 1));
    expect_verdicts(way, reference,
                    single_changes(reference.compressed(mixed), mixed.size() + 40, 3));
    expect_verdicts(way, reference, single_changes(reference.compressed({}), 0, 1));
  });
}

TEST(ZlibAndGzipChunks, RoomOfAnySizeGetsTheVerdictOfTheReference) {
  on_each_way_of_both([](const Way& way, const Reference& reference) {
    expect_verdicts(way, reference, rooms(reference.compressed(mixed_text(400, 5)), 450));
  });
}

TEST(ZlibAndGzipChunks, WhatStandsBehindIsNotLookedAt) {
  const Bytes text = words_text(500, 3), half_magic = {0x1f}, other_magic = {0x1f, 0x8c, 8, 0};
  on_each_way_of_both([&](const Way& way, const Reference& reference) {
    const Bytes chunk = reference.compressed(text);
    for (const Bytes& behind :
         {Bytes{1}, Bytes(99, 0), half_magic, other_magic, zlib.compressed(text)})
      expect_verdicts(way, reference, {{with_behind(chunk, behind), 500}});
    TAKE(const auto result,
         decoded(way, reference.format, {{with_behind(chunk, zlib.compressed(text)), 1000}}));
    EXPECT_EQ(result[0].text, text);
    EXPECT_EQ(result[0].verdict.offset,
              reference.format == Format::gzip ? chunk.size() : result[0].verdict.offset);
  });
}

TEST(ZlibChunks, EveryHeaderGetsTheVerdictOfTheReference) {
  const Bytes text = words_text(60, 1), chunk = zlib.compressed(text);
  std::vector<Chunk> chunks;
  for (unsigned header = 0; header < 65536; header++)
    chunks.push_back({with(with(chunk, 0, static_cast<std::uint8_t>(header)), 1,
                           static_cast<std::uint8_t>(header >> 8)),
                      60});
  on_each_way(Format::zlib, [&](const Way& way) { expect_verdicts(way, zlib, chunks); });
}

TEST(ZlibChunks, ADistanceBeyondTheWindowIsTakenAsTheReferenceTakesIt) {
  Bytes text = random_text(3000, 1);
  text.insert(text.end(), text.begin(), text.begin() + 2000);
  const Bytes chunk = with(with(zlib.compressed(text), 0, 0x08), 1, 0x1d);  // a window of 256 bytes
  ASSERT_TRUE(zlib.text_of({chunk, text.size()}).has_value());
  on_each_way(Format::zlib,
              [&](const Way& way) { expect_verdicts(way, zlib, {{chunk, text.size()}}); });
}

TEST(ZlibChunks, WhatIsWrongIsNamed) {
  const Bytes text = words_text(500, 1), chunk = zlib.compressed(text);
  on_each_way(Format::zlib, [&](const Way& way) {
    expect_fault(way, Format::zlib, {}, Fault::truncated, 0);
    expect_fault(way, Format::zlib, with(chunk, 0, 0x79), Fault::bad_header, 0);
    expect_fault(way, Format::zlib, with(chunk, 1, 0xbb), Fault::needs_dictionary, 1);
    expect_fault(way, Format::zlib, Bytes(chunk.begin(), chunk.end() - 1), Fault::truncated,
                 chunk.size() - 4);
    for (std::size_t i = 1; i <= 4; i++)
      expect_fault(way, Format::zlib, with(chunk, chunk.size() - i, chunk[chunk.size() - i] ^ 16),
                   Fault::bad_checksum, chunk.size() - 4);
  });
}

TEST(GzipChunks, HeadersWithAllFlagsGetTheVerdictOfTheReference) {
  const Bytes text = words_text(200, 1);
  std::vector<Chunk> chunks;
  for (unsigned flags = 0; flags < 256; flags++)
    chunks.push_back({gzip_member(text, {flags}), 200});
  for (unsigned flags = 0; flags <= most_flags; flags++) {
    chunks.push_back({gzip_member(text, {flags, {}, {}, {}}), 200});
    chunks.push_back(
        {gzip_member(text, {flags, Bytes(65535, 0), Bytes(3000, 'n'), Bytes(700, 1)}), 200});
  }
  on_each_way(Format::gzip, [&](const Way& way) { expect_verdicts(way, gzip, chunks); });
}

TEST(GzipChunks, PrefixesAndChangesOfHeadersGetTheVerdictOfTheReference) {
  const Bytes text = words_text(20, 1);
  on_each_way(Format::gzip, [&](const Way& way) {
    for (unsigned flags = 0; flags <= most_flags; flags += 2)
      expect_verdicts(way, gzip, prefixes(gzip_member(text, {flags}), 20));
    expect_verdicts(way, gzip, single_changes(gzip_member(text, {most_flags}), 20, 1));
    expect_verdicts(way, gzip, single_changes(gzip_member(text, {has_checksum}), 20, 1));
  });
}

// Of lengths that put the texts of members at all places of 16, empty ones between, and matches
// that would reach into the member before.
TEST(GzipChunks, MembersBehindOneAnotherAreOneText) {
  std::vector<Chunk> chunks;
  for (std::uint32_t bytes = 0; bytes < 70; bytes++) {
    const Bytes a = mixed_text(bytes, bytes), b = words_text(900 + bytes, bytes);
    const Bytes members = with_behind(with_behind(gzip.compressed(a), gzip_member(b, {most_flags})),
                                      gzip.compressed(a));
    chunks.push_back({members, 2 * a.size() + b.size()});
    chunks.push_back({with_behind(with_behind(members, gzip.compressed({})), members),
                      2 * (2 * a.size() + b.size()) + 3});
  }
  chunks.push_back(
      {with_behind(gzip.compressed(random_text(70'000, 1)), gzip.compressed(words_text(70'000, 1))),
       140'000});
  on_each_way(Format::gzip, [&](const Way& way) {
    for (const Layout layout : {Layout{}, Layout{3, 1}}) {
      TAKE(const auto result, decoded(way, Format::gzip, chunks, layout));
      for (std::size_t i = 0; i < chunks.size(); i++) {
        ASSERT_OK(status_of(Format::gzip, i, result[i].verdict));
        ASSERT_EQ(result[i].text, gzip.text_of(chunks[i])) << "chunk " << i;
        ASSERT_EQ(result[i].verdict.offset, chunks[i].bytes.size());
      }
    }
  });
}

TEST(GzipChunks, PrefixesChangesAndRoomsOfSeveralMembersGetTheVerdictOfTheReference) {
  const Bytes a = words_text(70, 1), b = mixed_text(90, 2);
  const Bytes members = with_behind(with_behind(gzip.compressed(a), gzip.compressed({})),
                                    gzip_member(b, {has_name | has_checksum}));
  on_each_way(Format::gzip, [&](const Way& way) {
    expect_verdicts(way, gzip, prefixes(members, 160));
    expect_verdicts(way, gzip, single_changes(members, 160, 3));
    expect_verdicts(way, gzip, rooms(members, 170));
  });
}

TEST(GzipChunks, AMatchDoesNotReachIntoTheMemberBefore) {
  const Bytes text = words_text(300, 1);
  z_stream stream{};  // blocks that begin in what is said to stand before them
  deflateInit2(&stream, 9, Z_DEFLATED, raw_window, 8, Z_DEFAULT_STRATEGY);
  deflateSetDictionary(&stream, text.data(), static_cast<uInt>(text.size()));
  Bytes blocks(400);
  stream.next_in = const_cast<Bytef*>(text.data()),
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = blocks.data(), stream.avail_out = static_cast<uInt>(blocks.size());
  ::deflate(&stream, Z_FINISH);
  blocks.resize(stream.total_out);
  deflateEnd(&stream);
  Bytes second = with_behind(gzip_header({}), blocks);
  put_number(second, crc32(0, text.data(), static_cast<uInt>(text.size())), 4),
      put_number(second, text.size(), 4);
  const Bytes first = gzip.compressed(text);
  on_each_way(Format::gzip, [&](const Way& way) {
    TAKE(const auto result, decoded(way, Format::gzip, {{with_behind(first, second), 600}}));
    EXPECT_EQ(result[0].verdict.fault, Fault::bad_distance);
    EXPECT_GE(result[0].verdict.offset, first.size() + 10);
    expect_verdicts(way, gzip, {{with_behind(first, second), 600}});
  });
}

TEST(GzipChunks, WhatIsWrongIsNamed) {
  const Bytes text = words_text(500, 1), chunk = gzip.compressed(text),
              checked = gzip_member(text, {has_name | has_checksum});
  on_each_way(Format::gzip, [&](const Way& way) {
    for (std::size_t i = 0; i < 3; i++)
      expect_fault(way, Format::gzip, with(chunk, i, 0), Fault::bad_header, 0);
    expect_fault(way, Format::gzip, with(chunk, 3, 0x20), Fault::bad_header, 0);
    expect_fault(way, Format::gzip, Bytes(chunk.begin(), chunk.begin() + 9), Fault::truncated, 0);
    expect_fault(way, Format::gzip, with(checked, 14, 1), Fault::bad_checksum, 14);
    expect_fault(way, Format::gzip, with(checked, 11, 'x'), Fault::bad_checksum, 14);
    expect_fault(way, Format::gzip, Bytes(chunk.begin(), chunk.end() - 1), Fault::truncated,
                 chunk.size() - 8);
    for (std::size_t i = 1; i <= 8; i++)
      expect_fault(way, Format::gzip, with(chunk, chunk.size() - i, chunk[chunk.size() - i] ^ 1),
                   i <= 4 ? Fault::bad_length : Fault::bad_checksum,
                   chunk.size() - (i <= 4 ? 4 : 8));
  });
}

// Stricter than zlib.
TEST(GzipChunks, AHeaderOfMoreThanAMebibyteIsRefused) {
  const Bytes text = words_text(50, 1), most(1024 * 1024 - 11, 'n'), more(1024 * 1024 - 10, 'n');
  const Bytes sound = gzip_member(text, {has_name, {}, most, {}});
  on_each_way(Format::gzip, [&](const Way& way) {
    expect_verdicts(way, gzip, {{sound, 50}});
    expect_fault(way, Format::gzip, gzip_member(text, {has_name, {}, more, {}}), Fault::bad_header,
                 10);
  });
}

class ZlibAndGzipChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(ZlibAndGzipChunksOnHost, TextsComeBackAndBadChunksAreTold) {
  for (const Reference& reference : {zlib, gzip})
    on_each_way_on_host(GetParam(), reference.format, [&](const Way& way) {
      expect_small_texts(way, reference, 6000);
      expect_damage_found(way, reference, 100, 85);
    });
}
TEST_P(ZlibAndGzipChunksOnHost, HeadersAreReadWithinTheChunk) {
  const Bytes text = words_text(20, 1);
  on_each_way_on_host(GetParam(), Format::gzip, [&](const Way& way) {
    for (const unsigned flags :
         {has_text | has_extra, has_name | has_comment, has_checksum, most_flags})
      expect_verdicts(way, gzip, prefixes(gzip_member(text, {flags}), 20));
    expect_verdicts(way, gzip, single_changes(gzip_member(text, {most_flags}), 20, 85));
  });
}
TEST_P(ZlibAndGzipChunksOnHost, MembersBehindOneAnotherAreOneText) {
  Bytes members;
  for (std::uint32_t bytes : {5, 0, 700, 33, 1})
    members = with_behind(members, gzip.compressed(mixed_text(bytes, bytes)));
  on_each_way_on_host(GetParam(), Format::gzip, [&](const Way& way) {
    expect_verdicts(way, gzip,
                    {{members, 739},
                     {members, 738},
                     {with_behind(members, {0x1f, 0x8b}), 800},
                     {members, 800}});
    const Bytes two =
        with_behind(gzip.compressed(words_text(9, 1)), gzip.compressed(words_text(12, 2)));
    expect_verdicts(way, gzip, single_changes(two, 21, 127));
  });
}
INSTANTIATE_TEST_SUITE_P(Teams, ZlibAndGzipChunksOnHost, ::testing::ValuesIn(teams_on_host()));

}  // namespace
}  // namespace penstock::chunks
