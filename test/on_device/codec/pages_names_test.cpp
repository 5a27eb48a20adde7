// The different strings of a column of pages, on every device and under the sanitizers of the host
// executor: each is found once, and every row gets its code.
#include <gtest/gtest.h>

#include <set>

#include "on_device/codec/page_texts.hpp"

namespace penstock::pages {
namespace {

using OptionalTexts = std::vector<std::optional<std::string>>;

// Rows that repeat: some strings are alike but for their last byte, or a part of another.
OptionalTexts repeated_texts(std::size_t count, std::uint32_t distinct, bool has_nulls) {
  std::mt19937 random(distinct);
  OptionalTexts rows(count);
  for (auto& row : rows) {
    if (has_nulls && random() % 3 == 0) continue;
    const auto number = static_cast<std::uint32_t>(random() % distinct);
    row = std::string(number % 11, 'x') + std::to_string(number) + (number % 7 == 0 ? "日" : "");
    if (number == 0) row = "";
  }
  return rows;
}

const PagedColumn optional_texts = column_of(Kind::string, Physical::byte_array, true);

EncodedPage page_of_rows(const OptionalTexts& rows, Encoding encoding) {
  Texts texts;
  std::vector<std::uint64_t> levels;
  for (const auto& row : rows) {
    levels.push_back(row.has_value());
    if (row) texts.push_back(*row);
  }
  EncodedPage page = text_page(
      static_cast<std::uint32_t>(rows.size()),
      encoding == Encoding::plain ? plain_texts(texts) : texts_after_lengths(texts), encoding);
  const PageBytes runs = hybrid(levels, 1, RunStyle::mixed);
  append_bytes(page.levels, runs.size(), 4);
  append(page.levels, runs);
  return page;
}

// A chunk of two pages of the rows.
std::shared_ptr<ChunkPages> chunk_of_rows(const OptionalTexts& rows) {
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 3);
  ChunkWriter writer;
  writer.add(page_of_rows({rows.begin(), middle}, Encoding::plain));
  writer.add(page_of_rows({middle, rows.end()}, Encoding::delta_lengths));
  return writer.finish();
}

struct Decoded {
  std::shared_ptr<PageDecoder> decoder;
  std::unique_ptr<Queue> queue;
  DecodedPages column;
};

Result<Decoded> decode(const std::shared_ptr<Device>& device, const ChunkPages& chunk) {
  Decoded made;
  PENSTOCK_ASSIGN(made.decoder, PageDecoder::create(device));
  PENSTOCK_ASSIGN(made.queue, device->queue());
  const ColumnOfPages column{&optional_texts, {&chunk}};
  PENSTOCK_ASSIGN(const auto pending, made.decoder->begin(*made.queue, std::span(&column, 1)));
  PENSTOCK_ASSIGN(auto decoded, pending->finish());
  PENSTOCK_TRY(made.queue->finish());
  made.column = std::move(decoded[0]);
  return made;
}

// Codes that are not the strings' numbers.
std::uint32_t code_of(std::uint64_t number) { return static_cast<std::uint32_t>(number * 3 + 100); }

void expect_named(const std::shared_ptr<Device>& device, const OptionalTexts& rows,
                  const TextTable& table = {}, std::uint32_t* attempts = nullptr) {
  const auto decoded = decode(device, *chunk_of_rows(rows));
  ASSERT_TRUE(decoded.ok()) << decoded.status().text();
  const auto texts = decoded->decoder->distinct_texts(*decoded->queue, decoded->column, table);
  ASSERT_TRUE(texts.ok()) << texts.status().text();
  if (attempts) *attempts = (*texts)->attempts();
  const Column& strings = (*texts)->strings();
  std::map<std::string, std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < strings.row_count; i++)
    ASSERT_TRUE(numbers.emplace(strings.string(i), i).second) << "a string is there twice";
  Texts in_order;
  for (const auto& row : rows)
    if (row && std::find(in_order.begin(), in_order.end(), *row) == in_order.end())
      in_order.push_back(*row);
  ASSERT_EQ(strings.row_count, in_order.size());
  for (std::size_t i = 0; i < in_order.size(); i++) ASSERT_EQ(strings.string(i), in_order[i]);
  std::vector<std::uint32_t> codes;
  for (std::uint64_t i = 0; i < strings.row_count; i++) codes.push_back(code_of(i));
  const auto coded = (*texts)->with_codes(codes);
  ASSERT_TRUE(coded.ok()) << coded.status().text();
  const auto read =
      read_rows(*device, *decoded->queue, column_of(Kind::int32, Physical::int32, true), *coded);
  ASSERT_TRUE(read.ok()) << read.status().text();
  for (std::size_t i = 0; i < rows.size(); i++)
    ASSERT_EQ((*read)[i],
              rows[i] ? std::optional<std::uint64_t>(code_of(numbers[*rows[i]])) : std::nullopt)
        << i;
}

TEST(PageNames, EveryRowGetsTheCodeOfItsString) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    for (const bool has_nulls : {false, true})
      for (const std::uint32_t distinct : {1u, 20u, 3000u})
        ASSERT_NO_FATAL_FAILURE(expect_named(device, repeated_texts(5000, distinct, has_nulls)));
    ASSERT_NO_FATAL_FAILURE(expect_named(device, OptionalTexts(70)));
  });
}

TEST(PageNames, StringsAreRightWhereNoTableHasThemWithinTheProbes) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    std::uint32_t attempts = 0;
    ASSERT_NO_FATAL_FAILURE(
        expect_named(device, repeated_texts(5000, 3000, true), {7, 1}, &attempts));
    EXPECT_EQ(attempts, 4u);
  });
}

// Whoever writes a file does not know which strings will meet in the table.
TEST(PageNames, TheSeedDecidesWhichStringsMeet) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    std::set<std::uint32_t> counts;
    for (std::uint64_t seed = 0; seed < 12; seed++) {
      std::uint32_t attempts = 0;
      ASSERT_NO_FATAL_FAILURE(
          expect_named(device, repeated_texts(60, 12, false), {seed, 1}, &attempts));
      counts.insert(attempts);
    }
    EXPECT_TRUE(counts.contains(1));
    EXPECT_GT(counts.size(), 1u);
  });
}

TEST(PageNames, KernelsAreFreeOfRacesAndOfReadsOutside) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  for (const auto& device : page_devices_on_host())
    ASSERT_NO_FATAL_FAILURE(expect_named(device, repeated_texts(300, 40, true)));
}

TEST(PageNames, StringsOfSomeRowsAreGathered) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    for (const bool has_nulls : {false, true}) {
      const OptionalTexts rows = repeated_texts(3000, 500, has_nulls);
      const auto decoded = decode(device, *chunk_of_rows(rows));
      ASSERT_TRUE(decoded.ok()) << decoded.status().text();
      std::vector<std::uint32_t> wanted;
      for (std::uint32_t row = 1; row < rows.size(); row += 1 + row % 5) wanted.push_back(row);
      const auto memory = device->allocate(wanted.size() * 4);
      ASSERT_OK(decoded->queue->upload(**memory, wanted.data(), wanted.size() * 4));
      const auto column = decoded->decoder->texts_of_rows(
          *decoded->queue, decoded->column, **memory, static_cast<std::uint32_t>(wanted.size()));
      ASSERT_TRUE(column.ok()) << column.status().text();
      ASSERT_EQ(column->row_count, wanted.size());
      for (std::size_t i = 0; i < wanted.size(); i++) {
        ASSERT_EQ(column->is_valid(i), rows[wanted[i]].has_value());
        if (rows[wanted[i]]) { ASSERT_EQ(column->string(i), *rows[wanted[i]]); }
      }
    }
  });
}

}  // namespace
}  // namespace penstock::pages
