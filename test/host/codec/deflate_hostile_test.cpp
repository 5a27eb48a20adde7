// Damaged streams must get zlib's status, and errors must name the right byte.
#include <gtest/gtest.h>

#include "codec/deflate/format/inflate.hpp"
#include "deflate_streams.hpp"

namespace penstock::deflate {
namespace {

constexpr std::size_t capacity = 100000;

Result<std::string> inflated(const std::string& stream) {
  const auto copy =
      std::make_unique<char[]>(stream.size());  // so that a sanitizer sees reads behind it
  std::copy(stream.begin(), stream.end(), copy.get());
  std::string out(capacity, '\0');
  const auto result = inflate(std::as_bytes(std::span(copy.get(), stream.size())),
                              std::as_writable_bytes(std::span(out)));
  if (!result.ok()) return result.status();
  out.resize(result->output_bytes);
  return out;
}

// Our status must be zlib's. libdeflate accepts more: codes of one symbol, reading the other bit as
// the same symbol; symbols 286 and 287 as lengths; 30 and 31 as distances; more symbols than there
// are. For these it must at least have no other output.
void expect_zlibs_status(const std::string& stream, const std::string& what) {
  const auto ours = inflated(stream);
  const ChunkStatus zlibs = zlib_status(stream, capacity),
                    libdeflates = libdeflate_status(stream, capacity);
  ASSERT_EQ(ours.ok(), zlibs.is_valid) << what << ": " << ours.status().text();
  if (ours.ok()) {
    ASSERT_EQ(*ours, zlibs.output) << what;
    ASSERT_TRUE(libdeflates.is_valid) << what;
    ASSERT_EQ(*ours, libdeflates.output) << what;
  }
}

std::vector<std::string> small_streams() {
  std::vector<std::string> streams;
  for (const std::string& output : outputs_of_all_kinds(600)) {
    for (const int level : {0, 1, 6, 9}) streams.push_back(deflated(output, level));
    streams.push_back(deflated(output.substr(0, 150), 6, Z_FIXED));
    streams.push_back(deflated_by_libdeflate(output, 12));
  }
  return streams;
}

TEST(DeflateHostile, EveryTruncatedPrefixIsTruncated) {
  for (const std::string& stream : small_streams())
    for (std::size_t bytes = 0; bytes < stream.size(); bytes++) {
      const auto ours = inflated(stream.substr(0, bytes));
      ASSERT_FALSE(ours.ok());
      ASSERT_EQ(ours.status().code(), Code::truncated)
          << bytes << " of " << stream.size() << ": " << ours.status().text();
      ASSERT_FALSE(zlib_status(stream.substr(0, bytes), capacity).is_valid);
    }
}
TEST(DeflateHostile, EveryChangeOfAByteHasZlibsStatus) {
  for (const std::string& stream : small_streams())
    for (std::size_t at = 0; at < stream.size(); at++)
      for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255, 0x5a}) {
        std::string changed = stream;
        changed[at] = static_cast<char>(changed[at] ^ change);
        expect_zlibs_status(changed, "byte " + std::to_string(at) + " ^ " + std::to_string(change));
      }
}
TEST(DeflateHostile, RandomBytesHaveZlibsStatus) {
  Random random(7);
  for (int i = 0; i < 200000; i++) {
    std::string bytes(1 + random() % 60, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    if (i % 2 == 0)
      bytes[0] = static_cast<char>((bytes[0] & ~7) | 5);  // a last block of dynamic codes
    expect_zlibs_status(bytes, "random bytes " + std::to_string(i));
  }
}
TEST(DeflateHostile, CodesOfRandomLengthsHaveZlibsStatus) {
  Random random(8);
  for (int i = 0; i < 20000; i++) {
    std::vector<unsigned> literals(257 + random() % 32, 0), distances(1 + random() % 32, 0);
    for (unsigned used = 1 + random() % 6; used > 0; used--)
      literals[random() % 4 == 0 ? 256 : random() % literals.size()] = 1 + random() % 4;
    for (unsigned used = random() % 3; used > 0; used--)
      distances[random() % distances.size()] = 1 + random() % 3;
    BitWriter bits;
    bits.header(true, 2).codes(literals, distances);
    for (int byte = 0; byte < 12; byte++) bits.number(random(), 8);
    expect_zlibs_status(bits.bytes(), "codes " + std::to_string(i));
  }
}

void expect_refused(const BitWriter& bits, const std::string& words) {
  const auto ours = inflated(bits.bytes() + std::string(40, '\0'));
  ASSERT_FALSE(ours.ok());
  EXPECT_NE(ours.status().text().find(words), std::string::npos)
      << ours.status().text() << "\nexpected: " << words;
}
std::vector<unsigned> literals_with(std::vector<std::pair<unsigned, unsigned>> lengths,
                                    std::size_t count = 258) {
  std::vector<unsigned> literals(count, 0);
  for (const auto& [symbol, length] : lengths) literals[symbol] = length;
  return literals;
}
BitWriter an_empty_block() { return BitWriter().header(false, 1).code(0, 7); }  // of ten bits

TEST(DeflateHostile, ErrorsNameTheBlockAndItsBit) {
  const std::string place = "Deflate block 2, byte 1, bit 2: ";
  expect_refused(an_empty_block().header(true, 3), place + "a block of the reserved type 3");
  expect_refused(an_empty_block().header(true, 0).to_byte().number(5, 16).number(5, 16),
                 place + "a stored block whose length does not agree with its complement");
  expect_refused(an_empty_block().header(true, 2).number(30, 5).number(0, 5),
                 place + "a code of more than 286 literals");
  expect_refused(an_empty_block().header(true, 2).number(0, 5).number(30, 5),
                 place + "a code of more than 286 literals");
  expect_refused(
      an_empty_block().header(true, 2).number(0, 14).number(1, 3).number(1, 3).number(1, 3),
      place + "the code of the code lengths is over-subscribed or incomplete");
  expect_refused(an_empty_block().header(true, 2).number(0, 14).number(1, 3),
                 place + "the code of the code lengths is over-subscribed");
  expect_refused(an_empty_block().header(true, 2).codes(literals_with({{'a', 1}, {'b', 1}}), {0}),
                 place + "a code without the end of the block");
  expect_refused(
      an_empty_block().header(true, 2).codes(literals_with({{'a', 1}, {'b', 1}, {256, 1}}), {0}),
      place + "the code of literals and lengths is over-subscribed or incomplete");
  expect_refused(an_empty_block().header(true, 2).codes(literals_with({{'a', 2}, {256, 1}}), {0}),
                 place + "the code of literals and lengths is over-subscribed or incomplete");
  expect_refused(an_empty_block().header(true, 2).codes(literals_with({{256, 2}}), {0}),
                 place + "the code of literals and lengths");
  expect_refused(an_empty_block().header(true, 2).codes(literals_with({{'a', 1}, {256, 1}}), {2}),
                 place + "the code of distances is over-subscribed or incomplete");
  expect_refused(
      an_empty_block().header(true, 2).codes(literals_with({{'a', 1}, {256, 1}}), {1, 1, 1}),
      place + "the code of distances is over-subscribed or incomplete");
}
TEST(DeflateHostile, ErrorsInsideABlockNameTheirBit) {
  const std::vector<unsigned> match =
      literals_with({{'a', 1}, {256, 2}, {257, 2}});  // a: 0, the end: 10, three bytes: 11
  const auto place = [](std::size_t bit) {
    return "Deflate block 1, byte " + std::to_string(bit / 8) + ", bit " + std::to_string(bit % 8) +
           ": ";
  };
  BitWriter bits;
  bits.header(true, 2).codes(match, {0}).code(0, 1).code(3, 2);
  expect_refused(bits, place(bits.bits()) + "bits that are no distance");
  bits = BitWriter().header(true, 2).codes(match, {1}).code(0, 1).code(3, 2);
  expect_refused(BitWriter(bits).code(1, 1), place(bits.bits()) + "bits that are no distance");
  bits = BitWriter().header(true, 2).codes(match, {0, 1}).code(0, 1).code(3, 2).code(0, 1);
  expect_refused(bits, place(bits.bits()) + "a distance that reaches before the first byte");
  bits = BitWriter().header(true, 1);
  expect_refused(BitWriter(bits).code(0xc6, 8),
                 place(bits.bits()) + "bits that are no literal and no length");  // symbol 286
  expect_refused(BitWriter(bits).code(0xc7, 8),
                 place(bits.bits()) + "bits that are no literal and no length");
  bits.code(0x30, 8).code(1, 7);
  expect_refused(BitWriter(bits).code(30, 5), place(bits.bits()) + "bits that are no distance");
  expect_refused(BitWriter(bits).code(31, 5), place(bits.bits()) + "bits that are no distance");
  bits = BitWriter().header(true, 2).codes(literals_with({{256, 1}}), {0});
  expect_refused(BitWriter(bits).code(1, 1),
                 place(bits.bits()) + "bits that are no literal and no length");
}

// Repeat symbols: 16 repeats the last length, 17 and 18 zeros.
BitWriter header_of_repeats() {
  BitWriter bits;
  bits.header(true, 2).number(0, 5).number(0, 5).number(19 - 4, 4);
  for (const unsigned symbol : {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15})
    bits.number(symbol == 16 || symbol == 18 ? 1 : 0, 3);
  return bits;
}
TEST(DeflateHostile, RepeatsOfNothingAndTooManyAreRefused) {
  expect_refused(header_of_repeats().code(0, 1).number(0, 2),
                 "a code length repeats the one before it, and there is none");
  expect_refused(header_of_repeats().code(1, 1).number(127, 7).code(1, 1).number(127, 7),
                 "a code length is repeated beyond the last symbol");
}

}  // namespace
}  // namespace penstock::deflate
