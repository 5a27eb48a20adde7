// Frames that a scorer reads from where they are stored, some at once, while it is given others.
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "on_device/device/device_fixture.hpp"
#include "on_device/device/forwarding_device.hpp"
#include "testdata/video_clips.hpp"
#include "video/input/video_pair.hpp"

namespace penstock::video {
namespace {

using Bytes = std::vector<std::byte>;

// Stored in memory. Reads fail from a byte on, if asked to.
class InMemory final : public StoredPlanes {
 public:
  explicit InMemory(Bytes bytes) : bytes_(std::move(bytes)) {}
  Status read(std::uint64_t first_byte, std::span<std::byte> into) const override {
    if (first_byte + into.size() > fails_after) return {Code::io, "the disk is gone"};
    std::memcpy(into.data(), bytes_.data() + first_byte, into.size());
    return {};
  }
  std::uint64_t fails_after = UINT64_MAX;

 private:
  Bytes bytes_;
};

// Its planes are elsewhere, and wrong: a scorer that reads them has other scores.
Picture stored_picture(const PictureFormat& format, std::shared_ptr<const StoredPlanes> stored) {
  static const Bytes wrong(8 << 20, std::byte{0});
  Picture picture = picture_of(format, wrong).value();
  picture.stored = std::move(stored);
  return picture;
}

Result<std::unique_ptr<Scorer>> scorer_on(const std::shared_ptr<Device>& device,
                                          const PictureFormat& format,
                                          std::span<const FeatureRequest> requests) {
  ScorerOptions options;
  options.opened = device;
  options.rows = ScorerRows::kernels;
  return Scorer::create(format, requests, std::move(options));
}

// Two scorers are given the same frames: one gets planes, the other stored bytes.
void expect_equal_scores(const std::shared_ptr<Device>& device, const PictureFormat& format,
                         std::span<const FeatureRequest> requests, int frames) {
  TAKE(const auto of_planes, scorer_on(device, format, requests));
  TAKE(const auto of_stored, scorer_on(device, format, requests));
  ClipMaker maker(format, ClipKind::scene);
  for (int i = 0; i < frames; i++) {
    const auto frame = maker.frame(i);
    ASSERT_OK(of_planes->add(picture_of(format, frame.reference).value(),
                             picture_of(format, frame.distorted).value()));
    const auto reference = std::make_shared<InMemory>(frame.reference),
               distorted = std::make_shared<InMemory>(frame.distorted);
    ASSERT_OK(of_stored->add(stored_picture(format, reference), stored_picture(format, distorted)));
  }
  TAKE(const Scores wanted, of_planes->finish());
  TAKE(const Scores scores, of_stored->finish());
  ASSERT_EQ(scores.keys(), wanted.keys());
  ASSERT_EQ(scores.frame_count(), wanted.frame_count());
  for (const std::string& key : wanted.keys())
    for (std::uint64_t frame = 0; frame < wanted.frame_count(); frame++)
      EXPECT_EQ(scores.value(key, frame), wanted.value(key, frame)) << key << " " << frame;
}

// The driver's device, and one that does not share the host's memory: its frames are still being
// read after add() has returned.
template <class Test> void on_both_kinds(const Test& test) {
  on_each_device([&](Device& opened) {
    TAKE(const auto device, open_device(opened.traits().id));
    test(device);
    if (device->traits().unified_memory) test(std::make_shared<test::OwnMemoryDevice>(device));
  });
}

// Chroma planes of odd sizes end between multiples of 16; rings are gone around several times.
TEST(StoredPlanes, HaveTheScoresOfTheirPlanes) {
  const std::vector<FeatureRequest> requests = {{"psnr"}, {"float_ssim"}};
  on_both_kinds([&](const std::shared_ptr<Device>& device) {
    for (const PictureFormat& format :
         {PictureFormat{317, 181}, PictureFormat{251, 177, 10, Chroma::c422},
          PictureFormat{256, 192, 8, Chroma::none}, PictureFormat{1920, 1080}})
      expect_equal_scores(device, format, requests, format.width > 1000 ? 3 : 36);
  });
}

TEST(StoredPlanes, AreEarlierFramesOfLaterOnes) {
  const std::vector<FeatureRequest> requests = {{"motion", {{"motion_five_frame_window", "true"}}}};
  on_both_kinds([&](const std::shared_ptr<Device>& device) {
    expect_equal_scores(device, {192, 160}, requests, 75);
  });
}

// No bytes are read of frames that are not scored, nor bytes that a pair with one stored picture
// does not have.
TEST(StoredPlanes, OfSomeFramesHaveTheScoresOfTheirPlanes) {
  constexpr PictureFormat format = {128, 96, 10};
  const std::vector<FeatureRequest> requests = {{"psnr"}, {"motion"}};
  on_both_kinds([&](const std::shared_ptr<Device>& device) {
    std::vector<Scores> both;
    for (const bool is_stored : {false, true}) {
      ScorerOptions options;
      options.opened = device;
      options.rows = ScorerRows::kernels;
      options.subsample = 3;
      TAKE(const auto scorer, Scorer::create(format, requests, std::move(options)));
      ClipMaker maker(format, ClipKind::scene);
      for (int i = 0; i < 40; i++) {
        const auto frame = maker.frame(i);
        Picture reference = picture_of(format, frame.reference).value(),
                distorted = picture_of(format, frame.distorted).value();
        if (is_stored) reference.stored = std::make_shared<InMemory>(frame.reference);
        if (is_stored && i % 4 != 0) {
          distorted = stored_picture(format, std::make_shared<InMemory>(frame.distorted));
          reference = stored_picture(format, reference.stored);
        }
        ASSERT_OK(scorer->add(reference, distorted));
      }
      TAKE(both.emplace_back(), scorer->finish());
    }
    for (const std::string& key : both[0].keys())
      for (std::uint64_t frame = 0; frame < both[0].frame_count(); frame++)
        EXPECT_EQ(both[0].value(key, frame), both[1].value(key, frame)) << key << " " << frame;
  });
}

// A failed read is the error of a later call, and of all calls after it.
TEST(StoredPlanes, ThatCannotBeReadEndTheScoring) {
  constexpr PictureFormat format = {256, 192};
  const std::vector<FeatureRequest> requests = {{"psnr"}};
  on_both_kinds([&](const std::shared_ptr<Device>& device) {
    for (const std::uint64_t fails_after : {std::uint64_t{0}, picture_bytes(format) - 1}) {
      TAKE(const auto scorer, scorer_on(device, format, requests));
      Status status;
      for (int i = 0; i < 40 && status.ok(); i++) {
        const auto stored = std::make_shared<InMemory>(Bytes(picture_bytes(format)));
        if (i == 5) stored->fails_after = fails_after;
        status = scorer->add(stored_picture(format, stored), stored_picture(format, stored));
      }
      EXPECT_EQ(status.code(), Code::io) << status.text();
      EXPECT_FALSE(scorer->finish().ok());
    }
  });
}

TEST(StoredPlanes, OfTheLastFrameThatCannotBeReadFailAtTheEnd) {
  constexpr PictureFormat format = {256, 192};
  const std::vector<FeatureRequest> requests = {{"psnr"}};
  on_both_kinds([&](const std::shared_ptr<Device>& device) {
    TAKE(const auto scorer, scorer_on(device, format, requests));
    const auto stored = std::make_shared<InMemory>(Bytes(picture_bytes(format)));
    stored->fails_after = 0;
    const Status added =
        scorer->add(stored_picture(format, stored), stored_picture(format, stored));
    const Status status = added.ok() ? scorer->finish().status() : added;
    EXPECT_EQ(status.code(), Code::io) << status.text();
  });
}

TEST(StoredPlanes, WithSamplesOfTooManyBitsAreRefused) {
  constexpr PictureFormat format = {64, 64, 10};
  const std::vector<FeatureRequest> requests = {{"psnr"}};
  on_both_kinds([&](const std::shared_ptr<Device>& device) {
    TAKE(const auto scorer, scorer_on(device, format, requests));
    Bytes bytes(picture_bytes(format), std::byte{1});
    bytes.back() = std::byte{0xff};
    const auto stored = std::make_shared<InMemory>(bytes);
    Status status = scorer->add(stored_picture(format, stored), stored_picture(format, stored));
    if (status.ok()) status = scorer->finish().status();
    EXPECT_EQ(status.code(), Code::invalid) << status.text();
  });
}

class PairOfFiles {
 public:
  PairOfFiles(const PictureFormat& format, int frames) {
    ClipMaker maker(format, ClipKind::scene);
    std::ofstream reference(path("r"), std::ios::binary), distorted(path("d"), std::ios::binary);
    for (int i = 0; i < frames; i++) {
      const auto frame = maker.frame(i);
      for (const auto& [file, bytes] :
           {std::pair(&reference, &frame.reference), std::pair(&distorted, &frame.distorted)})
        file->write(reinterpret_cast<const char*>(bytes->data()),
                    static_cast<std::streamsize>(bytes->size()));
    }
  }
  ~PairOfFiles() {
    std::filesystem::remove(path("r"));
    std::filesystem::remove(path("d"));
  }
  std::string path(const std::string& which) const { return base_ + which + ".yuv"; }

 private:
  std::string base_ = testing::TempDir() + "/stored_" + std::to_string(::getpid());
};

Status score_files(Scorer& scorer, VideoPair& pair) {
  pair.read_planes_for(scorer);
  Picture reference, distorted;
  for (;;) {
    PENSTOCK_ASSIGN(const bool has_pair, pair.next(reference, distorted));
    if (!has_pair) return {};
    PENSTOCK_TRY(scorer.add(reference, distorted));
  }
}

TEST(StoredPlanes, OfFilesAreReadAfterTheFilesWereClosed) {
  constexpr PictureFormat format = {128, 96};
  const std::vector<FeatureRequest> requests = {{"psnr"}};
  const PairOfFiles clip(format, 40);
  on_both_kinds([&](const std::shared_ptr<Device>& device) {
    std::vector<Scores> both;
    for (const bool on_host : {true, false}) {
      ScorerOptions options;
      options.device = "host";
      if (!on_host) options.opened = device;
      TAKE(const auto scorer, Scorer::create(format, requests, std::move(options)));
      TAKE(auto pair, VideoPair::open(clip.path("r"), clip.path("d"), {.raw = format}));
      EXPECT_OK(score_files(*scorer, *pair));
      pair.reset();
      TAKE(both.emplace_back(), scorer->finish());
    }
    ASSERT_EQ(both[1].frame_count(), 40u);
    for (std::uint64_t frame = 0; frame < 40; frame++)
      EXPECT_EQ(both[0].value("psnr_y", frame), both[1].value("psnr_y", frame)) << frame;
  });
}

// A mapping of such a file ends the process.
TEST(StoredPlanes, OfAFileThatIsShortenedAreAnError) {
  constexpr PictureFormat format = {128, 96};
  const std::vector<FeatureRequest> requests = {{"psnr"}};
  on_both_kinds([&](const std::shared_ptr<Device>& device) {
    const PairOfFiles clip(format, 60);
    TAKE(const auto scorer, scorer_on(device, format, requests));
    TAKE(const auto pair, VideoPair::open(clip.path("r"), clip.path("d"), {.raw = format}));
    pair->read_planes_for(*scorer);
    std::filesystem::resize_file(clip.path("d"), picture_bytes(format) / 2);
    const auto added = score_files(*scorer, *pair);
    const Status status = added.ok() ? scorer->finish().status() : added;
    EXPECT_EQ(status.code(), Code::truncated) << status.text();
  });
}

}  // namespace
}  // namespace penstock::video
