// ANSNR by kernels, against the host's.
#include "on_device/video/luma_frames.hpp"

namespace penstock::video {
namespace {

// Filtered samples are equal to the last bit. Their squares are rounded to f32.
constexpr double ansnr_bound = 1e-7;

TEST(AnsnrOnDevices, EveryKindOfFrameAndBitsScoresAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const std::uint32_t bits : {8u, 10u, 12u, 16u})
      for (const LumaKind kind : luma_kinds)
        expect_as_on_host(device, {"float_ansnr"}, luma_of(141, 37, bits), kind, 2, ansnr_bound);
  });
}

// A tile has 124 columns and 16 rows.
TEST(AnsnrOnDevices, EverySizeScoresAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const std::uint32_t width : {1u, 2u, 3u, 5u, 16u, 123u, 124u, 125u, 248u, 249u})
      for (const std::uint32_t height : {1u, 2u, 3u, 15u, 16u, 17u, 33u})
        expect_as_on_host(device, {"float_ansnr"}, luma_of(width, height), LumaKind::noise, 1,
                          ansnr_bound);
    expect_as_on_host(device, {"float_ansnr"}, luma_of(641, 363), LumaKind::texture, 1,
                      ansnr_bound);
  });
}

// Flat pictures differ by the filters' rounding alone: squares of 1e-14 count.
TEST(AnsnrOnDevices, EqualFlatPicturesScoreAsOnTheHost) {
  const auto score_of = [](std::shared_ptr<Device> device, std::byte value) -> Result<Scores> {
    ScorerOptions options;
    options.rows = device ? ScorerRows::kernels : ScorerRows::host;
    if (!device) options.device = "host";
    options.opened = std::move(device);
    const FeatureRequest request = {"float_ansnr", {}};
    const PictureFormat format = luma_of(32, 32);
    PENSTOCK_ASSIGN(const auto scorer, Scorer::create(format, {&request, 1}, std::move(options)));
    const std::vector<std::byte> bytes(picture_bytes(format), value);
    PENSTOCK_ASSIGN(const Picture picture, picture_of(format, bytes));
    PENSTOCK_TRY(scorer->add(picture, picture));
    return scorer->finish();
  };
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    for (int value = 0; value < 256; value++) {
      SCOPED_TRACE(value);
      TAKE(const Scores expected, score_of(nullptr, static_cast<std::byte>(value)));
      TAKE(const Scores scores, score_of(device, static_cast<std::byte>(value)));
      expect_scores_near(scores, expected, ansnr_bound);
    }
  });
}

TEST(AnsnrOnDevices, NoAccessIsOutsideAndNoneRaces) {
  for (const auto& device : checked_devices()) {
    expect_as_on_host(device, {"float_ansnr"}, luma_of(17, 19), LumaKind::noise, 1, ansnr_bound);
    expect_as_on_host(device, {"float_ansnr"}, luma_of(1, 2), LumaKind::noise, 1, ansnr_bound);
    expect_as_on_host(device, {"float_ansnr"}, luma_of(130, 18, 16), LumaKind::contrast, 1,
                      ansnr_bound);
  }
}

}  // namespace
}  // namespace penstock::video
