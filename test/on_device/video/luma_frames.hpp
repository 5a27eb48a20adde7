// Frames of luma alone that are hard on filters, and their scores on devices beside the host's.
#pragma once
#include <gtest/gtest.h>

#include <cmath>

#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "video/feature.hpp"

namespace penstock::video {

// flat: one value. noise: any values. contrast: a checkerboard of the least and the highest value,
// turned over in every frame, which makes sums as large as they get. point: one bright sample.
// texture: a ramp with little noise, as pictures have.
enum class LumaKind : unsigned char { flat, noise, contrast, point, texture };
constexpr LumaKind luma_kinds[] = {LumaKind::flat, LumaKind::noise, LumaKind::contrast,
                                   LumaKind::point, LumaKind::texture};

inline PictureFormat luma_of(std::uint32_t width, std::uint32_t height, std::uint32_t bits = 8) {
  return {width, height, bits, Chroma::none};
}

// Returns a picture's bytes. `seed` tells frames, and the reference from the distorted picture.
inline std::vector<std::byte> luma_frame(const PictureFormat& format, LumaKind kind,
                                         std::uint32_t seed) {
  const std::uint32_t highest = (1u << format.bits) - 1;
  std::vector<std::byte> bytes;
  std::uint32_t state = seed * 2654435761u + 1;
  for (std::uint32_t y = 0; y < format.height; y++)
    for (std::uint32_t x = 0; x < format.width; x++) {
      state = state * 1664525u + 1013904223u;
      std::uint32_t value = 0;
      switch (kind) {
        case LumaKind::flat: value = highest / 3 + seed; break;
        case LumaKind::noise: value = state >> 9 & highest; break;
        case LumaKind::contrast: value = ((x / 3 + y / 2 + seed) & 1) != 0 ? highest : 0; break;
        case LumaKind::point: value = x == seed % format.width && y == 5 ? highest : 0; break;
        case LumaKind::texture:
          value = (x + 2 * y + 3 * seed) % 200 * (highest / 256) + (state >> 9 & (highest >> 5));
          break;
      }
      bytes.push_back(static_cast<std::byte>(value & 255));
      if (format.bits > 8) bytes.push_back(static_cast<std::byte>(value >> 8));
    }
  return bytes;
}

// A null device: the host.
inline Result<Scores> luma_scores(std::shared_ptr<Device> device, const FeatureRequest& request,
                                  const PictureFormat& format, LumaKind kind,
                                  std::uint32_t frames) {
  ScorerOptions options;
  options.rows = device ? ScorerRows::kernels : ScorerRows::host;
  if (device)
    options.opened = std::move(device);
  else
    options.device = "host";
  PENSTOCK_ASSIGN(const auto scorer, Scorer::create(format, {&request, 1}, std::move(options)));
  for (std::uint32_t i = 0; i < frames; i++) {
    const auto reference = luma_frame(format, kind, 2 * i);
    const auto distorted = luma_frame(format, kind, 2 * i + 1);
    PENSTOCK_ASSIGN(const Picture first, picture_of(format, reference));
    PENSTOCK_ASSIGN(const Picture second, picture_of(format, distorted));
    PENSTOCK_TRY(scorer->add(first, second));
  }
  return scorer->finish();
}

// bound: relative above 1; 0: equal to the last bit.
inline void expect_scores_near(const Scores& scores, const Scores& expected, double bound) {
  EXPECT_EQ(scores.keys(), expected.keys());
  for (const std::string& key : expected.keys())
    for (std::uint64_t i = 0; i < expected.frame_count(); i++) {
      const auto score = scores.value(key, i), wanted = expected.value(key, i);
      ASSERT_EQ(score.has_value(), wanted.has_value()) << key << " " << i;
      if (!wanted || *score == *wanted || (std::isnan(*score) && std::isnan(*wanted))) continue;
      EXPECT_NEAR(*score, *wanted, bound * std::max(1.0, std::abs(*wanted))) << key << " " << i;
    }
}

// The same scores as the host's.
inline void expect_as_on_host(const std::shared_ptr<Device>& device, const FeatureRequest& request,
                              const PictureFormat& format, LumaKind kind, std::uint32_t frames,
                              double bound) {
  SCOPED_TRACE(request.name + " " + std::to_string(format.width) + "x" +
               std::to_string(format.height) + " of " + std::to_string(format.bits) +
               " bits, kind " + std::to_string(static_cast<int>(kind)));
  TAKE(const Scores expected, luma_scores(nullptr, request, format, kind, frames));
  TAKE(const Scores scores, luma_scores(device, request, format, kind, frames));
  expect_scores_near(scores, expected, bound);
}

// Kernels with every access checked: threads of a group one after the other, in two orders, and
// groups of one thread.
inline std::vector<std::shared_ptr<Device>> checked_devices() {
  return {kernel::make_host_device({}),
          kernel::make_host_device({.order = kernel::ThreadOrder::reverse}),
          kernel::make_host_device({.is_cpu = true, .max_group_size = 1})};
}

}  // namespace penstock::video
