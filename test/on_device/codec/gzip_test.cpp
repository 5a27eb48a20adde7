// zlib streams and gzip members decoded on every device by every variant that fits it, against
// zlib: output of all sizes, headers with all fields, checksums, and the status of corrupt streams.
// deflate_test.cpp tests the blocks inside.
#include <gtest/gtest.h>

#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::batch {
namespace {

const Reference zlib = deflate_reference({.window = zlib_window}),
                gzip = deflate_reference({.window = gzip_window});

// Flags of RFC 1952, 2.3.1.
constexpr unsigned has_output = 1, has_checksum = 2, has_extra = 4, has_name = 8, has_comment = 16,
                   max_flags = 31;
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
Bytes gzip_member(const Bytes& output, const HeaderFields& fields) {
  Bytes member = gzip_header(fields);
  const Bytes blocks = deflate_compressed(output);
  member.insert(member.end(), blocks.begin(), blocks.end());
  put_number(member, crc32(0, output.data(), static_cast<uInt>(output.size())), 4);
  put_number(member, output.size(), 4);
  return member;
}
Bytes with(Bytes bytes, std::size_t place, std::uint8_t byte) { return bytes[place] = byte, bytes; }
Bytes with_behind(Bytes bytes, const Bytes& more) {
  return bytes.insert(bytes.end(), more.begin(), more.end()), bytes;
}

template <class Body> void on_each_method_of_both(Body body) {
  for (const Reference& reference : {zlib, gzip})
    on_each_method(reference.format, [&](const Method& method) { body(method, reference); });
}
void expect_error(const Method& method, Format format, const Bytes& chunk, ErrorCode error,
                  std::size_t offset) {
  TAKE(const auto result, decoded(method, format, {{chunk, 1000}}));
  EXPECT_EQ(result[0].chunk_status.error, error);
  EXPECT_EQ(result[0].chunk_status.offset, offset);
  EXPECT_TRUE(result[0].output.empty());
}

TEST(ZlibAndGzipChunks, OutputsOfAllKindsComeBack) {
  on_each_method_of_both([](const Method& method, const Reference& reference) {
    expect_outputs(method, reference, outputs_of_all_kinds(65536));
  });
  for (const int window : {zlib_window, gzip_window})
    on_each_method(deflate_reference({.window = window}).format, [&](const Method& method) {
      expect_outputs(method, deflate_reference({.level = 0, .window = window}),
                     outputs_of_all_kinds(20000));
      expect_outputs(method, deflate_reference({.level = 9, .window = window - 6}),
                     outputs_of_all_kinds(20000));  // of 512 bytes
    });
}

// Checksums work in rows of 512 bytes and blocks of 16.
TEST(ZlibAndGzipChunks, ChecksumsOfAllLengthsAtAllPositionsAreRight) {
  std::vector<Bytes> outputs;
  for (std::uint32_t bytes = 480; bytes < 560; bytes++)
    outputs.push_back(mixed_output(bytes, bytes));
  for (std::uint32_t bytes = 1024; bytes < 9000; bytes += 61)
    outputs.push_back(random_output(bytes, bytes));
  on_each_method_of_both([&](const Method& method, const Reference& reference) {
    expect_neighbours_kept(reference);
    expect_outputs(method, reference, outputs, {5, 1});
  });
}

TEST(ZlibAndGzipChunks, ChecksumsOfLargeOutputsAreReducedInTime) {
  std::vector<Bytes> outputs = large_outputs();
  for (const std::uint64_t bytes : {524'287, 524'288, 524'800, 3'000'000})
    outputs.emplace_back(bytes, 255);
  on_each_method_of_both([&](const Method& method, const Reference& reference) {
    expect_outputs(method, reference, outputs, {3, 1});
  });
}

TEST(ZlibAndGzipChunks, EveryPrefixGetsTheStatusOfTheReference) {
  on_each_method_of_both([](const Method& method, const Reference& reference) {
    for (std::uint32_t seed = 0; seed < 3; seed++) {
      const Bytes output = mixed_output(900, seed);
      expect_statuses(method, reference, prefixes(reference.compressed(output), output.size()));
    }
    expect_statuses(method, reference, prefixes(reference.compressed({}), 0));
  });
}

TEST(ZlibAndGzipChunks, EveryChangedByteGetsTheStatusOfTheReference) {
  on_each_method_of_both([](const Method& method, const Reference& reference) {
    const Bytes words = words_text(300, 1), mixed = mixed_output(400, 2);
    expect_statuses(method, reference,
                    single_changes(reference.compressed(words), words.size(), 1));
    expect_statuses(method, reference,
                    single_changes(reference.compressed(mixed), mixed.size() + 40, 3));
    expect_statuses(method, reference, single_changes(reference.compressed({}), 0, 1));
  });
}

TEST(ZlibAndGzipChunks, CapacityOfAnySizeGetsTheStatusOfTheReference) {
  on_each_method_of_both([](const Method& method, const Reference& reference) {
    expect_statuses(method, reference, capacities(reference.compressed(mixed_output(400, 5)), 450));
  });
}

TEST(ZlibAndGzipChunks, WhatStandsBehindIsNotLookedAt) {
  const Bytes output = words_text(500, 3), half_magic = {0x1f}, other_magic = {0x1f, 0x8c, 8, 0};
  on_each_method_of_both([&](const Method& method, const Reference& reference) {
    const Bytes chunk = reference.compressed(output);
    for (const Bytes& behind :
         {Bytes{1}, Bytes(99, 0), half_magic, other_magic, zlib.compressed(output)})
      expect_statuses(method, reference, {{with_behind(chunk, behind), 500}});
    TAKE(const auto result,
         decoded(method, reference.format, {{with_behind(chunk, zlib.compressed(output)), 1000}}));
    EXPECT_EQ(result[0].output, output);
    EXPECT_EQ(result[0].chunk_status.offset,
              reference.format == Format::gzip ? chunk.size() : result[0].chunk_status.offset);
  });
}

TEST(ZlibChunks, EveryHeaderGetsTheStatusOfTheReference) {
  const Bytes output = words_text(60, 1), chunk = zlib.compressed(output);
  std::vector<Chunk> chunks;
  for (unsigned header = 0; header < 65536; header++)
    chunks.push_back({with(with(chunk, 0, static_cast<std::uint8_t>(header)), 1,
                           static_cast<std::uint8_t>(header >> 8)),
                      60});
  on_each_method(Format::zlib,
                 [&](const Method& method) { expect_statuses(method, zlib, chunks); });
}

TEST(ZlibChunks, ADistanceBeyondTheWindowIsTakenAsTheReferenceTakesIt) {
  Bytes output = random_output(3000, 1);
  output.insert(output.end(), output.begin(), output.begin() + 2000);
  const Bytes chunk =
      with(with(zlib.compressed(output), 0, 0x08), 1, 0x1d);  // a window of 256 bytes
  ASSERT_TRUE(zlib.output_of({chunk, output.size()}).has_value());
  on_each_method(Format::zlib, [&](const Method& method) {
    expect_statuses(method, zlib, {{chunk, output.size()}});
  });
}

TEST(ZlibChunks, WhatIsWrongIsNamed) {
  const Bytes output = words_text(500, 1), chunk = zlib.compressed(output);
  on_each_method(Format::zlib, [&](const Method& method) {
    expect_error(method, Format::zlib, {}, ErrorCode::truncated_input, 0);
    expect_error(method, Format::zlib, with(chunk, 0, 0x79), ErrorCode::invalid_header, 0);
    expect_error(method, Format::zlib, with(chunk, 1, 0xbb), ErrorCode::needs_dictionary, 1);
    expect_error(method, Format::zlib, Bytes(chunk.begin(), chunk.end() - 1),
                 ErrorCode::truncated_input, chunk.size() - 4);
    for (std::size_t i = 1; i <= 4; i++)
      expect_error(method, Format::zlib,
                   with(chunk, chunk.size() - i, chunk[chunk.size() - i] ^ 16),
                   ErrorCode::checksum_mismatch, chunk.size() - 4);
  });
}

TEST(GzipChunks, HeadersWithAllFlagsGetTheStatusOfTheReference) {
  const Bytes output = words_text(200, 1);
  std::vector<Chunk> chunks;
  for (unsigned flags = 0; flags < 256; flags++)
    chunks.push_back({gzip_member(output, {flags}), 200});
  for (unsigned flags = 0; flags <= max_flags; flags++) {
    chunks.push_back({gzip_member(output, {flags, {}, {}, {}}), 200});
    chunks.push_back(
        {gzip_member(output, {flags, Bytes(65535, 0), Bytes(3000, 'n'), Bytes(700, 1)}), 200});
  }
  on_each_method(Format::gzip,
                 [&](const Method& method) { expect_statuses(method, gzip, chunks); });
}

TEST(GzipChunks, PrefixesAndChangesOfHeadersGetTheStatusOfTheReference) {
  const Bytes output = words_text(20, 1);
  on_each_method(Format::gzip, [&](const Method& method) {
    for (unsigned flags = 0; flags <= max_flags; flags += 2)
      expect_statuses(method, gzip, prefixes(gzip_member(output, {flags}), 20));
    expect_statuses(method, gzip, single_changes(gzip_member(output, {max_flags}), 20, 1));
    expect_statuses(method, gzip, single_changes(gzip_member(output, {has_checksum}), 20, 1));
  });
}

// Sizes that give the outputs of members every alignment to 16, empty ones between, and matches
// that would reach into the member before.
TEST(GzipChunks, MembersBehindOneAnotherAreOneOutput) {
  std::vector<Chunk> chunks;
  for (std::uint32_t bytes = 0; bytes < 70; bytes++) {
    const Bytes a = mixed_output(bytes, bytes), b = words_text(900 + bytes, bytes);
    const Bytes members = with_behind(with_behind(gzip.compressed(a), gzip_member(b, {max_flags})),
                                      gzip.compressed(a));
    chunks.push_back({members, 2 * a.size() + b.size()});
    chunks.push_back({with_behind(with_behind(members, gzip.compressed({})), members),
                      2 * (2 * a.size() + b.size()) + 3});
  }
  chunks.push_back({with_behind(gzip.compressed(random_output(70'000, 1)),
                                gzip.compressed(words_text(70'000, 1))),
                    140'000});
  on_each_method(Format::gzip, [&](const Method& method) {
    for (const Layout layout : {Layout{}, Layout{3, 1}}) {
      TAKE(const auto result, decoded(method, Format::gzip, chunks, layout));
      for (std::size_t i = 0; i < chunks.size(); i++) {
        ASSERT_OK(status_of(Format::gzip, i, result[i].chunk_status));
        ASSERT_EQ(result[i].output, gzip.output_of(chunks[i])) << "chunk " << i;
        ASSERT_EQ(result[i].chunk_status.offset, chunks[i].bytes.size());
      }
    }
  });
}

TEST(GzipChunks, PrefixesChangesAndCapacitiesOfSeveralMembersGetTheStatusOfTheReference) {
  const Bytes a = words_text(70, 1), b = mixed_output(90, 2);
  const Bytes members = with_behind(with_behind(gzip.compressed(a), gzip.compressed({})),
                                    gzip_member(b, {has_name | has_checksum}));
  on_each_method(Format::gzip, [&](const Method& method) {
    expect_statuses(method, gzip, prefixes(members, 160));
    expect_statuses(method, gzip, single_changes(members, 160, 3));
    expect_statuses(method, gzip, capacities(members, 170));
  });
}

TEST(GzipChunks, AMatchDoesNotReachIntoTheMemberBefore) {
  const Bytes output = words_text(300, 1);
  z_stream stream{};  // blocks that begin in what is said to stand before them
  deflateInit2(&stream, 9, Z_DEFLATED, raw_window, 8, Z_DEFAULT_STRATEGY);
  deflateSetDictionary(&stream, output.data(), static_cast<uInt>(output.size()));
  Bytes blocks(400);
  stream.next_in = const_cast<Bytef*>(output.data()),
  stream.avail_in = static_cast<uInt>(output.size());
  stream.next_out = blocks.data(), stream.avail_out = static_cast<uInt>(blocks.size());
  ::deflate(&stream, Z_FINISH);
  blocks.resize(stream.total_out);
  deflateEnd(&stream);
  Bytes second = with_behind(gzip_header({}), blocks);
  put_number(second, crc32(0, output.data(), static_cast<uInt>(output.size())), 4),
      put_number(second, output.size(), 4);
  const Bytes first = gzip.compressed(output);
  on_each_method(Format::gzip, [&](const Method& method) {
    TAKE(const auto result, decoded(method, Format::gzip, {{with_behind(first, second), 600}}));
    EXPECT_EQ(result[0].chunk_status.error, ErrorCode::invalid_distance);
    EXPECT_GE(result[0].chunk_status.offset, first.size() + 10);
    expect_statuses(method, gzip, {{with_behind(first, second), 600}});
  });
}

TEST(GzipChunks, WhatIsWrongIsNamed) {
  const Bytes output = words_text(500, 1), chunk = gzip.compressed(output),
              checked = gzip_member(output, {has_name | has_checksum});
  on_each_method(Format::gzip, [&](const Method& method) {
    for (std::size_t i = 0; i < 3; i++)
      expect_error(method, Format::gzip, with(chunk, i, 0), ErrorCode::invalid_header, 0);
    expect_error(method, Format::gzip, with(chunk, 3, 0x20), ErrorCode::invalid_header, 0);
    expect_error(method, Format::gzip, Bytes(chunk.begin(), chunk.begin() + 9),
                 ErrorCode::truncated_input, 0);
    expect_error(method, Format::gzip, with(checked, 14, 1), ErrorCode::checksum_mismatch, 14);
    expect_error(method, Format::gzip, with(checked, 11, 'x'), ErrorCode::checksum_mismatch, 14);
    expect_error(method, Format::gzip, Bytes(chunk.begin(), chunk.end() - 1),
                 ErrorCode::truncated_input, chunk.size() - 8);
    for (std::size_t i = 1; i <= 8; i++)
      expect_error(method, Format::gzip, with(chunk, chunk.size() - i, chunk[chunk.size() - i] ^ 1),
                   i <= 4 ? ErrorCode::size_mismatch : ErrorCode::checksum_mismatch,
                   chunk.size() - (i <= 4 ? 4 : 8));
  });
}

// We are stricter than zlib here.
TEST(GzipChunks, AHeaderOfMoreThanAMebibyteIsRefused) {
  const Bytes output = words_text(50, 1), most(1024 * 1024 - 11, 'n'), more(1024 * 1024 - 10, 'n');
  const Bytes valid = gzip_member(output, {has_name, {}, most, {}});
  on_each_method(Format::gzip, [&](const Method& method) {
    expect_statuses(method, gzip, {{valid, 50}});
    expect_error(method, Format::gzip, gzip_member(output, {has_name, {}, more, {}}),
                 ErrorCode::invalid_header, 10);
  });
}

class ZlibAndGzipChunksOnHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
TEST_P(ZlibAndGzipChunksOnHost, OutputsComeBackAndBadChunksAreTold) {
  for (const Reference& reference : {zlib, gzip})
    on_each_method_on_host(GetParam(), reference.format, [&](const Method& method) {
      expect_small_outputs(method, reference, 6000);
      expect_damage_found(method, reference, 100, 85);
    });
}
TEST_P(ZlibAndGzipChunksOnHost, HeadersAreReadWithinTheChunk) {
  const Bytes output = words_text(20, 1);
  on_each_method_on_host(GetParam(), Format::gzip, [&](const Method& method) {
    for (const unsigned flags :
         {has_output | has_extra, has_name | has_comment, has_checksum, max_flags})
      expect_statuses(method, gzip, prefixes(gzip_member(output, {flags}), 20));
    expect_statuses(method, gzip, single_changes(gzip_member(output, {max_flags}), 20, 85));
  });
}
TEST_P(ZlibAndGzipChunksOnHost, MembersBehindOneAnotherAreOneOutput) {
  Bytes members;
  for (std::uint32_t bytes : {5, 0, 700, 33, 1})
    members = with_behind(members, gzip.compressed(mixed_output(bytes, bytes)));
  on_each_method_on_host(GetParam(), Format::gzip, [&](const Method& method) {
    expect_statuses(method, gzip,
                    {{members, 739},
                     {members, 738},
                     {with_behind(members, {0x1f, 0x8b}), 800},
                     {members, 800}});
    const Bytes two =
        with_behind(gzip.compressed(words_text(9, 1)), gzip.compressed(words_text(12, 2)));
    expect_statuses(method, gzip, single_changes(two, 21, 127));
  });
}
INSTANTIATE_TEST_SUITE_P(Warps, ZlibAndGzipChunksOnHost, ::testing::ValuesIn(warps_on_host()));

}  // namespace
}  // namespace penstock::batch
