#include "bench/tuning/policy_search.hpp"

#include <algorithm>
#include <optional>

#include "base/clock.hpp"

namespace penstock::bench {
namespace {

constexpr double min_gain = 1.03;
constexpr int rounds_of_search = 2, rounds_of_proof = 4;

Result<std::vector<double>> timed_runs(TunedWork& work, std::uint64_t runs) {
  std::vector<double> seconds;
  for (std::uint64_t i = 0; i <= runs; i++) {
    PENSTOCK_ASSIGN(const double run, work.run_seconds());
    if (i > 0) seconds.push_back(run);  // the first warms up
  }
  std::ranges::sort(seconds);
  return seconds;
}

class PolicySearch {
 public:
  PolicySearch(TunedWork& work, const std::string& family, const SearchOptions& options)
      : work_(work), family_(family), options_(options) {}

  Result<SearchOutcome> run() {
    PENSTOCK_ASSIGN(const auto standard, median_of({}));
    if (!standard) return Status(Code::internal, "the default policy does not run");
    best_seconds_ = *standard;
    outcome_.best = outcome_.standard;
    if (!outcome_.has_choices()) return std::move(outcome_);
    for (int round = 0; round < rounds_of_search && !outcome_.was_cut; round++) {
      const kernel::PolicyNumbers before = outcome_.best;
      for (std::size_t number = 0; number < outcome_.standard.size(); number++)
        PENSTOCK_TRY(try_choices(number));
      if (outcome_.best == before) break;
    }
    PENSTOCK_TRY(prove());
    return std::move(outcome_);
  }

 private:
  Status try_choices(std::size_t number) {
    for (const std::uint32_t choice : outcome_.standard[number].choices) {
      if (now_seconds() > options_.deadline_seconds) outcome_.was_cut = true;
      if (outcome_.was_cut) return {};
      kernel::PolicyNumbers numbers = outcome_.best;
      if (numbers[number].value == choice) continue;
      numbers[number].value = choice;
      if (std::ranges::find(known_, numbers) != known_.end()) continue;
      known_.push_back(numbers);
      PENSTOCK_ASSIGN(const auto seconds, median_of(numbers));
      if (!seconds || *seconds >= best_seconds_) continue;
      best_seconds_ = *seconds;
      outcome_.best = std::move(numbers);
    }
    return {};
  }

  // The median of a policy's runs; none where it does not fit or does not compile.
  Result<std::optional<double>> median_of(const kernel::PolicyNumbers& numbers) {
    if (options_.on_try) options_.on_try(numbers);
    const kernel::PolicyTrial trial(family_, numbers);
    const Status built = work_.build();
    if (outcome_.standard.empty()) outcome_.standard = trial.standard(), outcome_.row = trial.row();
    if (trial.was_refused() || trial.row() != outcome_.row || !built.ok()) {
      outcome_.refused++;
      if (numbers.empty() || built.code() == Code::device_lost) PENSTOCK_TRY(built);
      return std::optional<double>();
    }
    outcome_.tried++;
    PENSTOCK_TRY(work_.verify().with(outcome_.row + " by " + text_of(numbers)));
    PENSTOCK_ASSIGN(const std::vector<double> seconds, timed_runs(work_, options_.runs));
    return std::optional(seconds[seconds.size() / 2]);
  }

  // In turns, so that both meet the same machine.
  Status prove() {
    const bool is_same = outcome_.best == outcome_.standard;
    for (int round = 0; round < rounds_of_proof; round++) {
      PENSTOCK_TRY(add_times({}, outcome_.standard_times));
      if (!is_same) PENSTOCK_TRY(add_times(outcome_.best, outcome_.best_times));
    }
    if (is_same) outcome_.best_times = outcome_.standard_times;
    return {};
  }
  Status add_times(const kernel::PolicyNumbers& numbers, PolicyTimes& times) {
    const kernel::PolicyTrial trial(family_, numbers);
    PENSTOCK_TRY(work_.build());
    PENSTOCK_ASSIGN(const std::vector<double> seconds, timed_runs(work_, options_.runs));
    times.seconds.insert(times.seconds.end(), seconds.begin(), seconds.end());
    std::ranges::sort(times.seconds);
    return {};
  }

  TunedWork& work_;
  const std::string& family_;
  const SearchOptions& options_;
  SearchOutcome outcome_;
  double best_seconds_ = 0;
  std::vector<kernel::PolicyNumbers> known_;
};

}  // namespace

bool SearchOutcome::has_choices() const {
  return std::ranges::any_of(
      standard, [](const kernel::PolicyNumber& number) { return !number.choices.empty(); });
}

bool SearchOutcome::is_worth_it() const {
  if (best == standard || gain() < min_gain) return false;
  const std::size_t slow = best_times.seconds.size() * 3 / 4,
                    fast = standard_times.seconds.size() / 4;
  return best_times.seconds[slow] < standard_times.seconds[fast] &&
         best_times.seconds.front() < standard_times.seconds.front();
}

kernel::TunedPolicy SearchOutcome::policy(const std::string& family) const {
  return {family, row, standard, best, gain(), best_times.spread()};
}

Result<SearchOutcome> search_policy(TunedWork& work, const std::string& family,
                                    const SearchOptions& options) {
  return PolicySearch(work, family, options).run();
}

}  // namespace penstock::bench
