// FSST's kernels on any column, as the library launches them on the host executor. Each input tries
// one decoder, length, predicate or row selection. Status and results are compared with a plain
// loop's and with the host decoder's.
#include "fuzz/device/fsst_bench.hpp"
#include "fuzz/device/linked_programs.hpp"
#include "penstock/fsst/matcher.hpp"

namespace penstock::fuzz {
namespace {

using fsst::DeviceOutput;

void expect_all_strings(const Bench& bench, const DeviceOutput& text, const std::string& claim) {
  for (std::uint64_t row = 0; row < bench.uploaded.row_count; row++)
    expect_string(text, row, row, *bench.texts.rows[row], claim);
}

// Offsets that descend move the borders of row groups, by which tiles were divided. Kernels need
// only stay in bounds then.
void try_decoder(const Bench& bench, const std::string& variant) {
  const DeviceOutput text =
      bench.allocate_output(bench.uploaded.row_count, bench.uploaded.string_bytes);
  const auto decoder =
      expected(fsst::Decoder::build(bench.device, bench.uploaded, variant), "a decoder");
  expect_ok(decoder->enqueue(*bench.queue, bench.uploaded, text), variant);
  const Status status = decoder->check(*bench.queue);
  if (bench.texts.first_bad_row) {
    expect_bad_row(status, *bench.texts.first_bad_row, variant);
    expect_unwritten(*text.bytes, variant);
    return;
  }
  if (bench.texts.string_bytes != bench.uploaded.string_bytes) {
    require(!status.ok(), variant + ": text of another length than stated");
  } else if (!bench.column.has_replaced_offsets || variant == "fsst_decode_rows") {
    expect_ok(status, variant);
    expect_all_strings(bench, text, variant);
  }
}

void try_given_offsets(const Bench& bench, const std::string& variant, Input input) {
  const DeviceOutput text =
      bench.allocate_output(bench.uploaded.row_count, bench.uploaded.string_bytes);
  std::vector<std::uint64_t> offsets{0};
  for (const auto& row : bench.texts.rows)
    offsets.push_back(offsets.back() + row.value_or("").size());
  bool are_right = !bench.texts.first_bad_row && !bench.column.has_replaced_offsets &&
                   offsets.back() == bench.uploaded.string_bytes;
  for (std::uint32_t lies = input.byte() % 4; lies > 0; lies--) {
    std::uint64_t& offset = offsets[input.byte() % offsets.size()];
    const std::uint32_t kind = input.byte(), by = input.byte();
    const std::uint64_t other = kind % 3 == 0   ? offset + by
                                : kind % 3 == 1 ? offset - by
                                                : UINT64_MAX >> by % 64;
    are_right &= other == offset;
    offset = other;
  }
  std::memcpy(content_of(*text.offsets).data(), offsets.data(), offsets.size() * 8);
  watch_buffers(are_right);
  const auto decoder =
      expected(fsst::Decoder::build(bench.device, bench.uploaded, variant), "a decoder");
  for (const fsst::GivenOffsets how :
       {fsst::GivenOffsets::trusted, fsst::GivenOffsets::validated}) {
    const bool are_checked = how == fsst::GivenOffsets::validated;
    expect_ok(decoder->enqueue_decode(*bench.queue, bench.uploaded, text, how), variant);
    const Status status = decoder->check(*bench.queue);
    if (are_right) expect_ok(status, variant + " to given offsets");
    if (are_right) expect_all_strings(bench, text, variant + " to given offsets");
    if (offsets.back() != bench.uploaded.string_bytes)
      require(!status.ok(), variant + ": the last of the given offsets is wrong");
    if (are_checked && !are_right && !bench.column.has_replaced_offsets)
      require(!status.ok(), variant + ": a checked offset is wrong");
  }
}

void try_lengths(const Bench& bench, fsst::DeviceLengths::Unit unit) {
  const auto lengths =
      expected(fsst::DeviceLengths::build(bench.device, bench.column.strings, unit), "lengths");
  const auto found = bench.allocate(bench.uploaded.row_count * 8);
  expect_ok(lengths->enqueue(*bench.queue, bench.uploaded, *found), "lengths");
  const Status status = lengths->check(*bench.queue);
  if (bench.texts.first_bad_row)
    expect_bad_row(status, *bench.texts.first_bad_row, "lengths");
  else
    expect_ok(status, "lengths");
  for (std::uint64_t row = 0; row < bench.uploaded.row_count; row++) {
    const std::string text = bench.texts.rows[row].value_or("");
    std::uint64_t length = text.size();
    if (unit == fsst::DeviceLengths::Unit::characters)
      for (const char byte : text)
        length -= (static_cast<std::uint8_t>(byte) & 0xc0) == 0x80 ? 1 : 0;
    require(value_at<std::uint64_t>(*found, row) == length,
            "the length of row " + std::to_string(row));
  }
}

// Requires that the host's check and decoder agree on the column as it was made.
void expect_host_agrees(const Bench& bench) {
  if (bench.column.has_replaced_offsets) return;
  const Status status = fsst::validate(bench.column.strings);
  const auto decoded = fsst::decode(bench.column.strings);
  require(decoded.ok() == status.ok(), "validate() and decode() agree: " + status.text());
  if (bench.texts.first_bad_row) require(!status.ok(), "the host finds a row that is not valid");
  if (bench.texts.first_bad_row && status.text().starts_with("row ") &&
      !status.text().starts_with("row group"))
    require(status.text().starts_with("row " + std::to_string(*bench.texts.first_bad_row) + ","),
            "the host's row: " + status.text());
  for (std::uint64_t row = 0; decoded.ok() && row < bench.uploaded.row_count; row++)
    require(decoded->string(row) == *bench.texts.rows[row],
            "the host's text of row " + std::to_string(row));
}

void try_column(std::uint32_t what, const Bench& bench, const Input& input) {
  const std::vector<std::string> variants = fsst::Decoder::variants(bench.device->traits());
  switch (what % 6) {
    case 0:
      expect_host_agrees(bench);
      for (const std::string& variant : variants) try_decoder(bench, variant);
      return;
    case 1:
      for (const std::string& variant : variants) try_given_offsets(bench, variant, input);
      return;
    case 2:
      try_lengths(bench, fsst::DeviceLengths::Unit::bytes);
      return try_lengths(bench, fsst::DeviceLengths::Unit::characters);
    case 3: return try_predicate(bench, input);
    case 4: return try_selected_rows(bench, input);
    default: return try_selected_bits(bench, input);
  }
}

}  // namespace

const kernelc::KernelEntry* find_linked(const ProgramSource& source, std::string_view kernel) {
  const bool has_long_offsets = source.text.find("FSST_OFFSET u64") != std::string::npos;
  const bool has_near_tables = source.text.find("MATCH_LOCAL_STATES") != std::string::npos;
  require(source.group_size == 1 || source.group_size == 8,
          "groups of this size are linked: " + std::to_string(source.group_size));
  if (source.group_size == 1)
    return has_long_offsets ? kernelc::group1_u64::find(kernel, has_near_tables)
                            : kernelc::group1_u32::find(kernel, has_near_tables);
  return has_long_offsets ? kernelc::group8_u64::find(kernel, has_near_tables)
                          : kernelc::group8_u32::find(kernel, has_near_tables);
}

}  // namespace penstock::fuzz

// The first two bytes select what is tried on which device, the next 64 are its input, the others
// are the column.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace penstock::fuzz;
  constexpr std::size_t own_bytes = 64;
  Input input(data, bytes);
  const std::uint32_t what = input.byte(), how = input.byte();
  if (input.left() < own_bytes) return 0;
  const Input own(data + 2, own_bytes);
  input.take(own_bytes);
  const auto column = make_column(input);
  if (!column) return 0;
  set_launches(how / 2);
  watch_buffers(!column->has_replaced_offsets);
  try_column(what, Bench(*column, how % 2 == 0), own);
  return 0;
}
