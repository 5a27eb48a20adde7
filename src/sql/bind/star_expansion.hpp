// The columns that a star stands for, with its EXCLUDE, REPLACE and RENAME.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sql/parse/syntax.hpp"

namespace penstock::sql {

struct StarProblem {
  std::int64_t offset = 0;
  std::string message;  // "" where there is none
};

class StarExpansion {
 public:
  StarExpansion(const Syntax& star, const StarChanges& changes) : star_(star), changes_(changes) {}

  // Returns the item of a column, or nullopt where EXCLUDE names it.
  std::optional<SelectItem> item_of(const std::string& name, std::uint32_t index);
  bool has_columns() const { return !seen_.empty(); }
  // Names what EXCLUDE, REPLACE or RENAME have and no table has; or says that no column is left.
  StarProblem problem(bool is_empty) const;

 private:
  const Syntax& star_;
  const StarChanges& changes_;
  std::vector<std::string> seen_;  // columns of its tables
};

}  // namespace penstock::sql
