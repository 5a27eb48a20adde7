// CAMBI of one picture by threads and vectors: libvmaf's score to the last bit.
#pragma once
#include <memory>

#include "video/features/cambi/cambi_heatmaps.hpp"

namespace penstock::video {

class FastCambi {
 public:
  // All outlive this. `heatmaps`: null where none are written.
  FastCambi(const CambiPlan& plan, const CambiSide& side, CambiHeatmaps* heatmaps);
  FastCambi(FastCambi&&) noexcept;
  ~FastCambi();
  Result<double> operator()(const Picture& picture);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace penstock::video
