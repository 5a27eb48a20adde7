// Policies that `penstock tune` measured on this machine: a small file beside the JIT cache, and
// the choice from it.
//
// A line applies only to programs that still have the default numbers that it was measured against.
// So it changes neither other programs of the row, nor a row with a new default since then. A
// damaged file is ignored, and so is a file of another device, driver or version of the project.
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
  double gain = 1;    // the default's time / the best time
  double spread = 0;  // of the best policy's times: (slowest - fastest) / median
  bool operator==(const TunedPolicy&) const = default;
};

// The content of a file. `note` says why an existing file is not used; otherwise it is empty.
struct TunedFile {
  std::string path;
  std::vector<TunedPolicy> policies;
  std::string note;
};
// Reads the file of a device. Returns nothing if PENSTOCK_TUNED is 0 or the cache is off.
TunedFile tuned_file(const Traits& traits);
// During its lifetime, its thread checks the file of a device once instead of for each kernel of a
// run: a check takes the system some microseconds.
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
// Makes this process ignore a device's file until the file changes; `why` is a clause for its note.
void ignore_tuned(const Traits& traits, const std::string& why);
// Replaces the whole file. Code::io if the cache is off or not writable.
Status store_tuned(const Traits& traits, const std::vector<TunedPolicy>& policies);
// The paths of the files of all devices in the cache's directory.
std::vector<std::string> tuned_paths();
Status remove_tuned();

// Returns the numbers that a row runs with. A PolicyTrial comes first, then the file if it has this
// row with these standard numbers, then the standard numbers. Each number is the standard one or
// one of its choices: a file with any other number is ignored. `fits` checks combinations; a tuned
// policy that does not fit is ignored.
PolicyNumbers policy_in_force(const Traits& traits, std::string_view family, std::string_view row,
                              const PolicyNumbers& standard,
                              const std::function<bool(const PolicyNumbers&)>& fits);

// During its lifetime, one family runs with other numbers in this process. It also records the
// policy that the family was given. At most one exists at a time.
class PolicyTrial {
 public:
  // `numbers` replace the standard numbers of the same names; without any the trial only records.
  PolicyTrial(std::string family, PolicyNumbers numbers);
  ~PolicyTrial();
  PolicyTrial(const PolicyTrial&) = delete;
  PolicyTrial& operator=(const PolicyTrial&) = delete;

  std::string row() const;         // the last one asked for; "" if none was
  PolicyNumbers standard() const;  // of that row
  bool was_refused() const;        // the numbers did not fit
};

}  // namespace penstock::kernel
