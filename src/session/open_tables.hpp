// The tables that a session has opened, by what names them. Thread-safe.
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
  // Returns the open table where its files are still those that are named: folders and patterns are
  // looked at each time. Opens it otherwise, and drops what the session's caches have of the files
  // that stood there before.
  Result<std::shared_ptr<TableSource>> open(const TableReference& table, SessionDevice& device);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<TableSource>> by_text_;
};

}  // namespace penstock::session
