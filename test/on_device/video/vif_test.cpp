// VIF by kernels, against the host's.
#include "on_device/video/luma_frames.hpp"
#include "video/device/device_feature.hpp"

namespace penstock::video {
namespace {

FeatureRequest all_of(const char* feature) { return {feature, {{"debug", "true"}}}; }

struct Vif {
  const char* name;
  double bound;
};
// Integers are equal to the last bit. So are variances of floats, but not their logarithms.
constexpr Vif vifs[] = {{"vif", 0}, {"float_vif", 1e-6}};

TEST(VifOnDevices, EveryKindOfFrameAndBitsScoresAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Vif& vif : vifs)
      for (const std::uint32_t bits : {8u, 10u, 12u, 16u})
        for (const LumaKind kind : luma_kinds)
          expect_as_on_host(device, all_of(vif.name), luma_of(141, 67, bits), kind, 2, vif.bound);
  });
}

// Tiles have 112, 120 or 124 columns and 8 rows.
TEST(VifOnDevices, EverySizeScoresAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Vif& vif : vifs) {
      for (const std::uint32_t width : {16u, 17u, 31u, 111u, 112u, 113u, 239u, 240u, 241u, 249u})
        for (const std::uint32_t height : {16u, 17u, 19u, 31u, 33u})
          expect_as_on_host(device, all_of(vif.name), luma_of(width, height), LumaKind::noise, 1,
                            vif.bound);
      for (const LumaKind kind : {LumaKind::texture, LumaKind::contrast})
        expect_as_on_host(device, all_of(vif.name), luma_of(641, 363), kind, 2, vif.bound);
    }
  });
}

// Means and variances as large as they get: the two pictures are equal, opposite, or one is flat.
TEST(VifOnDevices, LargestSumsDoNotOverflow) {
  const auto scores_of = [](std::shared_ptr<Device> device, const char* feature,
                            const PictureFormat& format, bool is_opposite) -> Result<Scores> {
    ScorerOptions options;
    options.rows = device ? ScorerRows::kernels : ScorerRows::host;
    if (!device) options.device = "host";
    options.opened = std::move(device);
    const FeatureRequest request = all_of(feature);
    PENSTOCK_ASSIGN(const auto scorer, Scorer::create(format, {&request, 1}, std::move(options)));
    const std::size_t bytes = picture_bytes(format), half = bytes / 4 * 2;
    std::vector<std::byte> one(bytes, std::byte{255}), other = one;
    std::fill(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(half), std::byte{0});
    if (is_opposite)
      std::fill(other.begin() + static_cast<std::ptrdiff_t>(half), other.end(), std::byte{0});
    const std::vector<std::byte> white(bytes, std::byte{255});
    using Pair = std::pair<const std::vector<std::byte>*, const std::vector<std::byte>*>;
    for (const auto& [first, second] : {Pair(&one, &other), Pair(&one, &one), Pair(&white, &white),
                                        Pair(&white, &one), Pair(&one, &white)}) {
      PENSTOCK_ASSIGN(const Picture reference, picture_of(format, *first));
      PENSTOCK_ASSIGN(const Picture distorted, picture_of(format, *second));
      PENSTOCK_TRY(scorer->add(reference, distorted));
    }
    return scorer->finish();
  };
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    for (const Vif& vif : vifs)
      for (const std::uint32_t bits : {8u, 16u})
        for (const bool is_opposite : {false, true}) {
          TAKE(const Scores expected,
               scores_of(nullptr, vif.name, luma_of(50, 64, bits), is_opposite));
          TAKE(const Scores scores,
               scores_of(device, vif.name, luma_of(50, 64, bits), is_opposite));
          expect_scores_near(scores, expected, vif.bound);
        }
  });
}

TEST(VifOnDevices, EveryOptionMeansWhatItDoesOnTheHost) {
  const std::map<std::string, std::string> all[] = {{},
                                                    {{"vif_enhn_gain_limit", "1"}},
                                                    {{"vif_enhn_gain_limit", "1.5"}},
                                                    {{"vif_skip_scale0", "true"}}};
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    for (const Vif& vif : vifs)
      for (auto options : all)
        for (const char* debug : {"false", "true"}) {
          options["debug"] = debug;
          expect_as_on_host(device, {vif.name, options}, luma_of(64, 48), LumaKind::texture, 3,
                            vif.bound);
        }
  });
}

TEST(VifOnDevices, PicturesThatAreTooSmallAreRefusedAsOnTheHost) {
  on_each_shared([](const std::shared_ptr<Device>& device) {
    for (const Vif& vif : vifs)
      for (const PictureFormat& format : {luma_of(15, 16), luma_of(16, 15)}) {
        const auto on_host = luma_scores(nullptr, {vif.name}, format, LumaKind::flat, 1);
        const auto on_device = luma_scores(device, {vif.name}, format, LumaKind::flat, 1);
        ASSERT_FALSE(on_host.ok());
        ASSERT_FALSE(on_device.ok());
        EXPECT_EQ(on_device.status().text(), on_host.status().text());
      }
  });
}

TEST(VifOnDevices, NoAccessIsOutsideAndNoneRaces) {
  for (const auto& device : checked_devices())
    for (const Vif& vif : vifs) {
      expect_as_on_host(device, all_of(vif.name), luma_of(17, 19), LumaKind::noise, 1, vif.bound);
      expect_as_on_host(device, all_of(vif.name), luma_of(130, 18, 16), LumaKind::contrast, 1,
                        vif.bound);
    }
}

// f64 is not on every device: integers need it for gains.
class DeviceWithoutF64 : public Device {
 public:
  DeviceWithoutF64() { traits_.id = "small:0"; }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t) override { return refused(); }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t) override { return refused(); }
  Result<std::shared_ptr<Buffer>> wrap_host(const void*, std::uint64_t) override {
    return refused();
  }
  Result<std::unique_ptr<Queue>> queue() override { return refused(); }
  Result<std::shared_ptr<Program>> build(const ProgramSource&) override { return refused(); }
  Result<std::uint32_t> resident_groups(const Program&, std::string_view) override {
    return refused();
  }

 private:
  static Status refused() { return {Code::internal, "nothing is asked of this device"}; }
};

TEST(VifOnDevices, ADeviceWithoutDoublesIsRefusedByName) {
  const auto scores = luma_scores(std::make_shared<DeviceWithoutF64>(), {"vif"}, luma_of(16, 16),
                                  LumaKind::flat, 1);
  ASSERT_FALSE(scores.ok());
  EXPECT_EQ(scores.status().code(), Code::unsupported);
  EXPECT_NE(scores.status().text().find("small:0"), std::string::npos) << scores.status().text();
}

}  // namespace
}  // namespace penstock::video
