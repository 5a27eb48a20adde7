// Lack of memory while frames are scored is a Status.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>

#include "video/feature.hpp"

namespace penstock::video {
namespace {

// While it lives, the process gets so many more bytes of addresses than it has.
class LimitedMemory {
 public:
  explicit LimitedMemory(std::uint64_t more_bytes) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &before_);
    rlimit limited = before_;
    limited.rlim_cur = pages * static_cast<std::uint64_t>(::getpagesize()) + more_bytes;
    ::setrlimit(RLIMIT_AS, &limited);
  }
  ~LimitedMemory() { ::setrlimit(RLIMIT_AS, &before_); }
  LimitedMemory(const LimitedMemory&) = delete;
  LimitedMemory& operator=(const LimitedMemory&) = delete;

 private:
  rlimit before_{};
};

constexpr bool has_sanitizer =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;  // their shadow memory is beyond any limit
#else
    false;
#endif

// All rows of each plane are one row.
Picture flat_picture(const PictureFormat& format, const std::vector<std::byte>& row) {
  Picture picture{.format = format};
  for (Plane& plane : picture.planes) plane = {row.data(), 0};
  return picture;
}

TEST(ScorerMemory, LackOfItIsAStatusThatEndsTheScoring) {
  if (has_sanitizer) GTEST_SKIP();
  constexpr PictureFormat format = {16384, 16384};
  const std::vector<std::byte> row(format.width);
  const Picture picture = flat_picture(format, row);
  for (const char* feature : {"float_vif", "float_ms_ssim", "cambi", "motion"}) {
    const FeatureRequest requests[] = {{feature, {}}};
    const LimitedMemory limited(16 << 20);
    Status added;
    ASSERT_NO_THROW({
      const auto scorer = Scorer::create(format, requests, {.device = "host"});
      added = scorer.ok() ? (*scorer)->add(picture, picture) : scorer.status();
      if (scorer.ok()) {
        EXPECT_EQ((*scorer)->finish().status().code(), Code::no_memory) << feature;
      }
    }) << feature;
    EXPECT_EQ(added.code(), Code::no_memory) << feature << " " << added.text();
  }
}

}  // namespace
}  // namespace penstock::video
