// Corrupt columns on every device, in every kernel that reads codes: errors name row and byte as
// the host's do.
#include <gtest/gtest.h>

#include "fsst_strings.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/codec/fsst_fixture.hpp"
#include "penstock/fsst/matcher.hpp"

namespace penstock::fsst {
namespace {

// A corrupt column as it is `on_device`. Its layout is valid when it is uploaded; `offsets`, if
// any, then replace its own in device memory.
struct Faulty {
  EncodedStrings strings;
  std::vector<std::uint32_t> offsets = {};
  EncodedStrings on_device() const {
    EncodedStrings all = strings;
    if (!offsets.empty()) all.offsets = Bytes::own(std::vector<std::uint32_t>(offsets));
    return all;
  }
};

Result<DeviceStrings> upload_faulty(Device& device, Queue& queue, const Faulty& faulty) {
  PENSTOCK_ASSIGN(DeviceStrings uploaded, DeviceStrings::upload(device, queue, faulty.strings));
  if (!faulty.offsets.empty())
    PENSTOCK_TRY(queue.upload(*uploaded.offsets, faulty.offsets.data(), faulty.offsets.size() * 4));
  PENSTOCK_TRY(queue.finish());
  return uploaded;
}

// Spans are divided by the offsets that a column was uploaded with. Replaced offsets may lie
// outside of them.
void expect_decoders_message(const std::shared_ptr<Device>& device, Queue& queue,
                             const DeviceStrings& uploaded, bool has_replaced_offsets,
                             const std::string& message) {
  for (const std::string& variant : Decoder::variants(device->traits())) {
    if (has_replaced_offsets && variant == "fsst_decode_spans") continue;
    TAKE(const auto decoder, Decoder::build(device, uploaded, variant));
    TAKE(const DeviceOutput text, DeviceOutput::allocate(*device, uploaded));
    ASSERT_OK(decoder->enqueue(queue, uploaded, text));
    EXPECT_EQ(decoder->check(queue).text(), message) << variant;
    EXPECT_EQ(decoder->check(queue).text(), message) << variant << ", asked again";
  }
}

void expect_selected_rows_message(const std::shared_ptr<Device>& device, Queue& queue,
                                  const DeviceStrings& uploaded, const std::string& message) {
  TAKE(const auto decoder, SelectedRowDecoder::build(device, uploaded, uploaded.row_count));
  TAKE(const DeviceOutput text, DeviceOutput::allocate(*device, uploaded));
  std::vector<std::uint64_t> rows(uploaded.row_count);
  std::iota(rows.begin(), rows.end(), 0);
  TAKE(const auto rows_there, on_device(*device, queue, rows));
  ASSERT_OK(decoder->enqueue(queue, uploaded, *rows_there, rows.size(), text));
  EXPECT_EQ(decoder->check(queue).status().text(), message) << "rows by number";
  const std::vector<std::uint32_t> bits(bitmap_bytes(uploaded.row_count) / 4, ~0u);
  TAKE(const auto bits_there, on_device(*device, queue, bits));
  ASSERT_OK(decoder->enqueue_bitmap(queue, uploaded, *bits_there, text));
  EXPECT_EQ(decoder->check(queue).status().text(), message) << "rows of a bitmap";
}

void expect_lengths_message(const std::shared_ptr<Device>& device, Queue& queue,
                            const EncodedStrings& strings, const DeviceStrings& uploaded,
                            const std::string& message) {
  for (const auto unit : {DeviceLengths::Unit::bytes, DeviceLengths::Unit::characters}) {
    TAKE(const auto lengths, DeviceLengths::build(device, strings, unit));
    TAKE(const auto results, device->allocate(strings.row_count * 8));
    ASSERT_OK(lengths->enqueue(queue, uploaded, *results));
    EXPECT_EQ(lengths->check(queue).text(), message) << "lengths";
  }
}

void expect_matchers_message(const std::shared_ptr<Device>& device, Queue& queue,
                             const EncodedStrings& strings, const DeviceStrings& uploaded,
                             const std::string& message) {
  const Predicate predicate = Predicate::like("%zzz%");
  for (const std::string& variant : DeviceMatcher::variants(device->traits(), strings, predicate)) {
    TAKE(const auto matcher, DeviceMatcher::build(device, strings, predicate, variant));
    TAKE(const auto bits, device->allocate(bitmap_bytes(strings.row_count)));
    ASSERT_OK(matcher->enqueue(queue, uploaded, *bits));
    EXPECT_EQ(matcher->check(queue).text(), message) << variant;
  }
}

void expect_the_hosts_message(const std::shared_ptr<Device>& device, const Faulty& faulty) {
  const std::string message = validate(faulty.on_device()).text();
  SCOPED_TRACE(message);
  ASSERT_EQ(message.find("corrupt: row "), 0u);
  TAKE(const auto queue, device->queue());
  TAKE(const DeviceStrings uploaded, upload_faulty(*device, *queue, faulty));
  expect_decoders_message(device, *queue, uploaded, !faulty.offsets.empty(), message);
  expect_selected_rows_message(device, *queue, uploaded, message);
  expect_lengths_message(device, *queue, faulty.strings, uploaded, message);
  expect_matchers_message(device, *queue, faulty.strings, uploaded, message);
}

const Faulty no_symbol{strings_of(
    three_symbols(), {std::string("\x00\x01", 2), "\x01\x01\x02\xff\x07\x07", "\x01"}, 20)};
const Faulty early_end{
    strings_of(three_symbols(), {std::string(1, '\0'), "\x01\x01\xff", std::string(1, '\0')}, 6)};

TEST(FsstFaults, ACodeWithoutASymbolIsNamed) {
  on_each_shared([](const auto& device) {
    expect_the_hosts_message(device, no_symbol);
    expect_the_hosts_message(device, {strings_of(three_symbols(), {"\x03"}, 1)});
  });
}

TEST(FsstFaults, AnEscapeAtARowsEndIsNamed) {
  on_each_shared([](const auto& device) {
    expect_the_hosts_message(device, early_end);
    expect_the_hosts_message(device, {strings_of(three_symbols(), {"\x01", "\xff\xff\xff"}, 3)});
  });
}

TEST(FsstFaults, OffsetsThatDescendOrGoBeyondTheCodesAreNamed) {
  const EncodedStrings valid =
      strings_of(three_symbols(), {"\x01\x01", "\x01\x01\x01", "\x01\x01\x01\x01"}, 18);
  on_each_shared([&](const auto& device) {
    expect_the_hosts_message(device, {valid, {0, 2, 1, 9}});
    expect_the_hosts_message(device, {valid, {0, 2, 5, 10}});
    expect_the_hosts_message(device, {valid, {0, 2, 5, ~0u}});
  });
}

TEST(FsstFaults, ARowsOwnTableTellsWhichCodesItHas) {
  EncodedStrings strings =
      strings_of(three_symbols(), {"\x01\x02", "\x02", "\x01\x01", "\x01\x02\x02"}, 30);
  strings.row_groups.push_back({2, 18, std::make_shared<SymbolTable>(table_of({"a", "b"}))});
  on_each_shared([&](const auto& device) { expect_the_hosts_message(device, {strings}); });
}

TEST(FsstFaults, OffsetsOfEightBytesAreRead) {
  EncodedStrings strings = strings_of(three_symbols(), {"\x01\x01", "\x01\x07"}, 6);
  strings.offsets = Bytes::own(std::vector<std::uint64_t>{0, 2, 4});
  strings.offset_bytes = 8;
  on_each_shared([&](const auto& device) { expect_the_hosts_message(device, {strings}); });
}

// Codes are downloaded in parts of 2^18 bytes: an escape that crosses two parts does not end early.
TEST(FsstFaults, TheByteInALongRowIsCountedThroughEscapesThatLieAcrossBlocks) {
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
      expect_the_hosts_message(device, {strings_of(three_symbols(), {"\x01", bad}, 6 * piece)});
    }
    codes.back() = '\xff';
    expect_the_hosts_message(device, {strings_of(three_symbols(), {"\x01", codes}, 6 * piece)});
  });
}

// Given offsets are no part of the column, so the host has no message for them.
TEST(FsstFaults, GivenOffsetsThatDoNotFitAreNamedByTheirFirstRow) {
  const EncodedStrings strings = strings_of(three_symbols(), {"\x01", "\x02", "\x01"}, 12);
  on_each_shared([&](const auto& device) {
    TAKE(const auto queue, device->queue());
    TAKE(const DeviceStrings uploaded, DeviceStrings::upload(*device, *queue, strings));
    TAKE(DeviceOutput text, DeviceOutput::allocate(*device, uploaded));
    TAKE(const auto decoder, Decoder::build(device, uploaded, "fsst_decode_rows"));
    const std::vector<std::uint64_t> offsets{0, 2, 9, 12};
    TAKE(text.offsets, on_device(*device, *queue, offsets));
    ASSERT_OK(decoder->enqueue_decode(*queue, uploaded, text));
    EXPECT_EQ(decoder->check(*queue).text(),
              "corrupt: row 1: its string ends at byte 10, its offset is 9");
  });
}

// The codes may have changed since the status was written.
TEST(FsstFaults, ARowThatIsValidWhenItIsReadIsStillRefused) {
  const EncodedStrings bad = strings_of(three_symbols(), {"\x01", "\x07"}, 4),
                       valid = strings_of(three_symbols(), {"\x01", "\x01"}, 4);
  on_each_shared([&](const auto& device) {
    TAKE(const auto queue, device->queue());
    TAKE(const DeviceStrings uploaded, DeviceStrings::upload(*device, *queue, bad));
    TAKE(const auto lengths, DeviceLengths::build(device, bad, DeviceLengths::Unit::bytes));
    TAKE(const auto results, device->allocate(16));
    ASSERT_OK(lengths->enqueue(*queue, uploaded, *results));
    ASSERT_OK(queue->upload(*uploaded.codes, valid.codes.data, 2));
    EXPECT_EQ(lengths->check(*queue).text(), "corrupt: row 1: its codes are corrupt");
  });
}

// Also covers the variants that no device here may have.
class FsstFaultsOnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(
    Devices, FsstFaultsOnTheHost,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

TEST_P(FsstFaultsOnTheHost, HaveTheHostsWords) {
  const auto device = kernel::make_host_device(GetParam());
  expect_the_hosts_message(device, no_symbol);
  expect_the_hosts_message(device, early_end);
}

}  // namespace
}  // namespace penstock::fsst
