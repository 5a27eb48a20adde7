// The table of features. A feature is a file in src/video/features/ and a row in feature_rows.cpp;
// the program, the tests and the bench loop over the rows.
#pragma once
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "penstock/device.hpp"
#include "penstock/video.hpp"

namespace penstock::video {

enum class OptionKind : unsigned char { flag, integer, number, text };

// An option of a feature, as libvmaf declares it. One that is `in_key` and not at its default is
// appended to the feature's keys: cambi_encw_960.
struct OptionRow {
  std::string_view name;
  std::string_view alias = {};
  OptionKind kind = OptionKind::flag;
  double initial = 0;  // flags: 0 or 1
  double min = 0, max = std::numeric_limits<double>::max();
  std::string_view initial_text = {};
  bool in_key = false;
  std::string_view help = {};
};

// The options of one feature, checked.
class OptionValues {
 public:
  // Code::invalid names an option that is not in `rows`, or a value that it does not take.
  static Result<OptionValues> parse(std::string_view feature, std::span<const OptionRow> rows,
                                    const std::map<std::string, std::string>& given);
  bool flag(std::string_view name) const { return number(name) != 0; }
  double number(std::string_view name) const { return values_.find(name)->second.number; }
  std::int64_t integer(std::string_view name) const {
    return static_cast<std::int64_t>(number(name));
  }
  const std::string& text(std::string_view name) const { return values_.find(name)->second.text; }
  // Returns the key of a score: its name, and the options that are not at their defaults, in the
  // order of their names.
  std::string key(std::string_view name) const;

 private:
  struct Value {
    double number = 0;
    std::string text = {};
    std::string in_key = {};  // empty if it is at its default
  };
  std::map<std::string, Value, std::less<>> values_;
};

// A feature on the host, by threads and vectors. The loops that it and every device are compared
// with are in test/video_oracle.
class HostFeature {
 public:
  virtual ~HostFeature() = default;
  // Frames come in order. Scores of earlier frames may be set too.
  virtual Status add(const Picture& reference, const Picture& distorted, std::uint64_t frame,
                     Scores& scores) = 0;
  virtual Status finish(std::uint64_t, Scores&) { return {}; }
};

class DeviceFeature;  // device/device_feature.hpp
struct DeviceLayout;

struct FeatureRow {
  std::string_view name, summary;
  std::span<const OptionRow> options;
  // Code::invalid, Code::unsupported: the feature is undefined for such pictures.
  Result<std::unique_ptr<HostFeature>> (*host)(const PictureFormat& format,
                                               const OptionValues& options);
  // The same by kernels; null if there are none. Fails where `host` does.
  Result<std::unique_ptr<DeviceFeature>> (*device)(const std::shared_ptr<Device>& device,
                                                   const DeviceLayout& layout,
                                                   const OptionValues& options) = nullptr;
  // On a device that is the host's own cores, kernels are faster than the host's loops
  // (docs/lab/video-cpu.md).
  bool has_fast_kernels_on_cpu = false;
  // Frames are scored that others are left out of (ScorerOptions::subsample): libvmaf's TEMPORAL.
  bool takes_every_frame = false;
};
std::span<const FeatureRow* const> feature_rows();

// FeatureRow::host of a class that takes a format and options.
template <class Feature>
Result<std::unique_ptr<HostFeature>> host_feature(const PictureFormat& format,
                                                  const OptionValues& options) {
  return std::unique_ptr<HostFeature>(std::make_unique<Feature>(format, options));
}

// FeatureRow::device of a class with Status open(), which takes a device, a layout and options.
template <class Feature>
Result<std::unique_ptr<DeviceFeature>> device_feature(const std::shared_ptr<Device>& device,
                                                      const DeviceLayout& layout,
                                                      const OptionValues& options) {
  auto feature = std::make_unique<Feature>(device, layout, options);
  PENSTOCK_TRY(feature->open());
  return std::unique_ptr<DeviceFeature>(std::move(feature));
}

extern const FeatureRow psnr_row, float_psnr_row, float_moment_row, float_ssim_row,
    float_ms_ssim_row, ciede_row, cambi_row, motion_row, float_motion_row, vif_row, float_vif_row,
    float_ansnr_row;

}  // namespace penstock::video
