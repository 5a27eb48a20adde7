#include "fuzz/device/fsst_bench.hpp"
#include "penstock/fsst/matcher.hpp"

namespace penstock::fuzz {
namespace {

// Rows that are asked for, as far as a decoder takes them, and what becomes of them.
struct Choice {
  std::vector<std::uint64_t> rows;
  std::uint64_t text_bytes = 0;
  bool is_outside = false;
  std::optional<std::uint64_t> first_bad_row;
};
Choice choice_of(const Bench& bench, std::vector<std::uint64_t> rows) {
  Choice choice;
  choice.rows = std::move(rows);
  for (const std::uint64_t row : choice.rows) {
    if (row >= bench.there.row_count)
      choice.is_outside = true;
    else if (bench.texts.rows[row])
      choice.text_bytes += bench.texts.rows[row]->size();
    else
      choice.first_bad_row = std::min(row, choice.first_bad_row.value_or(row));
  }
  return choice;
}

void expect_choice(const Bench& bench, fsst::ChosenDecoder& decoder, const Choice& choice,
                   const fsst::DeviceText& text, bool are_too_many) {
  const auto count = decoder.check(*bench.queue);
  const std::string claim(decoder.variant());
  if (choice.first_bad_row) {
    expect_bad_row(count.status(), *choice.first_bad_row, claim);
    expect_unwritten(*text.bytes, claim);
  } else if (choice.is_outside) {
    require(count.status().code() == Code::invalid, claim + ": a row that is not there is told");
  } else if (are_too_many || choice.text_bytes > text.bytes->bytes()) {
    require(count.status().code() == Code::capacity, claim + ": too much text is told");
  } else {
    require(count.ok() && *count == choice.rows.size(),
            claim + ": chosen rows are counted: " + count.status().text());
    for (std::uint64_t i = 0; i < choice.rows.size(); i++)
      expect_text(text, i, choice.rows[i], *bench.texts.rows[choice.rows[i]], claim);
  }
}

std::uint64_t room_for(const Choice& choice, Input& input) {
  const std::uint32_t byte = input.byte();
  return byte % 4 == 3 && choice.text_bytes > byte / 4 ? choice.text_bytes - byte / 4
                                                       : choice.text_bytes;
}

}  // namespace

void try_chosen_rows(const Bench& bench, Input input) {
  std::vector<std::uint64_t> rows;
  for (std::uint32_t left = input.byte() % 40; left > 0; left--) {
    const std::uint32_t byte = input.byte();
    rows.push_back(byte == 255 ? UINT64_MAX - input.byte() : byte);
  }
  const auto there = bench.allocate(rows.size() * 8);
  if (!rows.empty()) std::memcpy(content_of(*there).data(), rows.data(), rows.size() * 8);
  const Choice choice = choice_of(bench, std::move(rows));
  const std::uint64_t room = room_for(choice, input),
                      max_rows = choice.rows.size() + input.byte() % 2;
  for (const std::string& variant : fsst::ChosenDecoder::variants(bench.device->traits())) {
    const fsst::DeviceText text = bench.allocate_text(choice.rows.size(), room);
    const auto decoder = expected(
        fsst::ChosenDecoder::build(bench.device, bench.there, max_rows, variant), "a decoder");
    expect_ok(decoder->enqueue(*bench.queue, bench.there, *there, choice.rows.size(), text),
              variant);
    expect_choice(bench, *decoder, choice, text, false);
  }
}

void try_chosen_bits(const Bench& bench, Input input) {
  const auto bits = bench.allocate(fsst::bitmap_bytes(bench.there.row_count));
  std::vector<std::uint64_t> rows;
  const std::uint32_t most = input.byte();
  for (std::uint64_t row = 0; row < bits->bytes() * 8; row += 8) {
    const std::uint32_t byte = input.byte();
    content_of(*bits)[row / 8] = static_cast<std::byte>(byte);
    for (std::uint32_t bit = 0; bit < 8; bit++)
      if ((byte >> bit & 1) != 0 && row + bit < bench.there.row_count) rows.push_back(row + bit);
  }
  const std::uint64_t max_rows = most == 255 ? rows.size() : most;
  const bool are_too_many = rows.size() > max_rows;
  if (are_too_many) rows.resize(max_rows);
  const Choice choice = choice_of(bench, std::move(rows));
  const std::uint64_t room = room_for(choice, input);
  for (const std::string& variant : fsst::ChosenDecoder::variants(bench.device->traits())) {
    const fsst::DeviceText text = bench.allocate_text(max_rows, room);
    const auto decoder = expected(
        fsst::ChosenDecoder::build(bench.device, bench.there, max_rows, variant), "a decoder");
    expect_ok(decoder->enqueue_bits(*bench.queue, bench.there, *bits, text), variant);
    expect_choice(bench, *decoder, choice, text, are_too_many);
  }
}

}  // namespace penstock::fuzz
