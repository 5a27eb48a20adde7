// Motion by kernels, against the host's.
#include "on_device/video/luma_frames.hpp"

namespace penstock::video {
namespace {

// Integers are equal to the last bit. Sums of floats are cut to multiples of 2^-24.
struct Motion {
  const char* name;
  double bound;
};
constexpr Motion motions[] = {{"motion", 0}, {"float_motion", 1e-7}};

TEST(MotionOnDevices, EveryKindOfFrameAndBitsScoresAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Motion& motion : motions)
      for (const std::uint32_t bits : {8u, 10u, 12u, 16u})
        for (const LumaKind kind : luma_kinds)
          expect_as_on_host(device, {motion.name, {{"debug", "true"}}}, luma_of(141, 37, bits),
                            kind, 3, motion.bound);
  });
}

// A tile has 124 columns and 16 rows.
TEST(MotionOnDevices, EverySizeScoresAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Motion& motion : motions) {
      for (const std::uint32_t width : {1u, 2u, 3u, 5u, 123u, 124u, 125u, 248u, 249u})
        for (const std::uint32_t height : {1u, 2u, 3u, 15u, 16u, 17u, 33u})
          expect_as_on_host(device, {motion.name}, luma_of(width, height), LumaKind::noise, 2,
                            motion.bound);
      expect_as_on_host(device, {motion.name}, luma_of(641, 363), LumaKind::texture, 2,
                        motion.bound);
    }
  });
}

TEST(MotionOnDevices, EveryOptionMeansWhatItDoesOnTheHost) {
  const std::map<std::string, std::string> common[] = {
      {{"motion_force_zero", "true"}},
      {{"motion_blend_factor", "0.3"}, {"motion_blend_offset", "5"}},
      {{"motion_fps_weight", "2.5"}},
      {{"motion_max_val", "7"}},
      {{"debug", "false"}}};
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    for (const Motion& motion : motions)
      for (const auto& options : common)
        expect_as_on_host(device, {motion.name, options}, luma_of(64, 48), LumaKind::noise, 5,
                          motion.bound);
    for (const char* option : {"motion_five_frame_window", "motion_moving_average"})
      for (const std::uint32_t frames : {1u, 2u, 3u, 4u, 7u})
        expect_as_on_host(device, {"motion", {{option, "true"}, {"debug", "true"}}},
                          luma_of(64, 48), LumaKind::noise, frames, 0);
  });
}

// The ring keeps 32 small frames: those before the first of a round are the last of another.
TEST(MotionOnDevices, EarlierFramesStayWhileTheRingGoesRound) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Motion& motion : motions)
      for (const std::uint32_t frames : {1u, 2u, 33u, 34u, 100u})
        expect_as_on_host(device, {motion.name}, luma_of(16, 16), LumaKind::noise, frames,
                          motion.bound);
    expect_as_on_host(device, {"motion", {{"motion_five_frame_window", "true"}}}, luma_of(16, 16),
                      LumaKind::noise, 100, 0);
  });
}

TEST(MotionOnDevices, NoAccessIsOutsideAndNoneRaces) {
  for (const auto& device : checked_devices())
    for (const Motion& motion : motions) {
      expect_as_on_host(device, {motion.name}, luma_of(17, 19), LumaKind::noise, 2, motion.bound);
      expect_as_on_host(device, {motion.name}, luma_of(2, 1, 16), LumaKind::contrast, 2,
                        motion.bound);
      expect_as_on_host(device, {motion.name}, luma_of(130, 18, 16), LumaKind::contrast, 2,
                        motion.bound);
    }
}

}  // namespace
}  // namespace penstock::video
