// Every feature of libvmaf that Penstock has, a second time: what host classes and kernels are
// compared with. video_oracle/grid.hpp says how it is written.
#pragma once
#include <string_view>

#include "video_oracle/cambi.hpp"
#include "video_oracle/colour.hpp"
#include "video_oracle/float_features.hpp"
#include "video_oracle/motion.hpp"
#include "video_oracle/ssim.hpp"
#include "video_oracle/vif.hpp"

namespace penstock::video::oracle {

using Feature = Sheet (*)(const std::vector<Frame>& frames, const Options& options);

// Returns null for a feature that the oracle does not know.
inline Feature feature_named(std::string_view name) {
  static const std::map<std::string_view, Feature> features = {{"float_ssim", float_ssim},
                                                               {"float_ms_ssim", float_ms_ssim},
                                                               {"cambi", cambi},
                                                               {"ciede", ciede},
                                                               {"psnr", psnr},
                                                               {"float_psnr", float_psnr},
                                                               {"float_moment", float_moment},
                                                               {"motion", motion},
                                                               {"vif", vif},
                                                               {"float_motion", float_motion},
                                                               {"float_vif", float_vif},
                                                               {"float_ansnr", float_ansnr}};
  const auto found = features.find(name);
  return found == features.end() ? nullptr : found->second;
}

// Reads the planes of a frame as .yuv files have them; chroma of odd sizes is rounded up.
inline std::array<Grid<int>, 3> planes_of(const PictureFormat& format,
                                          const std::vector<std::byte>& bytes) {
  std::array<Grid<int>, 3> planes;
  std::size_t at = 0;
  const int w = static_cast<int>(format.width), h = static_cast<int>(format.height);
  const bool is_narrow = format.chroma == Chroma::c420 || format.chroma == Chroma::c422;
  const int chroma_w = is_narrow ? (w + 1) / 2 : w;
  const int chroma_h = format.chroma == Chroma::c420 ? (h + 1) / 2 : h;
  for (std::size_t p = 0; p < (format.chroma == Chroma::none ? 1 : 3); p++) {
    planes[p] = p == 0 ? Grid<int>(w, h) : Grid<int>(chroma_w, chroma_h);
    for (int& value : planes[p].values) {
      value = static_cast<int>(bytes.at(at++));
      if (format.bits > 8) value |= static_cast<int>(bytes.at(at++)) << 8;
    }
  }
  return planes;
}

}  // namespace penstock::video::oracle
