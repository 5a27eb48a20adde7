#include "codec/fsst/host/automaton.hpp"
#include "fuzz/device/fsst_bench.hpp"

namespace penstock::fuzz {
namespace {

// Takes parts of strings of the column, so that rows match.
std::string take_part(const Bench& bench, Input& input, bool is_whole) {
  const std::string text = bench.texts.rows[input.byte() % bench.uploaded.row_count].value_or("ab");
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
    predicate = fsst::Predicate::like(take_part(bench, input, false) + (kind & 8 ? "%" : "_") +
                                      take_part(bench, input, false) + "%");
  } else {
    predicate = fsst::Predicate::like("%" + take_part(bench, input, false) + "%");
  }
  predicate.is_negated = (kind & 4) != 0;
  return predicate;
}

bool holds(const fsst::Predicate& predicate, const fsst::Automaton& automaton,
           const std::string& text) {
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
// Returns the expected result for a row if codes are compared, canonical or not.
bool has_codes_of(const FuzzedColumn& column, std::uint64_t row, const fsst::Predicate& predicate) {
  const auto* const begin = column.strings.codes.as<std::uint8_t>() + column.offsets[row];
  bool is_matched = false;
  for (const std::string& constant : predicate.constants) {
    const std::vector<std::uint8_t> codes = fsst::encode_string(column.table(row), constant);
    is_matched |= codes.size() == column.offsets[row + 1] - column.offsets[row] &&
                  std::equal(codes.begin(), codes.end(), begin);
  }
  return is_matched != predicate.is_negated;
}

// Requires that corrupt rows are reported if they are read: any of them, or, if codes are not read,
// the first with wrong offsets. Returns whether results for other rows count; they do not if
// kernels end early, as kernels that match candidate blocks do.
bool expect_match_status(const Bench& bench, const Status& status, const std::string& variant) {
  std::optional<std::uint64_t> first_outside;
  for (std::uint64_t row = bench.uploaded.row_count; row-- > 0;)
    if (!bench.column.is_in_codes(row)) first_outside = row;
  if (variant == "fsst_match_codes" && first_outside) {
    expect_bad_row(status, *first_outside, variant);
    return true;
  }
  if (variant == "fsst_match_codes" || !bench.texts.first_bad_row) {
    expect_ok(status, variant);
    return true;
  }
  if (first_outside) require(!status.ok(), variant + ": rows outside the codes are told");
  if (status.ok()) return true;
  const std::string text = status.text();
  const std::uint64_t row = std::strtoull(text.c_str() + text.find("row ") + 4, nullptr, 10);
  require(row < bench.uploaded.row_count && !bench.texts.rows[row] &&
              (!first_outside || row <= *first_outside),
          variant + ": a valid row is called bad: " + text);
  return variant != "fsst_match_candidates";
}

void try_matcher(const Bench& bench, const fsst::Predicate& predicate,
                 const fsst::Automaton& automaton, const std::string& variant) {
  const auto matcher =
      expected(fsst::DeviceMatcher::build(bench.device, bench.column.strings, predicate, variant),
               "a matcher");
  const auto bits = bench.allocate(fsst::bitmap_bytes(bench.uploaded.row_count));
  expect_ok(matcher->enqueue(*bench.queue, bench.uploaded, *bits), variant);
  const bool are_answers = expect_match_status(bench, matcher->check(*bench.queue), variant);
  for (std::uint64_t row = 0; row < (bench.uploaded.row_count + 31) / 32 * 32; row++) {
    const bool bit = (value_at<std::uint32_t>(*bits, row / 32) >> row % 32 & 1) != 0;
    if (row >= bench.uploaded.row_count)
      require(!bit, variant + ": a bit behind the last row");
    else if (!are_answers)
      continue;
    else if (variant == "fsst_match_codes" && bench.column.is_in_codes(row))
      require(bit == has_codes_of(bench.column, row, predicate),
              variant + ": the codes of row " + std::to_string(row));
    else if (variant != "fsst_match_codes" && bench.texts.rows[row])
      require(bit == holds(predicate, automaton, *bench.texts.rows[row]),
              variant + ": row " + std::to_string(row));
  }
}

}  // namespace

void try_predicate(const Bench& bench, Input input) {
  const fsst::Predicate predicate = take_predicate(bench, input);
  const auto automaton = fsst::automaton_of(predicate);
  if (!automaton.ok()) return;
  for (const std::string& variant :
       fsst::DeviceMatcher::variants(bench.device->traits(), bench.column.strings, predicate))
    try_matcher(bench, predicate, *automaton, variant);
}

}  // namespace penstock::fuzz
