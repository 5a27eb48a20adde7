// Chooses the policy that a row runs with.
#include <algorithm>
#include <mutex>
#include <optional>

#include "kernel/tuned_policies.hpp"

namespace penstock::kernel {
namespace {

// The one trial. Kernels are built in several threads.
struct TrialState {
  std::mutex mutex;
  bool is_running = false, was_refused = false;
  std::string family, row;
  PolicyNumbers numbers, standard;
};
TrialState& trial_state() {
  static TrialState state;
  return state;
}

PolicyNumbers replaced(PolicyNumbers numbers, const PolicyNumbers& by) {
  for (PolicyNumber& number : numbers) number.value = number_of(by, number.name, number.value);
  return numbers;
}

// Returns whether each number is the standard one or one of its choices. Kernels and their host
// code support only the choices, but a file edited by hand may have any number.
bool are_choices(const PolicyNumbers& standard, const PolicyNumbers& wanted) {
  return std::ranges::equal(wanted, standard, [](const PolicyNumber& is, const PolicyNumber& of) {
    return is == of || std::ranges::find(of.choices, is.value) != of.choices.end();
  });
}

// Returns the policy of a trial of this family; nothing if no such trial runs.
std::optional<PolicyNumbers> trial_policy(std::string_view family, std::string_view row,
                                          const PolicyNumbers& standard,
                                          const std::function<bool(const PolicyNumbers&)>& fits) {
  TrialState& state = trial_state();
  const std::lock_guard lock(state.mutex);
  if (!state.is_running || state.family != family) return std::nullopt;
  state.row = row;
  state.standard = standard;
  PolicyNumbers wanted = replaced(standard, state.numbers);
  state.was_refused = wanted != standard && !(are_choices(standard, wanted) && fits(wanted));
  return state.was_refused ? standard : wanted;
}

}  // namespace

PolicyNumbers policy_in_force(const Traits& traits, std::string_view family, std::string_view row,
                              const PolicyNumbers& standard,
                              const std::function<bool(const PolicyNumbers&)>& fits) {
  if (traits.name.empty()) return standard;  // of a target, not of a device
  if (auto trial = trial_policy(family, row, standard, fits)) return *std::move(trial);
  const TunedFile file = tuned_file(traits);
  for (const TunedPolicy& tuned : file.policies) {
    if (tuned.family != family || tuned.row != row || tuned.standard != standard) continue;
    PolicyNumbers wanted = replaced(standard, tuned.best);
    if (!are_choices(standard, wanted)) {
      ignore_tuned(traits, "a number of '" + tuned.family + " " + tuned.row + ": " +
                               text_of(tuned.best) + "' is none of its choices");
      return standard;
    }
    if (fits(wanted)) return wanted;
  }
  return standard;
}

PolicyTrial::PolicyTrial(std::string family, PolicyNumbers numbers) {
  TrialState& state = trial_state();
  const std::lock_guard lock(state.mutex);
  state.is_running = true;
  state.was_refused = false;
  state.family = std::move(family);
  state.numbers = std::move(numbers);
  state.row.clear();
  state.standard.clear();
}
PolicyTrial::~PolicyTrial() {
  TrialState& state = trial_state();
  const std::lock_guard lock(state.mutex);
  state.is_running = false;
}
std::string PolicyTrial::row() const {
  TrialState& state = trial_state();
  const std::lock_guard lock(state.mutex);
  return state.row;
}
PolicyNumbers PolicyTrial::standard() const {
  TrialState& state = trial_state();
  const std::lock_guard lock(state.mutex);
  return state.standard;
}
bool PolicyTrial::was_refused() const {
  TrialState& state = trial_state();
  const std::lock_guard lock(state.mutex);
  return state.was_refused;
}

}  // namespace penstock::kernel
