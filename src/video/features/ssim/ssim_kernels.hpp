// Launches of the kernels that float_ssim and float_ms_ssim share.
#pragma once
#include "video/device/device_feature.hpp"
#include "video/features/ssim/ssim_scores.hpp"

namespace penstock::video {

// Two images of floats in device memory, rows of a multiple of four (kernels/image_source.kc).
// Levels of half the size may follow each.
struct FloatImages {
  std::shared_ptr<Buffer> first, second;
};
constexpr std::uint32_t float_pitch(std::uint32_t width) { return (width + 3) / 4 * 4; }
Result<FloatImages> allocate_images(Device& device, std::uint64_t floats);

// The lines before a kernel that reads planes of samples, or images of floats
// (kernels/image_source.kc).
std::string sample_source(const PictureFormat& format);
std::string float_source();
// For programs with a single image width: addresses of rows are constants.
std::string width_definition(std::uint32_t width);

// The sums that kernels/ssim.kc computes.
enum class SsimSums : unsigned char { ssim = 1, terms = 3, ssim_and_terms = 4 };

// The kernel `ssim` for images of one size and levels below it.
class SsimKernel {
 public:
  // `source`: sample_source() or float_source().
  Status open(Device& device, const std::string& source, SsimSums sums, std::uint32_t width,
              std::uint32_t height, std::uint32_t levels);
  Status enqueue(Queue& queue, const Buffer& first, const Buffer& second, const Buffer& sums,
                 std::uint32_t first_sum) const;
  // Whether images are so large that they are worth a program for their width.
  bool has_one_width() const { return has_one_width_; }

 private:
  std::uint64_t tiles(std::uint32_t group_size) const;

  FrameProgram program_;
  bool has_one_width_ = false;
  std::uint32_t width_ = 0, height_ = 0, levels_ = 1, groups_ = 0;
};

// The largest group size, up to `wanted`, with tiles that fit a device's local memory.
// `bytes_per_thread`: of local memory.
std::uint32_t fitting_group_size(const Traits& traits, std::uint32_t wanted,
                                 std::uint32_t bytes_per_thread);

}  // namespace penstock::video
