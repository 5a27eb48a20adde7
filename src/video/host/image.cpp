#include "video/host/image.hpp"

#include <cstring>

namespace penstock::video {

Image<std::uint16_t> samples_of(const Picture& picture, std::uint32_t plane) {
  Image<std::uint16_t> image(plane_width(picture.format, plane),
                             plane_height(picture.format, plane));
  const Plane& from = picture.planes[plane];
  for (std::uint32_t y = 0; y < image.height; y++) {
    const std::byte* row = from.data + y * from.row_bytes;
    std::uint16_t* into = image.values.data() + std::size_t{y} * image.width;
    if (picture.format.bits > 8)
      std::memcpy(into, row, std::size_t{image.width} * 2);
    else
      for (std::uint32_t x = 0; x < image.width; x++)
        into[x] = std::to_integer<std::uint8_t>(row[x]);
  }
  return image;
}

Image<float> floats_of(const Picture& picture, float offset) {
  const Image<std::uint16_t> samples = samples_of(picture, 0);
  Image<float> image(samples.width, samples.height);
  const auto scale = static_cast<float>(1u << (picture.format.bits - 8));
  for (std::size_t i = 0; i < samples.values.size(); i++)
    image.values[i] = static_cast<float>(samples.values[i]) / scale + offset;
  return image;
}

}  // namespace penstock::video
