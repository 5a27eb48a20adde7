// Frames in the caller's memory, padded and not, from C and from C++: scores equal the scores of
// frames that the scorer uploads itself.
#include <gtest/gtest.h>

#include <cstring>

#include "device/c_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "on_device/video/video_from_c.h"
#include "penstock/video.hpp"
#include "testdata/video_clips.hpp"

namespace penstock::video {
namespace {

constexpr std::uint32_t frame_count = 40;  // more than a ring of small frames has slots
const PictureFormat formats[] = {{64, 48, 8, Chroma::c420},
                                 {61, 47, 8, Chroma::c420},
                                 {62, 46, 10, Chroma::c422},
                                 {33, 35, 16, Chroma::none}};
const FeatureRequest features[] = {{"psnr", {}}};

// Rows of each plane begin `padding` samples after the one before ended; planes after `first`
// bytes.
std::vector<std::byte> padded(const PictureFormat& format, const std::vector<std::byte>& planes,
                              std::uint32_t padding, std::uint64_t first,
                              std::array<DevicePlane, 3>& places) {
  const std::uint64_t sample_bytes = format.bits > 8 ? 2 : 1;
  std::vector<std::byte> bytes(first, std::byte{0xA5});
  const std::byte* from = planes.data();
  for (std::uint32_t plane = 0; plane < plane_count(format); plane++) {
    const std::uint64_t row = plane_width(format, plane) * sample_bytes;
    places[plane] = {nullptr, bytes.size(), row + padding * sample_bytes};
    for (std::uint32_t y = 0; y < plane_height(format, plane); y++, from += row) {
      bytes.insert(bytes.end(), from, from + row);
      bytes.insert(bytes.end(), padding * sample_bytes, std::byte{0xA5});
    }
  }
  return bytes;
}

std::vector<ClipMaker::Frame> frames_of(const PictureFormat& format) {
  ClipMaker maker(format, ClipKind::scene);
  std::vector<ClipMaker::Frame> frames;
  for (std::uint32_t i = 0; i < frame_count; i++)
    frames.push_back(maker.frame(static_cast<std::int32_t>(i)));
  return frames;
}

Result<std::unique_ptr<Scorer>> make_scorer(const std::shared_ptr<Device>& device,
                                            const PictureFormat& format) {
  ScorerOptions options;
  options.opened = device;
  options.rows = ScorerRows::kernels;
  return Scorer::create(format, features, std::move(options));
}

Result<Scores> uploaded_scores(const std::shared_ptr<Device>& device, const PictureFormat& format,
                               const std::vector<ClipMaker::Frame>& frames) {
  PENSTOCK_ASSIGN(const auto scorer, make_scorer(device, format));
  for (const auto& frame : frames)
    PENSTOCK_TRY(scorer->add(picture_of(format, frame.reference).value(),
                             picture_of(format, frame.distorted).value()));
  return scorer->finish();
}

Result<Scores> resident_scores(const std::shared_ptr<Device>& device, const PictureFormat& format,
                               const std::vector<ClipMaker::Frame>& frames, std::uint32_t padding,
                               std::uint64_t first) {
  PENSTOCK_ASSIGN(const auto scorer, make_scorer(device, format));
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  std::vector<DevicePicture> kept;
  for (const auto& frame : frames) {
    for (const auto* planes : {&frame.reference, &frame.distorted}) {
      DevicePicture picture{.format = format};
      const auto bytes = padded(format, *planes, padding, first, picture.planes);
      PENSTOCK_ASSIGN(const auto buffer, on_device(*device, *queue, bytes));
      PENSTOCK_TRY(queue->finish());
      for (auto& plane : picture.planes) plane.buffer = buffer;
      kept.push_back(picture);
    }
    PENSTOCK_TRY(scorer->add(kept[kept.size() - 2], kept.back()));
  }
  return scorer->finish();
}

void expect_equal(const Scores& scores, const Scores& expected) {
  ASSERT_EQ(scores.keys(), expected.keys());
  for (const std::string& key : expected.keys())
    for (std::uint32_t i = 0; i < frame_count; i++)
      ASSERT_EQ(scores.value(key, i), expected.value(key, i)) << key << " " << i;
}

TEST(DevicePictures, PaddedRowsAndPlanesAnywhereScoreAsUploadedFrames) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const PictureFormat& format : formats) {
      const auto frames = frames_of(format);
      TAKE(const Scores expected, uploaded_scores(device, format, frames));
      EXPECT_GT(*expected.value("psnr_y", 0), 1);
      for (const std::uint32_t padding : {0u, 1u, 19u})
        for (const std::uint64_t first : {0ull, 2ull, 34ull}) {
          TAKE(const Scores scores, resident_scores(device, format, frames, padding, first));
          expect_equal(scores, expected);
        }
    }
  });
}

TEST(DevicePictures, PlanesPastTheirBufferAreRefused) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const PictureFormat format = formats[0];
    TAKE(const auto scorer, make_scorer(device, format));
    TAKE(const auto buffer, device->allocate(picture_bytes(format)));
    DevicePicture good{.format = format};
    std::uint64_t first = 0;
    for (std::uint32_t plane = 0; plane < 3; plane++) {
      good.planes[plane] = {buffer, first, plane_width(format, plane)};
      first += std::uint64_t{plane_width(format, plane)} * plane_height(format, plane);
    }
    const auto expect_refused = [&](auto damage) {
      DevicePicture bad = good;
      damage(bad);
      EXPECT_EQ(scorer->add(good, bad).code(), Code::invalid);
      EXPECT_EQ(scorer->add(bad, good).code(), Code::invalid);
    };
    const std::uint64_t end = buffer->bytes();
    expect_refused([](DevicePicture& p) { p.planes[1].buffer = nullptr; });
    expect_refused([](DevicePicture& p) { p.planes[0].row_bytes = 63; });
    expect_refused([](DevicePicture& p) { p.planes[0].row_bytes = std::uint64_t{1} << 33; });
    expect_refused([&](DevicePicture& p) { p.planes[2].first_byte = end - 100; });
    expect_refused([](DevicePicture& p) { p.planes[2].first_byte = ~std::uint64_t{0}; });
    expect_refused([](DevicePicture& p) { p.format.height = 47; });
    EXPECT_OK(scorer->add(good, good));
  });
}

TEST(Scorer, TheHostWaitsLessThanOnceAFrame) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    TAKE(const auto scorer, make_scorer(device, formats[0]));
    for (const auto& frame : frames_of(formats[0]))
      ASSERT_OK(scorer->add(picture_of(formats[0], frame.reference).value(),
                            picture_of(formats[0], frame.distorted).value()));
    ASSERT_OK(scorer->finish());
    EXPECT_EQ(scorer->counts().frames, frame_count);
    EXPECT_LT(scorer->counts().waits, frame_count / 2);
    EXPECT_GE(scorer->counts().launches, frame_count);
  });
}

// Host pictures from C, with rows that are padded.
TEST(VideoFromC, HostPicturesScoreAsInCpp) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const PictureFormat& format = formats[1];
    const auto frames = frames_of(format);
    TAKE(const Scores expected, uploaded_scores(device, format, frames));
    std::vector<std::vector<std::byte>> kept;
    std::vector<penstock_host_picture> references, distorted;
    for (const auto& frame : frames)
      for (const bool is_reference : {true, false}) {
        std::array<DevicePlane, 3> places;
        kept.push_back(
            padded(format, is_reference ? frame.reference : frame.distorted, 3, 0, places));
        penstock_host_picture picture{};
        for (std::size_t plane = 0; plane < 3; plane++) {
          picture.planes[plane] = kept.back().data() + places[plane].first_byte;
          picture.row_bytes[plane] = places[plane].row_bytes;
        }
        (is_reference ? references : distorted).push_back(picture);
      }
    const char* names[] = {"psnr=enable_mse=true"};
    std::vector<double> scores(frame_count);
    c_video video{{format.width, format.height, format.bits, PENSTOCK_CHROMA_420},
                  names,
                  1,
                  "psnr_cb",
                  frame_count,
                  scores.data(),
                  {},
                  nullptr,
                  0,
                  {}};
    penstock_device handle{device};
    penstock_status status{};
    ASSERT_EQ(score_host_pictures(&handle, &video, references.data(), distorted.data(), &status),
              PENSTOCK_OK)
        << status.message;
    for (std::uint32_t i = 0; i < frame_count; i++)
      EXPECT_EQ(scores[i], *expected.value("psnr_cb", i)) << i;
    EXPECT_EQ(video.pooled.mean, expected.pooled("psnr_cb").mean);
    video.key = "psnr_x";
    EXPECT_EQ(score_host_pictures(&handle, &video, references.data(), distorted.data(), &status),
              PENSTOCK_INVALID);
    EXPECT_STREQ(status.message, "invalid: there are no scores of 'psnr_x'");
    names[0] = "psnr=enable_msr=true";
    EXPECT_EQ(score_host_pictures(nullptr, &video, references.data(), distorted.data(), &status),
              PENSTOCK_INVALID);
    EXPECT_NE(std::strstr(status.message, "did you mean 'enable_mse'"), nullptr) << status.message;
  });
}

// Pictures in memory of a C program, on its queue.
void expect_right_on_queue(const std::function<penstock_code(c_video&, penstock_status&)>& run) {
  const PictureFormat& format = formats[1];
  const auto frames = frames_of(format);
  std::vector<std::uint8_t> pictures;
  std::array<DevicePlane, 3> places;
  for (const auto& frame : frames)
    for (const auto* planes : {&frame.reference, &frame.distorted})
      for (const std::byte byte : padded(format, *planes, 5, 16, places))
        pictures.push_back(std::to_integer<std::uint8_t>(byte));
  const char* names[] = {"psnr"};
  std::vector<double> scores(frame_count);
  c_video video{{format.width, format.height, format.bits, PENSTOCK_CHROMA_420},
                names,
                1,
                "psnr_cr",
                frame_count,
                scores.data(),
                {},
                pictures.data(),
                pictures.size() / (2 * frame_count),
                {}};
  for (std::size_t plane = 0; plane < 3; plane++)
    video.places[plane] = {{0, 0}, places[plane].first_byte, places[plane].row_bytes};
  penstock_status status{};
  ASSERT_EQ(run(video, status), PENSTOCK_OK) << status.message;
  TAKE(const auto host, Scorer::create(format, features, {.device = "host"}));
  for (const auto& frame : frames)
    ASSERT_OK(host->add(picture_of(format, frame.reference).value(),
                        picture_of(format, frame.distorted).value()));
  TAKE(const Scores expected, host->finish());
  for (std::uint32_t i = 0; i < frame_count; i++)
    EXPECT_EQ(scores[i], *expected.value("psnr_cr", i)) << i;
}

TEST(VideoFromC, CallersOwnOpenClQueueAndMemoryAreUsed) {
  expect_right_on_queue([](c_video& video, penstock_status& status) {
    return run_on_opencl(0, score_device_pictures, &video, &status);
  });
}

TEST(VideoFromC, CallersOwnCudaStreamAndMemoryAreUsed) {
  penstock_device* device = nullptr;
  if (penstock_device_open("cuda:0", &device, nullptr) == PENSTOCK_NO_DEVICE)
    GTEST_SKIP() << "no CUDA device";
  penstock_device_close(device);
  expect_right_on_queue([](c_video& video, penstock_status& status) {
    return run_on_cuda(score_device_pictures, &video, &status);
  });
}

}  // namespace
}  // namespace penstock::video
