// Scores of videos: of two files, and of frames that Python has, in host or device memory.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "video/input/video_pair.hpp"

namespace penstock::python {
namespace {

using video::PictureFormat;

PictureFormat format_of(std::uint32_t width, std::uint32_t height, std::uint32_t bits,
                        const std::string& chroma) {
  for (const video::Chroma known :
       {video::Chroma::none, video::Chroma::c420, video::Chroma::c422, video::Chroma::c444})
    if (name_of(known) == chroma) return {width, height, bits, known};
  throw StatusError{
      Status(Code::invalid, "no chroma subsampling '" + chroma + "': 400, 420, 422, 444")};
}

std::vector<video::FeatureRequest> requests_of(const std::vector<std::string>& features) {
  std::vector<video::FeatureRequest> requests;
  for (const std::string& feature : features)
    requests.push_back(value_of(video::parse_feature_request(feature)));
  return requests;
}

// Returns {key: [score of each frame, or None]}, and {key: score of the whole}.
nb::tuple scores_of(const video::Scores& scores) {
  nb::dict by_key, aggregates;
  for (const std::string& key : scores.keys()) {
    nb::list frames;
    for (std::uint64_t frame = 0; frame < scores.frame_count(); frame++) {
      const auto value = scores.value(key, frame);
      frames.append(value ? nb::cast(*value) : nb::none());
    }
    by_key[key.c_str()] = frames;
  }
  for (const auto& [key, value] : scores.aggregates()) aggregates[key.c_str()] = value;
  return nb::make_tuple(by_key, aggregates);
}

// Frames of numbers in host memory: a plane each of Y, Cb and Cr, rows that follow one another.
using HostPlane = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

class Scorer {
 public:
  Scorer(std::uint32_t width, std::uint32_t height, std::uint32_t bits, const std::string& chroma,
         const std::vector<std::string>& features, const std::string& device,
         std::uint64_t subsample)
      : format_(format_of(width, height, bits, chroma)) {
    const auto requests = requests_of(features);
    const nb::gil_scoped_release released;
    check(check_format(format_));
    video::ScorerOptions options;
    options.device = device;
    options.subsample = subsample;
    scorer_ = value_of(video::Scorer::create(format_, requests, std::move(options)));
  }

  void add(const std::vector<HostPlane>& reference, const std::vector<HostPlane>& distorted) {
    const video::Picture one = picture_of(reference), other = picture_of(distorted);
    const nb::gil_scoped_release released;
    check(scorer_->add(one, other));
  }
  nb::tuple finish() {
    std::optional<Result<video::Scores>> scores;
    {
      const nb::gil_scoped_release released;
      scores = scorer_->finish();
    }
    check(scores->status());
    return scores_of(**scores);
  }
  std::vector<std::string> places() const {
    std::vector<std::string> all;
    for (const video::FeatureReport& report : scorer_->reports())
      all.push_back(report.feature + ": " + report.place + ", " + report.variant);
    return all;
  }

 private:
  video::Picture picture_of(const std::vector<HostPlane>& planes) const {
    const std::uint32_t sample_bytes = format_.bits > 8 ? 2 : 1;
    if (planes.size() != plane_count(format_)) throw_format("planes", planes.size());
    video::Picture picture;
    picture.format = format_;
    for (std::uint32_t i = 0; i < planes.size(); i++) {
      const HostPlane& plane = planes[i];
      if (plane.shape(0) != plane_height(format_, i)) throw_format("rows", plane.shape(0));
      if (plane.shape(1) != plane_width(format_, i)) throw_format("columns", plane.shape(1));
      if (plane.itemsize() != sample_bytes || plane.stride(1) != 1)
        throw_format("bytes a sample, or strides between samples", plane.itemsize());
      picture.planes[i] = {static_cast<const std::byte*>(plane.data()),
                           static_cast<std::size_t>(plane.stride(0)) * sample_bytes};
    }
    return picture;
  }
  [[noreturn]] void throw_format(const std::string& what, std::size_t count) const {
    throw StatusError{Status(Code::invalid, "a frame of " + video::format_text(format_) + " has " +
                                                std::to_string(count) + " " + what)};
  }

  PictureFormat format_;
  std::unique_ptr<video::Scorer> scorer_;
};

nb::tuple score_files(const std::string& reference, const std::string& distorted,
                      const std::vector<std::string>& features, const std::string& device,
                      nb::object raw, std::uint64_t subsample, std::uint64_t frame_limit) {
  const auto requests = requests_of(features);
  SignalCheck signals;
  video::VideoPairOptions options;
  if (!raw.is_none()) {
    const nb::tuple format = nb::cast<nb::tuple>(raw);
    options.raw = format_of(nb::cast<std::uint32_t>(format[0]), nb::cast<std::uint32_t>(format[1]),
                            nb::cast<std::uint32_t>(format[2]), nb::cast<std::string>(format[3]));
  }
  if (frame_limit > 0) options.frame_limit = frame_limit;
  options.is_interrupted = [&] { return !signals.keep_on(); };
  std::string ended_early;
  const auto score = [&]() -> Result<video::Scores> {
    PENSTOCK_ASSIGN(const auto pair, video::VideoPair::open(reference, distorted, options));
    video::ScorerOptions of_scorer;
    of_scorer.device = device;
    of_scorer.subsample = subsample;
    PENSTOCK_ASSIGN(const auto scorer,
                    video::Scorer::create(pair->format(), requests, std::move(of_scorer)));
    pair->read_planes_for(*scorer);
    video::Picture one, other;
    for (;;) {
      PENSTOCK_ASSIGN(const bool has_pair, pair->next(one, other));
      if (!has_pair) break;
      PENSTOCK_TRY(scorer->add(one, other));
      if (!signals.keep_on()) return Status(Code::cancelled, "interrupted");
    }
    ended_early = pair->ended_early();
    return scorer->finish();
  };
  std::optional<Result<video::Scores>> scores;
  {
    const nb::gil_scoped_release released;
    scores = score();
  }
  check_work(scores->status());
  return nb::make_tuple(scores_of(**scores), ended_early);
}

nb::list features() {
  nb::list all;
  for (const video::FeatureInfo& info : video::list_features())
    all.append(nb::make_tuple(std::string(info.name), std::string(info.summary)));
  return all;
}

}  // namespace

void add_videos(nb::module_& module) {
  module.def("video_features", features);
  module.def("score_files", score_files, nb::arg("reference"), nb::arg("distorted"),
             nb::arg("features"), nb::arg("device"), nb::arg("raw").none(), nb::arg("subsample"),
             nb::arg("frame_limit"));
  nb::class_<Scorer>(module, "Scorer")
      .def(nb::init<std::uint32_t, std::uint32_t, std::uint32_t, const std::string&,
                    const std::vector<std::string>&, const std::string&, std::uint64_t>())
      .def("add", &Scorer::add)
      .def("finish", &Scorer::finish)
      .def("places", &Scorer::places);
}

}  // namespace penstock::python
