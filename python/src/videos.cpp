// Scores of videos: of two files, and of frames that Python has, in host or device memory.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <deque>

#include "session_handle.hpp"
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

// A plane of Y, Cb or Cr, in the memory of the host or of a device.
using FramePlane = nb::ndarray<nb::ro, nb::ndim<2>>;
using FramePlanes = std::vector<FramePlane>;

class Scorer {
 public:
  // `has_device_frames`: frames are in the memory of `device`.
  Scorer(std::uint32_t width, std::uint32_t height, std::uint32_t bits, const std::string& chroma,
         const std::vector<std::string>& features, const std::string& device,
         std::uint64_t subsample, bool has_device_frames)
      : format_(format_of(width, height, bits, chroma)) {
    const auto requests = requests_of(features);
    const nb::gil_scoped_release released;
    check(check_format(format_));
    video::ScorerOptions options;
    options.subsample = subsample;
    if (has_device_frames) {
      device_ = value_of(open_device(device));
      options.opened = device_;
      options.rows = video::ScorerRows::kernels;
      // Producers of DLPack let the default stream wait for the stream that makes the values.
      options.queue = value_of(device_->import_queue(0));
      marks_ = value_of(device_->import_queue(0));
    } else {
      options.device = device;
    }
    scorer_ = value_of(video::Scorer::create(format_, requests, std::move(options)));
  }
  ~Scorer() {
    const nb::gil_scoped_release released;
    for (const FrameInUse& frame : in_use_) [[maybe_unused]]
      const Status done = frame.is_read->wait();
  }

  void add(const FramePlanes& reference, const FramePlanes& distorted) {
    if (device_) return add_there(reference, distorted);
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
  // Planes whose owners may free them when the kernels have read them.
  struct FrameInUse {
    FramePlanes reference, distorted;
    std::shared_ptr<Event> is_read;
  };

  void add_there(const FramePlanes& reference, const FramePlanes& distorted) {
    const video::DevicePicture one = device_picture_of(reference),
                               other = device_picture_of(distorted);
    FrameInUse frame{reference, distorted, nullptr};
    {
      const nb::gil_scoped_release released;
      const Status added = scorer_->add(one, other);
      frame.is_read = value_of(marks_->record());
      if (!added.ok()) static_cast<void>(frame.is_read->wait());  // kernels may have begun
      check(added);
    }
    in_use_.push_back(std::move(frame));
    constexpr std::size_t frames_ahead = 8;
    if (in_use_.size() <= frames_ahead) return;
    {
      const nb::gil_scoped_release released;
      check(in_use_.front().is_read->wait());
    }
    in_use_.pop_front();
  }

  std::uint32_t sample_bytes() const { return format_.bits > 8 ? 2 : 1; }
  void check_planes(const FramePlanes& planes) const {
    if (planes.size() != plane_count(format_)) throw_format("planes", planes.size());
    for (std::uint32_t i = 0; i < planes.size(); i++) {
      const FramePlane& plane = planes[i];
      if (plane.shape(0) != plane_height(format_, i)) throw_format("rows", plane.shape(0));
      if (plane.shape(1) != plane_width(format_, i)) throw_format("columns", plane.shape(1));
      if (plane.itemsize() != sample_bytes() || plane.stride(1) != 1)
        throw_format("bytes a sample, or strides between samples", plane.itemsize());
      if (plane.stride(0) < 0) throw_format("rows from bottom to top:", plane.shape(0));
    }
  }
  std::size_t row_bytes(const FramePlane& plane) const {
    return static_cast<std::size_t>(plane.stride(0)) * sample_bytes();
  }

  video::Picture picture_of(const FramePlanes& planes) const {
    check_planes(planes);
    video::Picture picture;
    picture.format = format_;
    for (std::size_t i = 0; i < planes.size(); i++) {
      if (planes[i].device_type() != nb::device::cpu::value)
        throw StatusError{Status(Code::invalid,
                                 "a frame is in the memory of a device, and the "
                                 "first frame is on the host")};
      picture.planes[i] = {static_cast<const std::byte*>(planes[i].data()), row_bytes(planes[i])};
    }
    return picture;
  }

  video::DevicePicture device_picture_of(const FramePlanes& planes) const {
    check_planes(planes);
    video::DevicePicture picture;
    picture.format = format_;
    for (std::size_t i = 0; i < planes.size(); i++) {
      const FramePlane& plane = planes[i];
      if (!is_there(plane.device_type(), plane.device_id(), *device_))
        throw StatusError{Status(Code::invalid,
                                 "a frame is not in the memory of the scorer's "
                                 "device, " +
                                     device_->traits().id)};
      // Buffers begin at 16 bytes, as allocations do.
      const auto address = reinterpret_cast<std::uint64_t>(plane.data());
      const std::uint64_t first = address % 16;
      const std::uint64_t bytes =
          (plane.shape(0) - 1) * row_bytes(plane) + plane.shape(1) * sample_bytes();
      picture.planes[i] = {value_of(device_->import_memory(address - first, first + bytes)), first,
                           row_bytes(plane)};
    }
    return picture;
  }
  [[noreturn]] void throw_format(const std::string& what, std::size_t count) const {
    throw StatusError{Status(Code::invalid, "a frame of " + video::format_text(format_) + " has " +
                                                std::to_string(count) + " " + what)};
  }

  PictureFormat format_;
  std::shared_ptr<Device> device_;  // of frames in its memory
  std::unique_ptr<Queue> marks_;    // the scorer's, for events
  std::deque<FrameInUse> in_use_;
  std::unique_ptr<video::Scorer> scorer_;
};

nb::tuple score_files(const std::string& reference, const std::string& distorted,
                      const std::vector<std::string>& features, const std::string& device,
                      nb::object raw, std::uint64_t subsample, std::uint64_t frame_limit) {
  const auto requests = requests_of(features);
  SignalCheck signals;
  video::VideoPairOptions options;
  if (!raw.is_none()) {
    using Raw = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string>;
    const auto [width, height, bits, chroma] = nb::cast<Raw>(raw);
    options.raw = format_of(width, height, bits, chroma);
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
                    const std::vector<std::string>&, const std::string&, std::uint64_t, bool>())
      .def("add", &Scorer::add)
      .def("finish", &Scorer::finish)
      .def("places", &Scorer::places);
}

}  // namespace penstock::python
