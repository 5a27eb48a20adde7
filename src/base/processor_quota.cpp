#include "base/processor_quota.hpp"

#include <charconv>
#include <fstream>
#include <string>

namespace penstock {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Version 1 has the quota in a file of its own: -1 is none.
bool is_quota_of_version_1(const std::string& microseconds) {
  long long quota = -1;
  std::from_chars(microseconds.data(), microseconds.data() + microseconds.size(), quota);
  return quota > 0;
}

}  // namespace

bool is_quota(std::string_view cpu_max) { return !cpu_max.empty() && !cpu_max.starts_with("max"); }

bool has_processor_quota() {
  static const bool has_one =
      is_quota(first_line("/sys/fs/cgroup/cpu.max")) ||
      is_quota_of_version_1(first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"));
  return has_one;
}

}  // namespace penstock
