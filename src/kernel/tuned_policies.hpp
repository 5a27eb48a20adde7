// Policies that `penstock tune` measured on this machine: a small file beside the JIT cache, and
// what is taken of it.
//
// A line of it holds for programs to which the code gives the numbers that were the default when it
// was measured. So a row's other programs, and a row whose default has changed since, keep theirs.
// A file of another device, driver or version of the project, or a damaged one, is not used.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/variant_table.hpp"

namespace penstock::kernel {

struct TunedPolicy {
  std::string family, row;
  PolicyNumbers standard, best;
  double gain = 1;    // the default's time over the best one's
  double spread = 0;  // of the best one's times: (slowest - fastest) / median
  bool operator==(const TunedPolicy&) const = default;
};

// What a file holds. `note` says why a file that is there is not used; empty where there is none.
struct TunedFile {
  std::string path;
  std::vector<TunedPolicy> policies;
  std::string note;
};
// Reads the file of a device. Nothing where PENSTOCK_TUNED is 0, or the cache is off.
TunedFile tuned_file(const Traits& traits);
// While it lives, its thread looks at the file of a device once: each kernel of a run asks for it,
// and to ask the system takes some microseconds.
class TunedFilesOfRun {
 public:
  TunedFilesOfRun();
  ~TunedFilesOfRun();
  TunedFilesOfRun(const TunedFilesOfRun&) = delete;
  TunedFilesOfRun& operator=(const TunedFilesOfRun&) = delete;

 private:
  friend TunedFile tuned_file(const Traits& traits);
  friend void ignore_tuned(const Traits& traits, const std::string& why);
  TunedFilesOfRun* const before_;                         // of this thread
  std::vector<std::pair<std::string, TunedFile>> files_;  // by the devices' ids
};
// Has a device's file not used in this process until it changes; `why` is a clause for its note.
void ignore_tuned(const Traits& traits, const std::string& why);
// Writes the file whole, replacing what it had. Code::io where the cache is off or not writable.
Status store_tuned(const Traits& traits, const std::vector<TunedPolicy>& policies);
// The paths of the files of all devices in the cache's directory.
std::vector<std::string> tuned_paths();
Status remove_tuned();

// Returns the numbers that a row runs by: those of a PolicyTrial, else those of the file where it
// has this row with these standard numbers, else the standard ones. A number is the standard one or
// one of its choices: a file with another is not used at all. `fits` is asked of combinations; a
// policy that does not fit is left alone.
PolicyNumbers policy_in_force(const Traits& traits, std::string_view family, std::string_view row,
                              const PolicyNumbers& standard,
                              const std::function<bool(const PolicyNumbers&)>& fits);

// While it lives, one family runs by other numbers in this process; and it notes what policy the
// family was given. At most one lives at a time.
class PolicyTrial {
 public:
  // `numbers` replace those of the same names; without any the trial only notes.
  PolicyTrial(std::string family, PolicyNumbers numbers);
  ~PolicyTrial();
  PolicyTrial(const PolicyTrial&) = delete;
  PolicyTrial& operator=(const PolicyTrial&) = delete;

  std::string row() const;         // the last one asked for; "" where none was
  PolicyNumbers standard() const;  // of that row
  bool was_refused() const;        // the numbers did not fit
};

}  // namespace penstock::kernel
