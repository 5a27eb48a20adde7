// Columns of codes that are not sound, on every device by everything that reads codes there: errors
// name row and byte as the host's do.
#include <gtest/gtest.h>

#include "fsst_strings.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/codec/fsst_fixture.hpp"
#include "penstock/fsst/matcher.hpp"

namespace penstock::fsst {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);

// What is wrong with the column is in `on_device`; its layout is sound as it is brought, and
// `offsets`, where there are any, take the place of its own there.
struct Faulty {
  EncodedStrings strings;
  std::vector<std::uint32_t> offsets = {};
  EncodedStrings on_device() const {
    EncodedStrings all = strings;
    if (!offsets.empty()) all.offsets = Bytes::own(std::vector<std::uint32_t>(offsets));
    return all;
  }
};

Result<DeviceStrings> brought(Device& device, Queue& queue, const Faulty& faulty) {
  PENSTOCK_ASSIGN(DeviceStrings there, DeviceStrings::bring(device, queue, faulty.strings));
  if (!faulty.offsets.empty())
    PENSTOCK_TRY(queue.upload(*there.offsets, faulty.offsets.data(), faulty.offsets.size() * 4));
  PENSTOCK_TRY(queue.finish());
  return there;
}

// Spans are shared out by the offsets that a column was brought with: others lie beyond what they
// promise.
void expect_decoders_words(const std::shared_ptr<Device>& device, Queue& queue,
                           const DeviceStrings& there, bool has_other_offsets,
                           const std::string& words) {
  for (const std::string& variant : Decoder::variants(device->traits())) {
    if (has_other_offsets && variant == "fsst_decode_spans") continue;
    TAKE(const auto decoder, Decoder::build(device, there, variant));
    TAKE(const DeviceText text, DeviceText::allocate(*device, there));
    ASSERT_OK(decoder->enqueue(queue, there, text));
    EXPECT_EQ(decoder->check(queue).text(), words) << variant;
    EXPECT_EQ(decoder->check(queue).text(), words) << variant << ", asked again";
  }
}

void expect_chosen_words(const std::shared_ptr<Device>& device, Queue& queue,
                         const DeviceStrings& there, const std::string& words) {
  TAKE(const auto decoder, ChosenDecoder::build(device, there, there.row_count));
  TAKE(const DeviceText text, DeviceText::allocate(*device, there));
  std::vector<std::uint64_t> rows(there.row_count);
  std::iota(rows.begin(), rows.end(), 0);
  TAKE(const auto rows_there, on_device(*device, queue, rows));
  ASSERT_OK(decoder->enqueue(queue, there, *rows_there, rows.size(), text));
  EXPECT_EQ(decoder->check(queue).status().text(), words) << "rows by number";
  const std::vector<std::uint32_t> bits(bitmap_bytes(there.row_count) / 4, ~0u);
  TAKE(const auto bits_there, on_device(*device, queue, bits));
  ASSERT_OK(decoder->enqueue_bits(queue, there, *bits_there, text));
  EXPECT_EQ(decoder->check(queue).status().text(), words) << "rows of a bitmap";
}

void expect_lengths_words(const std::shared_ptr<Device>& device, Queue& queue,
                          const EncodedStrings& strings, const DeviceStrings& there,
                          const std::string& words) {
  for (const auto unit : {DeviceLengths::Unit::bytes, DeviceLengths::Unit::characters}) {
    TAKE(const auto lengths, DeviceLengths::build(device, strings, unit));
    TAKE(const auto results, device->allocate(strings.row_count * 8));
    ASSERT_OK(lengths->enqueue(queue, there, *results));
    EXPECT_EQ(lengths->check(queue).text(), words) << "lengths";
  }
}

void expect_matchers_words(const std::shared_ptr<Device>& device, Queue& queue,
                           const EncodedStrings& strings, const DeviceStrings& there,
                           const std::string& words) {
  const Predicate predicate = Predicate::like("%zzz%");
  for (const std::string& variant : DeviceMatcher::variants(device->traits(), strings, predicate)) {
    TAKE(const auto matcher, DeviceMatcher::build(device, strings, predicate, variant));
    TAKE(const auto bits, device->allocate(bitmap_bytes(strings.row_count)));
    ASSERT_OK(matcher->enqueue(queue, there, *bits));
    EXPECT_EQ(matcher->check(queue).text(), words) << variant;
  }
}

void expect_the_hosts_words(const std::shared_ptr<Device>& device, const Faulty& faulty) {
  const std::string words = validate(faulty.on_device()).text();
  SCOPED_TRACE(words);
  ASSERT_EQ(words.find("corrupt: row "), 0u);
  TAKE(const auto queue, device->queue());
  TAKE(const DeviceStrings there, brought(*device, *queue, faulty));
  expect_decoders_words(device, *queue, there, !faulty.offsets.empty(), words);
  expect_chosen_words(device, *queue, there, words);
  expect_lengths_words(device, *queue, faulty.strings, there, words);
  expect_matchers_words(device, *queue, faulty.strings, there, words);
}

const Faulty no_symbol{strings_of(
    three_symbols(), {std::string("\x00\x01", 2), "\x01\x01\x02\xff\x07\x07", "\x01"}, 20)};
const Faulty early_end{
    strings_of(three_symbols(), {std::string(1, '\0'), "\x01\x01\xff", std::string(1, '\0')}, 6)};

TEST(FsstFaults, ACodeWithoutASymbolIsNamed) {
  on_each_shared([](const auto& device) {
    expect_the_hosts_words(device, no_symbol);
    expect_the_hosts_words(device, {strings_of(three_symbols(), {"\x03"}, 1)});
  });
}

TEST(FsstFaults, AnEscapeAtARowsEndIsNamed) {
  on_each_shared([](const auto& device) {
    expect_the_hosts_words(device, early_end);
    expect_the_hosts_words(device, {strings_of(three_symbols(), {"\x01", "\xff\xff\xff"}, 3)});
  });
}

TEST(FsstFaults, OffsetsThatDescendOrGoBeyondTheCodesAreNamed) {
  const EncodedStrings sound =
      strings_of(three_symbols(), {"\x01\x01", "\x01\x01\x01", "\x01\x01\x01\x01"}, 18);
  on_each_shared([&](const auto& device) {
    expect_the_hosts_words(device, {sound, {0, 2, 1, 9}});
    expect_the_hosts_words(device, {sound, {0, 2, 5, 10}});
    expect_the_hosts_words(device, {sound, {0, 2, 5, ~0u}});
  });
}

TEST(FsstFaults, ARowsOwnTableTellsWhichCodesItHas) {
  EncodedStrings strings =
      strings_of(three_symbols(), {"\x01\x02", "\x02", "\x01\x01", "\x01\x02\x02"}, 30);
  strings.row_groups.push_back({2, 18, std::make_shared<SymbolTable>(table_of({"a", "b"}))});
  on_each_shared([&](const auto& device) { expect_the_hosts_words(device, {strings}); });
}

TEST(FsstFaults, OffsetsOfEightBytesAreRead) {
  EncodedStrings strings = strings_of(three_symbols(), {"\x01\x01", "\x01\x07"}, 6);
  strings.offsets = Bytes::own(std::vector<std::uint64_t>{0, 2, 4});
  strings.offset_bytes = 8;
  on_each_shared([&](const auto& device) { expect_the_hosts_words(device, {strings}); });
}

// Codes are fetched in pieces of 2^18 bytes: an escape that begins in one and ends in the next is
// none that ends early.
TEST(FsstFaults, TheByteInALongRowIsCountedThroughEscapesThatLieAcrossPieces) {
  constexpr std::size_t piece = 1 << 18;
  std::string codes(3 * piece, '\x01');
  codes[piece - 1] = '\xff';
  codes[piece] = '\x07';
  codes[2 * piece - 2] = codes[2 * piece - 1] = codes[2 * piece] = '\xff';
  codes[2 * piece + 1] = '\x01';
  on_each_shared([&](const auto& device) {
    for (const std::size_t at : {piece + 1, 2 * piece + 2, 3 * piece - 1}) {
      std::string bad = codes;
      bad[at] = '\x09';
      expect_the_hosts_words(device, {strings_of(three_symbols(), {"\x01", bad}, 6 * piece)});
    }
    codes.back() = '\xff';
    expect_the_hosts_words(device, {strings_of(three_symbols(), {"\x01", codes}, 6 * piece)});
  });
}

// Given offsets are no part of the column: what the host has no words for.
TEST(FsstFaults, GivenOffsetsThatDoNotFitAreNamedByTheirFirstRow) {
  const EncodedStrings strings = strings_of(three_symbols(), {"\x01", "\x02", "\x01"}, 12);
  on_each_shared([&](const auto& device) {
    TAKE(const auto queue, device->queue());
    TAKE(const DeviceStrings there, DeviceStrings::bring(*device, *queue, strings));
    TAKE(DeviceText text, DeviceText::allocate(*device, there));
    TAKE(const auto decoder, Decoder::build(device, there, "fsst_decode_rows"));
    const std::vector<std::uint64_t> offsets{0, 2, 9, 12};
    TAKE(text.offsets, on_device(*device, *queue, offsets));
    ASSERT_OK(decoder->enqueue_decode(*queue, there, text));
    EXPECT_EQ(decoder->check(*queue).text(),
              "corrupt: row 1: its text ends at byte 10, its offset is 9");
  });
}

// The verdict may be about what lies there no more.
TEST(FsstFaults, ARowThatIsSoundWhenItIsLookedAtIsStillRefused) {
  const EncodedStrings bad = strings_of(three_symbols(), {"\x01", "\x07"}, 4),
                       sound = strings_of(three_symbols(), {"\x01", "\x01"}, 4);
  on_each_shared([&](const auto& device) {
    TAKE(const auto queue, device->queue());
    TAKE(const DeviceStrings there, DeviceStrings::bring(*device, *queue, bad));
    TAKE(const auto lengths, DeviceLengths::build(device, bad, DeviceLengths::Unit::bytes));
    TAKE(const auto results, device->allocate(16));
    ASSERT_OK(lengths->enqueue(*queue, there, *results));
    ASSERT_OK(queue->upload(*there.codes, sound.codes.data, 2));
    EXPECT_EQ(lengths->check(*queue).text(), "corrupt: row 1: its codes are not sound");
  });
}

// The variants that no device here may have.
class FsstFaultsOnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(
    Devices, FsstFaultsOnTheHost,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ItemOrder::shuffled},
                      kernel::HostDeviceOptions{true, 1, kernel::ItemOrder::forward}));

TEST_P(FsstFaultsOnTheHost, HaveTheHostsWords) {
  const auto device = kernel::make_host_device(GetParam());
  expect_the_hosts_words(device, no_symbol);
  expect_the_hosts_words(device, early_end);
}

}  // namespace
}  // namespace penstock::fsst
