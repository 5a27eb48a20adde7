// The search for a faster policy: one number after the other, around the default.
#pragma once
#include <functional>

#include "bench/tuning/tuned_work.hpp"
#include "kernel/tuned_policies.hpp"

namespace penstock::bench {

struct SearchOptions {
  double deadline_seconds = 0;  // of now_seconds(): no further policy is tried after it
  std::uint64_t runs = 5;       // of each policy; the median counts
  // Called with each policy before it is tried.
  std::function<void(const kernel::PolicyNumbers& numbers)> on_try = {};
};

// Times of one policy, in order.
struct PolicyTimes {
  std::vector<double> seconds;
  double median() const { return seconds[seconds.size() / 2]; }
  double spread() const { return (seconds.back() - seconds.front()) / median(); }
};

struct SearchOutcome {
  std::string row;
  kernel::PolicyNumbers standard, best;
  PolicyTimes standard_times, best_times;
  std::uint64_t tried = 0, refused = 0;  // policies; refused: they do not fit
  bool was_cut = false;                  // by the deadline
  // Whether the row that the device takes has a number to choose; else nothing is timed.
  bool has_choices() const;
  double gain() const { return standard_times.median() / best_times.median(); }
  // At least 3 % faster, and beyond the spread: three quarters of the best policy's runs are faster
  // than three quarters of the default's. Its fastest run is faster than the default's, too.
  bool is_worth_it() const;
  kernel::TunedPolicy policy(const std::string& family) const;
};

// Tries the choices of each number, two rounds of them, and keeps the fastest. Then the default and
// the best are timed again in turns. Each policy's answer is verified before it is timed. An error
// of Code::internal is a wrong answer.
Result<SearchOutcome> search_policy(TunedWork& work, const std::string& family,
                                    const SearchOptions& options);

}  // namespace penstock::bench
