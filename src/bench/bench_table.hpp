// Shared by all benches: options, figures, baselines (--peers), and the printing of figures.
//
// A baseline is a program that takes the row count, the repeats, and in a sweep of cases the
// sweep's name, and prints lines `case;name;seconds` for the same rows (bench/peers/). A baseline
// that moves other bytes than we do prints `case;name;seconds;spread;bytes moved;bytes stored`.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "penstock/device.hpp"
#include "terminal/arguments.hpp"

namespace penstock::bench {
using namespace terminal;

struct BenchOptions {
  std::string device, format = "table", peers, only, sweep = "none";
  std::string variant;         // the only one to measure, if a bench declares it
  std::string outputs_folder;  // for the cases' data for baselines, if declared
  std::uint64_t rows = 1 << 24, repeats = 20;
  // Set by another bench that runs this bench's measurement (bench_measures.hpp).
  std::vector<std::string> cases;       // exactly these; none: the selection of --only
  bool has_first_variant_only = false;  // the fitting variant that the device takes
  bool has_figures_of_host = true;      // libraries on the host's cores, beside the device
};
// The parts of a bench's options that differ. `case_sweep` is the value of --sweep that selects
// more cases. Any bench sweeps its rows, unless its data fixes them: then `rows_help` is null.
struct BenchDescription {
  const char* rows_help;
  std::uint64_t max_rows = 0;
  std::vector<std::string> case_names;
  const char* case_sweep = nullptr;
};
// Declares --device, --rows, --repeats, --peers, --only, --sweep and --format. --only chooses from
// `case_names`.
void declare_bench_options(Arguments& arguments, BenchOptions& options,
                           BenchDescription description);
std::vector<std::string> split_at(const std::string& text, char separator);

// The device that a bench runs on, and its copy bandwidth (read plus written), which is printed on
// stderr.
struct BenchDevice {
  std::shared_ptr<Device> device;
  double copy_bytes_per_second = 0;
};
// Returns whether `cases` or --only selects a case; for --only, upper and lower case are equal.
bool is_selected(const BenchOptions& options, std::string_view case_name);
// Returns the fitting variants that the options select.
std::vector<std::string> selected_variants(const BenchOptions& options,
                                           std::vector<std::string> fitting);
// Shows on stderr what is done for a case, such as "making data": on a terminal on one line that
// the next call replaces, elsewhere one line per case.
void show_progress(std::string_view case_name, std::string_view activity);
void end_progress();  // clears that line

// One line of the result table; a figure that was not measured is 0.
//
//     bytes                      read and written by the case at least
//     output_bytes               decompressed, if the rate counts these
//     stored_bytes               compressed
//     output_bytes_per_sequence  what a decoder writes for one sequence
//     share_of_studies           share of copy bandwidth that published studies reach
//     alone_seconds              one chunk by itself
//     restructuring              time of one thread that decodes a chunk, over alone_seconds
//     parallelism                time of all chunks one after the other, over the batch's time
//     frames_per_second          of video: a row is a frame
struct Figure {
  std::string work, name;
  double median_seconds = 0, spread = 0, bytes = 0, output_bytes = 0, stored_bytes = 0,
         output_bytes_per_sequence = 0, share_of_studies = 0;
  double alone_seconds = 0, restructuring = 0, parallelism = 0;
  double frames_per_second = 0;
};
using Figures = std::vector<Figure>;

// Returns median and spread of `repeats` runs, after two for warming up.
Result<Figure> time_runs(std::string work, std::string name, double bytes, std::uint64_t repeats,
                         const std::function<Result<double>()>& run_seconds);

// Returns median and spread of the times of one or more runs.
Figure figure_of(std::string work, std::string name, double bytes, std::vector<double> seconds);

// Opens the device and measures; a sweep of rows measures each power of two from 2^16 to --rows.
// Adds the baselines' figures for our cases and prints all of them, with the share of the device's
// copy bandwidth. After that, a baseline that failed is an error.
Status run_bench(const BenchOptions& options, const char* rows_unit,
                 const std::function<Result<Figures>(const std::shared_ptr<Device>& device,
                                                     const BenchOptions& options)>& measure);

// Returns a pseudo-random value for a row number; the baselines compute the same.
std::uint64_t hash_of_row(std::uint64_t row);

}  // namespace penstock::bench
