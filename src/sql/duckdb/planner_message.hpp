// DuckDB's message on a statement that it does not plan.
#pragma once
#include <string>

#include "penstock/status.hpp"

namespace penstock::sql {

// Keeps the first sentence: its line and place are those of the rewritten statement.
inline Status planner_failure(const std::string& message) {
  return Status(Code::invalid, "DuckDB: " + message.substr(0, message.find("\n\nLINE ")));
}

}  // namespace penstock::sql
