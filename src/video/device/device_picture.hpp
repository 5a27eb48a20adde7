// The layout of a pair of frames in device memory, and helpers shared by features on devices.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/device.hpp"
#include "penstock/video.hpp"

namespace penstock::video {

// Planes one after the other, rows without gaps, each plane from a multiple of 16 bytes. Bytes
// between planes are 0, so that kernels may read whole words (kernels/samples.kc).
struct DeviceLayout {
  PictureFormat format;
  std::uint32_t sample_bytes = 1;
  std::array<std::uint64_t, 3> plane_bytes = {}, first_byte = {};
  std::uint64_t bytes = 0;  // of a picture

  std::uint32_t first_sample(std::uint32_t plane) const {
    return static_cast<std::uint32_t>(first_byte[plane] / sample_bytes);
  }
  std::uint32_t first_word(std::uint32_t plane) const {
    return static_cast<std::uint32_t>(first_byte[plane] / 4);
  }
  // With the zeros behind the plane: a multiple of four.
  std::uint32_t words(std::uint32_t plane) const {
    return static_cast<std::uint32_t>((plane_bytes[plane] + 15) / 16 * 4);
  }
};
// Code::unsupported for pictures of 4 GiB or more: kernels count samples in 32 bits.
Result<DeviceLayout> device_layout(const PictureFormat& format);

// Zeroes the gaps between planes; `to` has layout.bytes.
void clear_padding(const DeviceLayout& layout, std::byte* to);
// Copies a frame of both videos into upload memory: `to` has twice layout.bytes. In parallel, since
// one core copies slower than the link to a GPU. Code::invalid: check_samples().
Status pack(const Picture& reference, const Picture& distorted, const DeviceLayout& layout,
            std::byte* to);

// Whether a picture in device memory lies as kernels expect it, in one buffer from its start.
bool is_in_layout(const DevicePicture& picture, const DeviceLayout& layout);
// Code::invalid: another format, planes that are missing, not aligned, or past their buffer's end.
Status check_picture(const DevicePicture& picture, const DeviceLayout& layout);

// The number of earlier frames that stay in device memory, for motion features.
constexpr std::uint32_t max_earlier_frames = 2;

// A frame of both videos, and where a feature adds its sums, which are 0 before.
struct DeviceFrame {
  const Buffer& reference;
  const Buffer& distorted;
  // The reference one and two frames before; null before the first.
  std::array<const Buffer*, max_earlier_frames> earlier_references = {};
  const Buffer& sums;  // u64
  std::uint32_t first_sum = 0;
};

// A program of src/video/kernels for a device: groups of one thread on CPUs.
struct FrameProgram {
  std::shared_ptr<Program> program;
  std::uint32_t group_size = 1, max_groups = 1;

  // The groups for this many threads' work, at most as many as fill the device.
  std::uint32_t groups_for(std::uint64_t threads) const;
};
// `file`: "squared_error.kc". `definitions`: lines before the source. `gpu_group_size`: threads of
// a group where groups have more than one.
Result<FrameProgram> frame_program(Device& device, const std::string& file,
                                   const std::string& definitions,
                                   std::uint32_t gpu_group_size = 256);
// The lines that name the width of samples (kernels/samples.kc).
std::string sample_definitions(const PictureFormat& format);

// Converts a sum in units of 2^-30 (kernels/frame_sums.kc).
double number_of_sum(std::uint64_t sum);

}  // namespace penstock::video
