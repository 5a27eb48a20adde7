#include "bench/bench_fsst_encoding.hpp"

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "penstock/fsst/encoder.hpp"

namespace penstock::bench {
namespace {

Status compare(const fsst::EncodedStrings& found, const fsst::EncodedStrings& expected) {
  if (found.codes.size != expected.codes.size)
    return {Code::internal, std::to_string(found.codes.size) + " bytes of codes, and not " +
                                std::to_string(expected.codes.size)};
  for (std::uint64_t row = 0; row < expected.row_count; row++) {
    const std::uint64_t at = expected.offset(row), end = expected.offset(row + 1);
    const bool is_there = found.offset(row) == at && found.offset(row + 1) == end;
    if (!is_there || std::memcmp(found.codes.data + at, expected.codes.data + at, end - at) != 0)
      return {Code::internal, "row " + std::to_string(row) + " is wrong"};
  }
  return {};
}

double moved_bytes(const MatchedColumn& column, const fsst::PlainStrings& strings,
                   const fsst::DeviceCodes& codes) {
  return static_cast<double>(column.encoded.string_bytes) +
         static_cast<double>(column.encoded.codes.size) +
         static_cast<double>(strings.row_count) * (strings.offset_bytes + codes.offset_bytes);
}

Status measure_host(const MatchedColumn& column, const std::string& work, double moved,
                    const BenchOptions& options, Figures& figures) {
  PENSTOCK_ASSIGN(Figure host,
                  time_runs(work, "penstock host, training too", moved,
                            std::min<std::uint64_t>(options.repeats, 5), [&]() -> Result<double> {
                              const double begun = now_seconds();
                              PENSTOCK_TRY(fsst::encode(column.strings).status());
                              return now_seconds() - begun;
                            }));
  host.output_bytes = static_cast<double>(column.encoded.string_bytes);
  figures.push_back(std::move(host));
  return {};
}

}  // namespace

Status measure_encoding(const MatchedColumn& column, const std::string& work,
                        const BenchOptions& options, Figures& figures) {
  PENSTOCK_ASSIGN(const fsst::PlainStrings strings,
                  fsst::PlainStrings::upload(*column.device, column.queue, column.strings));
  PENSTOCK_ASSIGN(const fsst::DeviceCodes codes,
                  fsst::DeviceCodes::allocate(*column.device, strings, column.encoded.codes.size));
  for (const std::string& variant : fsst::DeviceEncoder::variants(column.device->traits())) {
    PENSTOCK_ASSIGN(const auto encoder,
                    fsst::DeviceEncoder::build(column.device, strings, column.encoded.row_groups,
                                               codes.offset_bytes, variant));
    const auto run = [&]() -> Result<double> {
      PENSTOCK_ASSIGN(const auto begun, column.queue.record());
      PENSTOCK_TRY(encoder->enqueue(column.queue, strings, codes));
      PENSTOCK_ASSIGN(const auto done, column.queue.record());
      PENSTOCK_TRY(done->wait());
      return done->seconds_since(*begun);
    };
    PENSTOCK_TRY(run());
    PENSTOCK_TRY(encoder->check(column.queue).status().with(work + " by " + variant));
    PENSTOCK_ASSIGN(const fsst::EncodedStrings found, encoder->download(column.queue));
    PENSTOCK_TRY(compare(found, column.encoded).with(work + " by " + variant));
    PENSTOCK_ASSIGN(Figure figure,
                    time_runs(work, "penstock " + variant, moved_bytes(column, strings, codes),
                              options.repeats, run));
    figure.output_bytes = static_cast<double>(column.encoded.string_bytes);
    figures.push_back(std::move(figure));
  }
  return measure_host(column, work, moved_bytes(column, strings, codes), options, figures);
}

}  // namespace penstock::bench
