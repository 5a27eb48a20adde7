// Pairs of clips, a reference and what an encoder could make of it, from integers alone: the same
// on every machine. test/video_golden.hpp has what libvmaf says of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "penstock/video.hpp"

namespace penstock::video {

// scene: a slow ramp, moving texture and edges. banding: a ramp without dither over the whole
// picture.
enum class ClipKind : unsigned char { scene, banding };

class ClipMaker {
 public:
  ClipMaker(const PictureFormat& format, ClipKind kind) : format_(format), kind_(kind) {}

  struct Frame {
    std::vector<std::byte> reference, distorted;  // planes without padding
  };
  Frame frame(std::int32_t number) {
    const auto samples = static_cast<std::size_t>(width() * height());
    reference_.assign(samples, 0);
    distorted_.assign(samples, 0);
    for (std::int32_t y = 0; y < height(); y++)
      for (std::int32_t x = 0; x < width(); x++) set_luma(x, y, number);
    if (kind_ == ClipKind::scene) blur_texture();
    return {packed(reference_, number, false), packed(distorted_, number, true)};
  }

 private:
  std::int32_t width() const { return static_cast<std::int32_t>(format_.width); }
  std::int32_t height() const { return static_cast<std::int32_t>(format_.height); }

  static std::int32_t noise(std::int32_t x, std::int32_t y, std::int32_t frame, std::uint32_t seed,
                            std::uint32_t mask) {
    std::uint32_t hash = static_cast<std::uint32_t>(x) * 0x9E3779B1u ^
                         static_cast<std::uint32_t>(y) * 0x85EBCA77u ^
                         static_cast<std::uint32_t>(frame) * 0xC2B2AE3Du ^ seed * 0x27D4EB2Fu;
    hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
    hash = (hash ^ hash >> 12) * 0x297A2D39u;
    return static_cast<std::int32_t>((hash ^ hash >> 15) & mask);
  }
  // A triangle wave from 0 to 255.
  static std::int32_t wave(std::int32_t at, std::int32_t period) {
    at %= period;
    if (at < 0) at += period;
    const std::int32_t half = period / 2;
    return (at < half ? at : period - at) * 255 / half;
  }
  static std::int32_t scaled(std::int64_t value, std::int32_t size) {
    return static_cast<std::int32_t>(value / size);
  }

  // Values are in 256ths of a step of 8 bits.
  void set_luma(std::int32_t x, std::int32_t y, std::int32_t frame) {
    const auto at = static_cast<std::size_t>(y) * format_.width + static_cast<std::size_t>(x);
    std::int32_t &r = reference_[at], &d = distorted_[at];
    if (kind_ == ClipKind::banding) {
      const std::int32_t ramp = 256 * 22 + scaled(std::int64_t{256} * 90 * y, height()) +
                                scaled(std::int64_t{256} * 14 * (x + 4 * frame), width()) +
                                3 * wave(x + y, width() / 2);
      const bool is_noisy = x > 3 * width() / 4 && y > height() / 2;
      r = ramp + noise(x, y, frame, 1, 255);
      d = ramp / 256 * 256 + (is_noisy ? noise(x, y, frame, 9, 0x3FF) : 0);
    } else if (3 * y < height()) {  // sky: a ramp, dithered in the reference alone
      const std::int32_t ramp = 256 * 60 + scaled(std::int64_t{256} * 30 * 3 * y, height()) +
                                scaled(std::int64_t{256} * 12 * (x + 2 * frame), width());
      r = ramp + noise(x, y, frame, 1, 255);
      d = ramp / 256 * 256;
    } else if (3 * y < 2 * height()) {  // texture that moves
      r = 256 * 40 + 90 * wave(x * 3 + y * 2 + 7 * frame, 97) +
          60 * wave(y * 5 - x + 3 * frame, 61) + noise(x >> 2, y >> 2, frame / 2, 2, 0x1FFF);
      d = r + noise(x, y, frame, 3, 0xFFF) - 0x800;
    } else {  // edges, and dark flat patches
      const bool is_bright = (((x + frame) / 24 ^ y / 18) & 1) != 0;
      const std::int32_t level = is_bright ? 180 : 28 + scaled(std::int64_t{20} * x, width());
      r = 256 * level + noise(x, y, frame, 4, 0xFF);
      d = 256 * (level / 3 * 3) + (is_bright ? noise(x, y, frame, 5, 0x7FF) - 0x400 : 0);
    }
  }

  void blur_texture() {
    const std::vector<std::int32_t> sharp = distorted_;
    for (std::int32_t y = height() / 3 + 1; y < 2 * height() / 3 - 1; y++)
      for (std::int32_t x = 0; x < width(); x++) {
        std::int64_t sum = 0;
        for (std::int32_t v = y - 1; v <= y + 1; v++)
          for (std::int32_t u = x - 1; u <= x + 1; u++)
            sum += sharp[static_cast<std::size_t>(std::clamp(v, 0, height() - 1)) * format_.width +
                         static_cast<std::size_t>(std::clamp(u, 0, width() - 1))];
        distorted_[static_cast<std::size_t>(y) * format_.width + static_cast<std::size_t>(x)] =
            static_cast<std::int32_t>(sum / 9);
      }
  }

  std::vector<std::byte> packed(const std::vector<std::int32_t>& luma, std::int32_t frame,
                                bool is_distorted) const {
    std::vector<std::byte> bytes;
    bytes.reserve(picture_bytes(format_));
    for (const std::int32_t value : luma) put(std::clamp(value, 256 * 4, 256 * 251), bytes);
    for (std::uint32_t plane = 1; plane < plane_count(format_); plane++) {
      const std::uint32_t p = plane - 1;
      for (std::int32_t y = 0; y < static_cast<std::int32_t>(plane_height(format_, plane)); y++)
        for (std::int32_t x = 0; x < static_cast<std::int32_t>(plane_width(format_, plane)); x++) {
          std::int32_t value = 256 * 128 +
                               (p ? 40 : -30) * wave(x * 2 + y + 5 * frame, p ? 151 : 131) +
                               noise(x, y, frame, 6 + p, 0x1FF);
          if (is_distorted) value += 256 * (p ? 3 : -2) + noise(x, y, frame, 8 + p, 0x3FF) - 0x200;
          put(std::clamp(value, 256 * 16, 256 * 240), bytes);
        }
    }
    return bytes;
  }

  void put(std::int32_t value, std::vector<std::byte>& bytes) const {
    const std::int32_t highest = (1 << format_.bits) - 1;
    const std::int32_t sample =
        std::clamp(value >> (16 - static_cast<std::int32_t>(format_.bits)), 0, highest);
    bytes.push_back(static_cast<std::byte>(sample & 255));
    if (format_.bits > 8) bytes.push_back(static_cast<std::byte>(sample >> 8));
  }

  PictureFormat format_;
  ClipKind kind_;
  std::vector<std::int32_t> reference_, distorted_;
};

}  // namespace penstock::video
