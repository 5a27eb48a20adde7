#include "bench/bench_fsst_matching.hpp"

#include <array>
#include <cstring>

namespace penstock::bench {
namespace {

struct Case {
  const char* name;
  fsst::Predicate (*predicate)(std::string_view constant);
  bool (*holds)(std::string_view text, std::string_view constant);
};
constexpr std::array<Case, 3> cases = {
    {{"like '%google%'", [](std::string_view) { return fsst::Predicate::like("%google%"); },
      [](std::string_view text, std::string_view) { return text.find("google") != text.npos; }},
     {"= constant",
      [](std::string_view constant) { return fsst::Predicate::equals(std::string(constant)); },
      [](std::string_view text, std::string_view constant) { return text == constant; }},
     {"prefix 'http://%'", [](std::string_view) { return fsst::Predicate::like("http://%"); },
      [](std::string_view text, std::string_view) { return text.starts_with("http://"); }}}};

std::vector<std::uint32_t> expected_bits(const MatchedColumn& column, const Case& its,
                                         std::string_view constant) {
  std::vector<std::uint32_t> bits(fsst::bitmap_bytes(column.strings.row_count) / 4);
  for (std::uint64_t row = 0; row < column.strings.row_count; row++)
    if (its.holds(column.strings.string(row), constant)) bits[row / 32] |= 1u << row % 32;
  return bits;
}

Result<double> run_seconds(const MatchedColumn& column, fsst::DeviceMatcher& matcher,
                           const Buffer& bits) {
  PENSTOCK_ASSIGN(const auto begun, column.queue.record());
  PENSTOCK_TRY(matcher.enqueue(column.queue, column.device_strings, bits));
  PENSTOCK_ASSIGN(const auto done, column.queue.record());
  PENSTOCK_TRY(done->wait());
  return done->seconds_since(*begun);
}

Status verify(const MatchedColumn& column, fsst::DeviceMatcher& matcher, const Buffer& bits,
              const std::vector<std::uint32_t>& expected) {
  PENSTOCK_TRY(run_seconds(column, matcher, bits));
  PENSTOCK_TRY(matcher.check(column.queue));
  std::vector<std::uint32_t> found(expected.size());
  PENSTOCK_TRY(column.queue.download(found.data(), bits, found.size() * 4));
  PENSTOCK_TRY(column.queue.finish());
  for (std::size_t i = 0; i < found.size(); i++)
    if (found[i] != expected[i])
      return Status(Code::internal, "rows from " + std::to_string(i * 32) + " on are wrong");
  return {};
}

// Counts codes, offsets and the bitmap, whether or not all codes are read.
double moved_bytes(const MatchedColumn& column, std::size_t bitmap) {
  return static_cast<double>(column.device_strings.code_bytes) +
         static_cast<double>(column.device_strings.row_count) * column.device_strings.offset_bytes +
         static_cast<double>(bitmap);
}

constexpr const char* selected_name = "decode a tenth of rows";

// Rows selected by a bitmap, and the bytes that decoding them moves.
struct SelectedRows {
  std::vector<std::uint64_t> rows;
  std::vector<std::uint32_t> bits;
  double output_bytes = 0, moved_bytes = 0;
};
SelectedRows select_rows(const MatchedColumn& column) {
  SelectedRows selected;
  selected.bits.resize(fsst::bitmap_bytes(column.strings.row_count) / 4);
  selected.moved_bytes = static_cast<double>(selected.bits.size()) * 4;
  for (std::uint64_t row = 0; row < column.strings.row_count; row++) {
    if (hash_of_row(row) % 10 != 0) continue;
    selected.rows.push_back(row);
    selected.bits[row / 32] |= 1u << row % 32;
    const auto string_bytes = static_cast<double>(column.strings.string(row).size());
    const auto codes =
        static_cast<double>(column.encoded.offset(row + 1) - column.encoded.offset(row));
    selected.output_bytes += string_bytes;
    selected.moved_bytes += string_bytes + codes + 2 * column.encoded.offset_bytes + 8;
  }
  return selected;
}

Status verify_selected(const MatchedColumn& column, const SelectedRows& selected,
                       const fsst::DeviceOutput& output) {
  std::vector<std::uint64_t> offsets(selected.rows.size() + 1);
  std::vector<char> bytes(static_cast<std::size_t>(selected.output_bytes));
  PENSTOCK_TRY(column.queue.download(offsets.data(), *output.offsets, offsets.size() * 8));
  if (!bytes.empty())
    PENSTOCK_TRY(column.queue.download(bytes.data(), *output.bytes, bytes.size()));
  PENSTOCK_TRY(column.queue.finish());
  for (std::size_t i = 0; i < selected.rows.size(); i++) {
    const std::string_view expected = column.strings.string(selected.rows[i]);
    if (offsets[i + 1] - offsets[i] != expected.size() ||
        std::memcmp(bytes.data() + offsets[i], expected.data(), expected.size()) != 0)
      return Status(Code::internal, "row " + std::to_string(selected.rows[i]) + " is wrong");
  }
  return {};
}

Status measure_selected(const MatchedColumn& column, const SelectedRows& selected,
                        const std::string& variant, const std::string& work,
                        const BenchOptions& options, Figures& figures) {
  PENSTOCK_ASSIGN(const auto decoder,
                  fsst::SelectedRowDecoder::build(column.device, column.device_strings,
                                                  selected.rows.size(), variant));
  fsst::DeviceOutput output;
  PENSTOCK_ASSIGN(output.offsets, column.device->allocate((selected.rows.size() + 1) * 8));
  PENSTOCK_ASSIGN(output.bytes,
                  column.device->allocate(static_cast<std::uint64_t>(selected.output_bytes) + 16));
  PENSTOCK_ASSIGN(const auto bits, column.device->allocate(selected.bits.size() * 4));
  PENSTOCK_TRY(column.queue.upload(*bits, selected.bits.data(), selected.bits.size() * 4));
  const auto run = [&]() -> Result<double> {
    PENSTOCK_ASSIGN(const auto begun, column.queue.record());
    PENSTOCK_TRY(decoder->enqueue_bitmap(column.queue, column.device_strings, *bits, output));
    PENSTOCK_ASSIGN(const auto done, column.queue.record());
    PENSTOCK_TRY(done->wait());
    return done->seconds_since(*begun);
  };
  PENSTOCK_TRY(run());
  PENSTOCK_TRY(decoder->check(column.queue).status());
  PENSTOCK_TRY(verify_selected(column, selected, output).with(work + " by " + variant));
  PENSTOCK_ASSIGN(Figure figure, time_runs(work, "penstock " + variant, selected.moved_bytes,
                                           options.repeats, run));
  figure.output_bytes = selected.output_bytes;
  figures.push_back(std::move(figure));
  return {};
}

}  // namespace

std::vector<std::string> matching_names() {
  std::vector<std::string> names;
  for (const Case& its : cases) names.emplace_back(its.name);
  names.emplace_back(selected_name);
  return names;
}

Status measure_matching(const MatchedColumn& column, const std::string& name,
                        const std::string& work, const BenchOptions& options, Figures& figures) {
  if (name == selected_name) {
    const SelectedRows selected = select_rows(column);
    for (const std::string& variant :
         selected_variants(options, fsst::SelectedRowDecoder::variants(column.device->traits())))
      PENSTOCK_TRY(measure_selected(column, selected, variant, work, options, figures));
    return {};
  }
  for (const Case& its : cases) {
    if (name != its.name) continue;
    const std::string_view constant = column.strings.string(column.strings.row_count / 2);
    const fsst::Predicate predicate = its.predicate(constant);
    const std::vector<std::uint32_t> expected = expected_bits(column, its, constant);
    PENSTOCK_ASSIGN(const auto bits, column.device->allocate(expected.size() * 4));
    for (const std::string& variant : selected_variants(
             options,
             fsst::DeviceMatcher::variants(column.device->traits(), column.encoded, predicate))) {
      PENSTOCK_ASSIGN(const auto matcher, fsst::DeviceMatcher::build(column.device, column.encoded,
                                                                     predicate, variant));
      PENSTOCK_TRY(verify(column, *matcher, *bits, expected).with(work + " by " + variant));
      PENSTOCK_ASSIGN(
          Figure figure,
          time_runs(work, "penstock " + variant, moved_bytes(column, expected.size() * 4),
                    options.repeats, [&] { return run_seconds(column, *matcher, *bits); }));
      figure.output_bytes = static_cast<double>(column.encoded.string_bytes);
      figures.push_back(std::move(figure));
    }
  }
  return {};
}

}  // namespace penstock::bench
