// Codes in runs and groups of every width, and pages that contradict themselves.
#include <gtest/gtest.h>
#include <parquet/column_page.h>

#include <cstring>
#include <random>

#include "io/parquet/parquet_codes.hpp"
#include "io/parquet/parquet_slabs.hpp"

namespace penstock::io {
namespace {

using Octets = std::vector<std::uint8_t>;
using Codes = std::vector<std::uint32_t>;

void put_varint(Octets& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to.push_back(static_cast<std::uint8_t>(value | 128));
  to.push_back(static_cast<std::uint8_t>(value));
}

void put_run(Octets& to, unsigned width, std::uint32_t code, std::uint64_t count) {
  put_varint(to, count << 1);
  for (unsigned bit = 0; bit < width; bit += 8)
    to.push_back(static_cast<std::uint8_t>(code >> bit));
}

void put_groups(Octets& to, unsigned width, const Codes& codes) {  // a multiple of eight
  put_varint(to, codes.size() / 8 << 1 | 1);
  const std::size_t first = to.size();
  to.resize(first + codes.size() / 8 * width);
  for (std::size_t i = 0; i < codes.size(); i++)
    for (unsigned bit = 0; bit < width; bit++)
      to[first + (i * width + bit) / 8] |=
          static_cast<std::uint8_t>((codes[i] >> bit & 1) << ((i * width + bit) % 8));
}

Codes taken(PageCodes& codes, std::uint64_t count, std::uint64_t most) {
  Codes all;
  while (all.size() < count) {
    const auto some = codes.take(std::min(most, count - all.size()));
    if (some.empty()) break;
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

TEST(PageCodes, EveryWidthInRunsAndGroupsTakenInAnyParts) {
  std::mt19937 random(7);
  for (unsigned width = 0; width <= 31; width++)
    for (const std::uint64_t most : {1u, 7u, 600u, 100'000u}) {
      Octets bytes = {static_cast<std::uint8_t>(width)};
      Codes expected;
      for (const unsigned count : {8u, 3u, 512u, 1000u, 16u, 1u, 2048u}) {
        Codes codes(count,
                    static_cast<std::uint32_t>(random() & ((std::uint64_t{1} << width) - 1)));
        if (count % 16 == 0)
          for (std::uint32_t& code : codes)
            code = static_cast<std::uint32_t>(random() & ((std::uint64_t{1} << width) - 1));
        if (count % 16 == 0)
          put_groups(bytes, width, codes);
        else
          put_run(bytes, width, codes[0], count);
        expected.insert(expected.end(), codes.begin(), codes.end());
      }
      PageCodes codes(bytes, 1u << 31);
      ASSERT_EQ(taken(codes, expected.size() + 1, most), expected)
          << "width " << width << " by " << most;
    }
}

TEST(PageCodes, ACodeOutsideTheDictionaryIsNoticedWhereverItStands) {
  for (const unsigned width : {7u, 31u})
    for (std::size_t place = 0; place < 24; place++) {
      Codes codes(24, 99);
      for (const std::uint32_t code : {99u, 100u, 127u}) {
        codes[place] = code;
        Octets bytes = {static_cast<std::uint8_t>(width)};
        put_groups(bytes, width, codes);
        PageCodes page(bytes, 100);
        ASSERT_FALSE(page.take(24).empty());
        EXPECT_EQ(page.may_be_outside(), code >= 100) << code << " at " << place;
      }
    }
  const Octets one_code = {1, 8, 0};
  PageCodes of_none(one_code, 0);
  ASSERT_FALSE(of_none.take(4).empty());
  EXPECT_TRUE(of_none.may_be_outside());
}

TEST(PageCodes, DamagedRunsEnd) {
  std::mt19937 random(8);
  for (int i = 0; i < 20'000; i++) {
    Octets bytes(random() % 40);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    if (!bytes.empty() && i % 2) bytes[0] %= 34;
    bytes.shrink_to_fit();  // so that a sanitizer sees a byte read behind the end
    PageCodes codes(bytes, 1000);
    for (const std::uint32_t code : taken(codes, 5000, 700)) ASSERT_EQ(code >> 31, 0u);
  }
}

// Pages made by hand. As Arrow's own reader does, it uses the memory of a page again for the next.
class HandMade final : public parquet::PageReader {
 public:
  explicit HandMade(std::vector<std::shared_ptr<parquet::Page>> pages) : pages_(std::move(pages)) {}
  std::shared_ptr<parquet::Page> NextPage() override {
    if (next_ > 0) {
      const parquet::Page& last = *pages_[next_ - 1];
      std::memset(const_cast<std::uint8_t*>(last.data()), 0xee,
                  static_cast<std::size_t>(last.size()));
    }
    return next_ < pages_.size() ? pages_[next_++] : nullptr;
  }
  void set_max_page_header_size(std::uint32_t) override {}

 private:
  std::vector<std::shared_ptr<parquet::Page>> pages_;
  std::size_t next_ = 0;
};

std::shared_ptr<arrow::Buffer> buffer_of(const Octets& bytes) {
  return arrow::Buffer::FromString(std::string(bytes.begin(), bytes.end()));
}

std::shared_ptr<parquet::Page> dictionary_of(std::int32_t claimed, std::size_t bytes) {
  return std::make_shared<parquet::DictionaryPage>(buffer_of(Octets(bytes, 1)), claimed,
                                                   parquet::Encoding::PLAIN);
}
std::shared_ptr<parquet::Page> data_of(const Octets& bytes, std::int32_t claimed,
                                       parquet::Encoding::type encoding) {
  return std::make_shared<parquet::DataPageV1>(buffer_of(bytes), claimed, encoding,
                                               parquet::Encoding::RLE, parquet::Encoding::RLE,
                                               static_cast<std::int64_t>(bytes.size()));
}

Status decode(std::vector<std::shared_ptr<parquet::Page>> pages, std::uint64_t rows,
              std::int64_t* first = nullptr) {
  ParquetColumn column;
  column.field.type = {Kind::int64};
  const auto memory = std::make_shared<BatchMemory>(4, BatchAllocator());
  BatchColumn to(column, rows, 1);
  to.prepare(*memory);
  const auto decoder = fixed_decoder({std::make_unique<HandMade>(std::move(pages)), false, {}},
                                     column, parquet::Type::INT64);
  Status status = decoder->decode_rows(to, 0, 0, {0, rows});
  if (first) std::memcpy(first, to.values(), sizeof(*first));
  return status;
}

TEST(FixedPages, ADictionaryOutlivesThePageWhoseMemoryIsUsedAgain) {
  std::int64_t value = 0;
  ASSERT_TRUE(
      decode({dictionary_of(2, 16), data_of({1, 8, 1}, 4, parquet::Encoding::RLE_DICTIONARY)}, 4,
             &value)
          .ok());
  EXPECT_EQ(value, 0x0101010101010101);
}

TEST(FixedPages, ThatContradictThemselvesAreRefused) {
  using parquet::Encoding;
  const Octets code_of_one = {1, 8, 1}, code_of_three = {2, 8, 3};  // four times
  const auto coded = [&](const Octets& bytes) {
    return data_of(bytes, 4, Encoding::RLE_DICTIONARY);
  };
  EXPECT_TRUE(decode({dictionary_of(2, 16), coded(code_of_one)}, 4).ok());
  EXPECT_TRUE(
      decode({dictionary_of(2, 16), coded(code_of_one), data_of(Octets(16), 2, Encoding::PLAIN)}, 6)
          .ok());
  const std::vector<std::vector<std::shared_ptr<parquet::Page>>> damaged = {
      {dictionary_of(2, 16), coded(code_of_three)},  // a code outside
      {dictionary_of(3, 16), coded(code_of_one)},    // a dictionary cut short
      {dictionary_of(-1, 16), coded(code_of_one)},
      {dictionary_of(2, 16), dictionary_of(2, 16), coded(code_of_one)},
      {coded(code_of_one)},                      // no dictionary
      {dictionary_of(2, 16), coded({1, 4, 1})},  // two codes for four values
      {dictionary_of(2, 16), coded({})},
      {dictionary_of(2, 16), coded({40, 8, 1})},  // codes of 40 bits
      {data_of(Octets(31), 4, Encoding::PLAIN)},
      {data_of(Octets(32), -4, Encoding::PLAIN)},
      {data_of(Octets(32), 4, Encoding::DELTA_BINARY_PACKED)},
      {data_of(Octets(24), 3, Encoding::PLAIN)},  // fewer rows than the chunk has
      {}};
  for (std::size_t i = 0; i < damaged.size(); i++)
    EXPECT_EQ(decode(damaged[i], 4).code(), Code::corrupt) << "case " << i;
}

// Rows of pages whose levels are runs and groups at random; every NULL is 0.
struct OptionalRows {
  Octets levels, values;
  std::vector<std::int64_t> expected;
  std::vector<bool> present;
};

OptionalRows optional_rows(std::mt19937& random) {
  OptionalRows rows;
  for (int run = 0; run < 20; run++) {
    Codes levels(random() % 4 == 0 ? 8 * (1 + random() % 300) : 1 + random() % 700,
                 static_cast<std::uint32_t>(random() % 4 != 0));
    const bool is_mixed = levels.size() % 8 == 0;
    for (std::uint32_t& level : levels)
      if (is_mixed) level = random() % 3 != 0;
    is_mixed ? put_groups(rows.levels, 1, levels)
             : put_run(rows.levels, 1, levels[0], levels.size());
    for (const std::uint32_t level : levels) {
      const std::int64_t value = level != 0 ? static_cast<std::int64_t>(random()) + 1 : 0;
      rows.present.push_back(level != 0);
      rows.expected.push_back(value);
      if (level == 0) continue;
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
      rows.values.insert(rows.values.end(), bytes, bytes + sizeof value);
    }
  }
  return rows;
}

std::shared_ptr<parquet::Page> page_of(const OptionalRows& rows, bool is_v2) {
  const auto size = static_cast<std::uint32_t>(rows.levels.size());
  const auto count = static_cast<std::int32_t>(rows.expected.size());
  Octets body;
  for (unsigned byte = 0; byte < 4 && !is_v2; byte++)
    body.push_back(static_cast<std::uint8_t>(size >> 8 * byte));
  body.insert(body.end(), rows.levels.begin(), rows.levels.end());
  body.insert(body.end(), rows.values.begin(), rows.values.end());
  if (!is_v2) return data_of(body, count, parquet::Encoding::PLAIN);
  return std::make_shared<parquet::DataPageV2>(
      buffer_of(body), count, 0, count, parquet::Encoding::PLAIN, static_cast<std::int32_t>(size),
      0, static_cast<std::int64_t>(body.size()));
}

struct Decoded {
  Status status;
  Column column;
};

// Decodes rows [first, first + count), after skipping those before them.
Decoded decode_part(std::shared_ptr<parquet::Page> page, std::uint64_t first, std::uint64_t count,
                    std::uint64_t row_count) {
  ParquetColumn column;
  column.field = {"x", {Kind::int64}, true};
  column.is_optional = true;
  const auto memory = std::make_shared<BatchMemory>(4, BatchAllocator());
  BatchColumn to(column, count, 1);
  to.prepare(*memory);
  Pages pages{std::make_unique<HandMade>(std::vector{std::move(page)}), false, {}};
  pages.rows = {{0, row_count}};
  const auto decoder = fixed_decoder(std::move(pages), column, parquet::Type::INT64);
  Decoded decoded;
  decoded.status = decoder->decode_rows(to, 0, 0, {first, first + count});
  if (decoded.status.ok() && to.finish_part()) decoded.column = *to.take(*memory);
  return decoded;
}

TEST(FixedPages, NullsStandWhereTheLevelsSay) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; round++) {
    const OptionalRows rows = optional_rows(random);
    const std::uint64_t count = 1 + random() % rows.expected.size();
    const Decoded decoded =
        decode_part(page_of(rows, round % 2 == 1), 0, count, rows.expected.size());
    ASSERT_TRUE(decoded.status.ok()) << decoded.status.text();
    for (std::uint64_t row = 0; row < count; row++) {
      ASSERT_EQ(decoded.column.is_valid(row), rows.present[row]) << row;
      ASSERT_EQ(decoded.column.values.as<std::int64_t>()[row], rows.expected[row]) << row;
    }
  }
}

TEST(FixedPages, LevelsThatLieAboutValuesAreRefused) {
  std::mt19937 random(12);
  OptionalRows rows = optional_rows(random);
  const std::uint64_t count = rows.expected.size();
  rows.values.resize(rows.values.size() - 8);
  EXPECT_EQ(decode_part(page_of(rows, false), 0, count, count).status.code(), Code::corrupt);
  rows.levels.resize(rows.levels.size() / 2);
  EXPECT_EQ(decode_part(page_of(rows, false), 0, count, count).status.code(), Code::corrupt);
  EXPECT_EQ(decode_part(page_of(rows, true), 0, count, count).status.code(), Code::corrupt);
  for (const Octets& body : {Octets{}, Octets{1, 0}, Octets{255, 255, 255, 255, 1, 1}})
    EXPECT_EQ(decode_part(data_of(body, 3, parquet::Encoding::PLAIN), 0, 3, 3).status.code(),
              Code::corrupt);
}

}  // namespace
}  // namespace penstock::io
