// Heat maps of CAMBI by the host.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "video/feature.hpp"
#include "video_pictures.hpp"

namespace penstock::video {
namespace {

namespace fs = std::filesystem;

std::string first_heatmap(const std::string& threshold) {
  const PictureFormat format = {321, 157, 10, Chroma::none};
  const fs::path folder =
      fs::temp_directory_path() / ("penstock-heatmaps-" + std::to_string(::getpid()));
  const FeatureRequest requests[] = {
      {"cambi", {{"heatmaps_path", folder}, {"cambi_vis_lum_threshold", threshold}}}};
  const auto scorer = Scorer::create(format, requests, {.device = "host"});
  const auto frame = frames_of(format, Content::gradient, 1)[0];
  EXPECT_TRUE((*scorer)
                  ->add(picture_of(format, frame.reference).value(),
                        picture_of(format, frame.distorted).value())
                  .ok());
  std::ifstream file(folder / "cambi_heatmap_scale_0_321x157_16b.gray", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  fs::remove_all(folder);
  return bytes;
}

TEST(CambiHeatmaps, ShowContrasts) {
  const std::string map = first_heatmap("0");
  EXPECT_EQ(map.size(), 2u * 321 * 157);
  EXPECT_NE(map.find_first_not_of('\0'), std::string::npos);
}

TEST(CambiHeatmaps, AreBlackWhereNoLevelIsSeen) {
  EXPECT_EQ(first_heatmap("300"), std::string(2u * 321 * 157, '\0'));
}

}  // namespace
}  // namespace penstock::video
