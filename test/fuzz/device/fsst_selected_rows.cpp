#include "fuzz/device/fsst_bench.hpp"
#include "penstock/fsst/matcher.hpp"

namespace penstock::fuzz {
namespace {

// Selected rows, as far as a decoder takes them, and the expected result.
struct Selection {
  std::vector<std::uint64_t> rows;
  std::uint64_t string_bytes = 0;
  bool is_outside = false;
  std::optional<std::uint64_t> first_bad_row;
};
Selection selection_of(const Bench& bench, std::vector<std::uint64_t> rows) {
  Selection selection;
  selection.rows = std::move(rows);
  for (const std::uint64_t row : selection.rows) {
    if (row >= bench.uploaded.row_count)
      selection.is_outside = true;
    else if (bench.texts.rows[row])
      selection.string_bytes += bench.texts.rows[row]->size();
    else
      selection.first_bad_row = std::min(row, selection.first_bad_row.value_or(row));
  }
  return selection;
}

void expect_selection(const Bench& bench, fsst::SelectedRowDecoder& decoder,
                      const Selection& selection, const fsst::DeviceOutput& text,
                      bool are_too_many) {
  const auto count = decoder.check(*bench.queue);
  const std::string claim(decoder.variant());
  if (selection.first_bad_row) {
    expect_bad_row(count.status(), *selection.first_bad_row, claim);
    expect_unwritten(*text.bytes, claim);
  } else if (selection.is_outside) {
    require(count.status().code() == Code::invalid,
            claim + ": a row that does not exist is reported");
  } else if (are_too_many || selection.string_bytes > text.bytes->bytes()) {
    require(count.status().code() == Code::capacity, claim + ": too much output is reported");
  } else {
    require(count.ok() && *count == selection.rows.size(),
            claim + ": selected rows are counted: " + count.status().text());
    for (std::uint64_t i = 0; i < selection.rows.size(); i++)
      expect_string(text, i, selection.rows[i], *bench.texts.rows[selection.rows[i]], claim);
  }
}

std::uint64_t capacity_for(const Selection& selection, Input& input) {
  const std::uint32_t byte = input.byte();
  return byte % 4 == 3 && selection.string_bytes > byte / 4 ? selection.string_bytes - byte / 4
                                                            : selection.string_bytes;
}

}  // namespace

void try_selected_rows(const Bench& bench, Input input) {
  std::vector<std::uint64_t> rows;
  for (std::uint32_t left = input.byte() % 40; left > 0; left--) {
    const std::uint32_t byte = input.byte();
    rows.push_back(byte == 255 ? UINT64_MAX - input.byte() : byte);
  }
  const auto uploaded = bench.allocate(rows.size() * 8);
  if (!rows.empty()) std::memcpy(content_of(*uploaded).data(), rows.data(), rows.size() * 8);
  const Selection selection = selection_of(bench, std::move(rows));
  const std::uint64_t capacity = capacity_for(selection, input),
                      max_rows = selection.rows.size() + input.byte() % 2;
  for (const std::string& variant : fsst::SelectedRowDecoder::variants(bench.device->traits())) {
    const fsst::DeviceOutput text = bench.allocate_output(selection.rows.size(), capacity);
    const auto decoder =
        expected(fsst::SelectedRowDecoder::build(bench.device, bench.uploaded, max_rows, variant),
                 "a decoder");
    expect_ok(
        decoder->enqueue(*bench.queue, bench.uploaded, *uploaded, selection.rows.size(), text),
        variant);
    expect_selection(bench, *decoder, selection, text, false);
  }
}

void try_selected_bits(const Bench& bench, Input input) {
  const auto bits = bench.allocate(fsst::bitmap_bytes(bench.uploaded.row_count));
  std::vector<std::uint64_t> rows;
  const std::uint32_t most = input.byte();
  for (std::uint64_t row = 0; row < bits->bytes() * 8; row += 8) {
    const std::uint32_t byte = input.byte();
    content_of(*bits)[row / 8] = static_cast<std::byte>(byte);
    for (std::uint32_t bit = 0; bit < 8; bit++)
      if ((byte >> bit & 1) != 0 && row + bit < bench.uploaded.row_count) rows.push_back(row + bit);
  }
  const std::uint64_t max_rows = most == 255 ? rows.size() : most;
  const bool are_too_many = rows.size() > max_rows;
  if (are_too_many) rows.resize(max_rows);
  const Selection selection = selection_of(bench, std::move(rows));
  const std::uint64_t capacity = capacity_for(selection, input);
  for (const std::string& variant : fsst::SelectedRowDecoder::variants(bench.device->traits())) {
    const fsst::DeviceOutput text = bench.allocate_output(max_rows, capacity);
    const auto decoder =
        expected(fsst::SelectedRowDecoder::build(bench.device, bench.uploaded, max_rows, variant),
                 "a decoder");
    expect_ok(decoder->enqueue_bitmap(*bench.queue, bench.uploaded, *bits, text), variant);
    expect_selection(bench, *decoder, selection, text, are_too_many);
  }
}

}  // namespace penstock::fuzz
