// CAMBI of one picture by threads and vectors: the plain loops' score (cambi.cpp), to the last bit.
#pragma once
#include <memory>

#include "video/features/cambi/cambi_plan.hpp"

namespace penstock::video {

class FastCambi {
 public:
  // Both outlive this.
  FastCambi(const CambiPlan& plan, const CambiSide& side);
  FastCambi(FastCambi&&) noexcept;
  ~FastCambi();
  double operator()(const Picture& picture);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace penstock::video
