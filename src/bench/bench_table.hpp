// What every bench shares: options, figures beside those of peers, and how they are printed.
//
// A peer is a program that takes the row count and the repeats, in a sweep of the cases also its
// word, and prints lines `case;name;seconds` for the same rows (bench/peers/). One that moves other
// bytes than we do says more: `case;name;seconds;spread;bytes moved;bytes stored`.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "penstock/device.hpp"
#include "terminal/arguments.hpp"

namespace penstock::cli {

struct BenchOptions {
  std::string device, format = "table", peers, only, sweep = "none";
  std::string variant;  // forced; of benches that declare it
  std::string
      texts_folder;  // where to write the cases' texts for peers; of benches that declare it
  std::uint64_t rows = 1 << 24, repeats = 20;
};
// What a bench says of itself to its options. `case_sweep` is the word of --sweep that asks for
// more cases; any bench sweeps its rows.
struct BenchWords {
  const char* rows_are;
  std::uint64_t max_rows = 0;
  std::vector<std::string> case_names;
  const char* case_sweep = nullptr;
};
// --device, --rows, --repeats, --peers, --only, --sweep and --format. `case_names` are what --only
// chooses from.
void declare_bench_options(Arguments& arguments, BenchOptions& options, BenchWords words);
std::uint64_t physical_memory_bytes();
std::vector<std::string> words_between_commas(const std::string& text);

// The device that a bench runs on, and what it copies in bytes a second (read plus written), which
// is said on stderr.
struct BenchDevice {
  std::shared_ptr<Device> device;
  double copy_bytes_per_second = 0;
};
// Whether --only takes a case.
bool is_chosen(const BenchOptions& options, std::string_view case_name);

// One line of the result table. `bytes` is what the case must move, `output_bytes` what it yields
// where a rate of that says more, `stored_bytes` what the text was made of,
// `output_bytes_per_sequence` how much of it a decoder makes at once, and `share_of_studies` the
// share of a device's copy that published studies of such work reach. `alone_seconds` is one item
// of the work by itself, and of it: `restructuring` how many times as long an item of the device
// takes without phases, `parallelism` how many times as long all items one after the other would.
// 0: not measured.
struct Figure {
  std::string work, name;
  double median_seconds = 0, spread = 0, bytes = 0, output_bytes = 0, stored_bytes = 0,
         output_bytes_per_sequence = 0, share_of_studies = 0;
  double alone_seconds = 0, restructuring = 0, parallelism = 0;
};
using Figures = std::vector<Figure>;

// Median and spread of `repeats` runs, after two that do not count.
Result<Figure> time_runs(std::string work, std::string name, double bytes, std::uint64_t repeats,
                         const std::function<Result<double>()>& run_seconds);

// Median and spread of runs that were timed, one at least.
Figure figure_of(std::string work, std::string name, double bytes, std::vector<double> seconds);

// Opens the device and measures, in a sweep of rows once for each power of two from 2^16 to --rows.
// Adds the peers' figures for our cases and prints all of them, with the share of the device's copy
// bandwidth; a peer that failed is an error after that.
Status run_bench(const BenchOptions& options, const char* rows_are,
                 const std::function<Result<Figures>(const std::shared_ptr<Device>& device,
                                                     const BenchOptions& options)>& measure);

// A value for a row number that looks random; the peers compute the same.
std::uint64_t hash_of_row(std::uint64_t row);

}  // namespace penstock::cli
