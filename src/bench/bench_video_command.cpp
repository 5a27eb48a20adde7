// penstock bench video: frames a second of each feature, from frames in the device's memory, in the
// host's, and in files.
//
// A case is verified before it is timed: its scores of two frames equal the scores of the host's
// loops. A run scores --rows frames and ends when their scores are there; times are by wall clock.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/clock.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_measures.hpp"
#include "bench/bench_table.hpp"
#include "bench/temporary_folder.hpp"
#include "testdata/video_clips.hpp"
#include "video/device/device_picture.hpp"
#include "video/feature.hpp"
#include "video/input/video_pair.hpp"

namespace penstock::bench {
namespace {

using video::FeatureRequest;
using video::PictureFormat;

// Different frames, more than the caches of a GPU hold at 3840 x 2160, which runs score in turn.
constexpr std::uint64_t distinct_frames = 6;
// Frames of a file, which has to be written first.
constexpr std::uint64_t max_file_frames = 24;

enum class Source : unsigned char { resident, host, file };
constexpr std::string_view source_names[] = {"resident", "uploaded", "from files"};

struct VideoOptions : BenchOptions {
  std::string sizes = "576x324,1920x1080,3840x2160", rows_of = "automatic";
  std::uint64_t bits = 8;
};

struct Work {
  std::string name;
  std::vector<FeatureRequest> features;
};

// Every feature by itself, SSIM without decimation, and the features that engineers of encoders
// ask for together.
std::vector<Work> works() {
  std::vector<Work> all;
  for (const video::FeatureRow* row : video::feature_rows())
    all.push_back({std::string(row->name), {{std::string(row->name), {}}}});
  all.push_back({"float_ssim scale=1", {{"float_ssim", {{"scale", "1"}}}}});
  all.push_back({"ssim+psnr+ciede", {{"float_ssim", {}}, {"psnr", {}}, {"ciede", {}}}});
  return all;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const Work& work : works())
    for (const std::string_view source : source_names)
      names.push_back(work.name + ", " + std::string(source));
  return names;
}

Result<PictureFormat> format_of(const std::string& size, std::uint64_t bits) {
  PictureFormat format;
  format.bits = static_cast<std::uint32_t>(bits);
  if (std::sscanf(size.c_str(), "%ux%u", &format.width, &format.height) != 2)
    return Status(Code::invalid, "'" + size + "' is no size, such as 1920x1080");
  PENSTOCK_TRY(video::check_format(format));
  return format;
}

// Frames of both videos, in the host's memory and in the device's.
class Clip {
 public:
  Status make(const PictureFormat& format) {
    format_ = format;
    video::ClipMaker maker(format, video::ClipKind::scene);
    for (std::uint64_t i = 0; i < distinct_frames; i++)
      frames_.push_back(maker.frame(static_cast<std::int32_t>(i)));
    return {};
  }

  Status upload(Device& device) {
    PENSTOCK_ASSIGN(const auto layout, video::device_layout(format_));
    PENSTOCK_ASSIGN(const auto queue, device.queue());
    std::vector<std::byte> packed(2 * layout.bytes);
    for (const auto& frame : frames_) {
      PENSTOCK_TRY(video::pack(video::picture_of(format_, frame.reference).value(),
                               video::picture_of(format_, frame.distorted).value(), layout,
                               packed.data()));
      for (const std::uint64_t first : {std::uint64_t{0}, layout.bytes}) {
        PENSTOCK_ASSIGN(auto buffer, device.allocate(layout.bytes));
        PENSTOCK_TRY(queue->upload(*buffer, packed.data() + first, layout.bytes));
        PENSTOCK_TRY(queue->finish());
        resident_.push_back(picture_in(std::move(buffer), layout));
      }
    }
    return {};
  }

  Status write(const std::filesystem::path& folder) {
    folder_ = folder;
    const char* colours = format_.bits == 8    ? "420jpeg"
                          : format_.bits == 10 ? "420p10"
                          : format_.bits == 12 ? "420p12"
                                               : "420p16";
    for (const bool is_reference : {true, false}) {
      std::ofstream file(path(is_reference), std::ios::binary);
      file << "YUV4MPEG2 W" << format_.width << " H" << format_.height << " F25:1 C" << colours
           << '\n';
      for (std::uint64_t i = 0; i < max_file_frames; i++) {
        const auto& frame = frames_[i % distinct_frames];
        const auto& planes = is_reference ? frame.reference : frame.distorted;
        file << "FRAME\n";
        file.write(reinterpret_cast<const char*>(planes.data()),
                   static_cast<std::streamsize>(planes.size()));
      }
      if (!file) return {Code::io, "cannot write " + path(is_reference)};
    }
    return {};
  }

  Status add(video::Scorer& scorer, Source source, std::uint64_t frame) const {
    const std::uint64_t at = frame % distinct_frames;
    if (source == Source::resident) return scorer.add(resident_[2 * at], resident_[2 * at + 1]);
    return scorer.add(video::picture_of(format_, frames_[at].reference).value(),
                      video::picture_of(format_, frames_[at].distorted).value());
  }

  static video::DevicePicture picture_in(std::shared_ptr<Buffer> buffer,
                                         const video::DeviceLayout& layout) {
    video::DevicePicture picture{.format = layout.format};
    for (std::uint32_t p = 0; p < video::plane_count(layout.format); p++)
      picture.planes[p] = {
          buffer, layout.first_byte[p],
          std::uint64_t{video::plane_width(layout.format, p)} * layout.sample_bytes};
    return picture;
  }

  std::string path(bool is_reference) const {
    return (folder_ / (is_reference ? "reference.y4m" : "distorted.y4m")).string();
  }
  const PictureFormat& format() const { return format_; }

 private:
  PictureFormat format_;
  std::filesystem::path folder_;
  std::vector<video::ClipMaker::Frame> frames_;
  std::vector<video::DevicePicture> resident_;
};

Result<std::unique_ptr<video::Scorer>> make_scorer(const std::shared_ptr<Device>& device,
                                                   const Clip& clip, const Work& work,
                                                   const VideoOptions& options) {
  video::ScorerOptions how;
  how.opened = device;
  how.rows = options.rows_of == "kernels" ? video::ScorerRows::kernels
             : options.rows_of == "host"  ? video::ScorerRows::host
                                          : video::ScorerRows::automatic;
  return video::Scorer::create(clip.format(), work.features, std::move(how));
}

// Reads both files, as the program's `video` command does.
Status add_files(video::Scorer& scorer, const Clip& clip) {
  PENSTOCK_ASSIGN(const auto pair, video::VideoPair::open(clip.path(true), clip.path(false), {}));
  pair->read_planes_for(scorer);
  video::Picture reference, distorted;
  for (;;) {
    PENSTOCK_ASSIGN(const bool has_pair, pair->next(reference, distorted));
    if (!has_pair) return {};
    PENSTOCK_TRY(scorer.add(reference, distorted));
  }
}

// Integers and values derived from them are equal; other values are within libvmaf's five decimals.
Status compare(const video::Scores& scores, const video::Scores& expected) {
  for (const std::string& key : expected.keys())
    for (std::uint64_t frame = 0; frame < expected.frame_count(); frame++) {
      const double one = scores.value(key, frame).value_or(std::nan("")),
                   other = expected.value(key, frame).value_or(std::nan(""));
      if (!(std::abs(one - other) < 5e-5 * std::max(1.0, std::abs(other))) && one != other)
        return {Code::internal, key + " of frame " + std::to_string(frame) + " is " +
                                    std::to_string(one) + ", not " + std::to_string(other)};
    }
  return {};
}

Status verify(const std::shared_ptr<Device>& device, const Clip& clip, const Work& work,
              const VideoOptions& options) {
  PENSTOCK_ASSIGN(const auto scorer, make_scorer(device, clip, work, options));
  PENSTOCK_ASSIGN(const auto host,
                  video::Scorer::create(clip.format(), work.features, {.device = "host"}));
  for (std::uint64_t frame = 0; frame < 2; frame++) {
    PENSTOCK_TRY(clip.add(*scorer, Source::host, frame));
    PENSTOCK_TRY(clip.add(*host, Source::host, frame));
  }
  PENSTOCK_ASSIGN(const video::Scores scores, scorer->finish());
  PENSTOCK_ASSIGN(const video::Scores expected, host->finish());
  return compare(scores, expected);
}

// Seconds a frame, from the first that is added until all scores are there.
Result<double> run_seconds(const std::shared_ptr<Device>& device, const Clip& clip,
                           const Work& work, Source source, const VideoOptions& options) {
  PENSTOCK_ASSIGN(const auto scorer, make_scorer(device, clip, work, options));
  // Memory is allocated when a first frame comes.
  if (source != Source::file)
    for (std::uint64_t frame = 0; frame < 32; frame++)
      PENSTOCK_TRY(clip.add(*scorer, source, frame));
  const std::uint64_t before = scorer->counts().frames;
  const double start = now_seconds();
  if (source == Source::file)
    PENSTOCK_TRY(add_files(*scorer, clip));
  else
    for (std::uint64_t frame = 0; frame < options.rows; frame++)
      PENSTOCK_TRY(clip.add(*scorer, source, frame));
  PENSTOCK_TRY(scorer->finish().status());
  return (now_seconds() - start) / static_cast<double>(scorer->counts().frames - before);
}

// The bytes that must be read for a frame: luma of both videos, or only the reference's for motion;
// chroma if a feature asks for it.
double bytes_of(const Work& work, const PictureFormat& format) {
  bool has_chroma = false, has_distorted = false;
  for (const FeatureRequest& feature : work.features) {
    has_chroma |= feature.name == "psnr" || feature.name == "ciede";
    has_distorted |= feature.name != "motion" && feature.name != "float_motion";
  }
  const double luma = 1.0 * format.width * format.height * (format.bits > 8 ? 2 : 1);
  return (has_chroma ? static_cast<double>(video::picture_bytes(format)) : luma) *
         (has_distorted ? 2 : 1);
}

Status measure_size(const std::shared_ptr<Device>& device, const std::string& size,
                    const VideoOptions& options, Figures& figures) {
  PENSTOCK_ASSIGN(const PictureFormat format, format_of(size, options.bits));
  show_progress(size, "making frames");
  const TemporaryFolder temporary("video");
  PENSTOCK_TRY(temporary.status());
  std::filesystem::path folder = temporary.path();
  if (!options.outputs_folder.empty()) {
    std::error_code error;
    folder = std::filesystem::path(options.outputs_folder) / size;
    std::filesystem::create_directories(folder, error);
    if (error) return {Code::io, "cannot make " + folder.string() + ": " + error.message()};
  }
  Clip clip;
  PENSTOCK_TRY(clip.make(format));
  PENSTOCK_TRY(clip.upload(*device));
  const auto is_of_files = [&](const Work& work) {
    return is_selected(options, work.name + ", from files");
  };
  const std::vector<Work> all = works();
  if (!options.outputs_folder.empty() || std::ranges::any_of(all, is_of_files))
    PENSTOCK_TRY(clip.write(folder));
  for (const Work& work : all) {
    bool is_verified = false;
    for (const Source source : {Source::resident, Source::host, Source::file}) {
      const std::string name =
          work.name + ", " + std::string(source_names[static_cast<std::size_t>(source)]);
      if (!is_selected(options, name)) continue;
      const auto scorer = make_scorer(device, clip, work, options);
      if (!scorer.ok() && scorer.status().code() == Code::unsupported) continue;
      PENSTOCK_TRY(scorer.status());
      const video::FeatureReport& report = (*scorer)->reports()[0];
      if (source == Source::resident && report.place == "host") continue;
      show_progress(size + " " + name, "checking");
      if (!is_verified) PENSTOCK_TRY(verify(device, clip, work, options).with(size + " " + name));
      is_verified = true;
      PENSTOCK_ASSIGN(Figure figure,
                      time_runs(size + " " + name, "penstock " + report.variant,
                                bytes_of(work, format), options.repeats,
                                [&] { return run_seconds(device, clip, work, source, options); }));
      figure.frames_per_second = 1 / figure.median_seconds;
      figures.push_back(std::move(figure));
    }
  }
  return {};
}

}  // namespace

Result<Figures> measure_video(const std::shared_ptr<Device>& device, const BenchOptions& options) {
  VideoOptions all;
  static_cast<BenchOptions&>(all) = options;
  all.rows_of = "kernels";
  Figures figures;
  PENSTOCK_TRY(measure_size(device, "1920x1080", all, figures));
  for (Figure& figure : figures) figure.work.erase(0, figure.work.find(' ') + 1);
  return figures;
}

Action declare_bench_video(Arguments& arguments) {
  auto options = std::make_shared<VideoOptions>();
  options->rows = 96;
  options->repeats = 5;
  declare_bench_options(arguments, *options, {"frames of a run", 1 << 20, case_names()});
  arguments.value("--sizes", "WxH,...", options->sizes, "sizes of frames, separated by commas");
  arguments.value("--bits", "N", options->bits, "bits of a sample: 8, 10, 12 or 16", 8, 16);
  arguments.value("--write-outputs", "FOLDER", options->outputs_folder,
                  "keep the files of frames here, for baselines");
  arguments.choice("--rows-of", {"automatic", "kernels", "host"}, options->rows_of,
                   "which implementation of a feature runs");
  return [options] {
    return run_bench(
        *options, "frames",
        [&](const std::shared_ptr<Device>& device, const BenchOptions& now) -> Result<Figures> {
          VideoOptions all = *options;
          static_cast<BenchOptions&>(all) = now;
          Figures figures;
          for (const std::string& size : split_at(all.sizes, ','))
            PENSTOCK_TRY(measure_size(device, size, all, figures));
          return figures;
        });
  };
}

}  // namespace penstock::bench
