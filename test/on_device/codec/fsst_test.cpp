// FSST columns decoded on every device by every variant that fits, compared with their strings.
// Hostile ones must be reported and must not write outside their memory.
#include <gtest/gtest.h>

#include <random>

#include "fsst_strings.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/codec/fsst_fixture.hpp"
#include "penstock/fsst/decoder.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::fsst {
namespace {

struct Decoded {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint8_t> bytes;  // and the bytes after them
  Status status;
};

Result<Decoded> decoded(const std::shared_ptr<Device>& device, const EncodedStrings& strings,
                        std::string_view variant,
                        const std::vector<std::uint64_t>& given_offsets = {},
                        GivenOffsets how = GivenOffsets::trusted) {
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  PENSTOCK_ASSIGN(const DeviceStrings uploaded, DeviceStrings::upload(*device, *queue, strings));
  PENSTOCK_ASSIGN(const auto decoder, Decoder::build(device, uploaded, variant));
  PENSTOCK_ASSIGN(DeviceOutput text, DeviceOutput::allocate(*device, uploaded));
  PENSTOCK_ASSIGN(text.bytes,
                  device->allocate((strings.string_bytes + 15) / 16 * 16 + canary_bytes));
  PENSTOCK_TRY(cover(*queue, *text.bytes));
  PENSTOCK_TRY(cover(*queue, *text.offsets));  // corrupt columns leave them unwritten
  if (!given_offsets.empty())
    PENSTOCK_TRY(queue->upload(*text.offsets, given_offsets.data(), given_offsets.size() * 8));
  PENSTOCK_TRY(given_offsets.empty() ? decoder->enqueue(*queue, uploaded, text)
                                     : decoder->enqueue_decode(*queue, uploaded, text, how));
  Decoded texts;
  texts.status = decoder->check(*queue);
  PENSTOCK_ASSIGN(texts.offsets, downloaded<std::uint64_t>(*queue, *text.offsets));
  PENSTOCK_ASSIGN(texts.bytes, downloaded<std::uint8_t>(*queue, *text.bytes));
  return texts;
}

void expect_canaries(const Decoded& texts, std::uint64_t string_bytes) {
  for (std::size_t i = string_bytes; i < texts.bytes.size(); i++)
    ASSERT_EQ(texts.bytes[i], canary) << "written behind the text, byte " << i;
}

void expect_texts(const Decoded& texts, const Column& expected, std::uint64_t string_bytes) {
  ASSERT_TRUE(texts.status.ok()) << texts.status.text();
  std::uint64_t at = 0;
  for (std::uint64_t row = 0; row < expected.row_count; row++) {
    ASSERT_EQ(texts.offsets[row], at) << "row " << row;
    const std::string_view text = text_of(expected, row);
    ASSERT_EQ(std::string_view(reinterpret_cast<const char*>(texts.bytes.data()) + at, text.size()),
              text)
        << "row " << row;
    at += text.size();
  }
  ASSERT_EQ(texts.offsets[expected.row_count], at);
  ASSERT_EQ(at, string_bytes);
  expect_canaries(texts, string_bytes);
}

// Returns the offsets at which strings begin, and the end of the last.
std::vector<std::uint64_t> text_offsets(const Column& texts) {
  std::vector<std::uint64_t> offsets{0};
  for (std::uint64_t row = 0; row < texts.row_count; row++)
    offsets.push_back(offsets.back() + texts.string(row).size());
  return offsets;
}

// Decodes by every variant, with measured offsets and with given ones.
void expect_decoded(const std::shared_ptr<Device>& device, const Column& column,
                    const EncodedStrings& strings) {
  for (const std::string& variant : Decoder::variants(device->traits())) {
    SCOPED_TRACE(variant);
    const auto found = decoded(device, strings, variant);
    ASSERT_TRUE(found.ok()) << found.status().text();
    expect_texts(*found, column, strings.string_bytes);
    for (const GivenOffsets how : {GivenOffsets::trusted, GivenOffsets::validated}) {
      const auto given = decoded(device, strings, variant, found->offsets, how);
      ASSERT_TRUE(given.ok()) << given.status().text();
      expect_texts(*given, column, strings.string_bytes);
    }
  }
}

void expect_round_trip(const std::shared_ptr<Device>& device, const Column& column,
                       std::uint64_t row_group_rows) {
  const EncodedStrings strings = encoded(column, {.row_group_rows = row_group_rows});
  expect_decoded(device, column, strings);
}

TEST(FsstOnDevices, AddressesOfManyRowGroupsComeBack) {
  on_each_shared([](const auto& device) {
    for (const std::uint64_t rows : {1u, 2u, 31u, 1000u, 60'000u})
      expect_round_trip(device, codec::generate_urls(rows), 1 << 17);
    expect_round_trip(device, codec::generate_urls(60'000), 1000);
    expect_round_trip(device, codec::generate_log_lines(30'000), 7777);
  });
}

TEST(FsstOnDevices, RowGroupsThatBeginAnywhereWithLongOffsets) {
  on_each_shared([](const auto& device) {
    for (const std::uint64_t before : {1u, 15u, 16u, 1031u})
      for (const unsigned escapes : {3u, 90u}) {
        const auto seed = static_cast<std::uint32_t>(before) + escapes;
        const RandomColumn generated = random_codes(
            seed, {.max_codes = 50, .row_groups = 15, .escapes_of_100 = escapes, .letters = {}});
        expect_decoded(device, generated.texts, moved(generated.strings, before));
      }
  });
}

// Warps' spans are whole steps of 512 codes: rows end at their ends.
TEST(FsstOnDevices, AnEscapeThatEndsARowAtAStepsEndIsTold) {
  std::vector<std::string> codes(40, std::string(512, '\0'));
  codes[17].back() = '\xff';
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    TAKE(const Decoded texts,
         decoded(device, strings_of(table_of({"a"}), codes, 40 * 512), variant));
    EXPECT_NE(texts.status.text().find("row 17"), std::string::npos) << texts.status.text();
  });
}

// A warp handles the rows that begin in a step together: that some of them descend must be found
// when they are uploaded, or it never is.
TEST(FsstOnDevices, OffsetsThatDescendWithinAStepAreNotBrought) {
  const EncodedStrings valid =
      strings_of(table_of({"a"}), std::vector<std::string>(40, std::string(100, '\0')));
  on_each_shared([&](const auto& device) {
    TAKE(const auto queue, device->queue());
    EXPECT_OK(DeviceStrings::upload(*device, *queue, valid));
    for (std::uint64_t row = 0; row < valid.row_count; row++)
      for (const bool is_wide : {false, true}) {
        std::vector<std::uint64_t> wide;
        for (std::uint64_t i = 0; i <= valid.row_count; i++) wide.push_back(valid.offset(i));
        wide[row] = wide[row + 1] + 1;
        std::vector<std::uint32_t> narrow(wide.begin(), wide.end());
        EncodedStrings strings = valid;
        strings.offset_bytes = is_wide ? 8 : 4;
        strings.offsets = is_wide ? Bytes::own(std::move(wide)) : Bytes::own(std::move(narrow));
        const Status refused = status_of(DeviceStrings::upload(*device, *queue, strings));
        EXPECT_EQ(refused.code(), Code::corrupt) << "row " << row;
        EXPECT_NE(
            refused.text().find("row " + std::to_string(row) + ": its codes end before they begin"),
            std::string::npos)
            << refused.text();
      }
  });
}

TEST(FsstOnDevices, ATextOfAnotherLengthThanTheColumnSaysIsTold) {
  const RandomColumn generated = random_codes(11, {.rows = 300, .max_codes = 40, .letters = {}});
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    for (const std::uint64_t stated :
         {generated.strings.string_bytes - 1, generated.strings.string_bytes + 1}) {
      EncodedStrings strings = generated.strings;
      strings.string_bytes = stated;
      TAKE(const Decoded texts, decoded(device, strings, variant));
      EXPECT_EQ(texts.status.text(), validate(strings).text());
      expect_canaries(texts, stated);
    }
  });
}

TEST(FsstOnDevices, RandomCodesAreDecodedAsOneByOne) {
  on_each_shared([](const auto& device) {
    for (const unsigned symbol_bytes : {0u, 1u, 8u})
      for (const unsigned escapes : {0u, 2u, 67u, 100u}) {
        SCOPED_TRACE(testing::Message()
                     << "symbols of " << symbol_bytes << " bytes, escapes " << escapes << " %");
        const RandomColumnOptions column_options{.rows = 3000,
                                                 .max_codes = 60,
                                                 .escapes_of_100 = escapes,
                                                 .symbol_bytes = symbol_bytes,
                                                 .letters = {}};
        const RandomColumn generated = random_codes(symbol_bytes * 100 + escapes, column_options);
        expect_decoded(device, generated.texts, generated.strings);
      }
  });
}

TEST(FsstOnDevices, LongRowsBesideEmptyOnes) {
  std::vector<std::optional<std::string>> rows;
  std::mt19937 random(3);
  for (int i = 0; i < 400; i++) {
    std::string text;
    const std::size_t length = i % 50 == 7 ? 300'000 : i % 3 == 0 ? 0 : random() % 40;
    while (text.size() < length) text += static_cast<char>('a' + random() % 4);
    rows.push_back(i % 11 == 0 ? std::nullopt : std::optional(text));
  }
  on_each_shared(
      [&](const auto& device) { expect_round_trip(device, Column::from_strings(rows), 90); });
}

TEST(FsstOnDevices, AColumnOfEmptyTextsHasOffsetsAndNoBytes) {
  on_each_shared([](const auto& device) {
    expect_round_trip(device, Column::from_strings(std::vector<std::string>(5000)), 1 << 17);
  });
}

// Every variant reports the error, and nothing is written after the output.
TEST(FsstOnDevices, InvalidCodesAreRefusedByRow) {
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    for (const EncodedStrings& strings : corrupt_columns()) {
      TAKE(const Decoded texts, decoded(device, strings, variant));
      EXPECT_EQ(texts.status.code(), Code::corrupt);
      EXPECT_NE(texts.status.text().find("row 1"), std::string::npos) << texts.status.text();
      expect_canaries(texts, strings.string_bytes);
    }
  });
}

TEST(FsstOnDevices, OffsetsThatLieAreToldAndWriteNothingOutside) {
  const RandomColumn generated = random_codes(5, {.max_codes = 40, .letters = {}});
  std::mt19937_64 random(8);
  const std::vector<std::uint64_t> right = text_offsets(generated.texts);
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    for (int attempt = 0; attempt < 12; attempt++) {
      std::vector<std::uint64_t> offsets = right;
      // Every variant must notice the last and the first. Other offsets shift the output inside.
      offsets[attempt % 2 == 0 ? offsets.size() - 1 : 0] =
          attempt % 3 == 0 ? random() : right.back() + random() % 5000 + 1;
      for (int i = 0; i < attempt; i++)
        offsets[random() % offsets.size()] = random() >> random() % 64;
      TAKE(const Decoded texts,
           decoded(device, generated.strings, variant, offsets,
                   attempt % 4 < 2 ? GivenOffsets::trusted : GivenOffsets::validated));
      EXPECT_EQ(texts.status.code(), Code::corrupt) << "attempt " << attempt;
      EXPECT_NE(texts.status.text().find("row "), std::string::npos) << texts.status.text();
      expect_canaries(texts, generated.strings.string_bytes);
    }
  });
}

// In the middle of a part of the codes that is decoded at once nothing else would notice it.
TEST(FsstOnDevices, AnyOffsetThatLiesByAByteIsToldWhereOffsetsAreChecked) {
  const RandomColumn generated = random_codes(6, {.rows = 4000, .max_codes = 40, .letters = {}});
  const std::vector<std::uint64_t> right = text_offsets(generated.texts);
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    for (const std::size_t at : {1u, 2u, 31u, 33u, 777u, 1999u, 3998u, 3999u}) {
      std::vector<std::uint64_t> offsets = right;
      offsets[at] += at % 2 == 0 ? 1 : std::uint64_t{1} << 32;
      TAKE(const Decoded texts,
           decoded(device, generated.strings, variant, offsets, GivenOffsets::validated));
      const std::string row = "row " + std::to_string(at - 1) + ": its string ends at byte " +
                              std::to_string(right[at]);
      EXPECT_NE(texts.status.text().find(row), std::string::npos)
          << "offset " << at << ": " << texts.status.text();
      expect_canaries(texts, generated.strings.string_bytes);
    }
  });
}

// The output is right all the same.
TEST(FsstOnDevices, ARowThatEndsWithAnEscapeIsToldWhereOffsetsAreChecked) {
  std::vector<std::string> codes(300, std::string(30, '\0'));
  codes[123].back() = '\xff';  // the next row's first byte is its literal
  std::vector<std::uint64_t> offsets(301);
  for (std::size_t row = 0; row < 300; row++)
    offsets[row + 1] = offsets[row] + (row == 123 ? 29 : 30);
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    const EncodedStrings strings = strings_of(table_of({"a"}), codes, offsets.back());
    TAKE(const Decoded texts, decoded(device, strings, variant, offsets, GivenOffsets::validated));
    EXPECT_NE(texts.status.text().find("row 123"), std::string::npos) << texts.status.text();
    EXPECT_EQ(texts.status.code(), Code::corrupt);
  });
}

TEST(FsstOnDevices, OffsetsThatLieOfTextsWithoutCodesAreTold) {
  on_each_variant<Decoder>([](const auto& device, const std::string& variant) {
    TAKE(const Decoded texts,
         decoded(device, strings_of(table_of({"a"}), {"", ""}, 0), variant, {0, 0, 1}));
    EXPECT_EQ(texts.status.text(), "corrupt: row 1: its string ends at byte 0, its offset is 1");
    expect_canaries(texts, 0);
  });
}

// Status words are not cleared between columns that were not checked.
TEST(FsstOnDevices, AnInvalidColumnIsReportedAfterOthersAndOnlyUntilTheNextCheck) {
  const EncodedStrings valid =
      strings_of(table_of({"a"}), {std::string(700, '\0'), "", std::string(3, '\0')}, 703);
  const EncodedStrings bad =
      strings_of(table_of({"a"}), {std::string(700, '\0'), "", std::string("\0\7\0", 3)}, 703);
  const std::vector<std::uint64_t> offsets = {0, 700, 700, 703};
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    TAKE(const auto queue, device->queue());
    TAKE(const DeviceStrings good, DeviceStrings::upload(*device, *queue, valid));
    TAKE(const DeviceStrings wrong, DeviceStrings::upload(*device, *queue, bad));
    TAKE(const auto decoder, Decoder::build(device, good, variant));
    TAKE(const DeviceOutput text, DeviceOutput::allocate(*device, good));
    ASSERT_OK(decoder->check(*queue));  // nothing was enqueued
    for (const GivenOffsets how : {GivenOffsets::trusted, GivenOffsets::validated}) {
      ASSERT_OK(queue->upload(*text.offsets, offsets.data(), 32));
      ASSERT_OK(decoder->enqueue_decode(*queue, wrong, text, how));
      ASSERT_OK(queue->upload(*text.offsets, offsets.data(), 32));
      ASSERT_OK(decoder->enqueue_decode(*queue, good, text, how));
      EXPECT_EQ(decoder->check(*queue).code(), Code::corrupt);
      EXPECT_EQ(decoder->check(*queue).code(), Code::corrupt) << "asked again";
      ASSERT_OK(decoder->enqueue_decode(*queue, good, text, how));
      ASSERT_OK(decoder->check(*queue));
      TAKE(const auto bytes, downloaded<char>(*queue, *text.bytes, 703));
      EXPECT_EQ(std::string(bytes.begin(), bytes.end()), std::string(703, 'a'));
    }
  });
}

// There is nothing to decode that could end at a wrong offset.
TEST(FsstOnDevices, OffsetsThatLieOfRowsWithoutCodesAtTheBeginningAreTold) {
  const EncodedStrings empty = strings_of(table_of({"a"}), {"", ""}, 0),
                       one = strings_of(table_of({"a"}), {"", std::string(1, '\0')}, 1);
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    for (const std::vector<std::uint64_t>& offsets :
         {std::vector<std::uint64_t>{5, 0, 0}, {0, 5, 0}, {1, 0, 0}}) {
      TAKE(const Decoded texts, decoded(device, empty, variant, offsets, GivenOffsets::validated));
      EXPECT_EQ(texts.status.code(), Code::corrupt) << offsets[0] << ", " << offsets[1];
    }
    for (const std::vector<std::uint64_t>& offsets :
         {std::vector<std::uint64_t>{7, 0, 1}, {0, 1, 1}}) {
      TAKE(const Decoded texts, decoded(device, one, variant, offsets, GivenOffsets::validated));
      EXPECT_EQ(texts.status.code(), Code::corrupt) << offsets[0] << ", " << offsets[1];
    }
  });
}

TEST(FsstOnDevices, TextThatBeginsBehindTheFirstByteIsTold) {
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    const EncodedStrings strings = strings_of(table_of({"a"}), {std::string(1, '\0')}, 4);
    for (const GivenOffsets how : {GivenOffsets::trusted, GivenOffsets::validated}) {
      TAKE(const Decoded texts, decoded(device, strings, variant, {3, 4}, how));
      EXPECT_EQ(texts.status.code(), Code::corrupt);
    }
  });
}

// The message is the one of validate(), which goes row by row.
TEST(FsstOnDevices, ATornRowBeforeAMissingSymbolIsTheOneThatIsNamed) {
  const EncodedStrings strings =
      strings_of(three_symbols(), {"\xff", std::string("\xff\x07", 2)}, 1);
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    TAKE(const Decoded texts, decoded(device, strings, variant));
    EXPECT_EQ(texts.status.text(), validate(strings).text());
  });
}

TEST(FsstOnDevices, OneDecoderTakesColumnsOfOtherSizesInTurns) {
  const Column large = codec::generate_urls(60'000), small = codec::generate_urls(900);
  const EncodedStrings in_few = encoded(large), in_many = encoded(large, {.row_group_rows = 2500}),
                       short_one = encoded(small);
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    TAKE(const auto queue, device->queue());
    TAKE(const DeviceStrings many, DeviceStrings::upload(*device, *queue, in_many));
    TAKE(const auto decoder, Decoder::build(device, many, variant));
    for (const EncodedStrings* strings : {&in_many, &short_one, &in_few, &in_many, &short_one}) {
      TAKE(const DeviceStrings uploaded, DeviceStrings::upload(*device, *queue, *strings));
      TAKE(const DeviceOutput text, DeviceOutput::allocate(*device, uploaded));
      ASSERT_OK(decoder->enqueue(*queue, uploaded, text));
      ASSERT_OK(queue->fill(*text.bytes, 0, text.bytes->bytes() / 4 * 4));
      ASSERT_OK(decoder->enqueue_decode(*queue, uploaded, text));
      ASSERT_OK(decoder->enqueue_decode(*queue, uploaded, text, GivenOffsets::validated));
      ASSERT_OK(decoder->check(*queue));
      const Column& texts = strings == &short_one ? small : large;
      TAKE(const auto bytes, downloaded<char>(*queue, *text.bytes, strings->string_bytes));
      ASSERT_EQ(std::memcmp(bytes.data(), texts.values.as<char>(), strings->string_bytes), 0);
    }
  });
}

TEST(FsstOnDevices, StringsBroughtForMatchingAreNotDecoded) {
  const EncodedStrings strings = encoded(codec::generate_urls(100));
  const std::vector<std::uint64_t> first_row{0};
  on_each_shared([&](const auto& device) {
    TAKE(const auto queue, device->queue());
    TAKE(const DeviceStrings whole, DeviceStrings::upload(*device, *queue, strings));
    TAKE(const DeviceStrings uploaded,
         DeviceStrings::wrap_for_matching(*device, strings, whole.codes, whole.offsets));
    TAKE(const DeviceOutput text, DeviceOutput::allocate(*device, whole));
    for (const std::string& variant : Decoder::variants(device->traits())) {
      TAKE(const auto decoder, Decoder::build(device, whole, variant));
      EXPECT_EQ(decoder->enqueue(*queue, uploaded, text).code(), Code::invalid) << variant;
      EXPECT_EQ(decoder->enqueue_decode(*queue, uploaded, text).code(), Code::invalid) << variant;
    }
    TAKE(const auto rows, on_device(*device, *queue, first_row));
    for (const std::string& variant : SelectedRowDecoder::variants(device->traits())) {
      TAKE(const auto decoder, SelectedRowDecoder::build(device, whole, 1, variant));
      EXPECT_EQ(decoder->enqueue(*queue, uploaded, *rows, 1, text).code(), Code::invalid)
          << variant;
    }
  });
}

TEST(FsstOnDevices, AMissingSymbolInTheMiddleStopsEveryVariantThatWasNotToldToMeasure) {
  RandomColumn generated =
      random_codes(9, {.rows = 500, .max_codes = 40, .escapes_of_100 = 0, .letters = {}});
  const std::vector<std::uint64_t> right = text_offsets(generated.texts);
  auto table = std::make_shared<SymbolTable>(*generated.strings.row_groups[0].table);
  table->symbol_count = 254;  // code 254 has no symbol
  table->symbols[254] = 0;
  table->lengths[254] = 0;
  generated.strings.row_groups[0].table = table;
  on_each_variant<Decoder>([&](const auto& device, const std::string& variant) {
    TAKE(const Decoded texts, decoded(device, generated.strings, variant, right));
    EXPECT_EQ(texts.status.text(), validate(generated.strings).text());
    expect_canaries(texts, generated.strings.string_bytes);
  });
}

// Races, divergent barriers and accesses out of bounds, in the kernels for GPUs with and without
// sub-groups, and for CPUs.
class FsstOnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(
    Devices, FsstOnTheHost,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 128, kernel::ThreadOrder::shuffled, 32},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

TEST_P(FsstOnTheHost, DecodesWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  expect_round_trip(device, codec::generate_urls(150), 70);
  const RandomColumn generated =
      random_codes(1, {.rows = 120, .max_codes = 50, .escapes_of_100 = 40, .letters = {}});
  expect_decoded(device, generated.texts, generated.strings);
}

}  // namespace
}  // namespace penstock::fsst
