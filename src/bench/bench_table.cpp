#include "bench/bench_table.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "kernel/bandwidth.hpp"
#include "terminal/output_file.hpp"

namespace penstock::bench {
namespace {

// Reads the numbers of a baseline's line: seconds, spread, bytes moved, bytes stored; missing ones
// are zero.
std::array<double, 4> numbers_of_line(const char* text) {
  std::array<double, 4> numbers{};
  std::sscanf(text, "%lf;%lf;%lf;%lf", &numbers[0], &numbers[1], &numbers[2], &numbers[3]);
  return numbers;
}

// Checks before minutes of measuring that the shell finds each baseline's program. A first word
// that is more than a name is left to the shell.
Status find_programs(const BenchOptions& options) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_-+./", c) != nullptr;
  };
  for (const std::string& peer : split_at(options.peers, ',')) {
    const std::string program = peer.substr(0, peer.find(' '));
    if (program.empty() || !std::all_of(program.begin(), program.end(), is_plain)) continue;
    if (std::system(("command -v -- " + program + " >/dev/null 2>&1").c_str()) != 0)
      return Status(Code::invalid,
                    "the peer '" + peer +
                        "' was not found, so nothing was measured; paths start at this folder");
  }
  return {};
}

// Converts a shell's exit status of a baseline, which has printed the reason on stderr. The shell
// adds 128 to the number of a signal, unless the signal ended the shell.
Status status_of_baseline(const std::string& command, int status) {
  constexpr int by_signal = 128;
  if (status == 0) return {};
  const std::string peer = "the peer '" + command + "' ";
  const int code = WIFSIGNALED(status) ? by_signal + WTERMSIG(status) : WEXITSTATUS(status);
  if (code > by_signal)
    return Status(Code::io, peer + "was ended by signal " + std::to_string(code - by_signal));
  return Status(
      Code::io,
      peer + "failed with exit code " + std::to_string(code) +
          "; its message is above the figures, and the head of its file says what it needs");
}

// Adds a baseline's figures. A line without bytes takes the bytes of our figure of the case.
Status add_baseline(const std::string& command, const BenchOptions& options,
                    std::vector<Figure>& figures) {
  std::string shell_line =
      command + " " + std::to_string(options.rows) + " " + std::to_string(options.repeats);
  if (options.sweep != "none" && options.sweep != "rows") shell_line += " " + options.sweep;
  FILE* pipe = popen(shell_line.c_str(), "r");
  if (!pipe) return Status(Code::io, "cannot start the peer '" + command + "'");
  char line[512];
  while (std::fgets(line, sizeof line, pipe)) {
    const std::string text(line);
    const std::size_t first = text.find(';'), second = text.find(';', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto [seconds, spread, moved_bytes, stored_bytes] =
        numbers_of_line(text.c_str() + second + 1);
    Figure figure{text.substr(0, first),
                  text.substr(first + 1, second - first - 1),
                  seconds,
                  spread,
                  0,
                  0,
                  stored_bytes,
                  0,
                  0,
                  0,
                  0,
                  0,
                  0};
    const auto ours = std::ranges::find(figures, figure.work, &Figure::work);
    if (ours == figures.end()) continue;
    figure.bytes = ours->bytes, figure.output_bytes = ours->output_bytes;
    const bool are_frames =
        std::ranges::any_of(figures, [](const Figure& each) { return each.frames_per_second > 0; });
    if (are_frames && seconds > 0) figure.frames_per_second = 1 / seconds;
    if (moved_bytes > 0) figure.bytes = moved_bytes;
    figures.push_back(figure);
  }
  return status_of_baseline(command, pclose(pipe));
}

// Formats how many bytes a compressed byte becomes.
std::string format_ratio(const Figure& f, bool json) {
  std::array<char, 64> text{};
  const char* format = json ? "\"ratio\": %.4f, " : "  ratio %.2f";
  if (f.stored_bytes > 0)
    std::snprintf(text.data(), text.size(), format, f.output_bytes / f.stored_bytes);
  return text.data();
}

std::string format_sequences(const Figure& f, bool json) {
  std::array<char, 64> text{};
  const char* format = json ? "\"output_bytes_per_sequence\": %.3f, " : "  %.1f bytes per sequence";
  if (f.output_bytes_per_sequence > 0)
    std::snprintf(text.data(), text.size(), format, f.output_bytes_per_sequence);
  return text.data();
}

std::string format_studies(const Figure& f, bool json) {
  std::array<char, 64> text{};
  const char* format = json ? "\"share_of_studies\": %.3f, " : "  published %.0f %% of copy";
  if (f.share_of_studies > 0)
    std::snprintf(text.data(), text.size(), format, (json ? 1 : 100) * f.share_of_studies);
  return text.data();
}

std::string format_gains(const Figure& f, bool json) {
  std::array<char, 160> text{};
  if (f.alone_seconds <= 0) return "";
  const char* format = json ? "\"alone_microseconds\": %.3f, \"parallelism\": %.2f, "
                            : "  alone %.1f us, parallelism %.1f x";
  std::snprintf(text.data(), text.size(), format, f.alone_seconds * 1e6, f.parallelism);
  const std::string gains = text.data();
  std::snprintf(text.data(), text.size(),
                json ? "\"restructuring\": %.3f, " : ", restructuring %.2f x", f.restructuring);
  return f.restructuring > 0 ? gains + text.data() : gains;
}

std::string format_frames(const Figure& f, bool json) {
  std::array<char, 64> text{};
  const char* format = json ? "\"frames_per_second\": %.3f, " : "  %.1f frames/s";
  if (f.frames_per_second > 0) std::snprintf(text.data(), text.size(), format, f.frames_per_second);
  return text.data();
}

// Widths of the name columns in bytes.
struct Widths {
  int work = 0, name = 0;
};

Widths widths_of(const Figures& figures) {
  Widths widths;
  for (const Figure& figure : figures) {
    widths.work = std::max(widths.work, static_cast<int>(figure.work.size()));
    widths.name = std::max(widths.name, static_cast<int>(figure.name.size()));
  }
  return widths;
}

std::string format_figure(const Figure& f, const BenchOptions& options, const BenchDevice& opened,
                          Widths widths) {
  char line[2048];
  const bool json = options.format == "json";
  if (json) widths = {};
  const double moved = f.bytes / f.median_seconds,
               rate = f.output_bytes > 0 ? f.output_bytes / f.median_seconds : moved;
  std::snprintf(
      line, sizeof line,
      json ? "{\"work\": \"%*s\", \"name\": \"%*s\", \"rows\": %llu, \"milliseconds\": %.5f, "
             "\"spread\": %.3f, "
             "\"gigabytes_per_second\": %.3f, \"share_of_copy\": %.5f, "
           : "%-*s  %-*s  %11llu rows %9.3f ms  spread %6.1f %%  %7.1f GB/s  %5.1f %% of copy",
      widths.work, f.work.c_str(), widths.name, f.name.c_str(),
      static_cast<unsigned long long>(options.rows), f.median_seconds * 1e3,
      json ? f.spread : f.spread * 100, rate / 1e9,
      (json ? 1 : 100) * moved / opened.copy_bytes_per_second);
  const std::string last = json ? "\"device\": \"" + opened.device->traits().name + "\"}" : "";
  return line + format_frames(f, json) + format_ratio(f, json) + format_sequences(f, json) +
         format_studies(f, json) + format_gains(f, json) + last + "\n";
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  const auto equal = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), equal) != text.end() ||
         part.empty();
}

std::string check_only(const std::vector<std::string>& case_names, const std::string& text) {
  std::string known;
  if (case_names.empty()) return "";  // they are known when the bench has read its input
  for (const std::string& name : case_names) {
    if (contains_ignoring_case(name, text)) return "";
    known += (known.empty() ? "" : ", ") + name;
  }
  return "no case's name contains '" + text + "'; the cases are " + known;
}

}  // namespace

void declare_bench_options(Arguments& arguments, BenchOptions& options,
                           BenchDescription description) {
  arguments.device(options.device, "where to run");
  if (description.rows_help)
    arguments.value("--rows", "N", options.rows, description.rows_help, 1, description.max_rows);
  arguments.value("--repeats", "N", options.repeats, "timed runs; the median is printed", 1,
                  1000000);
  arguments.value("--peers", "COMMANDS", options.peers,
                  "baseline programs that print figures of their own, separated by commas");
  arguments.value("--only", "TEXT", options.only, "only cases whose name contains this text",
                  [case_names = std::move(description.case_names)](const std::string& text) {
                    return check_only(case_names, text);
                  });
  std::vector<std::string> sweeps = {"none", "rows"};
  if (description.case_sweep) sweeps.emplace_back(description.case_sweep);
  if (description.rows_help)
    arguments.choice("--sweep", std::move(sweeps), options.sweep,
                     "powers of two of rows from 65536 to --rows, or more cases");
  arguments.choice("--format", {"table", "json"}, options.format, "how to print");
  arguments.footer(
      "\nEach line is a case: the median time of the timed runs, then\n"
      "  spread     (slowest - fastest) / median\n"
      "  GB/s       bytes read and written in that time; of codecs, decompressed bytes\n"
      "  of copy    bytes read and written, as a share of the device's copy bandwidth\n"
      "  ratio      decompressed bytes / compressed bytes; then decompressed bytes per sequence\n"
      "             (literals and a match), if a format has sequences\n"
      "  alone      with --phases: one chunk by itself; parallelism: all chunks one after the "
      "other,\n"
      "             over the batch's time; restructuring: one thread that decodes the chunk byte "
      "by\n"
      "             byte, over the chunk alone\n"
      "  published  the share of copy bandwidth that published studies of GPUs reach");
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

namespace {

Result<BenchDevice> open_bench(const BenchOptions& options, const char* rows_unit) {
  BenchDevice opened;
  prefer_optimised_kernels();
  PENSTOCK_ASSIGN(opened.device, open_device(options.device));
  PENSTOCK_ASSIGN(opened.copy_bytes_per_second, kernel::copy_bandwidth(*opened.device));
  const Traits& traits = opened.device->traits();
  std::fprintf(stderr, "%s %s: copy %.1f GB/s (read plus written); %llu %s; median of %llu\n",
               traits.id.c_str(), traits.name.c_str(), opened.copy_bytes_per_second / 1e9,
               static_cast<unsigned long long>(options.rows), rows_unit,
               static_cast<unsigned long long>(options.repeats));
  return opened;
}

bool is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

Status print_with_baselines(const BenchOptions& options, const BenchDevice& opened,
                            Figures figures) {
  Status all_baselines;
  for (const std::string& command : split_at(options.peers, ','))
    if (Status added = add_baseline(command, options, figures); !added.ok())
      all_baselines = std::move(added);
  std::map<std::string, std::size_t> case_order;  // as they were measured
  for (const Figure& figure : figures) case_order.emplace(figure.work, case_order.size());
  std::stable_sort(figures.begin(), figures.end(), [&](const Figure& a, const Figure& b) {
    return case_order[a.work] < case_order[b.work];
  });
  const Sink out = standard_output();
  const Widths widths = widths_of(figures);
  for (const Figure& figure : figures)
    PENSTOCK_TRY(out(format_figure(figure, options, opened, widths)));
  return all_baselines;
}

}  // namespace

void show_progress(std::string_view case_name, std::string_view activity) {
  static std::string shown_case;
  const std::string line = std::string(case_name) + ": " + std::string(activity);
  if (is_terminal())
    std::fprintf(stderr, "\r%.*s\x1b[K", 100, line.c_str());
  else if (shown_case != case_name)
    std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
  shown_case = case_name;
}

void end_progress() {
  if (is_terminal()) std::fprintf(stderr, "\r\x1b[K");
}

bool is_selected(const BenchOptions& options, std::string_view case_name) {
  if (!options.cases.empty())
    return std::ranges::find(options.cases, case_name) != options.cases.end();
  return contains_ignoring_case(case_name, options.only);
}

std::vector<std::string> selected_variants(const BenchOptions& options,
                                           std::vector<std::string> fitting) {
  if (!options.variant.empty())
    std::erase_if(fitting, [&](const std::string& name) { return name != options.variant; });
  if (options.has_first_variant_only && fitting.size() > 1) fitting.resize(1);
  return fitting;
}

Result<Figure> time_runs(std::string work, std::string name, double bytes, std::uint64_t repeats,
                         const std::function<Result<double>()>& run_seconds) {
  if (!work.empty()) show_progress(work, "timing " + name);
  std::vector<double> seconds;
  for (std::uint64_t i = 0; i < repeats + 2; i++) {
    PENSTOCK_ASSIGN(const double once, run_seconds());
    if (i >= 2) seconds.push_back(once);
  }
  return figure_of(std::move(work), std::move(name), bytes, std::move(seconds));
}

Figure figure_of(std::string work, std::string name, double bytes, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  return Figure{std::move(work),
                std::move(name),
                median,
                (seconds.back() - seconds.front()) / median,
                bytes,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0};
}

Status run_bench(const BenchOptions& options, const char* rows_unit,
                 const std::function<Result<Figures>(const std::shared_ptr<Device>& device,
                                                     const BenchOptions& options)>& measure) {
  constexpr std::uint64_t min_swept_rows = 1 << 16;
  PENSTOCK_TRY(find_programs(options));
  PENSTOCK_ASSIGN(const BenchDevice opened, open_bench(options, rows_unit));
  BenchOptions now = options;
  if (options.sweep == "rows") now.rows = std::min(min_swept_rows, options.rows);
  for (; now.rows <= options.rows; now.rows *= 2) {
    auto measured = measure(opened.device, now);
    end_progress();
    PENSTOCK_ASSIGN(Figures figures, std::move(measured));
    if (figures.empty())
      return Status(Code::invalid,
                    "no case of this sweep contains '" + options.only + "' in its name");
    PENSTOCK_TRY(print_with_baselines(now, opened, std::move(figures)));
  }
  return {};
}

std::uint64_t hash_of_row(std::uint64_t row) {
  std::uint64_t hash = row * 0x9E3779B97F4A7C15u;
  hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
  return hash ^ hash >> 31;
}

}  // namespace penstock::bench
