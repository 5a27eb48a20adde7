// penstock bench fsst: FSST string columns, decoded on the device by every variant that fits.
//
// There are two generated columns: page addresses and log lines. "decode" finds every row's length
// from the codes, checks all of them, scans the lengths and decodes: what a file of codes and
// offsets needs. "to given offsets" only decodes, as formats that store lengths allow. Rates are of
// output; the share of copy counts codes, offsets and output. All output is compared with the
// strings before it is timed. The host's decoder, on all cores, is timed beside them.
//
// Predicates are computed from the codes to a bitmap. Their rates are of the output that is not
// decoded, and their share of copy counts codes, offsets and bitmap. A tenth of the rows is decoded
// on its own (bench_fsst_matching.hpp). "encode" makes the codes of strings on the device, with
// given tables (bench_fsst_encoding.hpp).
//
// Baselines that decode other formats to the same output read it from the folder of
// --write-outputs: one file per column, named as its first case.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/clock.hpp"
#include "base/machine_memory.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_fsst_encoding.hpp"
#include "bench/bench_fsst_matching.hpp"
#include "bench/bench_measures.hpp"
#include "bench/bench_table.hpp"
#include "penstock/fsst/decoder.hpp"
#include "terminal/output_file.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::bench {
namespace {

struct Set {
  const char* name;
  Column (*generate)(std::uint64_t row_count, std::uint64_t seed);
};
constexpr Set sets[] = {{"addresses", codec::generate_urls},
                        {"log lines", codec::generate_log_lines}};
constexpr const char* methods[] = {"decode", "decode to given offsets",
                                   "decode to checked offsets"};

std::string case_name(const Set& set, const std::string& method) {
  return method + ", " + set.name;
}

class FsstBench {
 public:
  Status open(std::shared_ptr<Device> device, const Set& set, std::uint64_t rows) {
    device_ = std::move(device);
    strings_ = set.generate(rows, 1);
    PENSTOCK_ASSIGN(encoded_, fsst::encode(strings_));
    PENSTOCK_ASSIGN(queue_, device_->queue());
    PENSTOCK_ASSIGN(device_strings_, fsst::DeviceStrings::upload(*device_, *queue_, encoded_));
    PENSTOCK_ASSIGN(output_, fsst::DeviceOutput::allocate(*device_, device_strings_));
    return {};
  }

  Status use(const std::string& variant, std::string_view method) {
    PENSTOCK_ASSIGN(decoder_, fsst::Decoder::build(device_, device_strings_, variant));
    finds_offsets_ = method == methods[0];
    given_offsets_ =
        method == methods[2] ? fsst::GivenOffsets::validated : fsst::GivenOffsets::trusted;
    return {};
  }

  Result<double> run_seconds() {
    PENSTOCK_ASSIGN(const auto begun, queue_->record());
    PENSTOCK_TRY(finds_offsets_
                     ? decoder_->enqueue(*queue_, device_strings_, output_)
                     : decoder_->enqueue_decode(*queue_, device_strings_, output_, given_offsets_));
    PENSTOCK_ASSIGN(const auto done, queue_->record());
    PENSTOCK_TRY(done->wait());
    return done->seconds_since(*begun);
  }

  // Checks the output. Also downloads the offsets that later methods are given.
  Status verify() {
    PENSTOCK_TRY(queue_->fill(*output_.bytes, 0, output_.bytes->bytes() / 4 * 4));
    if (finds_offsets_)
      PENSTOCK_TRY(queue_->fill(*output_.offsets, 0, output_.offsets->bytes() / 4 * 4));
    else
      PENSTOCK_TRY(queue_->upload(*output_.offsets, offsets_.data(), offsets_.size() * 8));
    PENSTOCK_TRY(run_seconds());
    PENSTOCK_TRY(decoder_->check(*queue_));
    offsets_.resize(device_strings_.row_count + 1);
    std::vector<char> bytes(device_strings_.string_bytes);
    PENSTOCK_TRY(queue_->download(offsets_.data(), *output_.offsets, offsets_.size() * 8));
    PENSTOCK_TRY(queue_->download(bytes.data(), *output_.bytes, bytes.size()));
    PENSTOCK_TRY(queue_->finish());
    for (std::uint64_t row = 0; row < device_strings_.row_count; row++) {
      const std::string_view text = strings_.string(row);
      if (offsets_[row + 1] - offsets_[row] != text.size() ||
          std::memcmp(bytes.data() + offsets_[row], text.data(), text.size()) != 0)
        return Status(Code::internal, "row " + std::to_string(row) + " is wrong");
    }
    return {};
  }

  Result<double> host_seconds() const {
    const double begun = now_seconds();
    PENSTOCK_TRY(fsst::decode(encoded_).status());
    return now_seconds() - begun;
  }

  // Writes the strings without their offsets to one file.
  Status write_output(const std::string& path) const {
    PENSTOCK_ASSIGN(const auto file, OutputFile::create(path));
    PENSTOCK_TRY(
        file->write({strings_.values.as<char>(), static_cast<std::size_t>(encoded_.string_bytes)}));
    return file->commit();
  }

  MatchedColumn matched() { return {device_, *queue_, strings_, encoded_, device_strings_}; }
  double output_bytes() const { return static_cast<double>(encoded_.string_bytes); }
  double code_bytes() const { return static_cast<double>(device_strings_.code_bytes); }
  // Counts codes, both offsets and the output.
  double moved_bytes() const {
    return output_bytes() + code_bytes() +
           static_cast<double>(device_strings_.row_count) * (8 + device_strings_.offset_bytes);
  }

 private:
  std::shared_ptr<Device> device_;
  Column strings_;
  fsst::EncodedStrings encoded_;
  fsst::DeviceStrings device_strings_;
  fsst::DeviceOutput output_;
  std::unique_ptr<fsst::Decoder> decoder_;
  bool finds_offsets_ = true;
  fsst::GivenOffsets given_offsets_ = fsst::GivenOffsets::trusted;
  std::vector<std::uint64_t> offsets_;
  std::unique_ptr<Queue> queue_;
};

Status measure_method(FsstBench& bench, const Set& set, const char* method, const Traits& traits,
                      const BenchOptions& options, Figures& figures) {
  for (const std::string& variant : selected_variants(options, fsst::Decoder::variants(traits))) {
    PENSTOCK_TRY(bench.use(variant, method));
    PENSTOCK_TRY(bench.verify().with(case_name(set, method) + " by " + variant));
    PENSTOCK_ASSIGN(Figure figure,
                    time_runs(case_name(set, method), "penstock " + variant, bench.moved_bytes(),
                              options.repeats, [&] { return bench.run_seconds(); }));
    figure.output_bytes = bench.output_bytes();
    figure.stored_bytes = bench.code_bytes();
    figures.push_back(std::move(figure));
  }
  return {};
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const Set& set : sets) {
    for (const char* method : methods) names.push_back(case_name(set, method));
    for (const std::string& name : matching_names()) names.push_back(case_name(set, name));
    names.push_back(case_name(set, encoding_name));
  }
  return names;
}

Status measure_decoding(FsstBench& bench, const Set& set, const Traits& traits,
                        const BenchOptions& options, Figures& figures) {
  if (std::none_of(std::begin(methods), std::end(methods), [&](const char* method) {
        return is_selected(options, case_name(set, method));
      }))
    return {};
  for (const char* method : methods)  // the first computes the offsets that the others are given
    if (method == methods[0] || is_selected(options, case_name(set, method)))
      PENSTOCK_TRY(measure_method(bench, set, method, traits, options, figures));
  if (!options.has_figures_of_host) return {};
  PENSTOCK_ASSIGN(
      Figure host,
      time_runs(case_name(set, methods[0]), "penstock host, all cores", bench.moved_bytes(),
                std::min<std::uint64_t>(options.repeats, 5), [&] { return bench.host_seconds(); }));
  host.output_bytes = bench.output_bytes();
  host.stored_bytes = bench.code_bytes();
  figures.push_back(std::move(host));
  return {};
}

Status write_output(const FsstBench& bench, const Set& set, const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code ignored;  // creating the file reports the error
  std::filesystem::create_directories(folder, ignored);
  return bench.write_output(
      (std::filesystem::path(folder) / (case_name(set, methods[0]) + ".text")).string());
}

}  // namespace

Result<Figures> measure_fsst(const std::shared_ptr<Device>& device, const BenchOptions& options) {
  Figures figures;
  for (const Set& set : sets) {
    const auto is_of_set = [&](const std::string& name) {
      return name.ends_with(case_name(set, "")) && is_selected(options, name);
    };
    const std::vector<std::string> names = case_names();
    if (std::none_of(names.begin(), names.end(), is_of_set)) continue;
    FsstBench bench;
    show_progress(set.name, "making data");
    PENSTOCK_TRY(bench.open(device, set, options.rows));
    PENSTOCK_TRY(write_output(bench, set, options.outputs_folder));
    PENSTOCK_TRY(measure_decoding(bench, set, device->traits(), options, figures));
    for (const std::string& name : matching_names())
      if (is_selected(options, case_name(set, name)))
        PENSTOCK_TRY(
            measure_matching(bench.matched(), name, case_name(set, name), options, figures));
    if (is_selected(options, case_name(set, encoding_name)))
      PENSTOCK_TRY(
          measure_encoding(bench.matched(), case_name(set, encoding_name), options, figures));
  }
  return figures;
}

Action declare_bench_fsst(Arguments& arguments) {
  auto options = std::make_shared<BenchOptions>();
  options->rows = 1'000'000;
  declare_bench_options(arguments, *options,
                        {"rows to decode", machine_memory_bytes() / 1000, case_names()});
  arguments.value("--write-outputs", "FOLDER", options->outputs_folder,
                  "write each column's strings to a file that baselines read");
  return [options] { return run_bench(*options, "rows", measure_fsst); };
}

}  // namespace penstock::bench
