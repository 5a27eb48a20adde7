// CAMBI's heat maps, as libvmaf writes them: for each scale a file of 16-bit samples, the frames
// after one another.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "video/features/cambi/cambi_plan.hpp"

namespace penstock::video {

class CambiHeatmaps {
 public:
  // Makes the folder and empties its files. Null if no folder is asked for.
  static Result<std::unique_ptr<CambiHeatmaps>> create(const CambiPlan& plan,
                                                       const std::string& folder);
  // Appends a scale of the next frame of the distorted picture. `stride`: floats from one row to
  // the next.
  Status write(std::uint32_t scale, const float* contrasts, std::size_t stride, std::uint32_t width,
               std::uint32_t height);

 private:
  double units_ = 0;  // of a contrast of 1
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace penstock::video
