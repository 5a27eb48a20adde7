// DuckDB's message on a statement that it does not plan.
#pragma once
#include <algorithm>
#include <string>

#include "penstock/status.hpp"

namespace penstock::sql {

// Keeps the first sentence: its line and place are those of the rewritten statement. Lists of
// candidates, and settings that only DuckDB has, are no help here.
inline Status planner_failure(const std::string& message) {
  std::size_t end = message.find("\n\nLINE ");
  for (const char* const tail :
       {"\n\tCandidate functions", "\n\tCandidate", "Use SET ", "\nUse SET "})
    end = std::min(end, message.find(tail));
  std::string first = message.substr(0, end);
  first.erase(first.find_last_not_of(" \n\t") + 1);
  return Status(Code::invalid, "DuckDB: " + first);
}

}  // namespace penstock::sql
