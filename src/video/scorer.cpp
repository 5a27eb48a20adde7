#include <algorithm>

#include "base/exception_boundary.hpp"
#include "base/suggest_name.hpp"
#include "device/device_list.hpp"
#include "video/device/frame_ring.hpp"
#include "video/feature_variants.hpp"
#include "video/sample_bits.hpp"

namespace penstock::video {
namespace {

// One requested feature: by kernels or on the host.
struct Requested {
  const FeatureRow* row = nullptr;
  OptionValues options;
  std::unique_ptr<HostFeature> host = {};
  std::unique_ptr<DeviceFeature> on_device = {};
  std::uint64_t every = 1;  // so many frames are scored
  Scores scores = {};
};

Result<const FeatureRow*> row_named(const std::string& name) {
  const auto rows = feature_rows();
  const auto row = std::ranges::find_if(rows, [&](const FeatureRow* r) { return r->name == name; });
  if (row != rows.end()) return *row;
  std::vector<std::string> names;
  for (const FeatureRow* r : rows) names.emplace_back(r->name);
  const std::string near = nearest_name(name, names);
  std::string message = "there is no feature '" + name + "'";
  if (near.empty())
    for (std::size_t i = 0; i < names.size(); i++)
      message += (i ? ", " : "; there are ") + names[i];
  else
    message += "; did you mean '" + near + "'?";
  return Status(Code::invalid, message);
}

Result<bool> takes_kernels(const FeatureRow& row, const Traits& traits, ScorerRows rows) {
  if (rows != ScorerRows::automatic) return rows == ScorerRows::kernels;
  std::vector<std::string> fitting;
  for (const kernel::VariantRow& each : variants_of(row, traits))
    if (each.fit) fitting.push_back(each.name);
  PENSTOCK_ASSIGN(const kernel::ChosenRow chosen,
                  kernel::choose_row(variant_family(row), fitting, {}, traits));
  return fitting[chosen.index] == "kernels";
}

// Libvmaf reports keys in the order of their first score: first the frames' keys by feature, then
// the keys set at the end.
void merge(const Requested& from, std::size_t first_key, std::size_t last_key, Scores& to) {
  for (std::size_t key = first_key; key < last_key; key++)
    for (std::uint64_t frame = 0; frame < from.scores.frame_count(); frame++)
      if (const auto value = from.scores.value(from.scores.keys()[key], frame))
        to.set(from.scores.keys()[key], frame, *value);
}

class AnyScorer final : public Scorer {
 public:
  // `device`: null for the host alone.
  AnyScorer(const PictureFormat& format, std::shared_ptr<Device> device)
      : format_(format), device_(std::move(device)) {}

  Status open(std::span<const FeatureRequest> requests, ScorerOptions& options) {
    if (requests.empty()) return {Code::invalid, "no feature was asked for"};
    DeviceLayout layout;
    if (device_) { PENSTOCK_ASSIGN(layout, device_layout(format_)); }
    for (const FeatureRequest& request : requests) PENSTOCK_TRY(open(request, layout, options));
    std::vector<RingFeature> on_device;
    for (const auto& feature : features_)
      if (!feature->host) on_device.push_back({feature->on_device.get(), feature->every});
    if (on_device.empty()) return {};
    ring_every_ = std::ranges::min_element(on_device, {}, &RingFeature::every)->every;
    layout_ = layout;
    PENSTOCK_ASSIGN(ring_, FrameRing::create(
                               device_, layout, std::move(on_device),
                               [this](std::uint64_t frame, std::span<const std::uint64_t> sums) {
                                 return read(frame, sums);
                               },
                               std::move(options.queue), counts_));
    return {};
  }

  Status add(const Picture& reference, const Picture& distorted) override {
    return ending([&] { return add_planes(reference, distorted); });
  }
  Status add(const DevicePicture& reference, const DevicePicture& distorted) override {
    return ending([&] { return add_on_device(reference, distorted); });
  }
  Result<Scores> finish() override {
    return ending([&] { return finished(); });
  }

  std::span<const FeatureReport> reports() const override { return reports_; }
  const ScorerCounts& counts() const override { return counts_; }

 private:
  // Returns what `work` does. An exception of it, such as lack of memory, ends the scoring.
  template <class Work> std::invoke_result_t<Work> ending(Work&& work) {
    try {
      return work();
    } catch (...) { return failed_ = status_of_exception(); }
  }

  Status add_planes(const Picture& reference, const Picture& distorted) {
    PENSTOCK_TRY(check_unfinished());
    if (reference.format != format_ || distorted.format != format_)
      return {Code::invalid, "a picture has another format than the scorer"};
    const bool is_in_ring = ring_ && counts_.frames % ring_every_ == 0;
    if (reads_planes(reference, distorted, is_in_ring)) {
      PENSTOCK_TRY(check_samples(reference).with("the reference"));
      PENSTOCK_TRY(check_samples(distorted).with("the distorted picture"));
    }
    if (is_in_ring) {
      Status added = ring_->add(reference, distorted, counts_.frames);
      // Samples of planes are refused before anything is enqueued.
      const bool is_stored = reference.stored && distorted.stored;
      if (!added.ok() && (is_stored || added.code() != Code::invalid)) failed_ = added;
      PENSTOCK_TRY(std::move(added));
    }
    for (const auto& feature : features_)
      if (feature->host && counts_.frames % feature->every == 0) {
        failed_ = feature->host->add(reference, distorted, counts_.frames, feature->scores)
                      .with("feature '" + std::string(feature->row->name) + "'");
        PENSTOCK_TRY(failed_);
      }
    counts_.frames++;
    return {};
  }

  Status add_on_device(const DevicePicture& reference, const DevicePicture& distorted) {
    for (const auto& feature : features_)
      if (feature->host)
        return {Code::unsupported, "feature '" + std::string(feature->row->name) +
                                       "' runs on the host, which does not read device memory"};
    PENSTOCK_TRY(check_unfinished());
    PENSTOCK_TRY(check_picture(reference, layout_).with("the reference"));
    PENSTOCK_TRY(check_picture(distorted, layout_).with("the distorted picture"));
    if (counts_.frames % ring_every_ == 0)
      PENSTOCK_TRY(ring_->add(reference, distorted, counts_.frames));
    counts_.frames++;
    return {};
  }

  Result<Scores> finished() {
    PENSTOCK_TRY(check_unfinished());
    is_finished_ = true;
    if (ring_) PENSTOCK_TRY(ring_->finish());
    std::vector<std::size_t> frame_keys;
    for (const auto& feature : features_) {
      frame_keys.push_back(feature->scores.keys().size());
      PENSTOCK_TRY(feature->host ? feature->host->finish(counts_.frames, feature->scores)
                                 : feature->on_device->finish(counts_.frames, feature->scores));
    }
    Scores all;
    for (std::size_t i = 0; i < features_.size(); i++) merge(*features_[i], 0, frame_keys[i], all);
    for (std::size_t i = 0; i < features_.size(); i++) {
      merge(*features_[i], frame_keys[i], features_[i]->scores.keys().size(), all);
      for (const auto& [key, value] : features_[i]->scores.aggregates())
        all.set_aggregate(key, value);
    }
    return all;
  }

  // A frame that some features took and others did not ends the scoring.
  Status check_unfinished() const {
    return is_finished_ ? Status(Code::invalid, "the scorer is finished") : failed_;
  }

  // Rings check what they copy or read. Other readers of planes must check them, too: features on
  // the host, some of which index by samples.
  bool reads_planes(const Picture& reference, const Picture& distorted, bool is_in_ring) const {
    const bool on_host = std::ranges::any_of(
        features_, [](const auto& feature) { return feature->host != nullptr; });
    if (reference.stored && distorted.stored) return on_host;
    return on_host || !is_in_ring;
  }

  Status open(const FeatureRequest& request, const DeviceLayout& layout,
              const ScorerOptions& options) {
    auto feature = std::make_unique<Requested>();
    PENSTOCK_ASSIGN(feature->row, row_named(request.name));
    const FeatureRow& row = *feature->row;
    PENSTOCK_ASSIGN(feature->options, OptionValues::parse(row.name, row.options, request.options));
    feature->every = row.takes_every_frame ? 1 : options.subsample;
    PENSTOCK_TRY(check_keys(*feature));
    bool by_device = false;
    if (device_) {
      PENSTOCK_ASSIGN(by_device, takes_kernels(row, device_->traits(), options.rows));
    }
    PENSTOCK_TRY(by_device ? open_on_device(*feature, layout) : open_on_host(*feature, options));
    features_.push_back(std::move(feature));
    return {};
  }

  Status open_on_device(Requested& feature, const DeviceLayout& layout) {
    const std::string name(feature.row->name);
    if (!feature.row->device)
      return {Code::unsupported,
              "feature '" + name + "' has no kernels; --device host computes it"};
    PENSTOCK_ASSIGN(feature.on_device, feature.row->device(device_, layout, feature.options));
    const Traits& traits = device_->traits();
    reports_.push_back(
        {name, traits.id + " " + traits.name, std::string(feature.on_device->variant())});
    return {};
  }

  Status open_on_host(Requested& feature, const ScorerOptions& options) {
    const FeatureRow& row = *feature.row;
    if (device_ && !device_->traits().shares_host_cores() && options.rows != ScorerRows::host)
      return {Code::unsupported, "feature '" + std::string(row.name) + "' has no kernels for " +
                                     device_->traits().id + "; --device host computes it"};
    PENSTOCK_ASSIGN(feature.host, row.host(format_, feature.options));
    reports_.push_back({std::string(row.name), "host", "loops"});
    return {};
  }

  // Two requests with equal keys would write over each other's scores.
  Status check_keys(const Requested& feature) const {
    for (const auto& earlier : features_)
      if (earlier->row == feature.row && earlier->options.key("") == feature.options.key(""))
        return {Code::invalid, "feature '" + std::string(feature.row->name) +
                                   "' is asked for twice with the same keys"};
    return {};
  }

  Status read(std::uint64_t frame, std::span<const std::uint64_t> sums) {
    for (const auto& feature : features_) {
      if (feature->host) continue;
      const std::uint32_t count = feature->on_device->sum_count();
      if (frame % feature->every == 0)
        PENSTOCK_TRY(feature->on_device->read(sums.first(count), frame, feature->scores));
      sums = sums.subspan(count);
    }
    return {};
  }

  PictureFormat format_;
  std::shared_ptr<Device> device_;
  DeviceLayout layout_;
  std::vector<std::unique_ptr<Requested>> features_;
  std::vector<FeatureReport> reports_;
  ScorerCounts counts_;
  bool is_finished_ = false;
  Status failed_;
  std::uint64_t ring_every_ = 1;     // every so many frames are in the ring
  std::unique_ptr<FrameRing> ring_;  // last: its work uses the features' memory
};

// Returns null for the host alone.
Result<std::shared_ptr<Device>> device_of(const ScorerOptions& options) {
  if (options.opened || options.device == "host") return options.opened;
  if (device::names_several(options.device))
    return Status(Code::unsupported,
                  "'" + options.device + "' names several devices, and one scores a video");
  return open_device(options.device);
}

}  // namespace

Result<std::unique_ptr<Scorer>> Scorer::create(const PictureFormat& format,
                                               std::span<const FeatureRequest> features,
                                               ScorerOptions options) {
  return catch_exceptions([&]() -> Result<std::unique_ptr<Scorer>> {
    PENSTOCK_TRY(check_format(format));
    if (options.subsample == 0) return Status(Code::invalid, "subsample must be at least 1");
    PENSTOCK_ASSIGN(auto device, device_of(options));
    auto scorer = std::make_unique<AnyScorer>(format, std::move(device));
    PENSTOCK_TRY(scorer->open(features, options));
    return std::unique_ptr<Scorer>(std::move(scorer));
  });
}

std::vector<FeatureInfo> list_features() {
  std::vector<FeatureInfo> features;
  for (const FeatureRow* row : feature_rows()) features.push_back({row->name, row->summary});
  return features;
}

}  // namespace penstock::video
