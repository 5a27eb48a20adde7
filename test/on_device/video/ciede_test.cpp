// CIEDE2000 by kernels against the oracle's loop in double, on colours that are hard for single
// precision.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "video/feature.hpp"
#include "video_oracle.hpp"

namespace penstock::video {
namespace {

struct Colour {
  std::uint32_t y, u, v;
};
// A frame's colour at a pixel, before chroma is taken from the cell's first pixel.
using Colours = std::function<Colour(std::uint32_t x, std::uint32_t y)>;

std::uint32_t hash_of_position(std::uint32_t x, std::uint32_t y) {
  std::uint32_t hash = x * 0x9E3779B1u ^ y * 0x85EBCA77u;
  hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
  return hash ^ hash >> 13;
}

// Samples of 8 bits, scaled to the format's; what `low_bits` says below them.
std::vector<std::byte> frame_of(const PictureFormat& format, const Colours& colours,
                                std::uint32_t low_bits = 0) {
  std::vector<std::byte> bytes;
  for (std::uint32_t plane = 0; plane < 3; plane++)
    for (std::uint32_t y = 0; y < plane_height(format, plane); y++)
      for (std::uint32_t x = 0; x < plane_width(format, plane); x++) {
        const bool is_luma = plane == 0;
        const std::uint32_t left = is_luma || format.chroma == Chroma::c444 ? x : 2 * x,
                            top = is_luma || format.chroma != Chroma::c420 ? y : 2 * y;
        const Colour colour = colours(left, top);
        const std::uint32_t eight = is_luma ? colour.y : plane == 1 ? colour.u : colour.v;
        const std::uint32_t low = format.bits > 8 ? low_bits % (1u << (format.bits - 8)) : 0;
        const std::uint32_t sample = (eight << (format.bits - 8)) + low;
        bytes.push_back(static_cast<std::byte>(sample & 255));
        if (format.bits > 8) bytes.push_back(static_cast<std::byte>(sample >> 8));
      }
  return bytes;
}

double oracle_score(const PictureFormat& format, const std::vector<std::byte>& reference,
                    const std::vector<std::byte>& distorted) {
  const oracle::Frame frame = {format, oracle::planes_of(format, reference),
                               oracle::planes_of(format, distorted)};
  return oracle::ciede({frame}, {}).scores.at("ciede2000")[0];
}
Result<double> device_score(const std::shared_ptr<Device>& device, const PictureFormat& format,
                            const std::vector<std::byte>& reference,
                            const std::vector<std::byte>& distorted) {
  const FeatureRequest requests[] = {{"ciede"}};
  PENSTOCK_ASSIGN(
      const auto scorer,
      Scorer::create(format, requests, {.opened = device, .rows = ScorerRows::kernels}));
  PENSTOCK_ASSIGN(const Picture one, picture_of(format, reference));
  PENSTOCK_ASSIGN(const Picture other, picture_of(format, distorted));
  PENSTOCK_TRY(scorer->add(one, other));
  PENSTOCK_ASSIGN(const Scores scores, scorer->finish());
  return scores.value("ciede2000", 0).value();
}

struct Scene {
  const char* name;
  Colours reference, distorted;
};
Colour moved(Colour colour, std::uint32_t x, std::uint32_t y) {
  const std::uint32_t hash = hash_of_position(x + 1000, y);
  const auto move = [](std::uint32_t sample, std::uint32_t by) {
    return std::min(255u, std::max(2u, sample) + by % 5 - 2);
  };
  return {move(colour.y, hash), move(colour.u, hash >> 8), move(colour.v, hash >> 16)};
}
Scene scene(const char* name, const Colours& colours) {
  return {name, colours,
          [colours](std::uint32_t x, std::uint32_t y) { return moved(colours(x, y), x, y); }};
}

std::vector<Scene> scenes() {
  const auto part = [](std::uint32_t x, std::uint32_t y, std::uint32_t shift, std::uint32_t low,
                       std::uint32_t count) {
    return low + (hash_of_position(x, y) >> shift) % count;
  };
  return {
      scene("natural",
            [=](std::uint32_t x, std::uint32_t y) {
              return Colour{part(x, y, 0, 16, 220), part(x, y, 8, 98, 60), part(x, y, 16, 98, 60)};
            }),
      scene("every value, most out of range",
            [=](std::uint32_t x, std::uint32_t y) {
              return Colour{part(x, y, 0, 0, 256), part(x, y, 8, 0, 256), part(x, y, 16, 0, 256)};
            }),
      scene("dark",
            [=](std::uint32_t x, std::uint32_t y) {
              return Colour{part(x, y, 0, 12, 30), part(x, y, 8, 131, 9), part(x, y, 16, 117, 9)};
            }),
      scene("near-neutral",
            [=](std::uint32_t x, std::uint32_t y) {
              return Colour{part(x, y, 0, 40, 180), part(x, y, 8, 127, 3), part(x, y, 16, 127, 3)};
            }),
      scene("blue",
            [=](std::uint32_t x, std::uint32_t y) {
              return Colour{part(x, y, 0, 40, 60), part(x, y, 8, 180, 60), part(x, y, 16, 90, 40)};
            }),
      {"opposite hues",
       [=](std::uint32_t x, std::uint32_t y) {
         return Colour{part(x, y, 0, 60, 120), part(x, y, 8, 100, 57), part(x, y, 16, 100, 57)};
       },
       [=](std::uint32_t x, std::uint32_t y) {
         return Colour{part(x, y, 0, 60, 120), 256 - part(x, y, 8, 100, 57),
                       256 - part(x, y, 16, 100, 57)};
       }},
      // In the dark Lab is a linear function of samples, so hues are almost opposite. If they are
      // exactly opposite, rounding alone decides on which side the mean hue lies, in libvmaf too.
      {"dark and almost opposite",
       [=](std::uint32_t x, std::uint32_t y) {
         return Colour{18, 128 - part(x, y, 8, 1, 5), 128 - part(x, y, 16, 1, 5)};
       },
       [=](std::uint32_t x, std::uint32_t y) {
         return Colour{18, 129 + part(x, y, 8, 1, 5), 128 + part(x, y, 16, 1, 5)};
       }},
      {"grey beside colour",
       [=](std::uint32_t x, std::uint32_t y) { return Colour{part(x, y, 0, 40, 180), 128, 128}; },
       [=](std::uint32_t x, std::uint32_t y) {
         return Colour{part(x, y, 0, 40, 180), part(x, y, 8, 100, 57), part(x, y, 16, 100, 57)};
       }},
  };
}

std::vector<PictureFormat> ciede_formats() {
  return {{128, 96, 8, Chroma::c420}, {127, 95, 8, Chroma::c420},  {61, 64, 8, Chroma::c422},
          {64, 61, 8, Chroma::c444},  {127, 95, 10, Chroma::c420}, {66, 64, 12, Chroma::c422},
          {63, 65, 16, Chroma::c420}, {65, 63, 16, Chroma::c444}};
}

TEST(Ciede, KernelsScoreHardColoursAsTheOracleDoes) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const PictureFormat& format : ciede_formats())
      for (const Scene& scene : scenes()) {
        const auto reference = frame_of(format, scene.reference, 3),
                   distorted = frame_of(format, scene.distorted, 7);
        const double expected = oracle_score(format, reference, distorted);
        TAKE(const double actual, device_score(device, format, reference, distorted));
        // PoCL is within 1e-5. Approximations of a GPU have errors of their own.
        EXPECT_NEAR(actual, expected, 2e-5)
            << scene.name << " " << format.width << "x" << format.height << " " << format.bits
            << " bits " << name_of(format.chroma);
      }
  });
}

TEST(Ciede, EqualFramesHaveAnInfiniteScore) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const PictureFormat& format : ciede_formats())
      for (const Scene& scene : scenes()) {
        const auto frame = frame_of(format, scene.reference);
        TAKE(const double score, device_score(device, format, frame, frame));
        EXPECT_EQ(score, std::numeric_limits<double>::infinity()) << scene.name;
      }
  });
}

// The first and the last sample of each plane, by the smallest step.
TEST(Ciede, OneChangedSampleIsFound) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    const PictureFormat format = {67, 49, 8, Chroma::c420};
    const auto reference = frame_of(format, scenes()[0].reference);
    std::size_t begin = 0;
    for (std::uint32_t plane = 0; plane < 3; plane++) {
      const std::size_t end =
          begin + std::size_t{plane_width(format, plane)} * plane_height(format, plane);
      for (const std::size_t at : {begin, end - 1}) {
        auto distorted = reference;
        distorted[at] ^= std::byte{1};
        const double expected = oracle_score(format, reference, distorted);
        TAKE(const double actual, device_score(device, format, reference, distorted));
        EXPECT_NEAR(actual, expected, 1e-3) << "plane " << plane << " sample " << at - begin;
      }
      begin = end;
    }
  });
}

// Threads that read past a row or a plane, races, and barriers that not all reach. The host's
// MULTIPLY_ADD_F32 rounds once, that of most CPUs' OpenCL twice.
TEST(Ciede, RunsOnTheHostWithoutAFinding) {
  for (const PictureFormat& format :
       {PictureFormat{29, 15, 8, Chroma::c420}, PictureFormat{15, 29, 16, Chroma::c422}})
    for (const Scene& scene : scenes()) {
      const auto reference = frame_of(format, scene.reference),
                 distorted = frame_of(format, scene.distorted);
      const double expected = oracle_score(format, reference, distorted);
      for (const std::uint32_t group_size : {1u, 8u}) {
        const auto device = kernel::make_host_device({.max_group_size = group_size});
        TAKE(const double actual, device_score(device, format, reference, distorted));
        EXPECT_NEAR(actual, expected, 1e-4) << scene.name << " " << group_size;
      }
    }
}

}  // namespace
}  // namespace penstock::video
