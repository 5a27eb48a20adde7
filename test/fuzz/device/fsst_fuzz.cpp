// What FSST's kernels make of any column, as the library launches them on the host executor: of its decoders, lengths, predicates and
// chosen rows, each input tries one. Verdicts and answers are compared with a plain loop's, and with those of the host's own decoder.
#include <cstring>

#include "codec/fsst/automaton.hpp"
#include "fuzz/device/fsst_column.hpp"
#include "fuzz/device/linked_device.hpp"
#include "fuzz/device/linked_programs.hpp"

namespace penstock::fuzz {
namespace {

using fsst::DeviceStrings;
using fsst::DeviceText;

template <class T> T expected(Result<T> result, const char* claim) {
  require(result.ok(), std::string(claim) + ": " + result.status().text());
  return std::move(*result);
}
void expect_ok(const Status& status, const std::string& claim) { require(status.ok(), claim + ": " + status.text()); }
void expect_bad_row(const Status& status, std::uint64_t row, const std::string& claim) {
  const std::string words = "row " + std::to_string(row);
  const bool names_it = status.text().find(words + ":") != std::string::npos || status.text().find(words + ", byte") != std::string::npos;
  require(status.code() == Code::corrupt && names_it,
          claim + " names row " + std::to_string(row) + " and not: " + status.text());
}
template <class T> T value_at(const Buffer& buffer, std::uint64_t place) {
  T value;
  std::memcpy(&value, content_of(buffer).data() + place * sizeof(T), sizeof(T));
  return value;
}

// As a GPU with groups of 8 items, or as a CPU.
Traits traits_of(bool is_cpu) {
  Traits traits;
  traits.id = traits.name = "linked";
  traits.target = Target::host;
  traits.compute_units = 2;
  traits.max_group_size = is_cpu ? 1 : 8;
  traits.global_bytes = traits.max_allocation_bytes = std::uint64_t{1} << 30;
  traits.local_bytes = 32 << 10;
  traits.is_cpu = is_cpu;
  traits.has_f64 = traits.has_atomic_u64 = true;
  return traits;
}

struct Bench {
  Bench(const FuzzedColumn& its, bool is_cpu) : column(its), texts(its), device(make_linked_device(traits_of(is_cpu))) {
    queue = expected(device->queue(), "a queue");
    there = expected(DeviceStrings::bring(*device, *queue, column.strings), "a column of a sound layout is brought");
    if (!column.has_other_offsets) return;
    for (std::uint64_t i = 0; i < column.offsets.size(); i++)
      std::memcpy(content_of(*there.offsets).data() + i * there.offset_bytes, &column.offsets[i], there.offset_bytes);
  }
  std::shared_ptr<Buffer> allocate(std::uint64_t bytes) const { return expected(device->allocate(bytes), "memory"); }
  DeviceText allocate_text(std::uint64_t rows, std::uint64_t bytes) const {
    return {allocate((rows + 1) * 8), allocate(std::max<std::uint64_t>(bytes, 1))};
  }

  const FuzzedColumn& column;
  const FoundTexts texts;
  std::shared_ptr<Device> device;
  std::unique_ptr<Queue> queue;
  DeviceStrings there;
};

void expect_text(const DeviceText& text, std::uint64_t at, std::uint64_t row, const std::string& expected_text, const std::string& claim) {
  const auto begin = value_at<std::uint64_t>(*text.offsets, at), end = value_at<std::uint64_t>(*text.offsets, at + 1);
  require(end - begin == expected_text.size() && end <= text.bytes->bytes() &&
              std::memcmp(content_of(*text.bytes).data() + begin, expected_text.data(), expected_text.size()) == 0,
          claim + ": the text of row " + std::to_string(row));
}
void expect_all_texts(const Bench& bench, const DeviceText& text, const std::string& claim) {
  for (std::uint64_t row = 0; row < bench.there.row_count; row++) expect_text(text, row, row, *bench.texts.rows[row], claim);
}
void expect_unwritten(const Buffer& buffer, const std::string& claim) {
  for (const std::byte byte : content_of(buffer)) require(byte == unwritten(), claim + ": text of a column that is not sound");
}

// Offsets that descend move the borders of groups, which the tiles were shared out by; then they need only stay inside.
void try_decoder(const Bench& bench, const std::string& variant) {
  const DeviceText text = bench.allocate_text(bench.there.row_count, bench.there.text_bytes);
  const auto decoder = expected(fsst::Decoder::build(bench.device, bench.there, variant), "a decoder");
  expect_ok(decoder->enqueue(*bench.queue, bench.there, text), variant);
  const Status verdict = decoder->check(*bench.queue);
  if (bench.texts.first_bad_row) {
    expect_bad_row(verdict, *bench.texts.first_bad_row, variant);
    expect_unwritten(*text.bytes, variant);
    return;
  }
  if (bench.texts.text_bytes != bench.there.text_bytes) {
    require(!verdict.ok(), variant + ": text of another length than stated");
  } else if (!bench.column.has_other_offsets || variant == "fsst_decode_rows") {
    expect_ok(verdict, variant);
    expect_all_texts(bench, text, variant);
  }
}

void try_given_offsets(const Bench& bench, const std::string& variant, Input input) {
  const DeviceText text = bench.allocate_text(bench.there.row_count, bench.there.text_bytes);
  std::vector<std::uint64_t> offsets{0};
  for (const auto& row : bench.texts.rows) offsets.push_back(offsets.back() + row.value_or("").size());
  bool are_right = !bench.texts.first_bad_row && !bench.column.has_other_offsets && offsets.back() == bench.there.text_bytes;
  for (std::uint32_t lies = input.byte() % 4; lies > 0; lies--) {
    std::uint64_t& offset = offsets[input.byte() % offsets.size()];
    const std::uint32_t kind = input.byte(), by = input.byte();
    const std::uint64_t other = kind % 3 == 0 ? offset + by : kind % 3 == 1 ? offset - by : UINT64_MAX >> by % 64;
    are_right &= other == offset;
    offset = other;
  }
  std::memcpy(content_of(*text.offsets).data(), offsets.data(), offsets.size() * 8);
  watch_buffers(are_right);
  const auto decoder = expected(fsst::Decoder::build(bench.device, bench.there, variant), "a decoder");
  for (const fsst::GivenOffsets how : {fsst::GivenOffsets::believed, fsst::GivenOffsets::checked}) {
    const bool are_checked = how == fsst::GivenOffsets::checked;
    expect_ok(decoder->enqueue_decode(*bench.queue, bench.there, text, how), variant);
    const Status verdict = decoder->check(*bench.queue);
    if (are_right) expect_ok(verdict, variant + " to given offsets");
    if (are_right) expect_all_texts(bench, text, variant + " to given offsets");
    if (offsets.back() != bench.there.text_bytes) require(!verdict.ok(), variant + ": the last of the given offsets is wrong");
    if (are_checked && !are_right && !bench.column.has_other_offsets) require(!verdict.ok(), variant + ": a checked offset is wrong");
  }
}

void try_lengths(const Bench& bench, fsst::DeviceLengths::Unit unit) {
  const auto lengths = expected(fsst::DeviceLengths::build(bench.device, bench.column.strings, unit), "lengths");
  const auto found = bench.allocate(bench.there.row_count * 8);
  expect_ok(lengths->enqueue(*bench.queue, bench.there, *found), "lengths");
  const Status verdict = lengths->check(*bench.queue);
  if (bench.texts.first_bad_row) expect_bad_row(verdict, *bench.texts.first_bad_row, "lengths");
  else expect_ok(verdict, "lengths");
  for (std::uint64_t row = 0; row < bench.there.row_count; row++) {
    const std::string text = bench.texts.rows[row].value_or("");
    std::uint64_t length = text.size();
    if (unit == fsst::DeviceLengths::Unit::characters)
      for (const char byte : text) length -= (static_cast<std::uint8_t>(byte) & 0xc0) == 0x80 ? 1 : 0;
    require(value_at<std::uint64_t>(*found, row) == length, "the length of row " + std::to_string(row));
  }
}

// Of texts that are there, so that rows match.
std::string take_part(const Bench& bench, Input& input, bool is_whole) {
  const std::string text = bench.texts.rows[input.byte() % bench.there.row_count].value_or("ab");
  const std::size_t from = input.byte(), bytes = 1 + input.byte() % 12;
  return is_whole ? text : text.substr(std::min(from, text.size()), bytes);
}
fsst::Predicate take_predicate(const Bench& bench, Input& input) {
  const std::uint32_t kind = input.byte();
  fsst::Predicate predicate;
  if (kind % 4 == 0) {
    for (std::uint32_t left = 1 + input.byte() % 12; left > 0; left--)
      predicate.constants.push_back(take_part(bench, input, left % 4 != 0));
  } else if (kind % 4 == 1) {
    predicate = fsst::Predicate::like(take_part(bench, input, false) + (kind & 8 ? "%" : "_") + take_part(bench, input, false) + "%");
  } else {
    predicate = fsst::Predicate::like("%" + take_part(bench, input, false) + "%");
  }
  predicate.is_negated = (kind & 4) != 0;
  return predicate;
}

bool holds(const fsst::Predicate& predicate, const fsst::Automaton& automaton, const std::string& text) {
  bool is_matched = false;
  if (predicate.kind == fsst::Predicate::Kind::is_any_of) {
    for (const std::string& constant : predicate.constants) is_matched |= text == constant;
  } else {
    std::uint32_t state = automaton.start;
    for (const char byte : text) state = automaton.after(state, static_cast<std::uint8_t>(byte));
    is_matched = state >= automaton.first_accepting && state <= automaton.matched();
  }
  return is_matched != predicate.is_negated;
}
// Of a row whose codes are compared, canonical or not.
bool has_codes_of(const FuzzedColumn& column, std::uint64_t row, const fsst::Predicate& predicate) {
  const auto* const begin = column.strings.codes.as<std::uint8_t>() + column.offsets[row];
  bool is_matched = false;
  for (const std::string& constant : predicate.constants) {
    const std::vector<std::uint8_t> codes = fsst::encode_text(column.table(row), constant);
    is_matched |= codes.size() == column.offsets[row + 1] - column.offsets[row] && std::equal(codes.begin(), codes.end(), begin);
  }
  return is_matched != predicate.is_negated;
}

// Rows that are not sound are told where they are met: any of them will do, the first of those whose offsets are wrong where codes are not
// looked at.
// Says whether answers for the other rows count, as they do but where kernels end early: those that match pieces.
bool expect_match_verdict(const Bench& bench, const Status& verdict, const std::string& variant) {
  std::optional<std::uint64_t> first_outside;
  for (std::uint64_t row = bench.there.row_count; row-- > 0;)
    if (!bench.column.is_in_codes(row)) first_outside = row;
  if (variant == "fsst_match_codes" && first_outside) {
    expect_bad_row(verdict, *first_outside, variant);
    return true;
  }
  if (variant == "fsst_match_codes" || !bench.texts.first_bad_row) {
    expect_ok(verdict, variant);
    return true;
  }
  if (first_outside) require(!verdict.ok(), variant + ": rows outside the codes are told");
  if (verdict.ok()) return true;
  const std::string text = verdict.text();
  const std::uint64_t row = std::strtoull(text.c_str() + text.find("row ") + 4, nullptr, 10);
  require(row < bench.there.row_count && !bench.texts.rows[row] && (!first_outside || row <= *first_outside),
          variant + ": a sound row is called bad: " + text);
  return variant != "fsst_match_pieces";
}

void try_matcher(const Bench& bench, const fsst::Predicate& predicate, const fsst::Automaton& automaton, const std::string& variant) {
  const auto matcher = expected(fsst::DeviceMatcher::build(bench.device, bench.column.strings, predicate, variant), "a matcher");
  const auto bits = bench.allocate(fsst::bitmap_bytes(bench.there.row_count));
  expect_ok(matcher->enqueue(*bench.queue, bench.there, *bits), variant);
  const bool are_answers = expect_match_verdict(bench, matcher->check(*bench.queue), variant);
  for (std::uint64_t row = 0; row < (bench.there.row_count + 31) / 32 * 32; row++) {
    const bool bit = (value_at<std::uint32_t>(*bits, row / 32) >> row % 32 & 1) != 0;
    if (row >= bench.there.row_count) require(!bit, variant + ": a bit behind the last row");
    else if (!are_answers) continue;
    else if (variant == "fsst_match_codes" && bench.column.is_in_codes(row))
      require(bit == has_codes_of(bench.column, row, predicate), variant + ": the codes of row " + std::to_string(row));
    else if (variant != "fsst_match_codes" && bench.texts.rows[row])
      require(bit == holds(predicate, automaton, *bench.texts.rows[row]), variant + ": row " + std::to_string(row));
  }
}

void try_predicate(const Bench& bench, Input input) {
  const fsst::Predicate predicate = take_predicate(bench, input);
  const auto automaton = fsst::automaton_of(predicate);
  if (!automaton.ok()) return;
  for (const std::string& variant : fsst::DeviceMatcher::variants(bench.device->traits(), bench.column.strings, predicate))
    try_matcher(bench, predicate, *automaton, variant);
}

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
    if (row >= bench.there.row_count) choice.is_outside = true;
    else if (bench.texts.rows[row]) choice.text_bytes += bench.texts.rows[row]->size();
    else choice.first_bad_row = std::min(row, choice.first_bad_row.value_or(row));
  }
  return choice;
}

void expect_choice(const Bench& bench, fsst::ChosenDecoder& decoder, const Choice& choice, const DeviceText& text, bool are_too_many) {
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
    require(count.ok() && *count == choice.rows.size(), claim + ": chosen rows are counted: " + count.status().text());
    for (std::uint64_t i = 0; i < choice.rows.size(); i++)
      expect_text(text, i, choice.rows[i], *bench.texts.rows[choice.rows[i]], claim);
  }
}

std::uint64_t room_for(const Choice& choice, Input& input) {
  const std::uint32_t byte = input.byte();
  return byte % 4 == 3 && choice.text_bytes > byte / 4 ? choice.text_bytes - byte / 4 : choice.text_bytes;
}

void try_chosen_rows(const Bench& bench, Input input) {
  std::vector<std::uint64_t> rows;
  for (std::uint32_t left = input.byte() % 40; left > 0; left--) {
    const std::uint32_t byte = input.byte();
    rows.push_back(byte == 255 ? UINT64_MAX - input.byte() : byte);
  }
  const auto there = bench.allocate(rows.size() * 8);
  if (!rows.empty()) std::memcpy(content_of(*there).data(), rows.data(), rows.size() * 8);
  const Choice choice = choice_of(bench, std::move(rows));
  const std::uint64_t room = room_for(choice, input), most_rows = choice.rows.size() + input.byte() % 2;
  for (const std::string& variant : fsst::ChosenDecoder::variants(bench.device->traits())) {
    const DeviceText text = bench.allocate_text(choice.rows.size(), room);
    const auto decoder = expected(fsst::ChosenDecoder::build(bench.device, bench.there, most_rows, variant), "a decoder");
    expect_ok(decoder->enqueue(*bench.queue, bench.there, *there, choice.rows.size(), text), variant);
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
  const std::uint64_t most_rows = most == 255 ? rows.size() : most;
  const bool are_too_many = rows.size() > most_rows;
  if (are_too_many) rows.resize(most_rows);
  const Choice choice = choice_of(bench, std::move(rows));
  const std::uint64_t room = room_for(choice, input);
  for (const std::string& variant : fsst::ChosenDecoder::variants(bench.device->traits())) {
    const DeviceText text = bench.allocate_text(most_rows, room);
    const auto decoder = expected(fsst::ChosenDecoder::build(bench.device, bench.there, most_rows, variant), "a decoder");
    expect_ok(decoder->enqueue_bits(*bench.queue, bench.there, *bits, text), variant);
    expect_choice(bench, *decoder, choice, text, are_too_many);
  }
}

// The host's own check and decoder say the same of the column as it was made.
void expect_host_agrees(const Bench& bench) {
  if (bench.column.has_other_offsets) return;
  const Status verdict = fsst::validate(bench.column.strings);
  const auto decoded = fsst::decode(bench.column.strings);
  require(decoded.ok() == verdict.ok(), "validate() and decode() agree: " + verdict.text());
  if (bench.texts.first_bad_row) require(!verdict.ok(), "the host finds a row that is not sound");
  if (bench.texts.first_bad_row && verdict.text().starts_with("row ") && !verdict.text().starts_with("row group"))
    require(verdict.text().starts_with("row " + std::to_string(*bench.texts.first_bad_row) + ","), "the host's row: " + verdict.text());
  for (std::uint64_t row = 0; decoded.ok() && row < bench.there.row_count; row++)
    require(decoded->string(row) == *bench.texts.rows[row], "the host's text of row " + std::to_string(row));
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
    case 4: return try_chosen_rows(bench, input);
    default: return try_chosen_bits(bench, input);
  }
}

}  // namespace

const kernelc::KernelEntry* find_linked(const ProgramSource& source, std::string_view kernel) {
  const bool has_long_offsets = source.text.find("FSST_OFFSET u64") != std::string::npos;
  const bool has_near_tables = source.text.find("MATCH_LOCAL_STATES") != std::string::npos;
  require(source.group_size == 1 || source.group_size == 8, "groups of this size are linked: " + std::to_string(source.group_size));
  if (source.group_size == 1)
    return has_long_offsets ? kernelc::group1_u64::find(kernel, has_near_tables) : kernelc::group1_u32::find(kernel, has_near_tables);
  return has_long_offsets ? kernelc::group8_u64::find(kernel, has_near_tables) : kernelc::group8_u32::find(kernel, has_near_tables);
}

}  // namespace penstock::fuzz

// The first two bytes say what is tried on which device, the next 64 are what it takes of its own, the others are the column.
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
  watch_buffers(!column->has_other_offsets);
  try_column(what, Bench(*column, how % 2 == 0), own);
  return 0;
}
