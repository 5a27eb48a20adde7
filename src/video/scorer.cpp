#include <algorithm>

#include "base/exception_boundary.hpp"
#include "base/suggest_name.hpp"
#include "device/device_list.hpp"
#include "video/device/frame_dealer.hpp"
#include "video/feature_variants.hpp"
#include "video/sample_bits.hpp"

namespace penstock::video {
namespace {

// One requested feature: by kernels or on the host.
struct Requested {
  const FeatureRow* row = nullptr;
  OptionValues options;
  std::unique_ptr<HostFeature> host = {};
  // One for each device. The first device's feature also reads the sums of all frames, in their
  // order.
  std::vector<std::unique_ptr<DeviceFeature>> on_devices = {};
  std::uint64_t every = 1;  // one in `every` frames is scored
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
  // No devices: the host alone.
  AnyScorer(const PictureFormat& format, std::vector<std::shared_ptr<Device>> devices)
      : format_(format), devices_(std::move(devices)) {}

  Status open(std::span<const FeatureRequest> requests, ScorerOptions& options) {
    if (requests.empty()) return {Code::invalid, "no feature was asked for"};
    if (devices_.size() > 1 && options.queue)
      return {Code::invalid, "the caller's queue is of one device, and there are several"};
    DeviceLayout layout;
    if (!devices_.empty()) { PENSTOCK_ASSIGN(layout, device_layout(format_)); }
    for (const FeatureRequest& request : requests) PENSTOCK_TRY(open(request, layout, options));
    std::vector<DealtDevice> dealt;
    for (std::size_t i = 0; i < devices_.size(); i++) dealt.push_back(features_on(i));
    if (dealt.empty() || dealt[0].features.empty()) return {};
    dealt_every_ = std::ranges::min_element(dealt[0].features, {}, &RingFeature::every)->every;
    layout_ = layout;
    PENSTOCK_ASSIGN(dealer_, FrameDealer::create(
                                 std::move(dealt), layout,
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
    const bool is_dealt = dealer_ && counts_.frames % dealt_every_ == 0;
    if (reads_planes(reference, distorted, is_dealt)) {
      PENSTOCK_TRY(check_samples(reference).with("the reference"));
      PENSTOCK_TRY(check_samples(distorted).with("the distorted picture"));
    }
    if (is_dealt) {
      Status added = dealer_->add(reference, distorted, counts_.frames);
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
    if (devices_.size() > 1)
      return {Code::unsupported,
              "pictures in device memory are scored by one device, and the scorer has several"};
    for (const auto& feature : features_)
      if (feature->host)
        return {Code::unsupported, "feature '" + std::string(feature->row->name) +
                                       "' runs on the host, which does not read device memory"};
    PENSTOCK_TRY(check_unfinished());
    PENSTOCK_TRY(check_picture(reference, layout_).with("the reference"));
    PENSTOCK_TRY(check_picture(distorted, layout_).with("the distorted picture"));
    if (counts_.frames % dealt_every_ == 0)
      PENSTOCK_TRY(dealer_->add(reference, distorted, counts_.frames));
    counts_.frames++;
    return {};
  }

  Result<Scores> finished() {
    PENSTOCK_TRY(check_unfinished());
    is_finished_ = true;
    if (dealer_) PENSTOCK_TRY(dealer_->finish());
    std::vector<std::size_t> frame_keys;
    for (const auto& feature : features_) {
      frame_keys.push_back(feature->scores.keys().size());
      PENSTOCK_TRY(feature->host ? feature->host->finish(counts_.frames, feature->scores)
                                 : feature->on_devices[0]->finish(counts_.frames, feature->scores));
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

  // Rings check the samples that they copy or read. Features on the host need checked planes, too:
  // some use samples as indices.
  bool reads_planes(const Picture& reference, const Picture& distorted, bool is_dealt) const {
    const bool on_host = std::ranges::any_of(
        features_, [](const auto& feature) { return feature->host != nullptr; });
    if (reference.stored && distorted.stored) return on_host;
    return on_host || !is_dealt;
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
    if (!devices_.empty()) {
      PENSTOCK_ASSIGN(by_device, takes_kernels(row, devices_[0]->traits(), options.rows));
    }
    PENSTOCK_TRY(by_device ? open_on_devices(*feature, layout) : open_on_host(*feature, options));
    features_.push_back(std::move(feature));
    return {};
  }

  Status open_on_devices(Requested& feature, const DeviceLayout& layout) {
    const std::string name(feature.row->name);
    if (!feature.row->device)
      return {Code::unsupported,
              "feature '" + name + "' has no kernels; --device host computes it"};
    std::string places, variants;
    for (const std::shared_ptr<Device>& device : devices_) {
      auto opened = feature.row->device(device, layout, feature.options);
      if (!opened.ok() && devices_.size() > 1) return opened.with("on " + device->traits().id);
      PENSTOCK_ASSIGN(auto made, std::move(opened));
      if (devices_.size() > 1 && made->writes_files())
        return {Code::unsupported, "feature '" + name + "' writes files on one device alone"};
      const std::string variant(made->variant());
      places += (places.empty() ? "" : ", ") + device->traits().id + " " + device->traits().name;
      if (feature.on_devices.empty() || variant != feature.on_devices.back()->variant())
        variants += (variants.empty() ? "" : ", ") + variant;
      feature.on_devices.push_back(std::move(made));
    }
    reports_.push_back({name, places, variants});
    return {};
  }

  Status open_on_host(Requested& feature, const ScorerOptions& options) {
    const FeatureRow& row = *feature.row;
    for (const std::shared_ptr<Device>& device : devices_)
      if (!device->traits().shares_host_cores() && options.rows != ScorerRows::host)
        return {Code::unsupported, "feature '" + std::string(row.name) + "' has no kernels for " +
                                       device->traits().id + "; --device host computes it"};
    PENSTOCK_ASSIGN(feature.host, row.host(format_, feature.options));
    reports_.push_back({std::string(row.name), "host", "loops"});
    return {};
  }

  DealtDevice features_on(std::size_t device) const {
    DealtDevice dealt{devices_[device], {}};
    for (const auto& feature : features_)
      if (!feature->host)
        dealt.features.push_back({feature->on_devices[device].get(), feature->every});
    return dealt;
  }

  // Two requests with equal keys would overwrite each other's scores.
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
      DeviceFeature& first = *feature->on_devices[0];
      const std::uint32_t count = first.sum_count();
      if (frame % feature->every == 0)
        PENSTOCK_TRY(first.read(sums.first(count), frame, feature->scores));
      sums = sums.subspan(count);
    }
    return {};
  }

  PictureFormat format_;
  std::vector<std::shared_ptr<Device>> devices_;
  DeviceLayout layout_;
  std::vector<std::unique_ptr<Requested>> features_;
  std::vector<FeatureReport> reports_;
  ScorerCounts counts_;
  bool is_finished_ = false;
  Status failed_;
  std::uint64_t dealt_every_ = 1;        // one in this many frames is dealt
  std::unique_ptr<FrameDealer> dealer_;  // last: its work uses the features' memory
};

Result<std::vector<std::shared_ptr<Device>>> devices_of(const ScorerOptions& options) {
  std::vector<std::shared_ptr<Device>> devices;
  if (options.opened) devices.push_back(options.opened);
  if (options.opened || options.device == "host") return devices;
  PENSTOCK_ASSIGN(const auto ids, device::devices_of_list(options.device));
  for (const auto& opened : device::open_all(ids)) {
    PENSTOCK_TRY(opened.status());
    devices.push_back(*opened);
  }
  return devices;
}

}  // namespace

Result<std::unique_ptr<Scorer>> Scorer::create(const PictureFormat& format,
                                               std::span<const FeatureRequest> features,
                                               ScorerOptions options) {
  return catch_exceptions([&]() -> Result<std::unique_ptr<Scorer>> {
    PENSTOCK_TRY(check_format(format));
    if (options.subsample == 0) return Status(Code::invalid, "subsample must be at least 1");
    PENSTOCK_ASSIGN(auto devices, devices_of(options));
    auto scorer = std::make_unique<AnyScorer>(format, std::move(devices));
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
