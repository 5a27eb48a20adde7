// Scores a distorted video against its reference, frame by frame: SSIM, MS-SSIM, CAMBI, CIEDE2000,
// PSNR, VIF, motion and others.
//
// Features have libvmaf's names, options, keys and meaning (libvmaf 3.2.0; docs/video.md lists
// where it fails and Penstock does not). A picture is the planes of one frame in host memory; rows
// may be padded.
//
//     const video::FeatureRequest features[] = {{"float_ssim"}, {"cambi"}};
//     PENSTOCK_ASSIGN(auto scorer, video::Scorer::create(format, features, {.device = "cuda:0"}));
//     for (std::uint64_t i = 0; i < frame_count; i++)
//       PENSTOCK_TRY(scorer->add(reference[i], distorted[i]));
//     PENSTOCK_ASSIGN(video::Scores scores, scorer->finish());
//     double mean = scores.pooled("float_ssim").mean;
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"
#include "penstock/status.hpp"

namespace penstock::video {

// Chroma subsampling. none: luma alone (libvmaf: 4:0:0).
enum class Chroma : unsigned char { none, c420, c422, c444 };
std::string_view name_of(Chroma chroma);  // "400", "420", "422", "444"

// Samples of 8 bits are bytes; samples of 9 to 16 bits are 16-bit little-endian numbers,
// right-aligned.
struct PictureFormat {
  std::uint32_t width = 0, height = 0;
  std::uint32_t bits = 8;  // per sample: 8, 10, 12 or 16
  Chroma chroma = Chroma::c420;
  friend bool operator==(const PictureFormat&, const PictureFormat&) = default;
};
// The most rows or columns, more than any codec has.
constexpr std::uint32_t max_side = 65535;
Status check_format(const PictureFormat& format);  // Code::invalid names what is wrong
// Planes are Y, Cb and Cr. Chroma planes of odd sizes are rounded up.
std::uint32_t plane_count(const PictureFormat& format);
std::uint32_t plane_width(const PictureFormat& format, std::uint32_t plane);
std::uint32_t plane_height(const PictureFormat& format, std::uint32_t plane);
std::uint64_t picture_bytes(const PictureFormat& format);  // of all planes without padding

struct Plane {
  const std::byte* data = nullptr;
  std::size_t row_bytes = 0;  // from one row to the next
};
// The stored planes of a picture, one after another without padding: a frame of a file.
class StoredPlanes {
 public:
  virtual ~StoredPlanes() = default;
  // Reads bytes, counted from the first plane's first one. Code::io or Code::truncated if they
  // cannot be had. Thread-safe.
  virtual Status read(std::uint64_t first_byte, std::span<std::byte> into) const = 0;
};
// The planes outlive the call that they are given to.
struct Picture {
  PictureFormat format;
  std::array<Plane, 3> planes = {};
  // May be null. If both pictures of a frame have it, several threads read from it for devices,
  // also after the call has returned. A picture that cannot be read, or has samples of too many
  // bits, is then the error of a later call, which ends the scoring. `planes` are read by features
  // on the host alone.
  std::shared_ptr<const StoredPlanes> stored = nullptr;
};
// Returns the picture whose planes follow each other in `bytes` without padding, as in .yuv files.
// Code::truncated if the bytes do not suffice.
Result<Picture> picture_of(const PictureFormat& format, std::span<const std::byte> bytes);

// A feature and its options, by libvmaf's names: {"cambi", {{"enc_width", "960"}}}.
struct FeatureRequest {
  std::string name;
  std::map<std::string, std::string> options = {};
};
// Reads libvmaf's form: "cambi=enc_width=960:full_ref=true". Code::invalid names what is wrong.
Result<FeatureRequest> parse_feature_request(std::string_view text);

// The minimum, maximum, arithmetic and harmonic mean over frames, as libvmaf pools them.
struct Pooled {
  double min = 0, max = 0, mean = 0, harmonic_mean = 0;
};

// The scores of all frames by key ("psnr_y"). A value may be infinite, such as CIEDE2000 of equal
// frames.
class Scores {
 public:
  void set(std::string_view key, std::uint64_t frame, double value);
  void set_aggregate(std::string_view key, double value);

  const std::vector<std::string>& keys() const { return keys_; }  // in the order of first scores
  std::uint64_t frame_count() const { return frame_count_; }
  std::optional<double> value(std::string_view key, std::uint64_t frame) const;
  // Pools every `subsample`-th frame that has a value.
  Pooled pooled(std::string_view key, std::uint64_t subsample = 1) const;
  // Scores of a whole video, such as "apsnr_y".
  const std::vector<std::pair<std::string, double>>& aggregates() const { return aggregates_; }

 private:
  std::vector<std::string> keys_;
  std::map<std::string, std::vector<std::optional<double>>, std::less<>> values_;
  std::vector<std::pair<std::string, double>> aggregates_;
  std::uint64_t frame_count_ = 0;
};

// The work of a scorer. Divided by the frames: the waits, launches and copies of a frame.
struct ScorerCounts {
  std::uint64_t frames = 0;
  std::uint64_t waits = 0;     // of the host for the device
  std::uint64_t launches = 0;  // of kernels
  std::uint64_t copies = 0;    // uploads, downloads and copies in device memory
  std::uint64_t fills = 0;
};

// The place where a feature ran.
struct FeatureReport {
  std::string feature;  // as requested: "float_ssim"
  std::string place;    // "cuda:0 NVIDIA H200", "host"
  std::string variant;  // of its kernels or loops
};

// A frame of two that are in device memory, on the scorer's device: buffers of allocate() or
// import_memory(). Rows may be padded. Addresses of rows are multiples of a sample's size.
struct DevicePlane {
  std::shared_ptr<Buffer> buffer;
  std::uint64_t first_byte = 0, row_bytes = 0;
};
struct DevicePicture {
  PictureFormat format;
  std::array<DevicePlane, 3> planes = {};
};

// Which implementation a feature takes. automatic: kernels, but on a CPU's device what was measured
// to be faster (docs/lab/video-cpu.md). kernels, host: that alone, or Code::unsupported.
enum class ScorerRows : unsigned char { automatic, kernels, host };

struct ScorerOptions {
  // "host", or what open_device() takes.
  std::string device = {};
  std::shared_ptr<Device> opened = {};  // instead of `device`
  ScorerRows rows = ScorerRows::automatic;
  // The caller's queue, on which all kernels run (Device::import_queue, on `opened`). Null: a queue
  // of the scorer's own.
  std::unique_ptr<Queue> queue = {};
  // Scores the frames with a number that it divides, as libvmaf does. Features of motion and PSNR
  // are scored on all frames.
  std::uint64_t subsample = 1;
};

// Scores pairs of frames in order. One thread at a time uses it.
class Scorer {
 public:
  // Code::invalid: an unknown feature or option, a format that a feature does not take.
  // Code::unsupported: a feature that has no kernels, if these were asked for.
  static Result<std::unique_ptr<Scorer>> create(const PictureFormat& format,
                                                std::span<const FeatureRequest> features,
                                                ScorerOptions options = {});
  virtual ~Scorer() = default;
  // Adds the next frame. The pictures may change when this returns. Code::invalid for another
  // format than that of create(), and for samples that have more bits than it says.
  virtual Status add(const Picture& reference, const Picture& distorted) = 0;
  // The same in device memory: enqueued. Samples are not checked for bits beyond their format's.
  // The pictures are complete, or the work that makes them is on the queue that the caller gave.
  // They may change by work that the caller enqueues later on that queue, or after finish().
  // Code::unsupported if a feature runs on the host.
  virtual Status add(const DevicePicture& reference, const DevicePicture& distorted) = 0;
  // Waits for all frames and returns their scores. Nothing can be added after it.
  virtual Result<Scores> finish() = 0;
  virtual std::span<const FeatureReport> reports() const = 0;  // one for each request, in order
  virtual const ScorerCounts& counts() const = 0;
};

// The features that there are, for help: name and what it measures.
struct FeatureInfo {
  std::string_view name, summary;
};
std::vector<FeatureInfo> list_features();

}  // namespace penstock::video
