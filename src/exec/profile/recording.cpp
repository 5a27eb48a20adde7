#include "exec/profile/recording.hpp"

#include <algorithm>
#include <cmath>

namespace penstock::plan {

void Recording::begin(const RunReport& report) {
  const std::lock_guard lock(mutex_);
  host_thread_ = std::this_thread::get_id();
  start_seconds_ = now_seconds();
  report_ = &report;
  spans_.clear();
  commands_.clear();
  builds_.clear();
  functions_.clear();
}

// The first attempts include what a driver sets up at its first command. Keeps the one with the
// smallest error.
Result<Recording::Anchor> Recording::anchor(Device& device) {
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  Anchor best;
  for (int attempt = 0; attempt < 5; attempt++) {
    const double before = now_seconds();
    PENSTOCK_ASSIGN(auto event, queue->record());
    PENSTOCK_TRY(queue->finish());
    const double after = now_seconds();
    if (!best.event || (after - before) / 2 < best.error_seconds)
      best = {std::move(event), (before + after) / 2, (after - before) / 2};
  }
  return best;
}

Status Recording::set_clock(Device& device) {
  PENSTOCK_ASSIGN(anchor_, anchor(device));
  return {};
}

void Recording::add(Track track, std::string name, double begin_seconds, double end_seconds) {
  const std::lock_guard lock(mutex_);
  spans_.push_back({track, std::move(name), begin_seconds, end_seconds});
}

void Recording::add_build(const BuildReport& build, std::string_view label, double begin_seconds,
                          double end_seconds) {
  const std::lock_guard lock(mutex_);
  Span span{Track::compile, std::string(label) + " (" + std::string(name_of(build.cache)) + ")",
            begin_seconds, end_seconds};
  builds_.push_back({std::move(span), build.key});
}

void Recording::add_command(Track track, std::string_view name, std::uint64_t bytes,
                            std::string_view program, std::shared_ptr<Event> begun,
                            std::shared_ptr<Event> done) {
  const std::lock_guard lock(mutex_);
  commands_.push_back({{track, std::string(name), 0, 0, bytes, next_kernel()},
                       std::string(program),
                       std::move(begun),
                       std::move(done)});
}

void Recording::note_function(Device& device, const Program& program, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const std::string& key = program.report().key;
  for (const Function& known : functions_)
    if (known.function.kernel == next_kernel() && known.function.name == name &&
        known.program == key)
      return;
  KernelFunction function;
  function.name = std::string(name);
  function.kernel = next_kernel();
  if (auto resources = device.resources(program, name); resources.ok())
    function.resources = *resources;
  functions_.push_back({std::move(function), key});
}

Result<double> Recording::host_seconds(const Event& event) const {
  PENSTOCK_ASSIGN(const double seconds, event.seconds_since(*anchor_.event));
  return anchor_.seconds + seconds;
}

// A kernel's report also represents launches of programs that have no report of their own.
int Recording::kernel_of(const std::string& program, int next) const {
  const std::vector<KernelReport>& kernels = report_->kernels;
  for (auto i = static_cast<std::size_t>(next); i < kernels.size() && !program.empty(); i++)
    if (kernels[i].build.key == program) return static_cast<int>(i);
  return next < static_cast<int>(kernels.size()) ? next : -1;
}

// Merges the functions of programs that one kernel took one after the other, each function once.
void Recording::place_functions(Profile& profile) const {
  for (const Function& noted : functions_) {
    KernelFunction function = noted.function;
    function.kernel = kernel_of(noted.program, function.kernel);
    const auto is_it = [&](const KernelFunction& other) {
      return other.kernel == function.kernel && other.name == function.name;
    };
    if (std::none_of(profile.functions.begin(), profile.functions.end(), is_it))
      profile.functions.push_back(std::move(function));
  }
}

Status Recording::place_commands(Profile& profile) const {
  for (const Command& command : commands_) {
    PENSTOCK_TRY(command.done->wait());
    Span span = command.span;
    PENSTOCK_ASSIGN(span.begin_seconds, host_seconds(*command.begun));
    PENSTOCK_ASSIGN(const double seconds, command.done->seconds_since(*command.begun));
    span.end_seconds = span.begin_seconds + std::max(seconds, 0.0);
    span.kernel = kernel_of(command.program, span.kernel);
    for (KernelFunction& function : profile.functions) {
      if (span.track != Track::compute || function.kernel != span.kernel ||
          function.name != span.name)
        continue;
      function.launches++;
      function.device_seconds += std::max(seconds, 0.0);
    }
    profile.spans.push_back(std::move(span));
  }
  return {};
}

void Recording::place_builds(Profile& profile) const {
  for (const Build& build : builds_) {
    Span span = build.span;
    for (std::size_t i = 0; i < report_->kernels.size() && span.kernel < 0; i++)
      if (report_->kernels[i].build.key == build.key) span.kernel = static_cast<int>(i);
    profile.spans.push_back(std::move(span));
  }
}

Result<Profile> Recording::finish(Device& device) {
  const double end_seconds = now_seconds();
  Profile profile;
  profile.device = device.traits().id + " " + device.traits().name;
  profile.total_seconds = end_seconds - start_seconds_;
  {
    const std::lock_guard lock(mutex_);
    profile.spans = spans_;  // before the clock is looked at again, which waits
    place_functions(profile);
  }
  PENSTOCK_ASSIGN(const Anchor last, anchor(device));
  PENSTOCK_ASSIGN(const double by_device, host_seconds(*last.event));
  profile.clock_error_seconds =
      std::max({anchor_.error_seconds, last.error_seconds, std::abs(last.seconds - by_device)});
  const std::lock_guard lock(mutex_);
  PENSTOCK_TRY(place_commands(profile));
  place_builds(profile);
  for (Span& span : profile.spans)
    span.begin_seconds -= start_seconds_, span.end_seconds -= start_seconds_;
  std::stable_sort(profile.spans.begin(), profile.spans.end(),
                   [](const Span& a, const Span& b) { return a.begin_seconds < b.begin_seconds; });
  return profile;
}

}  // namespace penstock::plan
