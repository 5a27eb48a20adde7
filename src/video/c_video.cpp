// Implements include/penstock/video.h over video.hpp.
#include "penstock/video.h"

#include <algorithm>

#include "device/c_device.hpp"
#include "penstock/video.hpp"

struct penstock_scorer {
  std::shared_ptr<penstock::Device> device;  // null: the host alone
  penstock::video::PictureFormat format;
  std::unique_ptr<penstock::video::Scorer> scorer;
  std::optional<penstock::video::Scores> scores;  // after finish
};

namespace penstock::video {
namespace {

Result<PictureFormat> format_of(const penstock_picture_format* from) {
  if (from == nullptr) return Status(Code::invalid, "no format");
  if (from->chroma > PENSTOCK_CHROMA_444)
    return Status(Code::invalid, "unknown chroma " + std::to_string(from->chroma));
  const PictureFormat format{from->width, from->height, from->bits,
                             static_cast<Chroma>(from->chroma)};
  PENSTOCK_TRY(check_format(format));
  return format;
}

Result<std::vector<FeatureRequest>> requests_of(const char* const* features, std::uint32_t count) {
  std::vector<FeatureRequest> requests;
  for (std::uint32_t i = 0; i < count; i++) {
    if (features == nullptr || features[i] == nullptr)
      return Status(Code::invalid, "feature " + std::to_string(i) + " is null");
    PENSTOCK_ASSIGN(auto request, parse_feature_request(features[i]));
    requests.push_back(std::move(request));
  }
  return requests;
}

Status create(penstock_device* device, ScorerOptions options, const penstock_picture_format* format,
              const char* const* features, std::uint32_t feature_count, penstock_scorer** scorer) {
  if (scorer == nullptr) return {Code::invalid, "the pointer to the scorer's handle is null"};
  *scorer = nullptr;
  auto made = std::make_unique<penstock_scorer>();
  PENSTOCK_ASSIGN(made->format, format_of(format));
  PENSTOCK_ASSIGN(const auto requests, requests_of(features, feature_count));
  if (device != nullptr)
    options.opened = made->device = device->device;
  else
    options.device = "host";
  PENSTOCK_ASSIGN(made->scorer, Scorer::create(made->format, requests, std::move(options)));
  *scorer = made.release();
  return {};
}

Status check_open(const penstock_scorer* scorer, const void* one, const void* other) {
  if (scorer == nullptr || one == nullptr || other == nullptr)
    return {Code::invalid, "no scorer, or no picture"};
  if (scorer->scores) return {Code::invalid, "the scorer is finished"};
  return {};
}

Result<Picture> host_picture(const penstock_host_picture& from, const PictureFormat& format) {
  Picture picture{.format = format};
  const std::uint64_t sample_bytes = format.bits > 8 ? 2 : 1;
  for (std::uint32_t plane = 0; plane < plane_count(format); plane++) {
    if (from.planes[plane] == nullptr ||
        from.row_bytes[plane] < plane_width(format, plane) * sample_bytes)
      return Status(Code::invalid,
                    "plane " + std::to_string(plane) + " is null, or its rows are too short");
    picture.planes[plane] = {static_cast<const std::byte*>(from.planes[plane]),
                             from.row_bytes[plane]};
  }
  return picture;
}

// Kernels load 16 bytes at once. An address in between is told as a plane that begins later, which
// is then copied.
penstock_device_plane aligned(const Device& device, penstock_device_plane plane) {
  const std::uint64_t before = plane.memory.handle % 16;
  // OpenCL handles are cl_mem objects, which have no address.
  if (device.traits().target == Target::opencl || before == 0) return plane;
  plane.memory.handle -= before;
  plane.memory.bytes += before;
  plane.first_byte += before;
  return plane;
}

// A memory that several planes name is imported once.
Result<DevicePicture> device_picture(Device& device, const penstock_device_picture& from,
                                     const PictureFormat& format) {
  DevicePicture picture{.format = format};
  for (std::uint32_t plane = 0; plane < plane_count(format); plane++) {
    const penstock_device_plane at = aligned(device, from.planes[plane]);
    DevicePlane& to = picture.planes[plane];
    to.first_byte = at.first_byte;
    to.row_bytes = at.row_bytes;
    for (std::uint32_t before = 0; before < plane; before++)
      if (from.planes[before].memory.handle == from.planes[plane].memory.handle &&
          from.planes[before].memory.bytes == from.planes[plane].memory.bytes)
        to.buffer = picture.planes[before].buffer;
    if (!to.buffer) {
      PENSTOCK_ASSIGN(to.buffer, device.import_memory(at.memory.handle, at.memory.bytes));
    }
  }
  return picture;
}

Result<const Scores*> scores_of(const penstock_scorer* scorer, const char* key) {
  if (scorer == nullptr || key == nullptr) return Status(Code::invalid, "no scorer, or no key");
  if (!scorer->scores) return Status(Code::invalid, "the scorer is not finished");
  if (std::ranges::find(scorer->scores->keys(), key) == scorer->scores->keys().end())
    return Status(Code::invalid, "there are no scores of '" + std::string(key) + "'");
  return &*scorer->scores;
}

}  // namespace
}  // namespace penstock::video

using namespace penstock;

extern "C" {

penstock_code penstock_scorer_create(penstock_device* device, const penstock_picture_format* format,
                                     const char* const* features, uint32_t feature_count,
                                     penstock_scorer** scorer, penstock_status* status) {
  return c::enter(
      status, [&] { return video::create(device, {}, format, features, feature_count, scorer); });
}

penstock_code penstock_scorer_create_on_queue(penstock_device* device, void* queue,
                                              const penstock_picture_format* format,
                                              const char* const* features, uint32_t feature_count,
                                              penstock_scorer** scorer, penstock_status* status) {
  if (scorer != nullptr) *scorer = nullptr;
  return c::enter(status, [&]() -> Status {
    if (device == nullptr) return {Code::invalid, "a queue needs its device"};
    video::ScorerOptions options;
    options.rows = video::ScorerRows::kernels;
    PENSTOCK_ASSIGN(options.queue,
                    device->device->import_queue(reinterpret_cast<std::uint64_t>(queue)));
    return video::create(device, std::move(options), format, features, feature_count, scorer);
  });
}

void penstock_scorer_free(penstock_scorer* scorer) { delete scorer; }

penstock_code penstock_scorer_add(penstock_scorer* scorer, const penstock_host_picture* reference,
                                  const penstock_host_picture* distorted, penstock_status* status) {
  return c::enter(status, [&]() -> Status {
    PENSTOCK_TRY(video::check_open(scorer, reference, distorted));
    PENSTOCK_ASSIGN(const auto one, video::host_picture(*reference, scorer->format));
    PENSTOCK_ASSIGN(const auto other, video::host_picture(*distorted, scorer->format));
    return scorer->scorer->add(one, other);
  });
}

penstock_code penstock_scorer_enqueue(penstock_scorer* scorer,
                                      const penstock_device_picture* reference,
                                      const penstock_device_picture* distorted,
                                      penstock_status* status) {
  return c::enter(status, [&]() -> Status {
    PENSTOCK_TRY(video::check_open(scorer, reference, distorted));
    if (!scorer->device) return {Code::invalid, "the scorer has no device"};
    PENSTOCK_ASSIGN(const auto one,
                    video::device_picture(*scorer->device, *reference, scorer->format));
    PENSTOCK_ASSIGN(const auto other,
                    video::device_picture(*scorer->device, *distorted, scorer->format));
    return scorer->scorer->add(one, other);
  });
}

penstock_code penstock_scorer_finish(penstock_scorer* scorer, penstock_status* status) {
  return c::enter(status, [&]() -> Status {
    PENSTOCK_TRY(video::check_open(scorer, scorer, scorer));
    PENSTOCK_ASSIGN(scorer->scores, scorer->scorer->finish());
    return {};
  });
}

uint64_t penstock_scorer_frame_count(const penstock_scorer* scorer) {
  return scorer->scorer->counts().frames;
}

const char* penstock_scorer_key(const penstock_scorer* scorer, uint32_t index) {
  if (!scorer->scores || index >= scorer->scores->keys().size()) return nullptr;
  return scorer->scores->keys()[index].c_str();
}

penstock_code penstock_scorer_score(const penstock_scorer* scorer, const char* key, uint64_t frame,
                                    double* score, penstock_status* status) {
  return c::enter(status, [&]() -> Status {
    PENSTOCK_ASSIGN(const auto scores, video::scores_of(scorer, key));
    const auto value = scores->value(key, frame);
    if (!value || score == nullptr)
      return {Code::invalid, "frame " + std::to_string(frame) + " has no score of '" + key + "'"};
    *score = *value;
    return {};
  });
}

penstock_code penstock_scorer_pooled(const penstock_scorer* scorer, const char* key,
                                     penstock_pooled* pooled, penstock_status* status) {
  return c::enter(status, [&]() -> Status {
    PENSTOCK_ASSIGN(const auto scores, video::scores_of(scorer, key));
    if (pooled == nullptr) return {Code::invalid, "the pointer to the result is null"};
    const video::Pooled of = scores->pooled(key);
    *pooled = {of.min, of.max, of.mean, of.harmonic_mean};
    return {};
  });
}

const char* penstock_scorer_place(const penstock_scorer* scorer, uint32_t feature) {
  const auto reports = scorer->scorer->reports();
  return feature < reports.size() ? reports[feature].place.c_str() : nullptr;
}

}  // extern "C"
