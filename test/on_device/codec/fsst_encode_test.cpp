// String columns encoded on every device by every variant that fits: the codes must be the host's
// with the same symbol tables. Hostile offsets and too little memory must be reported.
#include <gtest/gtest.h>

#include <random>

#include "fsst_strings.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/codec/fsst_fixture.hpp"
#include "penstock/fsst/encoder.hpp"
#include "penstock/fsst/matcher.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::fsst {
namespace {

// The result of encoding on a device: all of the memory for codes, and what check() and download()
// returned.
struct EncodedRandomColumn {
  Status status;
  std::vector<std::uint8_t> memory;
  std::vector<std::uint8_t> offsets;  // and the bytes after them
  EncodedStrings strings;
};

struct Setting {
  std::string_view variant = {};
  std::uint32_t code_offset_bytes = 4;
  std::uint64_t code_bytes = 0;  // memory for codes; 0: twice the string bytes
  std::uint64_t runs = 1;
};

Result<EncodedRandomColumn> made_of(const std::shared_ptr<Device>& device, const Column& column,
                                    std::span<const RowGroup> row_groups, const Setting& setting) {
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  PENSTOCK_ASSIGN(const PlainStrings texts, PlainStrings::upload(*device, *queue, column));
  PENSTOCK_ASSIGN(
      const auto encoder,
      DeviceEncoder::build(device, texts, row_groups, setting.code_offset_bytes, setting.variant));
  DeviceCodes codes;
  codes.offset_bytes = setting.code_offset_bytes;
  const std::uint64_t memory = setting.code_bytes != 0
                                   ? setting.code_bytes
                                   : 2 * texts.string_bytes / 16 * 16 + 16 + canary_bytes;
  PENSTOCK_ASSIGN(codes.codes, device->allocate(memory));
  PENSTOCK_ASSIGN(codes.offsets,
                  device->allocate((column.row_count + 1) * codes.offset_bytes + canary_bytes));
  EncodedRandomColumn generated;
  for (std::uint64_t run = 0; run < setting.runs; run++) {
    PENSTOCK_TRY(cover(*queue, *codes.codes));
    PENSTOCK_TRY(cover(*queue, *codes.offsets));
    PENSTOCK_TRY(encoder->enqueue(*queue, texts, codes));
  }
  const auto uploaded = encoder->check(*queue);
  generated.status = status_of(uploaded);
  if (uploaded.ok()) { PENSTOCK_ASSIGN(generated.strings, encoder->download(*queue)); }
  PENSTOCK_ASSIGN(generated.memory, downloaded<std::uint8_t>(*queue, *codes.codes));
  PENSTOCK_ASSIGN(generated.offsets, downloaded<std::uint8_t>(*queue, *codes.offsets));
  return generated;
}

void expect_host_codes(const std::shared_ptr<Device>& device, const Column& column,
                       const EncodeOptions& options, const Setting& setting) {
  const EncodedStrings expected = encoded(column, options);
  const auto generated = made_of(device, column, expected.row_groups, setting);
  ASSERT_TRUE(generated.ok()) << generated.status().text();
  ASSERT_TRUE(generated->status.ok()) << generated->status.text();
  const EncodedStrings& strings = generated->strings;
  ASSERT_EQ(strings.codes.size, expected.codes.size);
  for (std::uint64_t row = 0; row <= column.row_count; row++)
    ASSERT_EQ(strings.offset(row), expected.offset(row)) << "row " << row;
  for (std::uint64_t at = 0; at < strings.codes.size; at++)
    ASSERT_EQ(strings.codes.data[at], expected.codes.data[at]) << "code " << at;
  EXPECT_EQ(strings.string_bytes, expected.string_bytes);
  for (std::size_t group = 0; group < strings.row_groups.size(); group++)
    EXPECT_EQ(strings.row_groups[group].first_string_byte,
              expected.row_groups[group].first_string_byte)
        << "row group " << group;
  std::uint64_t at = strings.codes.size;
  for (; at == strings.codes.size || at % 16 != 0; at++)
    ASSERT_EQ(generated->memory[at], 0) << "no zeros behind the codes";
  for (; at < generated->memory.size(); at++)
    ASSERT_EQ(generated->memory[at], canary) << "written behind the codes, byte " << at;
  for (std::uint64_t i = (column.row_count + 1) * setting.code_offset_bytes;
       i < generated->offsets.size(); i++)
    ASSERT_EQ(generated->offsets[i], canary) << "written behind the offsets, byte " << i;
  const auto decoded = decode(strings);
  ASSERT_OK(decoded);
  expect_equal(*decoded, column);
}

Column with_wide_offsets(const Column& column) {
  std::vector<std::uint64_t> offsets(column.row_count + 1);
  for (std::uint64_t row = 0; row <= column.row_count; row++)
    offsets[row] = column.offsets.as<std::uint32_t>()[row];
  Column wide = column;
  wide.offsets = Bytes::own(std::move(offsets));
  wide.offset_bytes = 8;
  return wide;
}

// Returns a column of these offsets and strings, whatever they say.
Column column_of(std::vector<std::uint32_t> offsets, std::string text) {
  Column column;
  column.type = {Kind::string};
  column.row_count = offsets.size() - 1;
  column.offsets = Bytes::own(std::move(offsets));
  column.values = Bytes::own(std::vector<char>(text.begin(), text.end()));
  return column;
}

Column random_bytes(std::uint64_t row_count, std::uint32_t max_bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::string> texts(row_count);
  for (std::string& text : texts)
    for (std::uint64_t left = random() % (max_bytes + 1); left > 0; left--)
      text.push_back(static_cast<char>(random() & 255));
  return Column::from_strings(texts);
}

TEST(FsstEncodeOnDevices, AddressesInSeveralRowGroups) {
  const Column urls = codec::generate_urls(20'011);
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    expect_host_codes(device, urls, {}, {variant});
    expect_host_codes(device, urls, {.row_group_rows = 700}, {variant});
  });
}

TEST(FsstEncodeOnDevices, OffsetsOfEightBytesOnBothSides) {
  const Column logs = with_wide_offsets(codec::generate_log_lines(3000));
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    expect_host_codes(device, logs, {.row_group_rows = 1100}, {variant, 8});
    expect_host_codes(device, logs, {}, {variant, 4});
  });
}

TEST(FsstEncodeOnDevices, ShortAndEmptyTexts) {
  std::vector<std::string> texts(70'000);
  for (std::size_t i = 0; i < texts.size(); i++)
    texts[i] = i % 1000 < 500 ? "" : std::string(i % 5, static_cast<char>('a' + i % 3));
  for (std::size_t i = 30'000; i < 50'000; i++) texts[i].clear();
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    expect_host_codes(device, Column::from_strings(texts), {.row_group_rows = 7000}, {variant});
    expect_host_codes(device, Column::from_strings(std::vector<std::string>{""}), {}, {variant});
    expect_host_codes(device, Column::from_strings(std::vector<std::string>{"a"}), {}, {variant});
    expect_host_codes(device, Column::from_strings(std::vector<std::string>(1000, "x")),
                      {.row_group_rows = 3}, {variant});
  });
}

TEST(FsstEncodeOnDevices, BytesThatHaveNoSymbolTakeTwoCodesEach) {
  const Column column = random_bytes(3000, 200, 4);
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    const auto generated = made_of(
        device, column, std::vector<RowGroup>{{0, 0, std::make_shared<SymbolTable>()}}, {variant});
    ASSERT_OK(generated);
    ASSERT_TRUE(generated->status.ok()) << generated->status.text();
    EXPECT_EQ(generated->strings.codes.size, 2 * column.values.size);
    const auto decoded = decode(generated->strings);
    ASSERT_OK(decoded);
    expect_equal(*decoded, column);
    expect_host_codes(device, column, {.row_group_rows = 800}, {variant});
  });
}

// Tiles with more codes than string bytes are encoded twice, others once: here both are adjacent.
TEST(FsstEncodeOnDevices, EscapesAmongTextThatIsEncodedWell) {
  const Column urls = codec::generate_urls(6000), noise = random_bytes(3000, 200, 5);
  std::vector<std::string> texts;
  for (std::uint64_t row = 0; row < 6000; row++)
    texts.emplace_back(row % 2000 < 600 ? noise.string(row % 3000) : urls.string(row));
  const Column column = Column::from_strings(texts);
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    expect_host_codes(device, column, {}, {variant});
    expect_host_codes(device, column, {.row_group_rows = 900}, {variant, 4, 0, 3});
  });
}

TEST(FsstEncodeOnDevices, RowsOfAMegabyte) {
  std::vector<std::string> texts{"first", std::string(1'000'000, 'a'), "", "between"};
  const Column urls = codec::generate_urls(20'000);
  std::string long_text;
  for (std::uint64_t row = 0; row < urls.row_count; row++) long_text += urls.string(row);
  texts.push_back(long_text);
  texts.emplace_back("last");
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    expect_host_codes(device, Column::from_strings(texts), {.row_group_rows = 4}, {variant});
  });
}

// Greedy parses from two positions of such a string never meet.
TEST(FsstEncodeOnDevices, OneByteRepeatedAtEveryPhase) {
  std::vector<std::string> texts;
  for (std::size_t i = 1; i < 400; i++) texts.emplace_back(i, 'a');
  const Column column = Column::from_strings(texts);
  const std::vector<RowGroup> row_groups{
      {0, 0, std::make_shared<SymbolTable>(table_of({"aaa", "aaaaaaa"}))}};
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    const auto refused =
        made_of(device, column, row_groups, {variant});  // the same first three bytes
    EXPECT_EQ(status_of(refused).code(), Code::unsupported);
    const std::vector<RowGroup> sevens{
        {0, 0, std::make_shared<SymbolTable>(table_of({"aa", "aaaaaaa"}))}};
    const auto generated = made_of(device, column, sevens, {variant});
    ASSERT_OK(generated);
    ASSERT_TRUE(generated->status.ok()) << generated->status.text();
    for (std::uint64_t row = 0; row < texts.size(); row++) {
      const auto expected = encode_string(*sevens[0].table, texts[row]);
      const auto* codes =
          generated->strings.codes.template as<std::uint8_t>() + generated->strings.offset(row);
      const std::vector<std::uint8_t> found(
          codes, codes + (generated->strings.offset(row + 1) - generated->strings.offset(row)));
      ASSERT_EQ(found, expected) << "row " << row;
    }
  });
}

// Symbols overlap at every position, and parses meet late.
TEST(FsstEncodeOnDevices, TextsOfTwoLetters) {
  std::mt19937 random(11);
  std::vector<std::string> texts(400);
  for (std::size_t i = 0; i < texts.size(); i++) {
    const std::size_t period = 1 + random() % 40;
    for (std::uint64_t left = random() % 3000, at = 0; at < left; at++)
      texts[i].push_back(at < period ? static_cast<char>('a' + random() % 2)
                                     : texts[i][at - period]);
  }
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    expect_host_codes(device, Column::from_strings(texts), {.row_group_rows = 130}, {variant});
  });
}

TEST(FsstEncodeOnDevices, MissingRowsHaveNoCodesWhateverTheirText) {
  Column urls = codec::generate_urls(9000);
  std::mt19937 random(3);
  std::vector<std::uint8_t> bits((urls.row_count + 7) / 8);
  for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(random());
  for (std::size_t i = 300; i < 400; i++) bits[i] = 0;
  urls.validity = Bytes::own(std::move(bits));
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    expect_host_codes(device, urls, {.row_group_rows = 2000}, {variant});
  });
}

// The neighbours are not null: an empty null row must take no byte of them.
TEST(FsstEncodeOnDevices, MissingRowsWithoutTextTakeNothingFromTheirNeighbours) {
  std::vector<std::optional<std::string>> texts;
  for (std::uint32_t row = 0; row < 3000; row++) {
    if (row % 3 == 1)
      texts.push_back(std::nullopt);
    else
      texts.emplace_back("row " + std::to_string(row));
  }
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    expect_host_codes(device, Column::from_strings(texts), {.row_group_rows = 1000}, {variant});
  });
}

TEST(FsstEncodeOnDevices, ColumnsThatBeginInsideTheirBuffers) {
  Column urls = codec::generate_urls(5000);
  urls.offsets = {urls.offsets.owner, urls.offsets.data + 1234 * urls.offset_bytes,
                  urls.offsets.size - 1234 * urls.offset_bytes};
  urls.row_count -= 2234;
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    expect_host_codes(device, urls, {}, {variant});
  });
}

TEST(FsstEncodeOnDevices, CodesAreDecodedAndMatchedWhereTheyLie) {
  const Column urls = codec::generate_urls(5000);
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    TAKE(const auto queue, device->queue());
    TAKE(const PlainStrings texts, PlainStrings::upload(*device, *queue, urls));
    TAKE(const auto row_groups, train(device, *queue, texts, 1500));
    TAKE(const auto encoder, DeviceEncoder::build(device, texts, row_groups, 4, variant));
    TAKE(const DeviceCodes codes, DeviceCodes::allocate(*device, texts, texts.string_bytes));
    ASSERT_OK(encoder->enqueue(*queue, texts, codes));
    TAKE(const DeviceStrings uploaded, encoder->check(*queue));
    EXPECT_LT(uploaded.code_bytes, texts.string_bytes * 6 / 10) << "tables of a poor sample";
    TAKE(const auto decoder, Decoder::build(device, uploaded));
    TAKE(const DeviceOutput text, DeviceOutput::allocate(*device, uploaded));
    ASSERT_OK(decoder->enqueue(*queue, uploaded, text));
    ASSERT_OK(decoder->check(*queue));
    TAKE(const auto bytes, downloaded<char>(*queue, *text.bytes, uploaded.string_bytes));
    EXPECT_EQ(std::string_view(bytes.data(), bytes.size()),
              std::string_view(urls.values.as<char>(), urls.values.size));
    TAKE(const EncodedStrings strings, encoder->download(*queue));
    EXPECT_OK(validate(strings));
    TAKE(const auto matcher,
         DeviceMatcher::build(device, strings, Predicate::equals(std::string(urls.string(77)))));
    TAKE(const auto bits, device->allocate(bitmap_bytes(urls.row_count)));
    ASSERT_OK(matcher->enqueue(*queue, uploaded, *bits));
    ASSERT_OK(matcher->check(*queue));
    TAKE(const auto found, downloaded<std::uint32_t>(*queue, *bits));
    EXPECT_NE(found[77 / 32] >> 77 % 32 & 1u, 0u);
  });
}

// Kernels load whole 16 bytes of it.
TEST(FsstEncodeOnDevices, NothingBehindABroughtTextIsLeftUnwritten) {
  on_each_device([](Device& device) {
    TAKE(const auto queue, device.queue());
    for (const std::size_t string_bytes : {4096u, 4097u, 4111u, 4112u}) {
      const Column column =
          Column::from_strings(std::vector<std::string>{std::string(string_bytes, 'a')});
      {
        TAKE(const auto before,
             device.allocate(string_bytes / 16 * 16 + 16));  // the pool returns it again
        ASSERT_OK(cover(*queue, *before));
      }
      TAKE(const PlainStrings texts, PlainStrings::upload(device, *queue, column));
      TAKE(const auto bytes, downloaded<char>(*queue, *texts.bytes));
      EXPECT_EQ(std::string(bytes.begin(), bytes.end()),
                std::string(string_bytes, 'a') + std::string(bytes.size() - string_bytes, '\0'));
    }
  });
}

TEST(FsstEncodeOnDevices, OffsetsThatDescendOrEndOutsideAreTold) {
  const std::vector<RowGroup> row_groups{{0, 0, std::make_shared<SymbolTable>(table_of({"ab"}))}};
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    for (const auto& [offsets, row] : {std::pair{std::vector<std::uint32_t>{0, 4, 3, 8}, 1},
                                       {{0, 4, 8, 9}, 2},
                                       {{9, 9, 9, 9}, 0},
                                       {{0, 0xffffffff, 4, 8}, 0},
                                       {{7, 6, 6, 6}, 0}}) {
      const auto generated = made_of(device, column_of(offsets, "abababab"), row_groups, {variant});
      ASSERT_OK(generated);
      EXPECT_EQ(generated->status.code(), Code::corrupt) << offsets[1] << " " << offsets[2];
      EXPECT_NE(generated->status.text().find("row " + std::to_string(row)), std::string::npos)
          << generated->status.text();
    }
  });
}

TEST(FsstEncodeOnDevices, MemoryOfOneByteTooFewIsToldAndKept) {
  const Column urls = codec::generate_urls(2000);
  const EncodedStrings expected = encoded(urls);
  const std::uint64_t enough = expected.codes.size / 16 * 16 + 16;
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    expect_host_codes(device, urls, {}, {variant, 4, enough});
    for (const std::uint64_t memory : {enough - 1, std::uint64_t{1600}, std::uint64_t{16}}) {
      const auto generated = made_of(device, urls, expected.row_groups, {variant, 4, memory});
      ASSERT_OK(generated);
      EXPECT_EQ(generated->status.code(), Code::capacity);
      EXPECT_NE(generated->status.text().find(std::to_string(expected.codes.size)),
                std::string::npos)
          << generated->status.text();
      for (std::size_t i = 0; i < memory; i++)
        ASSERT_EQ(generated->memory[i], canary) << "written without capacity, byte " << i;
    }
  });
}

TEST(FsstEncodeOnDevices, WhatDoesNotFitAnEncoderIsRefused) {
  const Column urls = codec::generate_urls(100);
  const auto table = std::make_shared<SymbolTable>(table_of({"http"}));
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    for (const std::vector<RowGroup>& row_groups : {std::vector<RowGroup>{},
                                                    {{1, 0, table}},
                                                    {{0, 0, nullptr}},
                                                    {{0, 0, table}, {0, 0, table}},
                                                    {{0, 0, table}, {100, 0, table}}})
      EXPECT_EQ(status_of(made_of(device, urls, row_groups, {variant})).code(), Code::invalid);
    EXPECT_EQ(status_of(made_of(device, urls, std::vector<RowGroup>{{0, 0, table}},
                                {"fsst_encode_threads"}))
                  .code(),
              Code::invalid);
    EXPECT_EQ(status_of(made_of(device, Column::from_strings(std::vector<std::string>{}),
                                std::vector<RowGroup>{{0, 0, table}}, {variant}))
                  .code(),
              Code::unsupported);
  });
}

TEST(FsstEncodeOnDevices, NoSampleIsTakenOfTextThatIsNotThere) {
  const Column urls = codec::generate_urls(100);
  on_each_shared([&](const auto& device) {
    TAKE(const auto queue, device->queue());
    TAKE(PlainStrings texts, PlainStrings::upload(*device, *queue, urls));
    EXPECT_OK(train(device, *queue, texts));
    texts.row_count = 10000;
    EXPECT_EQ(status_of(train(device, *queue, texts)).code(), Code::invalid);
    texts.row_count = 0;
    EXPECT_OK(train(device, *queue, texts));
    texts.row_count = 100;
    texts.string_bytes *= 10;
    EXPECT_EQ(status_of(train(device, *queue, texts)).code(), Code::invalid);
  });
}

TEST(FsstEncodeOnDevices, NothingIsFetchedThatWasNotFoundGood) {
  const Column urls = codec::generate_urls(100);
  const EncodedStrings expected = encoded(urls);
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    const auto queue = *device->queue();
    const auto texts = PlainStrings::upload(*device, *queue, urls);
    ASSERT_OK(texts);
    const auto encoder = DeviceEncoder::build(device, *texts, expected.row_groups, 4, variant);
    ASSERT_TRUE(encoder.ok()) << encoder.status().text();
    EXPECT_EQ(status_of((*encoder)->check(*queue)).code(), Code::invalid);
    EXPECT_EQ(status_of((*encoder)->download(*queue)).code(), Code::invalid);
    ASSERT_TRUE(
        (*encoder)
            ->enqueue(*queue, *texts, *DeviceCodes::allocate(*device, *texts, texts->string_bytes))
            .ok());
    EXPECT_OK((*encoder)->check(*queue));
    EXPECT_OK((*encoder)->download(*queue));
    ASSERT_TRUE(
        (*encoder)->enqueue(*queue, *texts, *DeviceCodes::allocate(*device, *texts, 16)).ok());
    EXPECT_EQ(status_of((*encoder)->check(*queue)).code(), Code::capacity);
    EXPECT_EQ(status_of((*encoder)->download(*queue)).code(), Code::invalid);
  });
}

// Every first byte has as many second ones as there are symbols for: rows of pairs that do not
// overlap easily.
TEST(FsstEncodeOnDevices, TablesOfNothingButPairs) {
  std::mt19937 random(8);
  std::vector<std::string> symbols;
  for (int i = 0; i < 255; i++)
    symbols.push_back({static_cast<char>(i % 16 * 3), static_cast<char>(random() % 2 * 128 + i)});
  const std::vector<RowGroup> row_groups{{0, 0, std::make_shared<SymbolTable>(table_of(symbols))}};
  const Column column = random_bytes(500, 100, 6);
  on_each_variant<DeviceEncoder>([&](const auto& device, const std::string& variant) {
    const auto generated = made_of(device, column, row_groups, {variant});
    ASSERT_OK(generated);
    ASSERT_TRUE(generated->status.ok()) << generated->status.text();
    for (std::uint64_t row = 0; row < column.row_count; row++) {
      const auto* codes =
          generated->strings.codes.template as<std::uint8_t>() + generated->strings.offset(row);
      const std::vector<std::uint8_t> found(
          codes, codes + (generated->strings.offset(row + 1) - generated->strings.offset(row)));
      ASSERT_EQ(found, encode_string(*row_groups[0].table, column.string(row))) << "row " << row;
    }
  });
}

class FsstEncodeOnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(
    Devices, FsstEncodeOnTheHost,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 64, kernel::ThreadOrder::shuffled, 32},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

TEST_P(FsstEncodeOnTheHost, EncodesWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  Column urls = codec::generate_urls(120);
  expect_host_codes(device, urls, {.row_group_rows = 50}, {});
  urls.validity = Bytes::own(std::vector<std::uint8_t>(15, 0x5b));
  expect_host_codes(device, with_wide_offsets(urls), {.row_group_rows = 50}, {{}, 8});
  expect_host_codes(device, random_bytes(40, 150, 7), {}, {});
  expect_host_codes(
      device, Column::from_strings(std::vector<std::string>{"", std::string(5000, 'a'), "", "b"}),
      {}, {});
  const auto too_small = made_of(
      device, urls, std::vector<RowGroup>{{0, 0, std::make_shared<SymbolTable>()}}, {{}, 4, 997});
  ASSERT_TRUE(too_small.ok()) << too_small.status().text();
  EXPECT_EQ(too_small->status.code(), Code::capacity);
}

TEST_P(FsstEncodeOnTheHost, HostileOffsetsWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  const std::vector<RowGroup> row_groups{{0, 0, std::make_shared<SymbolTable>(table_of({"ab"}))}};
  for (const std::vector<std::uint32_t>& offsets :
       {std::vector<std::uint32_t>{0, 4, 3, 8}, {0, 0xffffffff, 0xffffffff, 0}}) {
    const auto generated = made_of(device, column_of(offsets, "abababab"), row_groups, {});
    ASSERT_TRUE(generated.ok()) << generated.status().text();
    EXPECT_EQ(generated->status.code(), Code::corrupt);
  }
}

}  // namespace
}  // namespace penstock::fsst
