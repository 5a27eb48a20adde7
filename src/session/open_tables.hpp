// The files that a session has opened, by their path. Thread-safe.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "penstock/column.hpp"
#include "penstock/device_cache.hpp"

namespace penstock::session {

class OpenTables {
 public:
  // Returns the open file where its identity is still that of the path; opens it otherwise, and
  // drops what `cache` has of the file that stood there before.
  Result<std::shared_ptr<TableSource>> open(const std::string& path, DeviceCache& cache);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<TableSource>> by_path_;
};

}  // namespace penstock::session
