// The files that a session has opened, by their path. Thread-safe.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "penstock/column.hpp"
#include "penstock/session_device.hpp"
#include "penstock/table_reference.hpp"

namespace penstock::session {

class OpenTables {
 public:
  // Returns the open file where its identity is still that of the path; opens it otherwise, and
  // drops what the session's caches have of the file that stood there before.
  Result<std::shared_ptr<TableSource>> open(const TableReference& table, SessionDevice& device);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<TableSource>> by_path_;  // or by their reference's text
};

}  // namespace penstock::session
