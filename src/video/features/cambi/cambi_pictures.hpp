// CAMBI of one of the two pictures on a device: memory, programs and launches.
#pragma once
#include <array>
#include <memory>

#include "video/device/device_picture.hpp"
#include "video/features/cambi/cambi_heatmaps.hpp"
#include "video/features/cambi/cambi_plan.hpp"

namespace penstock::video {

// The layout of one scale in device memory. Samples around the image are never counted, so that
// kernels need no bounds checks.
struct CambiScale {
  std::uint32_t width = 0, height = 0, strips = 0;
  std::uint32_t first = 0, stride = 0;        // of samples
  std::uint32_t first_value = 0, values = 0;  // contrasts, with padding of rows to whole strips
  std::uint32_t first_group = 0, first_select_group = 0;
  std::uint32_t kept = 0;  // the highest contrasts, which are pooled
};

class CambiPictures {
 public:
  CambiPictures(std::shared_ptr<Device> device, const DeviceLayout& layout, const CambiPlan& plan,
                const CambiSide& side);
  Status open();
  // Adds CAMBI_SCALES * CAMBI_SUMS sums from first_sum on.
  Status enqueue(Queue& queue, const Buffer& picture, const Buffer& sums, std::uint32_t first_sum);
  double score(std::span<const std::uint64_t> sums) const;
  // Waits for the contrasts of the frame that was enqueued last, and writes them.
  Status write(Queue& queue, CambiHeatmaps& heatmaps) const;
  // Whether one thread does a group's work.
  bool is_of_threads() const { return device_->traits().wants_single_thread_groups(); }

 private:
  Status build();
  void lay_out();
  Status allocate();
  Status upload();
  std::string contrast_definitions() const;
  std::uint32_t rows_of_group(std::uint32_t scale) const;
  std::uint32_t level_ranges() const;
  Status enqueue_prepare(Queue& queue, const Buffer& picture);
  Status enqueue_scale(Queue& queue, std::uint32_t scale);
  Status enqueue_contrasts(Queue& queue, const Buffer& sums, std::uint32_t first_sum);
  Status enqueue_selection(Queue& queue, const Buffer& sums, std::uint32_t first_sum);

  std::shared_ptr<Device> device_;
  PictureFormat format_;
  const CambiPlan& plan_;
  const CambiSide& side_;
  std::array<CambiScale, cambi_scale_count> scales_ = {};
  std::uint32_t prepared_stride_ = 0, samples_ = 0, values_ = 0, groups_ = 0, select_groups_ = 0;
  FrameProgram prepare_, scale_, contrast_, select_;
  // prepared_: only where the first scale is halved.
  std::shared_ptr<Buffer> columns_, rows_, prepared_, images_, pairs_, shapes_, reciprocals_,
      histograms_;
};

}  // namespace penstock::video
