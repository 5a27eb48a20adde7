#include "cli/bench_fsst_matching.hpp"

#include <array>

namespace penstock::cli {
namespace {

struct Case {
  const char* name;
  fsst::Predicate (*predicate)(std::string_view constant);
  bool (*holds)(std::string_view text, std::string_view constant);
};
constexpr std::array<Case, 3> cases = {
    {{"like '%google%'", [](std::string_view) { return fsst::Predicate::like("%google%"); },
      [](std::string_view text, std::string_view) { return text.find("google") != text.npos; }},
     {"= constant", [](std::string_view constant) { return fsst::Predicate::equals(std::string(constant)); },
      [](std::string_view text, std::string_view constant) { return text == constant; }},
     {"prefix 'http://%'", [](std::string_view) { return fsst::Predicate::like("http://%"); },
      [](std::string_view text, std::string_view) { return text.starts_with("http://"); }}}};

std::vector<std::uint32_t> expected_bits(const MatchedColumn& column, const Case& its, std::string_view constant) {
  std::vector<std::uint32_t> bits(fsst::bitmap_bytes(column.texts.row_count) / 4);
  for (std::uint64_t row = 0; row < column.texts.row_count; row++)
    if (its.holds(column.texts.string(row), constant)) bits[row / 32] |= 1u << row % 32;
  return bits;
}

Result<double> run_seconds(const MatchedColumn& column, fsst::DeviceMatcher& matcher, const Buffer& bits) {
  PENSTOCK_ASSIGN(const auto begun, column.queue.record());
  PENSTOCK_TRY(matcher.enqueue(column.queue, column.there, bits));
  PENSTOCK_ASSIGN(const auto done, column.queue.record());
  PENSTOCK_TRY(done->wait());
  return done->seconds_since(*begun);
}

Status verify(const MatchedColumn& column, fsst::DeviceMatcher& matcher, const Buffer& bits, const std::vector<std::uint32_t>& expected) {
  PENSTOCK_TRY(run_seconds(column, matcher, bits));
  PENSTOCK_TRY(matcher.check(column.queue));
  std::vector<std::uint32_t> found(expected.size());
  PENSTOCK_TRY(column.queue.download(found.data(), bits, found.size() * 4));
  PENSTOCK_TRY(column.queue.finish());
  for (std::size_t i = 0; i < found.size(); i++)
    if (found[i] != expected[i]) return Status(Code::internal, "rows from " + std::to_string(i * 32) + " on are wrong");
  return {};
}

// Codes, offsets and the bitmap, whether or not all of the codes are read.
double moved_bytes(const MatchedColumn& column, std::size_t bitmap) {
  return static_cast<double>(column.there.code_bytes) + static_cast<double>(column.there.row_count) * column.there.offset_bytes +
         static_cast<double>(bitmap);
}

}  // namespace

std::vector<std::string> matching_names() {
  std::vector<std::string> names;
  for (const Case& its : cases) names.emplace_back(its.name);
  return names;
}

Status measure_matching(const MatchedColumn& column, const std::string& name, const std::string& work, const BenchOptions& options,
                        Figures& figures) {
  for (const Case& its : cases) {
    if (name != its.name) continue;
    const std::string_view constant = column.texts.string(column.texts.row_count / 2);
    const fsst::Predicate predicate = its.predicate(constant);
    const std::vector<std::uint32_t> expected = expected_bits(column, its, constant);
    PENSTOCK_ASSIGN(const auto bits, column.device->allocate(expected.size() * 4));
    for (const std::string& variant : fsst::DeviceMatcher::variants(column.device->traits(), column.strings, predicate)) {
      PENSTOCK_ASSIGN(const auto matcher, fsst::DeviceMatcher::build(column.device, column.strings, predicate, variant));
      PENSTOCK_TRY(verify(column, *matcher, *bits, expected).with(work + " by " + variant));
      PENSTOCK_ASSIGN(Figure figure, time_runs(work, "penstock " + variant, moved_bytes(column, expected.size() * 4), options.repeats,
                                               [&] { return run_seconds(column, *matcher, *bits); }));
      figure.text_bytes = static_cast<double>(column.strings.text_bytes);
      figures.push_back(std::move(figure));
    }
  }
  return {};
}

}  // namespace penstock::cli
