// Small pictures that are hard on features of video: of one level, at full swing, dark, of noise.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "penstock/video.hpp"

namespace penstock::video {

enum class Content : unsigned char {
  noise,       // both videos at random, nothing in common
  near,        // noise, and the same with small errors
  equal,       // the same noise twice
  gradient,    // a slow ramp with dither, and without: banding
  one_level,   // two levels, all over
  full_swing,  // a checkerboard, and its negative
  one_sample,  // equal but for one sample, elsewhere in every frame
  dark,        // a few levels above black
  bright,      // a few levels below the highest
  black_white,
};
constexpr std::array all_contents = {Content::noise,      Content::near,      Content::equal,
                                     Content::gradient,   Content::one_level, Content::full_swing,
                                     Content::one_sample, Content::dark,      Content::bright,
                                     Content::black_white};
inline const char* name_of(Content content) {
  static constexpr std::array names = {"noise",     "near",       "equal",      "gradient",
                                       "one level", "full swing", "one sample", "dark",
                                       "bright",    "black white"};
  return names[static_cast<std::size_t>(content)];
}

// A sample of both videos.
struct SamplePair {
  int reference = 0, distorted = 0;
};

class PictureMaker {
 public:
  struct Frame {
    std::vector<std::byte> reference, distorted;  // planes without padding
  };
  PictureMaker(const PictureFormat& format, Content content, std::uint32_t seed = 1)
      : format_(format), content_(content), random_(seed) {}

  Frame next() {
    Frame made;
    for (std::uint32_t plane = 0; plane < plane_count(format_); plane++) {
      const int w = static_cast<int>(plane_width(format_, plane));
      const int h = static_cast<int>(plane_height(format_, plane));
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
          const SamplePair pair = sample(x, y, w, h, static_cast<int>(plane));
          put(pair.reference, made.reference);
          put(pair.distorted, made.distorted);
        }
    }
    frame_++;
    return made;
  }

 private:
  int highest() const { return (1 << format_.bits) - 1; }
  int unit() const { return 1 << (format_.bits - 8); }  // a step of 8 bits
  int below(int count) { return static_cast<int>(random_() % static_cast<std::uint32_t>(count)); }

  SamplePair sample(int x, int y, int w, int h, int plane) {
    switch (content_) {
      case Content::noise: return {below(highest() + 1), below(highest() + 1)};
      case Content::near: {
        const int v = below(highest() + 1);
        return {v, v + below(9 * unit()) - 4 * unit()};
      }
      case Content::equal: {
        const int v = below(highest() + 1);
        return {v, v};
      }
      case Content::gradient: return ramp(x, y, w, h, plane);
      case Content::one_level: return {90 * unit() + frame_, 100 * unit() + plane};
      case Content::full_swing: return {(x + y + frame_) % 2 * highest(), (x + y) % 2 * highest()};
      case Content::one_sample: {
        const bool is_it = x == (frame_ * 7 + w - 1) % w && y == (frame_ * 5) % h;
        return {128 * unit(), is_it ? 129 * unit() : 128 * unit()};
      }
      case Content::dark: return {17 * unit() + below(3 * unit()), (16 + x / 16 % 4) * unit()};
      case Content::bright: return {highest() - below(2 * unit()), highest() - x / 16 % 8};
      case Content::black_white: break;
    }
    return {0, highest()};
  }
  // From dark to light grey, in the reference with noise of one level.
  SamplePair ramp(int x, int y, int w, int h, int plane) {
    const int at = 256 * (24 + 40 * plane) + 256 * 70 * y / h + 256 * 12 * (x + 3 * frame_) / w;
    return {(at + below(256)) * unit() / 256, at / 256 * unit()};
  }
  void put(int value, std::vector<std::byte>& bytes) const {
    value = std::clamp(value, 0, highest());
    bytes.push_back(static_cast<std::byte>(value & 255));
    if (format_.bits > 8) bytes.push_back(static_cast<std::byte>(value >> 8));
  }

  PictureFormat format_;
  Content content_;
  std::mt19937 random_;
  int frame_ = 0;
};

inline std::vector<PictureMaker::Frame> frames_of(const PictureFormat& format, Content content,
                                                  std::size_t count, std::uint32_t seed = 1) {
  PictureMaker maker(format, content, seed);
  std::vector<PictureMaker::Frame> frames;
  for (std::size_t i = 0; i < count; i++) frames.push_back(maker.next());
  return frames;
}

inline std::string text_of(const PictureFormat& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height) + " " +
         std::to_string(format.bits) + " bits " + std::string(name_of(format.chroma));
}

}  // namespace penstock::video
