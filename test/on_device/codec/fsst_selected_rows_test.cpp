// Selected rows of FSST columns decoded on every device, by number and by bitmap, compared with the
// strings that they were encoded from.
#include <gtest/gtest.h>

#include <random>

#include "fsst_strings.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/codec/fsst_fixture.hpp"
#include "penstock/fsst/matcher.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::fsst {
namespace {

struct Texts {
  std::vector<std::uint64_t> offsets;
  std::vector<char> bytes;  // and the bytes after them
  Result<std::uint64_t> count = std::uint64_t{0};
};

std::vector<std::uint32_t> bits_of(const std::vector<std::uint64_t>& rows,
                                   std::uint64_t row_count) {
  std::vector<std::uint32_t> bits(bitmap_bytes(row_count) / 4);
  for (const std::uint64_t row : rows) bits[row / 32] |= 1u << row % 32;
  if (row_count % 32 != 0) bits.back() |= ~0u << row_count % 32;  // bits after the last row
  return bits;
}

Result<Texts> decoded(const std::shared_ptr<Device>& device, const EncodedStrings& strings,
                      const std::vector<std::uint64_t>& rows, bool by_bits, std::uint64_t max_rows,
                      std::uint64_t capacity, const std::string& variant) {
  const std::vector<std::uint32_t> bits =
      by_bits ? bits_of(rows, strings.row_count) : std::vector<std::uint32_t>();
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  PENSTOCK_ASSIGN(const DeviceStrings uploaded, DeviceStrings::upload(*device, *queue, strings));
  PENSTOCK_ASSIGN(const auto decoder,
                  SelectedRowDecoder::build(device, uploaded, max_rows, variant));
  DeviceOutput text;
  PENSTOCK_ASSIGN(text.offsets, device->allocate((max_rows + 1) * 8));
  PENSTOCK_ASSIGN(text.bytes, device->allocate(std::max<std::uint64_t>(capacity, 4)));
  PENSTOCK_TRY(cover(*queue, *text.bytes));
  PENSTOCK_ASSIGN(const auto selected,
                  by_bits ? on_device(*device, *queue, bits) : on_device(*device, *queue, rows));
  PENSTOCK_TRY(queue->finish());
  PENSTOCK_TRY(by_bits ? decoder->enqueue_bitmap(*queue, uploaded, *selected, text)
                       : decoder->enqueue(*queue, uploaded, *selected, rows.size(), text));
  Texts texts;
  texts.count = decoder->check(*queue);
  PENSTOCK_ASSIGN(texts.offsets, downloaded<std::uint64_t>(*queue, *text.offsets));
  PENSTOCK_ASSIGN(texts.bytes, downloaded<char>(*queue, *text.bytes));
  return texts;
}

void expect_selected(const std::shared_ptr<Device>& device, const EncodedStrings& strings,
                     const Column& column, const std::vector<std::uint64_t>& rows, bool by_bits,
                     const std::string& variant) {
  SCOPED_TRACE(variant);
  std::uint64_t bytes = 0;
  for (const std::uint64_t row : rows) bytes += text_of(column, row).size();
  const auto texts = decoded(device, strings, rows, by_bits, rows.size() + (by_bits ? 7 : 0),
                             bytes + canary_bytes, variant);
  ASSERT_TRUE(texts.ok()) << texts.status().text();
  ASSERT_TRUE(texts->count.ok()) << texts->count.status().text();
  ASSERT_EQ(*texts->count, rows.size());
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < rows.size(); i++) {
    ASSERT_EQ(texts->offsets[i], at) << "selected row " << i;
    const std::string_view text = text_of(column, rows[i]);
    ASSERT_EQ(std::string_view(texts->bytes.data() + at, text.size()), text) << "row " << rows[i];
    at += text.size();
  }
  for (std::size_t i = rows.size(); i < texts->offsets.size(); i++)
    ASSERT_EQ(texts->offsets[i], at) << "after the last selected row";
  for (std::size_t i = at; i < texts->bytes.size(); i++)
    ASSERT_EQ(static_cast<std::uint8_t>(texts->bytes[i]), canary) << "written behind the text";
}

std::vector<std::uint64_t> some_rows(std::uint64_t row_count, unsigned of_1000,
                                     std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < row_count; row++)
    if (random() % 1000 < of_1000) rows.push_back(row);
  return rows;
}

TEST(FsstSelectedRows, OfBitmapsOfEveryDensity) {
  const Column urls = codec::generate_urls(20'011);
  const EncodedStrings strings = encoded(urls, {.row_group_rows = 3000});
  on_each_variant<SelectedRowDecoder>([&](const auto& device, const std::string& variant) {
    for (const unsigned of_1000 : {0u, 1u, 100u, 500u, 1000u})
      expect_selected(device, strings, urls, some_rows(urls.row_count, of_1000, of_1000), true,
                      variant);
  });
}

TEST(FsstSelectedRows, ByNumberInAnyOrderAndTwice) {
  std::vector<std::optional<std::string>> texts;
  for (int i = 0; i < 3000; i++)
    texts.push_back(i % 7 == 0
                        ? std::nullopt
                        : std::optional(i % 500 == 3
                                            ? std::string(300'000, static_cast<char>('a' + i % 26))
                                            : "text \xff " + std::to_string(i * 7919)));
  const Column column = Column::from_strings(texts);
  const EncodedStrings strings = encoded(column, {.row_group_rows = 450});
  std::mt19937 random(5);
  std::vector<std::uint64_t> rows{0, 2999, 3, 3, 3};
  for (int i = 0; i < 2000; i++) rows.push_back(random() % 3000);
  on_each_variant<SelectedRowDecoder>([&](const auto& device, const std::string& variant) {
    expect_selected(device, strings, column, rows, false, variant);
    expect_selected(device, strings, column, {}, false, variant);
    expect_selected(device, strings, column, {2999}, false, variant);
  });
}

// Returns rows that alternate between row groups, with so many runs in each chunk of rows that a
// group of fsst_selected_tiles takes: 16, if rows are few.
std::vector<std::uint64_t> rows_in_runs(const EncodedStrings& strings, std::uint64_t runs) {
  constexpr std::uint64_t chunk_rows = 16, chunks = 12;
  std::vector<std::uint64_t> rows;
  for (std::uint64_t chunk = 0; chunk < chunks; chunk++)
    for (std::uint64_t i = 0; i < chunk_rows; i++)
      rows.push_back(strings.row_groups[(chunk + i * runs / chunk_rows) % strings.row_groups.size()]
                         .first_row +
                     (5 * chunk + i) % 40);
  return rows;
}
// Four runs are decoded run by run, five row by row.
void expect_runs_at_the_border(const std::shared_ptr<Device>& device, const std::string& variant) {
  const RandomColumn generated = random_codes(8, {.rows = 400, .row_groups = 8, .letters = {}});
  for (const std::uint64_t runs : {4u, 5u}) {
    SCOPED_TRACE(runs);
    expect_selected(device, generated.strings, generated.texts,
                    rows_in_runs(generated.strings, runs), false, variant);
  }
}

TEST(FsstSelectedRows, ChunksOfFourAndOfFiveRunsAreLeftOutByNeitherWay) {
  on_each_variant<SelectedRowDecoder>([](const auto& device, const std::string& variant) {
    expect_runs_at_the_border(device, variant);
  });
}

TEST(FsstSelectedRows, RowsThatTheColumnDoesNotHaveAreRefused) {
  const EncodedStrings strings =
      strings_of(table_of({"a", "bc"}), {std::string(1, '\0'), "\x01", ""}, 3);
  on_each_variant<SelectedRowDecoder>([&](const auto& device, const std::string& variant) {
    for (const std::uint64_t row : {std::uint64_t{3}, ~std::uint64_t{0}}) {
      const auto texts = decoded(device, strings, {1, row, 0}, false, 3, 100, variant);
      ASSERT_TRUE(texts.ok()) << texts.status().text();
      EXPECT_EQ(texts->count.status().code(), Code::invalid);
    }
  });
}

TEST(FsstSelectedRows, MoreRowsOrTextThanThereIsMemoryForAreTold) {
  const Column urls = codec::generate_urls(1000);
  const EncodedStrings strings = encoded(urls);
  const std::vector<std::uint64_t> rows = some_rows(1000, 500, 1);
  on_each_variant<SelectedRowDecoder>([&](const auto& device, const std::string& variant) {
    const auto many = decoded(device, strings, rows, true, rows.size() - 1, 1 << 20, variant);
    ASSERT_TRUE(many.ok()) << many.status().text();
    EXPECT_EQ(many->count.status().code(), Code::capacity);
    const auto long_text = decoded(device, strings, rows, false, rows.size(), 1024, variant);
    ASSERT_TRUE(long_text.ok()) << long_text.status().text();
    EXPECT_EQ(long_text->count.status().code(), Code::capacity);
  });
}

TEST(FsstSelectedRows, OnlySelectedRowsMustBeValid) {
  const EncodedStrings strings =
      strings_of(table_of({"a", "bc"}), {std::string(1, '\0'), "\x07", "\x01\xff", "\x01"}, 6);
  on_each_variant<SelectedRowDecoder>([&](const auto& device, const std::string& variant) {
    const auto valid = decoded(device, strings, {0, 3}, true, 4, 100, variant);
    ASSERT_TRUE(valid.ok()) << valid.status().text();
    EXPECT_OK(valid->count);
    for (const std::uint64_t row : {1u, 2u}) {
      const auto texts = decoded(device, strings, {0, row}, false, 2, 100, variant);
      ASSERT_TRUE(texts.ok()) << texts.status().text();
      EXPECT_EQ(texts->count.status().code(), Code::corrupt);
      EXPECT_NE(texts->count.status().text().find("row " + std::to_string(row)), std::string::npos)
          << texts->count.status().text();
      for (const char byte : texts->bytes)
        ASSERT_EQ(static_cast<std::uint8_t>(byte), canary) << "decoded all the same";
    }
  });
}

class FsstSelectedOnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(
    Devices, FsstSelectedOnTheHost,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

TEST_P(FsstSelectedOnTheHost, DecodesWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  const Column urls = codec::generate_urls(300);
  const EncodedStrings strings = encoded(urls, {.row_group_rows = 90});
  for (const std::string& variant : SelectedRowDecoder::variants(device->traits())) {
    expect_selected(device, strings, urls, some_rows(300, 400, 9), true, variant);
    expect_selected(device, strings, urls, {5, 4, 299, 4}, false, variant);
    const auto too_small =
        decoded(device, strings, some_rows(300, 900, 10), true, 300, 1001, variant);
    ASSERT_TRUE(too_small.ok()) << too_small.status().text();
    EXPECT_EQ(too_small->count.status().code(), Code::capacity) << variant;
  }
}

TEST_P(FsstSelectedOnTheHost, ChunksOfFourAndOfFiveRunsAreLeftOutByNeitherWay) {
  const auto device = kernel::make_host_device(GetParam());
  for (const std::string& variant : SelectedRowDecoder::variants(device->traits()))
    expect_runs_at_the_border(device, variant);
}

// Rows longer than a group's tile of codes, which take several tiles; chunks of rows of a few row
// groups, and of many.
TEST_P(FsstSelectedOnTheHost, PartsOfRowsAndRunsOfRowGroupsFollowOneAnother) {
  const auto device = kernel::make_host_device(GetParam());
  std::mt19937 random(6);
  std::vector<std::optional<std::string>> texts;
  for (int i = 0; i < 200; i++) {
    std::string text(i % 20 == 7 ? 1500 : i % 3 == 0 ? 0 : random() % 60, ' ');
    for (char& byte : text)
      byte = static_cast<char>(i % 2 == 0 ? 'a' + random() % 3 : random() % 256);
    texts.push_back(text);
  }
  const Column column = Column::from_strings(texts);
  const EncodedStrings strings = encoded(column, {.row_group_rows = 23});
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; i < 300; i++) rows.push_back(i < 150 ? i : random() % 200);
  const std::vector<std::string> variants = SelectedRowDecoder::variants(device->traits());
  EXPECT_EQ(variants.front(), GetParam().is_cpu ? "fsst_selected_rows" : "fsst_selected_tiles");
  for (const std::string& variant : variants)
    expect_selected(device, strings, column, rows, false, variant);
}

}  // namespace
}  // namespace penstock::fsst
