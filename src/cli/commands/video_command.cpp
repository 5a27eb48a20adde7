// penstock video: scores a distorted video against its reference, by libvmaf's features.
#include <algorithm>
#include <array>
#include <filesystem>

#include "base/clock.hpp"
#include "cli/commands.hpp"
#include "cli/report/score_table.hpp"
#include "terminal/format.hpp"
#include "terminal/messages.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress_bar.hpp"
#include "terminal/signals.hpp"
#include "video/input/video_pair.hpp"
#include "video/output/score_plot.hpp"
#include "video/output/score_writer.hpp"

namespace penstock::cli {
namespace {

using video::FeatureRequest;
using video::Scores;

constexpr std::array<const char*, 4> score_formats = {"xml", "json", "csv", "sub"};

struct VideoCommand {
  std::string reference, distorted, device, output, plot, pixel_format, use = "automatic";
  std::vector<std::string> features;
  std::array<bool, score_formats.size()> formats = {};
  std::uint64_t width = 0, height = 0, bits = 0;
  std::uint64_t subsample = 1, frame_count = 0, skip = 0, skip_reference = 0, skip_distorted = 0;
  bool verbose = false, no_progress = false, lists_features = false;
};

// Keys of scores, and names that libvmaf once had, for the features that have them now.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"ssim", "float_ssim"}, {"ms_ssim", "float_ms_ssim"}, {"ciede2000", "ciede"}};

Result<std::vector<FeatureRequest>> requests_of(const std::vector<std::string>& features) {
  std::vector<FeatureRequest> requests;
  for (const std::string& text : features) {
    PENSTOCK_ASSIGN(FeatureRequest request, video::parse_feature_request(text));
    for (const auto& [alias, name] : aliases)
      if (request.name == alias) request.name = name;
    requests.push_back(std::move(request));
  }
  return requests;
}

bool has_raw_format(const VideoCommand& command) {
  return command.width > 0 || command.height > 0 || !command.pixel_format.empty() ||
         command.bits > 0;
}

video::Chroma chroma_named(const std::string& name) {
  using video::Chroma;
  for (const Chroma chroma : {Chroma::none, Chroma::c422, Chroma::c444})
    if (video::name_of(chroma) == name) return chroma;
  return Chroma::c420;
}

video::VideoPairOptions pair_options_of(const VideoCommand& command) {
  video::VideoPairOptions options;
  if (has_raw_format(command))
    options.raw = {{static_cast<std::uint32_t>(command.width),
                    static_cast<std::uint32_t>(command.height),
                    static_cast<std::uint32_t>(command.bits), chroma_named(command.pixel_format)}};
  options.skip_reference = std::max(command.skip, command.skip_reference);
  options.skip_distorted = std::max(command.skip, command.skip_distorted);
  if (command.frame_count > 0) options.frame_limit = command.frame_count;
  options.is_interrupted = interrupted;
  return options;
}

Result<std::unique_ptr<video::Scorer>> scorer_of(const VideoCommand& command,
                                                 const video::PictureFormat& format,
                                                 std::span<const FeatureRequest> requests) {
  video::ScorerOptions options;
  options.device = command.device;
  options.subsample = command.subsample;
  options.rows = command.use == "kernels" ? video::ScorerRows::kernels
                 : command.use == "host"  ? video::ScorerRows::host
                                          : video::ScorerRows::automatic;
  return video::Scorer::create(format, requests, std::move(options));
}

// Scores all pairs of frames; the first pair has been read.
Result<Scores> score_all(video::Scorer& scorer, video::VideoPair& pair, video::Picture reference,
                         video::Picture distorted, bool shows_progress) {
  ProgressBar bar(shows_progress);
  for (bool has_pair = true; has_pair;) {
    if (interrupted()) return Status(Code::cancelled, "interrupted");
    PENSTOCK_TRY(scorer.add(reference, distorted));
    bar.show_frames(scorer.counts().frames, pair.frame_count());
    PENSTOCK_ASSIGN(has_pair, pair.next(reference, distorted));
  }
  return scorer.finish();
}

std::optional<video::ScoreFormat> asked_format(const VideoCommand& command) {
  for (std::size_t i = 0; i < score_formats.size(); i++)
    if (command.formats[i]) return video::score_format_named(score_formats[i]);
  return std::nullopt;
}

// The format of a file: a flag's, else by its suffix, else XML, as with libvmaf's tool.
video::ScoreFormat format_of(const VideoCommand& command) {
  if (const auto asked = asked_format(command)) return *asked;
  const std::string suffix = std::filesystem::path(command.output).extension().string();
  const auto named = suffix.empty() ? std::nullopt : video::score_format_named(suffix.substr(1));
  return named.value_or(video::ScoreFormat::xml);
}

// Files that are asked for. They are opened before any work, in case they cannot be written.
struct Outputs {
  std::unique_ptr<OutputFile> scores, plot;
};

Result<Outputs> open_outputs(const VideoCommand& command) {
  for (const std::string& input : {command.reference, command.distorted})
    for (const std::string& output : {command.output, command.plot})
      if (!output.empty()) PENSTOCK_TRY(check_output_is_not_input(output, input));
  Outputs outputs;
  if (!command.output.empty() && command.output != "-") {
    PENSTOCK_ASSIGN(outputs.scores, OutputFile::create(command.output));
  }
  if (!command.plot.empty()) { PENSTOCK_ASSIGN(outputs.plot, OutputFile::create(command.plot)); }
  return outputs;
}

Status write(const VideoCommand& command, const Outputs& outputs, const Scores& scores,
             const video::ScoreContext& context) {
  if (outputs.plot) {
    PENSTOCK_TRY(outputs.plot->write(video::plot_scores(scores, context.subsample)));
    PENSTOCK_TRY(outputs.plot->commit());
  }
  if (command.output.empty() && !asked_format(command))
    return standard_output()(pooled_table(scores, context.subsample));
  const std::string text = video::write_scores(scores, format_of(command), context);
  if (!outputs.scores) return standard_output()(text);
  PENSTOCK_TRY(outputs.scores->write(text));
  return outputs.scores->commit();
}

void print_summary(const VideoCommand& command, const video::Scorer& scorer,
                   const video::PictureFormat& format, double seconds) {
  const video::ScorerCounts& counts = scorer.counts();
  const auto frames = static_cast<double>(counts.frames);
  const auto a_frame = [&](std::uint64_t count, std::string_view noun) {
    return number_text(static_cast<double>(count) / frames, " ") + std::string(noun);
  };
  if (command.verbose)
    print_line("a frame: " + a_frame(counts.waits, "waits, ") +
               a_frame(counts.launches, "launches, ") + a_frame(counts.copies, "copies, ") +
               a_frame(counts.fills, "fills"));
  print_line(count_text(counts.frames) + (counts.frames == 1 ? " frame" : " frames") + " of " +
             video::format_text(format) + " in " + seconds_text(seconds) + " (" +
             number_text(frames / seconds, " frames/s)"));
}

Status score(const VideoCommand& command) {
  PENSTOCK_ASSIGN(const auto requests, requests_of(command.features));
  PENSTOCK_ASSIGN(const Outputs outputs, open_outputs(command));
  PENSTOCK_ASSIGN(const auto pair, video::VideoPair::open(command.reference, command.distorted,
                                                          pair_options_of(command)));
  video::Picture reference, distorted;
  PENSTOCK_ASSIGN(const bool has_pair, pair->next(reference, distorted));
  if (!has_pair)
    return {Code::truncated, pair->ended_early().empty()
                                 ? "the videos have no frame to score"
                                 : pair->ended_early() + ", with no frame to score"};
  PENSTOCK_ASSIGN(const auto scorer, scorer_of(command, pair->format(), requests));
  pair->read_planes_for(*scorer);
  for (const video::FeatureReport& report : scorer->reports())
    print_line(report.feature + ": " + report.place + ", " + report.variant);
  const double start = now_seconds();
  PENSTOCK_ASSIGN(const Scores scores,
                  score_all(*scorer, *pair, reference, distorted, !command.no_progress));
  const double seconds = std::max(now_seconds() - start, 1e-9);
  const std::uint64_t frames = scorer->counts().frames;
  PENSTOCK_TRY(
      write(command, outputs, scores,
            {pair->format().width, pair->format().height, static_cast<double>(frames) / seconds,
             command.subsample, "penstock " + std::string(program_version())}));
  print_summary(command, *scorer, pair->format(), seconds);
  if (!pair->ended_early().empty())
    print_warning(pair->ended_early() + "; " + count_text(frames) +
                  (frames == 1 ? " frame was scored" : " frames were scored"));
  return {};
}

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code ignored;  // of a file that is not there yet
  return !one.empty() && (one == other || std::filesystem::equivalent(one, other, ignored));
}

// Outputs replace files that are there, which must be neither a video nor each other.
std::string check_outputs(const VideoCommand& command) {
  for (const std::string& output : {command.output, command.plot})
    for (const std::string& video : {command.reference, command.distorted})
      if (output != "-" && is_same_file(output, video))
        return output + " is one of the videos, which are not written over";
  if (is_same_file(command.output, command.plot)) return "--output and --plot are the same file";
  return "";
}

// Returns what is wrong with the options together, or an empty string.
std::string check(const VideoCommand& command) {
  if (command.lists_features) return "";
  if (command.reference.empty() || command.distorted.empty())
    return "REF and DIST are required: the reference and the distorted video";
  if (command.features.empty())
    return "--feature is required, such as --feature float_ssim; --list-features lists them";
  if (command.reference == "-" && command.distorted == "-")
    return "standard input is one video, not both";
  if (command.device == "host" && command.use == "kernels")
    return "--use kernels needs a device, which the host's loops are not";
  if (std::ranges::count(command.formats, true) > 1)
    return "one of --xml, --json, --csv and --sub is enough";
  const bool is_whole =
      command.width > 0 && command.height > 0 && !command.pixel_format.empty() && command.bits > 0;
  if (has_raw_format(command) && !is_whole)
    return "of a raw file --width, --height, --pixel-format and --bitdepth are all required";
  return check_outputs(command);
}

void declare_raw_format(Arguments& arguments, VideoCommand& command) {
  arguments.value("--width,-w", "N", command.width, "raw files: columns of a picture", 1,
                  video::max_side);
  arguments.value("--height", "N", command.height, "raw files: rows of a picture", 1,
                  video::max_side);
  arguments.choice("--pixel-format,--pixel_format,-p", {"400", "420", "422", "444"},
                   command.pixel_format, "raw files: chroma subsampling; 400 is luma alone");
  arguments.value("--bitdepth,-b", "N", command.bits,
                  "raw files: bits of a sample, 8, 10, 12 or 16; above 8 in two bytes, low first",
                  8, 16);
}

void declare_frames(Arguments& arguments, VideoCommand& command) {
  arguments.value("--subsample", "N", command.subsample, "score every N-th frame", 1, 1u << 31);
  arguments.value("--frame-count,--frame_cnt", "N", command.frame_count,
                  "score at most so many frames; 0 is all");
  arguments.value("--skip", "N", command.skip, "leave out the first N frames of both videos");
  arguments.value("--skip-reference,--frame_skip_ref", "N", command.skip_reference,
                  "leave out the first N frames of the reference");
  arguments.value("--skip-distorted,--frame_skip_dist", "N", command.skip_distorted,
                  "leave out the first N frames of the distorted video");
}

void declare_output(Arguments& arguments, VideoCommand& command) {
  arguments.value("--output,-o", "FILE", command.output,
                  "write the scores of all frames to FILE, '-' for standard output");
  for (std::size_t i = 0; i < score_formats.size(); i++)
    arguments.flag(std::string("--") + score_formats[i], command.formats[i],
                   std::string("write them as libvmaf's ") + score_formats[i] +
                       (i == 0 ? ", the default for other suffixes of FILE" : ""));
  arguments.value("--plot", "OUT.svg", command.plot, "draw the scores over the frames");
}

}  // namespace

Action declare_video(Arguments& arguments) {
  auto command = std::make_shared<VideoCommand>();
  arguments.positional("REF", command->reference, "the reference: y4m, raw, or what FFmpeg reads",
                       false);
  arguments.positional("DIST", command->distorted, "the distorted video; '-' is standard input",
                       false);
  arguments.values("--feature", "NAME[=opt=value:...]", command->features,
                   "a feature of libvmaf and its options; may be given several times");
  arguments.device(
      command->device,
      "cuda:0, opencl:1, cuda, opencl, gpu or cpu, or host for the host's loops; by default "
      "the first device");
  arguments.choice("--use", {"automatic", "kernels", "host"}, command->use,
                   "what computes a feature: on a CPU's device the faster, its kernels, or the "
                   "host's loops");
  declare_raw_format(arguments, *command);
  declare_frames(arguments, *command);
  declare_output(arguments, *command);
  arguments.flag("--list-features", command->lists_features,
                 "print the features and their options, and nothing else");
  arguments.flag("--verbose,-v", command->verbose,
                 "print how often the host waited, and what was launched and copied, for a frame");
  arguments.flag("--no-progress", command->no_progress, "no progress bar on a terminal");
  arguments.check([command] { return check(*command); });
  arguments.footer(
      "\nExample: penstock video reference.y4m distorted.y4m --feature float_ssim "
      "--feature cambi=full_ref=true --output scores.json");
  return [command] {
    return command->lists_features ? standard_output()(feature_list()) : score(*command);
  };
}

}  // namespace penstock::cli
