// penstock tune: measures the policies of kernels on a device, and stores those that are faster
// than the defaults beside the cache of compiled kernels.
#include <algorithm>
#include <cstdio>

#include "base/clock.hpp"
#include "bench/bench_table.hpp"
#include "bench/tuning/policy_search.hpp"
#include "cli/commands.hpp"
#include "terminal/messages.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {

namespace {

struct TuneOptions {
  std::string device;
  std::vector<std::string> families;
  std::uint64_t seconds = 120, runs = 5;
  bool dry_run = false;
};

std::vector<std::string> names_of_families() {
  std::vector<std::string> names;
  for (const bench::TunedFamily& row : bench::tuned_families())
    if (std::ranges::find(names, row.family) == names.end()) names.emplace_back(row.family);
  return names;
}

std::string check_family(const std::string& family) {
  std::string known;
  for (const std::string& name : names_of_families()) {
    if (name == family) return "";
    known += (known.empty() ? "" : ", ") + name;
  }
  return "there is no such family to tune; there are " + known;
}

std::vector<const bench::TunedFamily*> selected_families(const TuneOptions& options) {
  std::vector<const bench::TunedFamily*> selected;
  for (const bench::TunedFamily& row : bench::tuned_families())
    if (options.families.empty() ||
        std::ranges::find(options.families, row.family) != options.families.end())
      selected.push_back(&row);
  return selected;
}

std::string outcome_text(const bench::TunedFamily& family, const bench::SearchOutcome& outcome) {
  const std::string title = std::string(family.family) + ", " + family.data + ": ";
  if (!outcome.has_choices()) return title + "no number to choose on this device\n";
  char times[200];
  std::snprintf(times, sizeof times,
                "  default %.3f ms, best %.3f ms: gain %.1f %%, spread %.1f and %.1f %%; "
                "%llu policies, %llu more do not fit%s\n",
                outcome.standard_times.median() * 1e3, outcome.best_times.median() * 1e3,
                (outcome.gain() - 1) * 100, outcome.standard_times.spread() * 100,
                outcome.best_times.spread() * 100, static_cast<unsigned long long>(outcome.tried),
                static_cast<unsigned long long>(outcome.refused),
                outcome.was_cut ? "; cut short by --seconds" : "");
  const std::string best = outcome.best == outcome.standard ? "the default"
                           : outcome.is_worth_it()
                               ? text_of(outcome.best)
                               : text_of(outcome.best) + " is no clear gain: the default stays";
  return title + outcome.row + "\n  default " + text_of(outcome.standard) + "\n  best    " + best +
         "\n" + times;
}

// Replaces what was measured before of the same row and default.
void replace_policy(std::vector<kernel::TunedPolicy>& policies, const std::string& family,
                    const bench::SearchOutcome& outcome) {
  const kernel::TunedPolicy found = outcome.policy(family);
  std::erase_if(policies, [&](const kernel::TunedPolicy& old) {
    return old.family == family && old.row == found.row && old.standard == found.standard;
  });
  if (outcome.is_worth_it()) policies.push_back(found);
}

Result<bench::SearchOutcome> best_policy(const std::shared_ptr<Device>& device,
                                         const bench::TunedFamily& family,
                                         const TuneOptions& options, double deadline) {
  bench::show_progress(family.family, "making data");
  PENSTOCK_ASSIGN(const auto work, family.open(device));
  bench::SearchOptions how{deadline, options.runs, {}};
  how.on_try = [&](const kernel::PolicyNumbers& numbers) {
    bench::show_progress(family.family, numbers.empty() ? "the default" : text_of(numbers));
  };
  return bench::search_policy(*work, family.family, how);
}

Status store(const Traits& traits, const std::vector<kernel::TunedPolicy>& policies,
             const TuneOptions& options) {
  if (options.dry_run) return standard_output()("nothing is stored: --dry-run\n");
  PENSTOCK_TRY(kernel::store_tuned(traits, policies));
  return standard_output()(std::to_string(policies.size()) +
                           (policies.size() == 1 ? " policy is" : " policies are") + " stored in " +
                           kernel::tuned_file(traits).path + "\n");
}

// Families share the time that is left. One that the device does not run is left out.
Status tune(const TuneOptions& options) {
  prefer_optimised_kernels();
  PENSTOCK_ASSIGN(const auto device, open_device(options.device));
  const Sink out = standard_output();
  const auto selected = selected_families(options);
  std::vector<kernel::TunedPolicy> policies = kernel::tuned_file(device->traits()).policies;
  const double end = now_seconds() + static_cast<double>(options.seconds);
  PENSTOCK_TRY(out(device->traits().id + "  " + device->traits().name + "\n"));
  for (std::size_t i = 0; i < selected.size(); i++) {
    const double now = now_seconds(),
                 share = (end - now) / static_cast<double>(selected.size() - i);
    const auto outcome = best_policy(device, *selected[i], options, now + share);
    if (outcome.status().code() == Code::internal || outcome.status().code() == Code::device_lost)
      return outcome.status();
    if (!outcome.ok()) {
      PENSTOCK_TRY(out(std::string(selected[i]->family) + ": not measured, " +
                       outcome.status().text() + "\n"));
      continue;
    }
    PENSTOCK_TRY(out(outcome_text(*selected[i], *outcome)));
    if (outcome->has_choices()) replace_policy(policies, selected[i]->family, *outcome);
  }
  return store(device->traits(), policies, options);
}

}  // namespace

Action declare_tune(Arguments& arguments) {
  auto options = std::make_shared<TuneOptions>();
  arguments.device(options->device, "which device to measure");
  arguments.values("--family", "NAME", options->families,
                   "measure this family of kernels only; may be given several times", check_family);
  arguments.value("--seconds", "N", options->seconds,
                  "begin no further policy after this time; families share it", 1, 86400);
  arguments.value("--runs", "N", options->runs, "timed runs of each policy; the median counts", 3,
                  1000);
  arguments.flag("--dry-run", options->dry_run, "measure and print, and store nothing");
  std::string families;
  for (const std::string& name : names_of_families())
    families += (families.empty() ? "" : ", ") + name;
  arguments.footer("\nThe families are " + families + ".");
  return [options] { return tune(*options); };
}

}  // namespace penstock::cli
